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
		[{"method": "full", "path": variable.path, "text": variable.value, "needs_wal": true} | variable := zalando.environment.BACKUP_SCHEDULE],
		[{"method": "full", "path": ["spec", "env"], "text": "0 1 * * *", "needs_wal": true} | by_default],
	),
)

# Spilo's own schedule, wherever it archives.
by_default if {
	not zalando.environment.BACKUP_SCHEDULE
	zalando.destination
}

by_default if {
	not zalando.environment.BACKUP_SCHEDULE
	zalando.operator_archives
}

# METADATA
# description: |
#   Where others archive to the same place; see walguard.model.collisions. A prefix is all there is; below a bucket the operator adds the
#   cluster's name and id.
collisions := array.concat(
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
)

prefixes := [{"place": place, "path": variable.path} |
	some name in names
	variable := zalando.environment[name]
	place := trim_right(variable.value, "/")
]

names := [name | some name in spilo.destinations; endswith(name, "_PREFIX")]
