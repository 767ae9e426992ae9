# METADATA
# description: The schedules of an SGCluster (see walguard.model.schedules). Its backups need the WAL archive to be of any use.
package walguard.operators.stackgres.plan

import data.walguard.lib.get
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
