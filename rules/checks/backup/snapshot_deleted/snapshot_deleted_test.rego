package walguard.checks.backup.snapshot_deleted_test

import data.walguard.checks.backup.snapshot_deleted as check
import data.walguard.lib.manifest_test as manifests

findings(owner) := found if {
	found := check.findings with input as manifests.review({}, {"backup": {"volumeSnapshot": {"className": "csi", "snapshotOwnerReference": owner}}})
}

test_with_the_cluster if {
	findings("cluster") == {{
		"message": "Volume snapshots belong to the Cluster object, so deleting the cluster deletes its backups. Set snapshotOwnerReference to none.",
		"path": ["spec", "backup", "volumeSnapshot", "snapshotOwnerReference"],
		"fix": [{"op": "replace", "path": "/spec/backup/volumeSnapshot/snapshotOwnerReference", "value": "none"}],
	}}
}

# Of these, ScheduledBackups and Backups, by name.
beside(schedules, backups) := found if {
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as object.union(
		manifests.review({}, {"backup": {"volumeSnapshot": {"className": "csi", "snapshotOwnerReference": "cluster"}}}),
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": asked("ScheduledBackup", schedules), "Backup": asked("Backup", backups)}}}}},
	)
}

asked(kind, specs) := {name: {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": object.union({"cluster": {"name": "orders"}}, spec)} | some name, spec in specs}

test_snapshots_that_no_schedule_takes if {
	unasked := {["info", "Volume snapshots would belong to the Cluster object and be deleted with it; the schedules found take none so far. Set snapshotOwnerReference to none."]}
	beside({"daily": {"method": "plugin"}}, {}) == unasked
	beside({"daily": {}}, {"now": {"method": "plugin"}}) == unasked
	every row in [
		[{"daily": {"method": "plugin"}, "cold": {"method": "volumeSnapshot", "online": false}}, {}],
		[{"daily": {"method": "plugin"}}, {"now": {"method": "volumeSnapshot"}}],
		[{"daily": {"method": "${METHOD}"}}, {}],
		[{"daily": {"method": "plugin", "cluster": {"name": "other"}}}, {}],
		[{}, {}],
	] {
		{found[0] | some found in beside(row[0], row[1])} == {"warning"}
	}
}

test_kept if {
	findings("none") == set()
	findings("backup") == set()
}

test_silent_when_unknown if {
	findings("${OWNER}") == set()
	check.findings == set() with input as manifests.review({}, {})
}
