# METADATA
# description: The schedules of a Zalando cluster – dumps, and base backups by the environment of Spilo (see walguard.model.schedules).
package walguard.operators.zalando.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.spilo
import data.walguard.operators.zalando

schedules := array.concat(
	[{"method": "logical", "path": ["spec", "logicalBackupSchedule"], "text": text, "needs_wal": false} |
		get.boolean(k8s.object, ["spec", "enableLogicalBackup"])
		text := get.string(k8s.object, ["spec", "logicalBackupSchedule"])
	],
	array.concat(
		[object.union({"method": "full", "text": variable.value, "needs_wal": true}, object.filter(variable, ["path", "resource"])) | variable := zalando.environment_of_all.BACKUP_SCHEDULE],
		[{"method": "full", "path": ["spec", "env"], "text": "0 1 * * *", "needs_wal": true} | by_default],
	),
)

# Spilo's own schedule, wherever it archives.
by_default if {
	not zalando.environment_of_all.BACKUP_SCHEDULE
	zalando.destination
}

by_default if {
	not zalando.environment_of_all.BACKUP_SCHEDULE
	zalando.operator_archives
}

# METADATA
# description: |
#   Where others archive to the same place; see walguard.model.collisions. A prefix is all there is; below a bucket the operator adds the
#   cluster's name and id.
collisions := array.concat(of_all, array.concat(
	[object.union(place, {"source": true, "other": "its source"}) |
		some place in prefixes
		place.place == trim_right(get.string(k8s.object, ["spec", "clone", "s3_wal_path"]), "/")
	],
	[object.union(place, {"source": false, "other": neighbour.title}) |
		some neighbour in inventory.neighbours([place.place | some place in prefixes])
		some place in prefixes
		some variable in get.list(neighbour.object, ["spec", "env"])
		is_object(variable)
		get.upper_case(get.string(variable, "name")) in names
		trim_right(get.string(variable, "value"), "/") == place.place
	],
))

# The ConfigMap of the pods' variables is one for all clusters of the operator: a prefix in it that does not name the cluster ($(SCOPE) and the like, which Kubernetes fills in) is one place for all. An OperatorConfiguration
# with watched_namespace is for some of them.
of_all := [{
	"place": trim_right(prefix, "/"),
	"path": ["data", name],
	"resource": k8s.reference(zalando.environment_map),
	"source": false,
	"other": sprintf("%s/%s", [neighbour.metadata.namespace, neighbour.metadata.name]),
} |
	count(zalando.configurations) == 1
	some name in names
	prefix := get.string(zalando.environment_map, ["data", name])
	not contains(prefix, "$")
	not zalando.environment[name]
	not get.present(k8s.object, ["spec", "standby"])
	some neighbour in inventory.list(k8s.namespace, k8s.api_version, "postgresql")
	neighbour.metadata.name != k8s.name
	not get.present(neighbour, ["spec", "standby"])
	count([1 | some variable in get.list(neighbour, ["spec", "env"]); get.upper_case(get.string(variable, "name")) == name]) == 0
]

prefixes := [{"place": place, "path": variable.path} |
	some name in names
	variable := zalando.environment[name]
	place := trim_right(variable.value, "/")
]

names := [name | some name in spilo.destinations; endswith(name, "_PREFIX")]
