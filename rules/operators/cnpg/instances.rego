package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.quantity

# ----------------------------------------------------------------------------------------------------- instances

instances := shared.number_at(k8s.object, ["spec", "instances"])

instances := fact.operator(1, ["spec", "instances"]) if {
	count(spec) > 0
	not get.present(spec, "instances")
}

instance_set := object.union_n([
	{
		"name": k8s.name,
		"path": ["spec"],
		"resources": shared.resources(k8s.object, ["spec", "resources"]),
		"resources_path": ["spec", "resources"],
		"wal_path": ["spec", "walStorage"],
	},
	{"replicas": n | n := instances},
	{"node_types": found | found := node_types},
	volumes,
	{"tablespaces": tablespaces | count(tablespaces) > 0},
]) if {
	operator
}

# --------------------------------------------------------------------------------------------------- replication

slots_path := ["spec", "replicationSlots", "highAvailability", "enabled"]

# On since release 1.21.
slots := fact.written(get.boolean(k8s.object, slots_path), slots_path)

slots := fact.operator(true, slots_path) if not get.present(k8s.object, slots_path)

# docs/src/replication.md, "Logical Decoding Slot Synchronization".
facts contains {"slots_left": {"kept": [], "cure": left_slots_cure}} if {
	operator
	count(spec) > 0
	not get.boolean(k8s.object, ["spec", "replicationSlots", "highAvailability", "synchronizeLogicalDecoding"])
	count([1 | some name, _ in get.map(k8s.object, parameters_path); startswith(name, "pg_failover_slots.")]) == 0
}

left_slots_cure := "Set synchronizeLogicalDecoding and preload pg_failover_slots" if {
	major.value < 17
} else := "Set synchronizeLogicalDecoding, sync_replication_slots and slot.failover"

synchronous := fact.written(true, ["spec", "postgresql", "synchronous"]) if is_object(object.get(spec, ["postgresql", "synchronous"], null))

synchronous := fact.written(true, ["spec", "minSyncReplicas"]) if {
	not is_object(object.get(spec, ["postgresql", "synchronous"], null))
	get.number(spec, "minSyncReplicas") > 0
}

# ------------------------------------------------------------------------------------------------------------ pods

selection := object.union(
	{"labels": labels, "own": labels},
	{"count": n | n := instances.value},
) if {
	labels := {
		concat("/", [operator.annotations, "cluster"]): k8s.name,
		concat("/", [operator.annotations, "podRole"]): "instance",
	}
}

# The chart of the operator's project writes its default.
primary_budget := object.union(
	fact.written(get.boolean(spec, "enablePDB"), ["spec", "enablePDB"]),
	{"origin": "operator" | startswith(get.string(k8s.object, ["metadata", "labels", "helm.sh/chart"]), "cluster-")},
)

primary_budget := fact.operator(true, ["spec", "enablePDB"]) if not get.present(spec, "enablePDB")

startup := get.map(spec, ["probes", "startup"])

# The operator divides the delay, an hour unless told otherwise, by the period of ten seconds.
patience := object.union(fact.written(get.number(spec, "startDelay"), ["spec", "startDelay"]), {"probe": "startDelay", "seconds": true}) if {
	not get.present(startup, "failureThreshold")
	not get.present(startup, "periodSeconds")
}

patience := object.union(
	fact.written(object.get(startup, "initialDelaySeconds", 0) + (failures * period), ["spec", "probes", "startup"]),
	{"probe": "startup probe", "starting": true},
) if {
	failures := get.number(startup, "failureThreshold")
	period := object.get(startup, "periodSeconds", 10)
}

shared_memory := fact.written(quantity.bytes(get.text_at(k8s.object, shm_path)), shm_path)

shm_path := ["spec", "ephemeralVolumesSizeLimit", "shm"]

node_types := machine.types(k8s.object, ["spec", "affinity", "nodeSelector"], ["spec", "affinity", "nodeAffinity"])
