package walguard.checks.backup.archive_on_data_volume_test

import data.walguard.checks.backup.archive_on_data_volume as check
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

test_found if {
	findings("test ! -f /var/lib/postgresql/data/archive/%f && cp %p /var/lib/postgresql/data/archive/%f") == {{
		"message": "WAL is archived to /var/lib/postgresql/data/archive, on the same volume as the data: one lost disk takes both, and the archive fills the volume. Archive to object storage, or at least to another volume.",
		"path": place,
	}}
}

test_a_place_of_its_own if findings("cp %p /archive/%f") == set()

test_silent_when_unknown if {
	findings("${ARCHIVE_COMMAND}") == set()
	findings("wal-g wal-push %p") == set()
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
