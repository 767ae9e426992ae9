# METADATA
# title: More background workers than the server has slots for
# description: |
#   Logical replication, TimescaleDB and parallel queries all take their workers from max_worker_processes (8 by default), which needs a
#   restart. A setting that was raised for them beyond it gets none of what is missing: "out of background worker slots", or "failed to start a background
#   worker" from TimescaleDB, whose policies then do not run. One slot is for the launcher of each.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-MAX-WORKER-PROCESSES
#   - https://docs.timescale.com/self-hosted/latest/configuration/about-configuration/#workers
#   - https://github.com/timescale/helm-charts/issues/620
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise max_worker_processes to the sum of what takes workers from it.
#   sources: []
package walguard.checks.parameters.worker_slots

import data.walguard.lib.cluster as shared
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	slots := model.parameter("max_worker_processes").value
	some name in ["timescaledb.max_background_workers", "max_logical_replication_workers"]
	workers := model.written[name]
	number := shared.whole(workers.text)
	number > slots
	f := finding.with_facts(
		finding.at(workers, sprintf("%s=%d, but max_worker_processes=%d: the rest is never started. Set max_worker_processes to %d or more.", [name, number, slots, number + 1])),
		{"workers": number, "max_worker_processes": slots},
	)
}
