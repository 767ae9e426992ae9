package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.scheduling

quorum_path := ["spec", "postgresql", "synchronous"]

quorum := get.map(k8s.object, quorum_path)

# Standbys outside of the cluster confirm as well, how many of them nobody knows. "preferred" lowers the number to the standbys
# that are ready, and so does the older pair of fields ("self-healing", pkg/postgres/replication/legacy.go).
facts contains {"commit_wait": object.union(fact.written(number, array.concat(quorum_path, ["number"])), {"relax": "dataDurability: preferred"})} if {
	operator
	number := shared.whole(object.get(quorum, "number", null))
	object.get(quorum, "dataDurability", "required") == "required"
	outside == 0
}

outside := count(get.list(quorum, "standbyNamesPre")) + count(get.list(quorum, "standbyNamesPost"))

# What the webhook refuses (validateSynchronousReplicaConfiguration, validateConfiguration, validateMaxSyncReplicas, validateMinSyncReplicas).
facts contains {"synchronous_refused": refusals} if {
	operator
	refusals := [refusal | some refusal in synchronous_refusals]
	count(refusals) > 0
}

synchronous_refusals contains {
	"path": array.concat(quorum_path, ["number"]),
	"reason": sprintf("synchronous.number=%d with %d instances, of which at most %d are standbys", [number, instances.value, instances.value - 1]),
	"cure": cure_within(instances.value - 1),
} if {
	number := shared.whole(object.get(quorum, "number", null))
	outside == 0
	number >= instances.value
}

synchronous_refusals contains {
	"path": array.concat(quorum_path, ["number"]),
	"reason": sprintf("synchronous.number=%d with %d instances and %d other standbys", [number, instances.value, outside]),
	"cure": sprintf("Set it to %d or less, or add instances", [(instances.value + outside) - 1]),
} if {
	number := shared.whole(object.get(quorum, "number", null))
	outside > 0
	number >= instances.value + outside
}

# It names no more of the cluster's standbys than this (explicitSynchronousStandbyNamesDataDurabilityRequired), and waits for the number all the same. The webhook looks at instances alone.
facts contains {"synchronous_short": {
	"path": array.concat(quorum_path, ["maxStandbyNamesFromCluster"]),
	"reason": sprintf("synchronous.number=%d, but %d standbys are named (maxStandbyNamesFromCluster=%d)", [number, named, most]),
	"cure": sprintf("Set maxStandbyNamesFromCluster to %d or more, or leave it out", [number - outside]),
}} if {
	operator
	number := shared.whole(object.get(quorum, "number", null))
	most := shared.whole(object.get(quorum, "maxStandbyNamesFromCluster", null))
	object.get(quorum, "dataDurability", "required") == "required"
	named := most + outside
	number > named
	number < instances.value + outside
}

synchronous_refusals contains {
	"path": quorum_path,
	"reason": "both spec.postgresql.synchronous and the older minSyncReplicas or maxSyncReplicas are set",
	"cure": "Remove the older pair",
} if {
	count(quorum) > 0
	some field in ["minSyncReplicas", "maxSyncReplicas"]
	get.number(spec, field) > 0
}

synchronous_refusals contains {
	"path": ["spec", "maxSyncReplicas"],
	"reason": sprintf("maxSyncReplicas=%d with %d instances, of which at most %d are standbys", [most, instances.value, instances.value - 1]),
	"cure": cure_within_either(instances.value - 1),
} if {
	most := shared.whole(object.get(spec, "maxSyncReplicas", null))
	most > 0
	most >= instances.value
}

synchronous_refusals contains {
	"path": ["spec", "minSyncReplicas"],
	"reason": sprintf("minSyncReplicas=%d is more than maxSyncReplicas=%d", [least, most]),
	"cure": "Raise maxSyncReplicas or lower minSyncReplicas",
} if {
	least := shared.whole(object.get(spec, "minSyncReplicas", null))
	most := shared.whole(object.get(spec, "maxSyncReplicas", 0))
	least > most
}

