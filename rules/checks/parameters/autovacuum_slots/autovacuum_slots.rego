# METADATA
# title: More autovacuum workers than slots for them
# description: |
#   Since PostgreSQL 18 autovacuum_max_workers can be changed without a restart, up to autovacuum_worker_slots, which cannot
#   (16 by default). Workers beyond the slots are never started, and a warning in the server's log is all that says so.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-vacuum.html#GUC-AUTOVACUUM-WORKER-SLOTS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise autovacuum_worker_slots to the number of workers.
#   sources: []
package walguard.checks.parameters.autovacuum_slots

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.major >= 18
	workers := model.changed("autovacuum_max_workers")
	slots := model.parameter("autovacuum_worker_slots")
	workers.value > slots.value
	f := finding.with_related(
		finding.with_parameter(
			finding.with_facts(
				finding.at(workers, sprintf("autovacuum_max_workers=%d, but there are slots for %d: the rest is never started. Set autovacuum_worker_slots to %d, or lower autovacuum_max_workers to %d.", [
					workers.value,
					slots.value,
					workers.value,
					slots.value,
				])),
				{"autovacuum_max_workers": workers.value, "autovacuum_worker_slots": slots.value},
			),
			slots, sprintf("%d", [workers.value]),
		),
		[[slots, "the slots"]],
	)
}
