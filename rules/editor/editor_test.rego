package walguard.editor_test

import data.walguard.editor

cluster(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "shop"},
	"spec": spec,
}

asked(object) := answer if answer := editor.parameters with input as {"review": {"object": object}}

of_16 := asked(cluster({"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:16.4"}))

test_place_and_values if {
	of_16.paths == {["spec", "postgresql", "parameters"]}
	of_16.values == "text"
	of_16.operator == "CloudNativePG"
	of_16.major == 16
}

test_entry if {
	of_16.known.wal_buffers.unit == "8kB"
	of_16.known.wal_level.enum == ["minimal", "replica", "logical"]
	of_16.known.DateStyle.type == "string"
}

test_what_the_major_has if {
	not of_16.known.io_method
	asked(cluster({"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:18.0"})).known.io_method.type == "enum"
}

test_what_the_operator_sets if {
	not of_16.known.port
	not of_16.known.data_checksums
	of_16.known.max_parallel_workers.operator_default == "32"
}

test_unknown_major if {
	unknown := asked(cluster({"instances": 3, "imageName": "registry/postgres@sha256:0000"}))
	not unknown.major
	unknown.known.io_method.type == "enum"
}

test_no_cluster if not asked({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}})
