# METADATA
# title: The recovery target has no time zone
# description: |
#   CloudNativePG takes a targetTime without a time zone for UTC, and whoever writes one down in an incident has a clock in sight that often shows another zone: the
#   restore ends hours too early or too late, or fails with "recovery ended before configured recovery target was reached". A warning where the cluster itself is told of another zone
#   (TZ, timezone or log_timezone), else info.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/cloudnative-pg.v1#recoverytarget
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/2701
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the offset behind the time, for example 2026-06-15 08:31:14+02 or 2026-06-15T06:31:14Z.
#   sources: []
package walguard.checks.backup.recovery_target_zone

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	target := model.cluster.recovery_target
	not target.local
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?$`, target.value)
	f := finding.with_severity(finding.at(target, sprintf("The recovery target %s has no time zone and is taken for UTC%s. Write the offset, as in %s+00.", [target.value, beside, target.value])), severity)
}

zone := model.cluster.clock

beside := sprintf(", though %s says %s", [zone.name, zone.value]) if zone

beside := "" if not zone

severity := "warning" if zone

severity := "info" if not zone
