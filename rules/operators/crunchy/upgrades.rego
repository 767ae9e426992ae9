package walguard.operators.crunchy

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# Conditions PGClusterNotShutdown and PGClusterMissingRequiredAnnotation (internal/controller/pgupgrade/pgupgrade_controller.go): a PGUpgrade waits for both without a word but these.
waiting_upgrades := [{
	"by": sprintf("PGUpgrade %s", [upgrade.metadata.name]),
	"reason": sprintf("it waits for the cluster's %s", [text.list([words | some [words, _] in lacking], "and")]),
	"cure": sprintf("Set %s", [text.list([cure | some [_, cure] in lacking], "and")]),
	"path": ["spec"],
	"level": gravity,
} |
	some upgrade in inventory.list(k8s.namespace, "postgres-operator.crunchydata.com/v1beta1", "PGUpgrade")
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name
	get.number(upgrade, ["spec", "fromPostgresVersion"]) == pgo.major.value
	get.number(upgrade, ["spec", "toPostgresVersion"]) > pgo.major.value
	count([1 | some condition in get.list(upgrade, ["status", "conditions"]); get.string(condition, "type") == "Succeeded"]) == 0
	not placeholder.holds(upgrade.metadata.name)
	lacking := array.concat(
		[["shutdown", "spec.shutdown: true"] | not_shut_down],
		[["annotation", sprintf("%s: %s", [permission, upgrade.metadata.name])] |
			allowed := object.get(k8s.annotations, permission, "")
			allowed != upgrade.metadata.name
			not placeholder.holds(allowed)
		],
	)
	count(lacking) > 0
	gravity := gravity_of(object.get(k8s.annotations, permission, ""))
]

# One that is asked for beside it may come first; another name is that of none, and waits for somebody to see it.
gravity_of(allowed) := "error" if {
	is_string(allowed)
	allowed != ""
	not placeholder.holds(allowed)
	not inventory.namespaced_object(k8s.namespace, "postgres-operator.crunchydata.com/v1beta1", "PGUpgrade", allowed)
} else := "warning"

permission := "postgres-operator.crunchydata.com/allow-upgrade"

not_shut_down if object.get(pgo.spec, "shutdown", false) in {false, null}