# https://github.com/cloudnative-pg/cloudnative-pg/issues/10547
facts contains {"quorum_deadlock": fact.written(true, ["spec", "probes", "startup", "type"])} if {
	operator
	get.string(quorum, "dataDurability") == "preferred"
	quorum_failover
	get.string(spec, ["probes", "startup", "type"]) == "streaming"
}

quorum_failover if get.boolean(quorum, "failoverQuorum")

quorum_failover if get.string(k8s.annotations, concat("/", [operator.annotations, "failoverQuorum"])) in {"true", "t", "1"}

# ------------------------------------------------------------------------------------------------------ scheduling

affinity_path := ["spec", "affinity"]

# What stands in a toleration the webhook says itself (validateTolerations).
facts contains {"pod_lists": lists} if {
	operator
	lists := array.concat(
		[path | some path in [["spec", "imagePullSecrets"], ["spec", "topologySpreadConstraints"]]; get.present(k8s.object, path)],
		[path |
			path := array.concat(affinity_path, ["tolerations"])
			get.present(k8s.object, path)
			count([1 | some entry in get.list(k8s.object, path); is_object(entry)]) == 0
		],
	)
	count(lists) > 0
}

facts contains {"affinities": [array.concat(affinity_path, [field]) | some field in ["additionalPodAffinity", "additionalPodAntiAffinity", "nodeAffinity"]]} if {
	get.present(k8s.object, affinity_path)
}

facts contains {"one_node": found} if {
	operator
	found := scheduling.pinned_node(k8s.object, array.concat(affinity_path, ["nodeSelector"]), array.concat(affinity_path, ["nodeAffinity"]))
}

# The operator asks for different nodes, as a preference, unless it is told not to.
facts contains {"one_node": fact.written("enablePodAntiAffinity: false, and nothing else spreads the instances", array.concat(affinity_path, ["enablePodAntiAffinity"]))} if {
	operator
	not scheduling.pinned_node(k8s.object, array.concat(affinity_path, ["nodeSelector"]), array.concat(affinity_path, ["nodeAffinity"]))
	get.boolean(k8s.object, array.concat(affinity_path, ["enablePodAntiAffinity"])) == false
	not get.present(k8s.object, array.concat(affinity_path, ["additionalPodAntiAffinity"]))
	count(get.list(spec, "topologySpreadConstraints")) == 0
}

# Pods of one zone may then share a node, and all of them do where there is one zone. Storage that people run themselves is a sign of a Kubernetes cluster in one place.
facts contains {"one_node": fact.written("they are kept in different zones only, as a preference, and in a Kubernetes cluster of one zone nothing spreads them", array.concat(affinity_path, ["topologyKey"]))} if {
	operator
	not scheduling.pinned_node(k8s.object, array.concat(affinity_path, ["nodeSelector"]), array.concat(affinity_path, ["nodeAffinity"]))
	get.string(k8s.object, array.concat(affinity_path, ["topologyKey"])) in scheduling.zone_labels
	object.get(k8s.object, array.concat(affinity_path, ["enablePodAntiAffinity"]), true) == true
	object.get(k8s.object, array.concat(affinity_path, ["podAntiAffinityType"]), "preferred") == "preferred"
	not get.present(k8s.object, array.concat(affinity_path, ["additionalPodAntiAffinity"]))
	count(get.list(spec, "topologySpreadConstraints")) == 0
	of_ones_own_storage(get.string(spec, ["storage", "storageClass"]))
}

of_ones_own_storage(class) if {
	not inventory.cluster_object("storage.k8s.io/v1", "StorageClass", class)
	regex.match(`^(longhorn|local-path|openebs|topolvm|microk8s-hostpath|linstor|piraeus|harvester)`, class)
}

