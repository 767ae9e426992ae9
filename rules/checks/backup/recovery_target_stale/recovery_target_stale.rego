# METADATA
# title: Creating the cluster again restores an old state
# description: |
#   A recovery target is read when the cluster is created, and forgotten in the manifest after a restore. Whoever creates the cluster from
#   Git again – in a new Kubernetes cluster, after a deletion – gets the data of that moment, not of the last backup. Seen in
#   public repositories a year after the restore. Samples of operators have a target too, of years ago: no backup of a major reaches back before its first beta, so that a new cluster is never
#   restored, which is an error.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/recovery#point-in-time-recovery-pitr
#   - https://github.com/percona/percona-postgresql-operator/pull/1054
# custom:
#   severity: warning
#   since: 0.1.0
#   tables: [postgres/releases]
#   remediation: Remove the recovery target once the restore is done.
#   sources: []
#   settings:
#     days: {default: 7, description: A recovery target older than this many days is stale.}
package walguard.checks.backup.recovery_target_stale

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	target := model.cluster.recovery_target
	days := settings.number("backup/recovery_target_stale", "days")
	moment := time.parse_rfc3339_ns(sprintf("%sT00:00:00Z", [substring(target.value, 0, 10)]))
	moment < k8s.now_nanoseconds - (days * 86400000000000)
	f := found(target, moment)
}

found(target, moment) := finding.with_severity(
	finding.at(target, sprintf("The recovery target is %s, and PostgreSQL %d is younger: no backup of it reaches back so far, and the restore of a new cluster fails. Remove what is left of a sample or of an earlier restore.", [target.value, model.major])),
	"error",
) if {
	too_early(moment)

	# A cluster that is there may have been upgraded since.
	k8s.new
} else := finding.at(target, sprintf("The recovery target is %s, more than %d days ago: creating this cluster again restores the data of that moment. Remove the target now that the restore is done.", [target.value, days])) if {
	days := settings.number("backup/recovery_target_stale", "days")
}

# A major is supported for five years, and its first beta is out half a year before.
too_early(moment) if {
	model.edition == "postgresql"
	end := time.parse_rfc3339_ns(sprintf("%sT00:00:00Z", [postgres.releases.rows[sprintf("%d", [model.major])].end_of_life]))
	moment < end - (2009 * 86400000000000)
}
