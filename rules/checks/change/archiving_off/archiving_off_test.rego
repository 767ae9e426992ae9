package walguard.checks.change.archiving_off_test

import data.walguard.checks.change.archiving_off as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

stored := manifests.review({}, {"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/orders"}}})

bare := manifests.review({}, {})

test_switched_off if {
	found := check.findings with input as updated(stored, bare)
	{f.message | some f in found} == {"WAL archiving was on and this change switches it off: from now on there is no recovery to a point in time. Leave it on, or name the new archive in the same change."}
}

test_kept_or_switched_on if {
	check.findings == set() with input as updated(stored, stored)
	check.findings == set() with input as updated(bare, stored)
	check.findings == set() with input as updated(bare, bare)
}

test_silent_without_both if {
	check.findings == set() with input as bare
	check.findings == set() with input as updated(manifests.change({}), manifests.change({"archive_mode": "off"}))
}

job(statement) := {"review": {"object": {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["psql", "-h", "db", "-c", statement]}]}}},
}}}

test_by_sql if {
	check.findings == {{
		"message": "archive_command=/bin/true archives nothing: where backups need WAL, none of them can be restored to a later point in time. Leave it to whoever set up the archive.",
		"path": ["spec", "template", "spec", "containers", 0],
	}} with input as job("ALTER SYSTEM SET archive_command = '/bin/true'")
	count(check.findings) == 1 with input as job("ALTER SYSTEM SET archive_mode = off")
	check.findings == set() with input as job("ALTER SYSTEM SET archive_mode = on")
	check.findings == set() with input as job("ALTER SYSTEM SET archive_command = 'cp %p /archive/%f'")
}
