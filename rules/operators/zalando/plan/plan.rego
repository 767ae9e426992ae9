# METADATA
# description: The schedules of a Zalando cluster – dumps, and base backups by the environment of Spilo (see walguard.model.schedules).
package walguard.operators.zalando.plan

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.operators.zalando

schedules := array.concat(
	[{"method": "logical", "path": ["spec", "logicalBackupSchedule"], "text": text, "needs_wal": false} |
		get.boolean(k8s.object, ["spec", "enableLogicalBackup"])
		text := get.string(k8s.object, ["spec", "logicalBackupSchedule"])
	],
	[{"method": "full", "path": variable.path, "text": variable.value, "needs_wal": true} | variable := zalando.environment.BACKUP_SCHEDULE],
)
