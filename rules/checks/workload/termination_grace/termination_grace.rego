# METADATA
# title: The server is killed before it can shut down
# description: |
#   A server that is asked to stop writes a checkpoint first, that is all dirty pages of shared_buffers, and ends its sessions. After
#   the grace period it is killed; the next start replays the WAL since the last checkpoint, and takes no connections meanwhile. Every
#   rollout, drain or change of resources then costs a crash recovery. How long the checkpoint takes follows from shared_buffers and
#   the bandwidth of the volume, where that is known; a written grace period below 30 seconds, Kubernetes' default, is reported in any
#   case. The images of Bitnami, Red Hat and Percona name no STOPSIGNAL: SIGTERM is a smart shutdown, which waits for all clients to leave: an info without a preStop hook or minutes of grace, whether the seconds
#   are written or Kubernetes' own. A preStop
#   hook that calls su, gosu or the like fails in a container that does not run as root. PgDog waits for its clients as well, for shutdown_timeout (60 s by default).
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
#   - https://www.postgresql.org/docs/current/server-shutdown.html
#   - https://github.com/coder/enterprise-helm/pull/44
#   - https://github.com/pgdogdev/helm/issues/97
#   - https://github.com/stolostron/search-v2-operator/pull/214
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set terminationGracePeriodSeconds to 120 or more (stopDelay in CloudNativePG, 1800 by default).
#   sources: []
#   settings:
#     least_seconds: {default: 30, description: Seconds that a server must have to stop.}
#     patient_seconds: {default: 90, description: Seconds from which a server may wait for its clients.}
package walguard.checks.workload.termination_grace

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

grace := model.cluster.grace

moment(seconds) := sprintf("%d s after it is asked to stop", [seconds]) if seconds > 0

moment(seconds) := "at once instead of asked to stop" if seconds <= 0

least := settings.number("workload/termination_grace", "least_seconds")

findings contains f if {
	grace.origin == "written"
	grace.value < least
	not flush
	f := finding.with_value(
		finding.with_facts(
			finding.at(grace, sprintf("%s=%d: PostgreSQL is killed %s, and recovers from a crash at the next start. Set it to 120 or more.", [
				grace.field,
				grace.value,
				moment(grace.value),
			])),
			{"grace_seconds": grace.value, "least_seconds": least},
		),
		grace.path, 120,
	)
}

findings contains f if {
	f := finding.with_value(
		finding.with_facts(
			finding.at(grace, sprintf("%s=%d, but writing shared_buffers (%s) at shutdown takes up to %d s at %s: the server is killed and recovers from a crash. Set it to %d or more.", [
				grace.field,
				grace.value,
				text.bytes(flush.bytes),
				flush.seconds,
				disk.megabytes(flush.bytes_per_second),
				enough,
			])),
			{"grace_seconds": grace.value, "flush_seconds": flush.seconds, "shared_buffers_bytes": flush.bytes},
		),
		grace.path, enough,
	)
}

enough := 30 * ceil((flush.seconds * 2) / 30)

# The slowest of the data volumes, where writing everything takes twice the time that the server has: some of it is always written already.
# Pools of connections keep them for long; who waits for minutes has thought of that.
findings contains f if {
	grace.waits_for_clients
	not flush
	grace.value >= least
	grace.value < settings.number("workload/termination_grace", "patient_seconds")
	f := finding.with_severity(
		finding.at(grace, sprintf("The image stops the server with SIGTERM, on which PostgreSQL waits for its clients to leave: connection pools stay, so that it is killed after %d s and recovers from a crash. Add a preStop hook with pg_ctl stop -m fast.", [grace.value])),
		"info",
	)
}

findings contains f if {
	hook := model.cluster.powerless_hook
	f := finding.with_severity(
		finding.at(hook, sprintf("preStop calls %s, for which the container must run as root, and it runs as user %d: the hook fails (FailedPreStopHook), and the signal alone stops the server. Leave %s out.", [hook.program, hook.user, hook.program])),
		"info",
	)
}

findings contains f if {
	some fault in get.list(model.cluster, "impatient_poolers")
	f := finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure]))
}

flush := slowest if {
	bytes := model.bytes("shared_buffers")
	times := [[seconds, id] |
		some id, volume in model.data_volumes
		count(volume.disk.rejections) == 0
		seconds := ceil(bytes / volume.disk.throughput_bytes_per_second)
	]
	[longest, at] := max(times)
	longest > 2 * grace.value
	slowest := {"bytes": bytes, "seconds": longest, "bytes_per_second": model.data_volumes[at].disk.throughput_bytes_per_second}
}
