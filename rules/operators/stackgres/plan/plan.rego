# METADATA
# description: The schedules of an SGCluster (see walguard.model.schedules). Its backups need the WAL archive to be of any use.
package walguard.operators.stackgres.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.operators.stackgres

schedules := [stackgres.at_home(object.union_n([
	{
		"method": "full",
		"path": array.concat(stackgres.backups_path, [i, "cronSchedule"]),
		"text": text,
		"needs_wal": true,
	},
	{"snapshot": true | get.boolean(backup, "useVolumeSnapshot")},
])) |
	some i, backup in get.list(stackgres.home, stackgres.backups_path)
	is_object(backup)
	text := get.string(backup, "cronSchedule")
]

# METADATA
# description: |
#   Where others keep their backups in the same place; see walguard.model.collisions. The operator makes up a path of its own for
#   every cluster unless somebody writes one, and an SGObjectStorage is of one namespace.
collisions := [stackgres.at_home({
	"place": sprintf("%s of SGObjectStorage %s", [path, storage]),
	"other": sprintf("%s/%s", [k8s.namespace, name]),
	"source": false,
	"path": array.concat(stackgres.backups_path, [i, "path"]),
}) |
	stackgres.reviewed_cluster
	some i, backup in get.list(stackgres.home, stackgres.backups_path)
	path := get.string(backup, "path")
	not contains(path, k8s.name)
	storage := get.string(backup, "sgObjectStorage")
	some name, other in inventory.by_name(k8s.namespace, k8s.api_version, k8s.kind)
	name != k8s.name
	some theirs in get.list(other, stackgres.backups_path)
	get.string(theirs, "path") == path
	get.string(theirs, "sgObjectStorage") == storage
]
