package walguard.lib.manifest_test

import data.walguard.model

# METADATA
# description: |
#   For the tests of checks: a review of a cluster of CloudNativePG called prod/orders, three instances of PostgreSQL 17 on
#   100Gi, with these parameters; spec replaces or adds fields of its spec.
review(parameters, spec) := {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union_n([
		{"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5", "storage": {"size": "100Gi", "storageClass": "fast"}},
		{"postgresql": {"parameters": parameters}},
		spec,
	]),
}}}

# METADATA
# description: The same with annotations.
annotated(parameters, spec, annotations) := object.union(
	review(parameters, spec),
	{"review": {"object": {"metadata": {"annotations": annotations}}}},
)

# METADATA
# description: A change of parameters for a cluster that is not in sight, so that all else of it is unknown.
change(parameters) := {"review": {"object": {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{
		"componentName": "postgresql",
		"parameters": [{"key": name, "value": value} | some name, value in parameters],
	}]},
}}}

# METADATA
# description: A server outside Kubernetes called db1, with this text as its postgresql.conf and these fields of its spec.
server(text, spec) := {"review": {"object": {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "db1"},
	"spec": object.union({"version": 16, "configuration": [{"file": "postgresql.conf", "text": text}]}, spec),
}}}

test_changed if {
	not model.changed("fsync") with input as review({}, {})
	model.changed("fsync") == {"name": "fsync", "text": "OFF", "origin": "written", "path": ["spec", "postgresql", "parameters", "Fsync"], "value": false} with input as review({"Fsync": "OFF"}, {})
	model.changed("full_page_writes").origin == "operator" with input as review({}, {})
	not model.changed("fsync").value with input as review({"fsync": "perhaps"}, {})
}

test_what_the_operator_sets_wins if {
	model.changed("data_sync_retry").text == "off" with input as review({"data_sync_retry": "on"}, {})
}

test_a_change_tells_nothing_else if {
	model.changed("fsync").value == false with input as change({"fsync": "off"})
	not model.parameter("max_wal_size") with input as change({"fsync": "off"})
}

# METADATA
# description: A DaemonSet kube-system/NAME that runs a script on every node.
daemon_set(name, script) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "DaemonSet",
	"metadata": {"name": name, "namespace": "kube-system"},
	"spec": {"template": {"spec": {"initContainers": [{"name": "tune", "command": ["sh", "-c", script]}]}}},
}}}

# METADATA
# description: The path of the script.
script_path := ["spec", "template", "spec", "initContainers", 0, "command", 2]
