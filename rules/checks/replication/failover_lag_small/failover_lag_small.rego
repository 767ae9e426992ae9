# METADATA
# title: No standby is near enough to be promoted
# description: |
#   When the primary is gone, Patroni promotes no standby whose WAL position is further behind the last known one of the primary than maximum_lag_on_failover, a number of bytes ("My wal position exceeds
#   maximum replication lag"). The position is written every loop_wait seconds, in which a busy primary writes megabytes of WAL: below Patroni's own default of 1048576 (1 MiB) a failover
#   finds nobody, and the cluster is without a primary until somebody promotes one by hand. Synchronous replication does not help: its standbys are asked the same.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/dynamic_configuration.html
#   - https://github.com/zalando/postgres-operator/issues/1632
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write maximum_lag_on_failover in bytes, 1048576 or more; 33554432 (32 MiB) is Spilo's value.
#   sources: []
package walguard.checks.replication.failover_lag_small

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.cluster.failover_lag.value < 1048576
	model.cluster.instances.value > 1
	f := with_cure(finding.at(model.cluster.failover_lag, sprintf("maximum_lag_on_failover=%d: a standby that is %d bytes behind is not promoted, and each is that far behind a primary that writes. Write 1048576 or more.", [
		model.cluster.failover_lag.value,
		model.cluster.failover_lag.value + 1,
	])))
}

with_cure(f) := finding.with_value(f, model.cluster.failover_lag.path, 1048576) if not model.cluster.failover_lag.within

# A part of a file.
with_cure(f) := f if model.cluster.failover_lag.within
