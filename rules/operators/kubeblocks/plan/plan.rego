# METADATA
# description: The schedules of a KubeBlocks Cluster and of BackupSchedules for it (see walguard.model.schedules).
package walguard.operators.kubeblocks.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.operators.kubeblocks

schedules := array.concat(own, separate)

own := [schedule |
	kubeblocks.reviewed_cluster
	section := get.map(k8s.object, ["spec", "backup"])
	text := get.string(section, "cronExpression")
	schedule := object.union_n([
		{
			"method": method_of(object.get(section, "method", "")),
			"path": ["spec", "backup", "cronExpression"],
			"text": text,
			"needs_wal": object.get(section, "pitrEnabled", false) == true,
		},
		{"suspended": true | not get.boolean(section, "enabled"); not get.unknown(section, "enabled")},
		{"snapshot": true | section.method == "volume-snapshot"},
	])
]

# The schedules of the addon's template are off until somebody turns them on: those say nothing.
separate := [schedule |
	some o in inventory.list(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "BackupSchedule")
	kubeblocks.belongs(o)
	some i, entry in get.list(o, ["spec", "schedules"])
	is_object(entry)
	get.boolean(entry, "enabled")
	text := get.string(entry, "cronExpression")
	schedule := object.union_n([
		{
			"method": method_of(object.get(entry, "backupMethod", "")),
			"path": ["spec", "schedules", i, "cronExpression"],
			"resource": k8s.reference(o),
			"text": text,
			"needs_wal": false,
		},
		{"snapshot": true | entry.backupMethod == "volume-snapshot"},
	])
]

method_of(name) := "logical" if name in {"pgdump", "pgdumpall"}

method_of(name) := "continuous" if name in {"archive-wal", "wal-g-archive"}

method_of(name) := "incremental" if name == "wal-g-incremental"

method_of(name) := "full" if not name in {"pgdump", "pgdumpall", "archive-wal", "wal-g-archive", "wal-g-incremental"}
