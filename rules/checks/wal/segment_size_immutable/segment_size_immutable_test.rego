package walguard.checks.wal.segment_size_immutable_test

import data.walguard.checks.wal.segment_size_immutable as check

cluster(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"instances": 1}, spec),
}

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

updated(old, new) := found if {
	found := check.findings with input as {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}
}

message := "wal_segment_size=16MB is not a setting of a running server, which does not start with it. Remove it; initdb sets the size once."

test_parameter if {
	findings(cluster({"postgresql": {"parameters": {"WAL_segment_size": "16MB"}}})) == {{
		"message": "wal_segment_size=16MB is not a setting of a running server, which does not start with it. Remove it; initdb sets the size once.",
		"path": ["spec", "postgresql", "parameters", "WAL_segment_size"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/WAL_segment_size"}],
	}}
}

test_parameter_in_a_list_of_changes if {
	findings({
		"apiVersion": "operations.kubeblocks.io/v1alpha1",
		"kind": "OpsRequest",
		"metadata": {"name": "tune", "namespace": "prod"},
		"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{"componentName": "postgresql", "parameters": [{"key": "wal_segment_size", "value": "16MB"}]}]},
	}) == {{
		"message": message,
		"path": ["spec", "reconfigures", 0, "parameters", 0, "value"],
	}}
}

initdb(megabytes) := cluster({"bootstrap": {"initdb": {"walSegmentSize": megabytes}}})

changed(old, new) := sprintf("WAL segments of %d MB instead of %d MB: the size was fixed when the cluster was created and does not change. Write %d again; another size needs a new cluster.", [new, old, old])

test_change if {
	path := ["spec", "bootstrap", "initdb", "walSegmentSize"]
	updated(initdb(16), initdb(64)) == {{"message": changed(16, 64), "path": path}}
	updated(cluster({}), initdb(64)) == {{"message": changed(16, 64), "path": path}}
}

test_no_change if {
	updated(initdb(64), initdb(64)) == set()
	updated(cluster({}), initdb(16)) == set()
}

test_new_cluster if findings(initdb(64)) == set()

test_silent_when_the_size_is_not_known if {
	recovered := cluster({"bootstrap": {"recovery": {"source": "old"}}})
	updated(initdb(64), recovered) == set()
	updated(recovered, initdb(64)) == set()
}
