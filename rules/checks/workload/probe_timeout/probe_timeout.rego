# METADATA
# title: A probe of one second fails on a busy server
# description: |
#   A probe of type exec starts a process in the container, and one that does not answer within timeoutSeconds – 1 by default – has
#   failed; after failureThreshold failures the server is killed and recovers from its WAL. Under load, and most of all where a CPU
#   limit throttles the container, starting pg_isready takes longer than a second. Kubernetes enforces the timeout of such probes since
#   1.20. It is a warning where the CPU limit is two cores or less, or half a core or less is requested, which is the share of a busy node; info elsewhere.
#   A readiness probe of one second takes the server out of its Services for the same reason, or keeps it out of them from its start on; that is info.
# related_resources:
#   - https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes
#   - https://github.com/bitnami/charts/blob/main/bitnami/postgresql/values.yaml
#   - https://github.com/replicatedhq/kots/pull/2313
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set timeoutSeconds to 5 or more and failureThreshold to 6 (as the charts of Bitnami do), or use a tcpSocket probe.
#   sources: []
#   settings:
#     window_seconds: {default: 45, description: Seconds of failures until the kill up to which a probe is reported.}
package walguard.checks.workload.probe_timeout

import data.walguard.lib.finding
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	probe.value <= 1
	probe.window <= settings.number("workload/probe_timeout", "window_seconds")
	f := finding.with_value(
		finding.with_severity(
			finding.with_facts(
				finding.at(probe, sprintf("The liveness probe must answer within %d s%s, and %d s of failures kill the server: load alone can do that. Set timeoutSeconds to 5 or more.", [
					probe.value,
					defaulted[probe.origin],
					probe.window,
				])),
				{"timeout_seconds": probe.value, "window_seconds": probe.window},
			),
			severity,
		),
		field_of(probe), 5,
	)
}

findings contains f if {
	asking.value <= 1
	asking.window <= settings.number("workload/probe_timeout", "window_seconds")
	f := finding.with_value(
		finding.with_severity(
			finding.with_facts(
				finding.at(asking, sprintf("The readiness probe starts a program that must answer within %d s%s: on a busy or slow node it does not, and after %d s of failures no Service leads to the server. Set timeoutSeconds to 5 or more.", [
					asking.value,
					defaulted[asking.origin],
					asking.window,
				])),
				{"timeout_seconds": asking.value, "window_seconds": asking.window},
			),
			"info",
		),
		field_of(asking), 5,
	)
}

asking := model.cluster.readiness

# Of the default the path is that of the probe.
field_of(one) := one.path if one.origin == "written"

field_of(one) := array.concat(one.path, ["timeoutSeconds"]) if one.origin == "operator"

probe := model.cluster.liveness

defaulted := {"written": "", "operator": " (default)"}

severity := "warning" if throttled

severity := "info" if not throttled

# The share that is left when the others of the node take theirs.
throttled if {
	some set in model.cluster.instance_sets
	quantity.thousandths(set.resources.requests.cpu) <= 500
}

throttled if {
	some set in model.cluster.instance_sets
	quantity.thousandths(set.resources.limits.cpu) <= 2000
}
