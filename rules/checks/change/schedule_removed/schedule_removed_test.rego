package walguard.checks.change.schedule_removed_test

import data.walguard.checks.change.schedule_removed as check
import data.walguard.model
import data.walguard.model.before

updated(old, new) := {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}

crunchy(schedules) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"backups": {"pgbackrest": {"repos": [{"name": "repo1", "schedules": schedules}]}}},
}

test_removed if {
	check.findings == {{
		"message": "The last schedule of full backups (0 1 * * 0) is removed: no base backup is made from now on. Keep one.",
		"path": ["spec", "backups", "pgbackrest", "repos"],
	}} with input as updated(crunchy({"full": "0 1 * * 0"}), crunchy({"incremental": "0 1 * * *"}))
}

test_kept if {
	check.findings == set() with input as updated(crunchy({"full": "0 1 * * 0"}), crunchy({"full": "0 2 * * 0"}))
	check.findings == set() with input as updated(crunchy({}), crunchy({}))
}

test_silent_without_both if check.findings == set() with input as {"review": {"object": crunchy({})}}

# The text is an optional fact.
test_text_unknown if {
	found := check.findings with model.schedules as []
		with before.schedules as [{"method": "full", "path": ["spec", "schedule"], "unscheduled": true, "needs_wal": true}]
	found == {{
		"message": "The last schedule of full backups is removed: no base backup is made from now on. Keep one.",
		"path": ["spec", "schedule"],
	}}
}
