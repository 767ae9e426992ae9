# METADATA
# description: The schedules of a PerconaPGCluster (see walguard.model.schedules) – pgBackRest's, and that of volume snapshots.
package walguard.operators.percona.plan

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.operators.crunchy.plan
import data.walguard.operators.percona

schedules := array.concat(plan.schedules, snapshots) if {
	percona.recognised
	not percona.switched_off
}

schedules := [] if {
	percona.recognised
	percona.switched_off
}

# The operator stops the instance that it takes a snapshot of.
snapshots := [{"method": "full", "path": snapshots_path, "text": text, "needs_wal": false} |
	text := get.string(k8s.object, snapshots_path)
]

snapshots_path := ["spec", "backups", "volumeSnapshots", "schedule"]

repositories := plan.repositories if not percona.switched_off

collisions := plan.collisions if not percona.switched_off
