package walguard.operators.percona

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.script
import data.walguard.lib.text

# The operator leaves a ConfigMap alone that says so, and its server, PgBouncer or pgBackRest reads what somebody else wrote there (internal/controller/postgrescluster/controller.go). Pods find it by its name
# (internal/naming/names.go): those of instances have four letters of their own in it.
unread_overrides := [{"source": sprintf("ConfigMap %s/%s, which pgv2.percona.com/override-config keeps from the operator", [k8s.namespace, get.string(one, ["metadata", "name"])]), "path": override_path, "resource": k8s.reference(one), "severity": overridden(one)} |
	some one in inventory.list(k8s.namespace, "v1", "ConfigMap")
	get.present(one, override_path)
	of_this_cluster(one)
]

override_path := ["metadata", "annotations", "pgv2.percona.com/override-config"]

of_this_cluster(one) if get.string(one, ["metadata", "labels", "postgres-operator.crunchydata.com/cluster"]) == k8s.name

of_this_cluster(one) if regex.match(sprintf(`^%s-(config|pgbackrest-config|pgbouncer|.+-[a-z0-9]{4}-config)$`, [text.literal(k8s.name)]), get.string(one, ["metadata", "name"]))

overridden(one) := "warning" if {
	some _, text_ in get.map(one, "data")
	script.dangerous(get.text(text_))
} else := inventory.unread

# METADATA
# description: Such a ConfigMap by itself, as what it changes of a cluster that need not be in sight.
cluster := {
	"operator": "Percona Operator for PostgreSQL",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"partial": true,
	"parameters": [],
	"parameters_path": [],
	"parameter_values": "any",
	"defaults": {},
	"unread": [{"source": "this ConfigMap, which pgv2.percona.com/override-config keeps from the operator", "path": override_path, "severity": overridden(k8s.object)}],
} if {
	k8s.kind == "ConfigMap"
	get.present(k8s.object, override_path)
}