of_ones_own_storage(class) if regex.match(`longhorn|local-path|openebs|topolvm|microk8s|linstor|harvester|sinextra`, get.string(inventory.cluster_object("storage.k8s.io/v1", "StorageClass", class), "provisioner"))

facts contains {"one_zone": found} if {
	operator
	found := scheduling.pinned_zone(k8s.object, array.concat(affinity_path, ["nodeSelector"]), array.concat(affinity_path, ["nodeAffinity"]))
}

# ---------------------------------------------------------------------------------------------------------- access

# The operator's own lines come first, and after those of the user "host all all all" with a password.
facts contains {"hba": lines} if {
	operator
	lines := hba.listed(k8s.object, ["spec", "postgresql", "pg_hba"])
	count(lines) > 0
}

# pkg/postgres/configuration.go, hbaTemplateString; md5 up to PostgreSQL 13.
facts contains {"hba_rest": fact.operator("host all all all scram-sha-256", ["spec", "postgresql", "pg_hba"])} if {
	operator
	count(hba.listed(k8s.object, ["spec", "postgresql", "pg_hba"])) > 0
	not get.present(spec, ["postgresql", "ldap"])
}

# The line for LDAP stands there too, behind those of the user and before the one for passwords (hbaTemplateString).
facts contains {"hba_behind": fact.operator("host all all 0.0.0.0/0 ldap", ["spec", "postgresql", "ldap"])} if {
	is_object(object.get(spec, ["postgresql", "ldap"], null))
	operator
	count(hba.listed(k8s.object, ["spec", "postgresql", "pg_hba"])) > 0
}

# Certificates are asked of the operator's own roles alone.
facts contains {"password_only": object.union(
	fact.operator("host all all all scram-sha-256", ["spec", "postgresql", "pg_hba"]),
	{"hosts": [concat("-", [k8s.name, role]) | some role in ["rw", "ro", "r"]]},
)} if {
	operator
	not get.present(spec, ["postgresql", "ldap"])
	written := hba.listed(k8s.object, ["spec", "postgresql", "pg_hba"])
	count(get.list(spec, ["postgresql", "pg_hba"])) == count(written)
	count([1 | some one in written; not regex.match(`\b(scram-sha-256|md5|reject)\s*(#.*)?$`, one.line)]) == 0
}

# The instance manager refuses a secret of another user (reconcileUser, "wrong username"), and the cluster never becomes ready.
facts contains {"login_mismatch": found} if {
	operator
	some bootstrap in ["initdb", "recovery", "pg_basebackup"]
	base := ["spec", "bootstrap", bootstrap]
	[owner, path] := owner_below(base)
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(k8s.object, array.concat(base, ["secret", "name"])))
	username := login.field(secret, "username")
	username != owner
	not placeholder.unknown(owner)
	found := {"value": owner, "login": username, "secret": secret.metadata.name, "origin": "written", "path": path}
}

# The owner is called as the database where none is named, and that is app but for the import of a whole server (api/v1/cluster_defaults.go).
owner_below(base) := [name, array.concat(base, ["owner"])] if {
	name := get.string(k8s.object, array.concat(base, ["owner"]))
	name != ""
} else := [name, array.concat(base, ["database"])] if {
	not get.present(k8s.object, array.concat(base, ["owner"]))
	name := get.string(k8s.object, array.concat(base, ["database"]))
	name != ""
} else := ["app", array.concat(base, ["secret", "name"])] if {
	count([1 | some field in ["owner", "database"]; get.present(k8s.object, array.concat(base, [field]))]) == 0
	get.string(k8s.object, array.concat(base, ["import", "type"])) != "monolith"
} else := ["app", array.concat(base, ["secret", "name"])] if {
	count([1 | some field in ["owner", "database", "import"]; get.present(k8s.object, array.concat(base, [field]))]) == 0
}

