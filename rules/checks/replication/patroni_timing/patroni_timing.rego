# METADATA
# title: Patroni timings that contradict each other
# description: |
#   Patroni renews the lease of the primary every loop_wait seconds and gives a request to Kubernetes or etcd retry_timeout; a renewal
#   may need the second try. With ttl below loop_wait + 2 × retry_timeout the lease can run out while the primary is healthy, and it is
#   demoted. Patroni since 3.0 therefore lowers loop_wait and retry_timeout by itself, and raises a ttl below 20: what is written is
#   not what runs. Its defaults are 30, 10 and 10.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/dynamic_configuration.html
#   - https://github.com/patroni/patroni/blob/master/patroni/config.py
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep ttl at loop_wait + 2 × retry_timeout or more, and at 20 or more; 30, 10 and 10 are the defaults.
#   sources: []
package walguard.checks.replication.patroni_timing

import data.walguard.lib.finding
import data.walguard.model

timing := model.cluster.patroni_timing

least := timing.loop_wait.value + (2 * timing.retry_timeout.value)

findings contains f if {
	timing.ttl.value < least
	f := finding.with_related(
		finding.with_value(
			finding.with_facts(
				finding.at(place, sprintf("ttl=%d is less than loop_wait + 2 × retry_timeout (%d + 2 × %d = %d s): Patroni shortens the two by itself, or one slow request demotes a healthy primary. Set ttl to %d, or lower the two.", [
					timing.ttl.value,
					timing.loop_wait.value,
					timing.retry_timeout.value,
					least,
					least,
				])),
				{"ttl_seconds": timing.ttl.value, "loop_wait_seconds": timing.loop_wait.value, "retry_timeout_seconds": timing.retry_timeout.value, "least_seconds": least},
			),
			timing.ttl.path, least,
		),
		[[timing[name], name] | some name in ["ttl", "loop_wait", "retry_timeout"]],
	)
}

findings contains f if {
	timing.ttl.value >= least
	timing.ttl.value < 20
	f := finding.with_value(
		finding.with_facts(
			finding.at(timing.ttl, sprintf("ttl=%d is below Patroni's minimum: it uses 20. Write 20 or more.", [timing.ttl.value])),
			{"ttl_seconds": timing.ttl.value, "loop_wait_seconds": timing.loop_wait.value, "retry_timeout_seconds": timing.retry_timeout.value, "least_seconds": 20},
		),
		timing.ttl.path, 20,
	)
}

# The one that somebody wrote, ttl first.
place := written[0] if {
	written := [timing[name] | some name in ["ttl", "retry_timeout", "loop_wait"]; timing[name].origin == "written"]
}
