# METADATA
# title: A dump from a standby is cancelled
# description: |
#   A standby that has to replay what removes rows which a query still sees waits for max_standby_streaming_delay, 30 s unless another is written, and then cancels the query: "canceling statement due to conflict with
#   recovery". pg_dump reads all of a database with one snapshot, so that vacuum on the primary ends every dump of a busy database that takes longer; it succeeds on quiet nights. hot_standby_feedback=on lets the primary keep
#   those rows meanwhile. Looked at are CronJobs that run pg_dump and name the Service of standbys alone. An info where the volume is small, or its size not known: such a dump may be through in time.
# related_resources:
#   - https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-CONFLICT
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-HOT-STANDBY-FEEDBACK
#   - https://github.com/zalando/postgres-operator/issues/2746
#   - https://github.com/reactive-tech/kubegres/issues/36
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set hot_standby_feedback=on, raise max_standby_streaming_delay above the time of a dump, or dump from the primary.
#   sources: []
#   settings:
#     large_gb: {default: 20, description: GB of the data volume from which on a dump is taken to last longer than a standby waits.}
#     delay_seconds: {default: 600, description: Seconds of max_standby_streaming_delay with which a dump is taken to be through in time.}
package walguard.checks.backup.dump_from_standby

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.dumps

findings contains f if {
	cancels
	some job in dumps.from_standbys
	f := finding.with_severity(
		finding.at({"path": job.script_path, "resource": job.resource}, sprintf("CronJob %s dumps from a standby (%s) without hot_standby_feedback: what vacuum removes on the primary ends dumps of more than %d s (\"conflict with recovery\"). Set hot_standby_feedback=on, or dump from the primary.", [
			job.resource.name,
			job.host,
			floor(delay / 1000),
		])),
		severity,
	)
}

# With -1 it waits for ever.
cancels if {
	model.parameter("hot_standby_feedback").value == false
	count(get.list(model.cluster, "unread")) == 0
	delay >= 0
	delay < settings.number("backup/dump_from_standby", "delay_seconds") * 1000
}

delay := model.milliseconds("max_standby_streaming_delay")

severity := "warning" if {
	some _, volume in model.data_volumes
	volume.size_bytes >= settings.number("backup/dump_from_standby", "large_gb") * 1000000000
} else := "info"
