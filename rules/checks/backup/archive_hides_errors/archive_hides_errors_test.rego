package walguard.checks.backup.archive_hides_errors_test

import data.walguard.checks.backup.archive_hides_errors as check
import data.walguard.lib.manifest_test as manifests

findings(command) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{
				"image": "postgres:17.6",
				"args": ["-c", sprintf("archive_command=%s", [command])],
				"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "archive", "mountPath": "/archive"}],
			}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}, {"metadata": {"name": "archive"}, "spec": {}}],
		},
	}}}
}

place := ["spec", "template", "spec", "containers", 0, "args", 1]

test_hidden if {
	findings("cp %p /archive/%f || true") == {{
		"message": "archive_command hides its errors (\"cp %p /archive/%f || true\"): a segment that was not archived is deleted, and the gap ends every restore. Let it return the status of the copy.",
		"path": place,
	}}
}

test_unseen if {
	findings("/bin/tru? %p") == {{
		"message": "archive_command has a program whose name is only known at run time, so walguard cannot tell that every segment is kept. Write one plain copy: test ! -f /archive/%f && cp %p /archive/%f.",
		"path": place,
		"severity": "warning",
	}}
}

test_honest if findings("test ! -f /archive/%f && cp %p /archive/%f") == set()

# Another check speaks of what the operator sets itself.
test_of_the_operator if check.findings == set() with input as manifests.review({"archive_command": "cp %p /a/%f || true"}, {})

test_silent_when_unknown if {
	findings("${ARCHIVE_COMMAND}") == set()
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