facts contains {"passwords": found} if {
	operator
	found := [{"name": "password", "path": path} |
		some i, external in get.list(spec, "externalClusters")
		path := ["spec", "externalClusters", i, "connectionParameters", "password"]
		login.literal(get.text_at(k8s.object, path))
	]
	count(found) > 0
}

# ------------------------------------------------------------------------------------------------ lifecycle, initdb

facts contains {"grace": object.union(fact.written(get.number(spec, "stopDelay"), ["spec", "stopDelay"]), {"field": "stopDelay"})} if {
	operator
	get.number(spec, "stopDelay")
}

facts contains {"locales": found} if {
	operator
	found := [{"name": field, "value": value, "path": path} |
		some field in ["locale", "localeCollate", "localeCType"]
		path := ["spec", "bootstrap", "initdb", field]
		value := get.string(k8s.object, path)
	]
	count(found) > 0
}

# -------------------------------------------------------------------------------------------------- replica clusters

facts contains {"follows": fact.written(true, ["spec", "replica"])} if get.boolean(k8s.object, ["spec", "replica", "enabled"])

# In a distributed topology each says which of them is the primary.
facts contains {"follows": fact.written(true, ["spec", "replica", "primary"])} if {
	leader := get.string(k8s.object, ["spec", "replica", "primary"])
	leader != object.get(k8s.object, ["spec", "replica", "self"], k8s.name)
	not get.boolean(k8s.object, ["spec", "replica", "enabled"])
}

# The Cluster that a replica cluster streams from, or whose archive it replays, where that is found in the namespace.
facts contains {"primary": {"object": found, "path": ["spec", "replica", "source"]}} if {
	get.boolean(k8s.object, ["spec", "replica", "enabled"])
	source := get.string(k8s.object, ["spec", "replica", "source"])
	some external in get.list(k8s.object, ["spec", "externalClusters"])
	get.string(external, "name") == source
	found := inventory.namespaced_object(k8s.namespace, k8s.api_version, "Cluster", cluster_behind(external))
}

# By its Service, else by the name that its archive has.
cluster_behind(external) := trim_suffix(service, "-rw") if {
	parts := split(get.string(external, ["connectionParameters", "host"]), ".")
	service := parts[0]
	endswith(service, "-rw")
	count(parts) == 1
} else := trim_suffix(service, "-rw") if {
	parts := split(get.string(external, ["connectionParameters", "host"]), ".")
	service := parts[0]
	endswith(service, "-rw")
	parts[1] == k8s.namespace
} else := get.string(external, ["plugin", "parameters", "serverName"]) if {
	not get.string(external, ["connectionParameters", "host"])
}

# Nor where a user decides when the primary changes: after a switchover the former one comes back below what its data asks for (issue 10716).
facts contains {"standbys_restart_first": fact.written(true, ["spec", "primaryUpdateStrategy"])} if {
	operator
	k8s.old_object
	get.string(spec, "primaryUpdateStrategy") == "supervised"
	not removes_a_limit
}

# The operator restarts the primary first where a limit is lowered, and takes one that is removed for unchanged (issue 10395).
facts contains {"standbys_restart_first": fact.written(true, ["spec", "postgresql", "parameters"])} if removes_a_limit

removes_a_limit if {
	was := get.map(k8s.old_object, ["spec", "postgresql", "parameters"])
	is := get.map(k8s.object, ["spec", "postgresql", "parameters"])
	count([1 |
		some name in ["max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders", "max_worker_processes"]
		get.present(was, [name])
		not get.present(is, [name])
	]) > 0
}

# There is no number below 0.
cure_within(most) := sprintf("Set it to %d or less, or add instances", [most]) if most > 0

cure_within(most) := "Take it out, or add instances" if most <= 0

# A minimum above the maximum is refused, too.
cure_within_either(most) := cure_within(most) if most > 0

cure_within_either(most) := "Take out minSyncReplicas and maxSyncReplicas, or add instances" if most <= 0
