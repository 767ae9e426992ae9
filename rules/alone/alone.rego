# METADATA
# description: |
#   What is wrong with an object that belongs to a cluster, as a Pooler or a ScheduledBackup, or to an operator, where no cluster of it is among the files: a cluster that names it and
#   configures what it asks for stands in, and what some checks say of the object itself counts. On a live cluster the cluster itself is judged.
package walguard.alone

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.operators.zalando
import data.walguard.verdict

findings contains finding if {
	some absent in missing
	asked := object.union(object.filter(input, ["now"]), {
		"review": {"object": absent},
		"parameters": settings.configuration,
		"inventory": object.union(inventory.handed, inventory.from_documents([placed])),
	})
	some found in verdict.findings with input as asked
	found.check in told
	found.severity != "info"
	finding := object.union(found, {"resource": about(found.resource)})
}

about(resource) := k8s.reference(k8s.object) if {
	resource == k8s.reference(placed)
} else := resource if {
	# What the configuration of an operator names.
	k8s.kind in {"ConfigMap", "OperatorConfiguration"}
	resource.kind in {"ConfigMap", "Secret"}
	count([1 | k8s.kind == "ConfigMap"; resource.kind == "ConfigMap"; holds_options(inventory.namespaced_object(resource.namespace, "v1", "ConfigMap", resource.name))]) == 0
}

# METADATA
# description: True of an object that belongs to a cluster which is not in sight.
recognised if count(missing) > 0

# Whatever the cluster may be: nothing that compares the two.
told := {
	"access/pooler_login",
	"access/secret_key_missing",
	"access/secret_line_break",
	"backup/option_unknown",
	"backup/schedule_invalid",
	"backup/store_refuses",
	"backup/store_unusable",
	"image/user_missing",
	"manifest/field_misspelt",
	"parameters/ignored",
	"parameters/operator_refuses",
	"workload/permissions",
}

# The cluster that is not in sight, or nothing.
missing := [absent |
	not inventory.served
	absent := stand_in
	count([1 | some home in homes; is_object(inventory.namespaced_object(k8s.namespace, home, "Cluster", absent.metadata.name))]) == 0
	count([1 | absent.kind == "postgresql"; some _ in inventory.everywhere(absent.apiVersion, "postgresql")]) == 0
]

homes := {"postgresql.cnpg.io/v1", "postgresql.k8s.enterprisedb.io/v1"}

stand_in := cluster(k8s.api_version, name, {}) if {
	k8s.api_version in homes
	k8s.kind in {"Database", "Pooler"}
	name := get.string(k8s.object, ["spec", "cluster", "name"])
} else := cluster(k8s.api_version, name, configured[method]) if {
	k8s.api_version in homes
	k8s.kind in {"Backup", "ScheduledBackup"}
	name := get.string(k8s.object, ["spec", "cluster", "name"])
	method := object.get(k8s.object, ["spec", "method"], "barmanObjectStore")
} else := cluster("postgresql.cnpg.io/v1", "stand-in", {"plugins": [archiver("barman-cloud.cloudnative-pg.io", {"barmanObjectName": k8s.name})]}) if {
	k8s.api_version == "barmancloud.cnpg.io/v1"
	k8s.kind == "ObjectStore"
	count([1 | some home in homes; some _ in inventory.everywhere(home, "Cluster")]) == 0
} else := of_zalando if {
	k8s.api_version == "acid.zalan.do/v1"
	k8s.kind == "OperatorConfiguration"
} else := of_zalando if {
	k8s.kind == "ConfigMap"
	holds_options(k8s.object)
	count([1 | some _ in inventory.everywhere("acid.zalan.do/v1", "OperatorConfiguration")]) == 0
}

of_zalando := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-stand-in", "namespace": k8s.namespace},
	"spec": {"teamId": "acid", "numberOfInstances": 2, "volume": {"size": "100Gi"}},
}

# The older form of the configuration of Zalando's operator.
holds_options(map_of) if {
	some name in zalando.keys_of_its_own
	is_string(map_of.data[name])
}

cluster(home, name, more) := {
	"apiVersion": home,
	"kind": "Cluster",
	"metadata": {"name": name, "namespace": k8s.namespace},
	"spec": object.union({"instances": 2}, more),
}

# What a backup by each method needs of the cluster.
configured := {
	"barmanObjectStore": {"backup": {"barmanObjectStore": {"destinationPath": "s3://stand-in/", "s3Credentials": {"inheritFromIAMRole": true}}}},
	"volumeSnapshot": {"backup": {"volumeSnapshot": {}}},
	"plugin": {"plugins": [archiver(object.get(k8s.object, ["spec", "pluginConfiguration", "name"], ""), {})]},
}

archiver(name, parameters) := {"name": name, "isWALArchiver": true, "parameters": parameters}

placed := object.union(k8s.object, {"metadata": {"namespace": k8s.namespace}})
