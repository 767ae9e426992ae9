# METADATA
# title: A probe kills the server while it recovers
# description: |
#   After a crash PostgreSQL replays the WAL since the last checkpoint before it takes connections, up to max_wal_size of it; until then
#   pg_isready fails. A liveness probe that asks it, without a startup probe, kills the server after a few failures, and
#   the next start begins the recovery anew: it never ends. A startup probe holds the liveness probe back until the server is
#   up, and kills as well when it gives too little time. Kubernetes' own defaults allow 30 s. How long a recovery takes is a heuristic
#   of walguard: max_wal_size replayed at 50 MB/s, as network disks do, and never less than a minute, as the server also flushes
#   every file first. An image that copies a standby before its server starts (repmgr's, Bitnami's) needs the time of the copy. The official entrypoint
#   makes a new database with a server that listens on its socket alone: a probe over TCP (tcpSocket, pg_isready -h) fails until the
#   scripts of /docker-entrypoint-initdb.d are through; killed in between, the directory is no longer empty, and users, databases and scripts that are missing
#   are never made up for.
#   Images that run pg_upgrade at their start open the port when it is done; a probe that kills them before leaves a data directory between two majors, which is an error.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
#   - https://www.postgresql.org/docs/current/wal-configuration.html
#   - https://github.com/docker-library/postgres/blob/master/docker-entrypoint.sh
#   - https://github.com/mortise-org/mortise/issues/469
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Add a startupProbe that gives the recovery time (failureThreshold times periodSeconds, for example 60 × 10 s), or lengthen the one there is.
#   sources: []
#   settings:
#     replay_mbps: {default: 50, description: MB of WAL that crash recovery replays a second.}
#     min_seconds: {default: 60, description: Seconds that a start may always take.}
#     large_gb: {default: 100, description: GB of the data volume from which a start may take longer.}
#     large_seconds: {default: 120, description: Seconds that a start of one so large may always take, which flushes every file before it replays.}
#     copy_mbps: {default: 100, description: MB/s at which a standby is copied from its primary.}
#     script_seconds: {default: 600, description: Seconds that a script of the first start may take that waits for something or restores a dump.}
#     upgrade_seconds: {default: 600, description: Seconds that pg_upgrade may take where the image runs it.}
#   formulas:
#     - needed_seconds == max([least_seconds, ceil(max_wal_size_bytes / replay_bytes_per_second)])
#     - patience_seconds < needed_seconds
package walguard.checks.workload.liveness_kills_recovery

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	upgrading
	f := finding.with_facts(
		finding.with_severity(
			finding.at(upgrading, sprintf("The %s upgrades the data directory before it opens the port, and the %s kills it after %d s: pg_upgrade is cut off, and the server may not start again. Add a startupProbe that allows at least %d s.", [
				upgrading.upgrader,
				upgrading.probe,
				upgrading.value,
				upgrade_seconds,
			])),
			"error",
		),
		{"patience_seconds": upgrading.value, "least_seconds": upgrade_seconds, "needed_seconds": upgrade_seconds},
	)
}

# Killed while it upgrades, which says the same of its recovery.
upgrading := model.cluster.upgrading if model.cluster.upgrading.value < upgrade_seconds

upgrade_seconds := settings.number("workload/liveness_kills_recovery", "upgrade_seconds")

findings contains f if {
	patience.value < needed_seconds
	not upgrading
	not copied
	f := finding.with_facts(
		raised(finding.at(patience, sprintf("The %s kills a starting server after %d s, but crash recovery may take %d s (%s) and starts over when it is killed. %s.", [
			patience.probe,
			patience.value,
			needed_seconds,
			reason,
			cure,
		]))),
		object.union(
			{"patience_seconds": patience.value, "least_seconds": minimum_seconds, "needed_seconds": needed_seconds},
			{key: n |
				known := {"max_wal_size_bytes": model.bytes("max_wal_size"), "replay_bytes_per_second": rate_mbps * 1000000}
				some key, n in known
			},
		),
	)
}

# A standby that its image copies from the primary first.
findings contains f if {
	copied
	f := finding.at(patience, sprintf("The %s kills a standby after %d s that is still copied from the primary before its server starts: %s at %d MB/s take %d s, and the next start begins anew. Add a startupProbe that allows at least %d s.", [
		patience.probe,
		patience.value,
		size_text,
		copy_mbps,
		copy_seconds,
		copy_seconds,
	]))
}

# The first start of a standby takes longer than a recovery.
copied if {
	model.cluster.copied_at_start.value == true
	not patience.starting
	copy_seconds > patience.value
}

size_bytes := model.volumes["0/data"].size_bytes

size_text := disk.size_text(size_bytes)

copy_mbps := settings.number("workload/liveness_kills_recovery", "copy_mbps")

copy_seconds := ceil(size_bytes / (copy_mbps * 1000000))

# The first start of all.
findings contains f if {
	boot := model.cluster.first_boot
	count(boot.slow) > 0
	boot.value < script_seconds
	f := finding.with_severity(
		finding.at(boot, sprintf("The %s asks over TCP, where the image does not listen before %s is through, and kills it after %d s: the database stays half made, and no later start mends that. %s at least %d s.", [
			boot.probe,
			boot.slow[0],
			boot.value,
			allowance(boot),
			script_seconds,
		])),
		"error",
	)
}

findings contains f if {
	boot := model.cluster.first_boot
	count(boot.slow) == 0
	boot.value < minimum_seconds
	not told_already
	f := finding.with_severity(
		finding.at(boot, sprintf("The %s asks over TCP, where the image does not listen until the new database is made, and kills it after %d s: the database stays half made, and no later start mends that. %s at least %d s.", [
			boot.probe,
			boot.value,
			allowance(boot),
			minimum_seconds,
		])),
		{true: "warning", false: "info"}[boot.scripted],
	)
}

told_already if patience.value < needed_seconds

allowance(boot) := "Let it allow" if boot.starting

allowance(boot) := "Add a startupProbe that allows" if not boot.starting

script_seconds := settings.number("workload/liveness_kills_recovery", "script_seconds")

cure := sprintf("Set %s to %d", [patience.probe, needed_seconds]) if patience.seconds

cure := sprintf("Let it allow at least %d s", [needed_seconds]) if {
	not patience.seconds
	patience.starting
}

cure := sprintf("Add a startupProbe that allows at least %d s", [needed_seconds]) if {
	not patience.seconds
	not patience.starting
}

raised(f) := finding.with_value(f, patience.path, needed_seconds) if patience.seconds

raised(f) := f if not patience.seconds

patience := model.cluster.patience

needed_seconds := max([minimum_seconds, replay_seconds])

minimum_seconds := settings.number("workload/liveness_kills_recovery", "large_seconds") if {
	large
} else := settings.number("workload/liveness_kills_recovery", "min_seconds")

# After a crash the server flushes every file of its data directory first (recovery_init_sync_method, fd.c).
large if size_bytes >= settings.number("workload/liveness_kills_recovery", "large_gb") * 1000000000

rate_mbps := settings.number("workload/liveness_kills_recovery", "replay_mbps")

replay_seconds := ceil(model.bytes("max_wal_size") / (rate_mbps * 1000000))

replay_seconds := 0 if not model.bytes("max_wal_size")

reason := sprintf("%d MB of WAL at %d MB/s", [floor(model.bytes("max_wal_size") / 1048576), rate_mbps]) if {
	replay_seconds > minimum_seconds
} else := sprintf("the least to allow for on a volume of %s, each file of which it flushes first", [size_text]) if {
	large
} else := "the least to allow for"
