package walguard.checks.storage.node_local_single_copy_test

import data.walguard.checks.storage.node_local_single_copy as check
import data.walguard.lib.disk_test as manifests

local := {"provisioner": "rancher.io/local-path", "size": "100Gi"}

findings(what, spec) := found if found := check.findings with input as manifests.review(object.union(what, {"spec": spec}))

test_one_copy if {
	findings(local, {"instances": 1}) == {{
		"message": "Data volume on one node (local-path), with one instance and no physical backup: when the node is gone, so is the database. Run a second instance, or archive WAL and schedule base backups.",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_more_copies if {
	findings(local, {"instances": 2}) == set()
	findings({"provisioner": "ebs.csi.aws.com", "size": "100Gi"}, {"instances": 1, "backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}) == set()
	findings({"provisioner": "ebs.csi.aws.com", "size": "100Gi"}, {"instances": 1}) == set()
}

test_a_copy_of_another_cluster if {
	findings(local, {"instances": 1, "replica": {"enabled": true, "source": "home"}}) == set()
}

test_tied_to_a_node if {
	findings(local, {"instances": 1, "backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}) == {{
		"message": "Data volume on one node (local-path), with one instance: it cannot start anywhere else, so that every restart of the node is an outage. Run a second instance.",
		"severity": "info",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_snapshots_are_copies if {
	schedule := {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "ScheduledBackup",
		"metadata": {"name": "nightly", "namespace": "prod"},
		"spec": {"cluster": {"name": "orders"}, "schedule": "0 0 2 * * *", "method": "volumeSnapshot"},
	}
	review := object.union(
		manifests.review(object.union(local, {"spec": {"instances": 1}})),
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"nightly": schedule}}}}}},
	)
	check.findings == set() with input as review
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.blind(object.union(local, {"spec": {"instances": 1}}))
	findings({"provisioner": "example.com/disk"}, {"instances": 1}) == set()
}

named(class, fields) := {[f.severity, f.message] |
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"instances": 1, "storage": {"size": "10Gi", "storageClass": class}}, fields),
	}}}
	some f in found
}

# Where the class is not among the files.
test_by_the_name_of_the_class if {
	named("local-path", {}) == {["info", "Data volume on one node (local-path), with one instance and no physical backup: when the node is gone, so is the database. Run a second instance, or archive WAL and schedule base backups."]}
	named("openebs-hostpath", {"backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}) == {["info", "Data volume on one node (OpenEBS hostpath), with one instance: it cannot start anywhere else, so that every restart of the node is an outage. Run a second instance."]}
	named("local-path", {"instances": 2}) == set()
	named("nfs", {}) == set()
	named("fast", {}) == set()
}
