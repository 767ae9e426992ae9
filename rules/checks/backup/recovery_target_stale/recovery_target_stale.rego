# METADATA
# title: Creating the cluster again restores an old state
# description: |
#   A recovery target is read when the cluster is created, and forgotten in the manifest after a restore. Whoever creates the cluster from
#   Git again – in a new Kubernetes cluster, after a deletion – gets the data of that moment, not of the last backup. Seen in
#   public repositories a year after the restore.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/recovery#point-in-time-recovery-pitr
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Remove the recovery target once the restore is done.
#   sources: []
#   settings:
#     days: {default: 7, description: A recovery target older than this many days is stale.}
package walguard.checks.backup.recovery_target_stale

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	target := model.cluster.recovery_target
	days := settings.number("backup/recovery_target_stale", "days")
	day := substring(target.value, 0, 10)
	moment := time.parse_rfc3339_ns(sprintf("%sT00:00:00Z", [day]))
	moment < k8s.now_nanoseconds - (days * 86400000000000)
	f := finding.at(target, sprintf("The recovery target is %s, more than %d days ago: creating this cluster again restores the data of that moment. Remove the target now that the restore is done.", [target.value, days]))
}
