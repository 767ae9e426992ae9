package walguard.checks.parameters.duplicate_test

import data.walguard.checks.parameters.duplicate as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_two_spellings if {
	findings({"Work_mem": "64MB", "work_mem": "4MB"}) == {{
		"message": "work_mem is set 2 times: 64MB here, 4MB at spec.postgresql.parameters.work_mem, and the last one wins. Keep one.",
		"path": ["spec", "postgresql", "parameters", "Work_mem"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/Work_mem"}],
	}}
}

test_the_same_twice if findings({"Work_mem": "4MB", "work_mem": "4MB"}) == set()

test_once if findings({"work_mem": "4MB", "jit": "on"}) == set()

test_two_lines_of_a_file if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "operations.kubeblocks.io/v1alpha1",
		"kind": "OpsRequest",
		"metadata": {"name": "tune", "namespace": "prod"},
		"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{
			"componentName": "postgresql",
			"configurations": [{"name": "postgresql", "keys": [{"key": "postgresql.conf", "fileContent": "jit = on\njit = off\njit = off\n"}]}],
		}]},
	}}}
	found == {{
		"message": "jit is set 3 times: on here, off at line 3, and the last one wins. Keep one.",
		"path": ["spec", "reconfigures", 0, "configurations", 0, "keys", 0, "fileContent"],
		"line": 1,
	}}
}

test_no_value_is_not_for_this_check if findings({"Work_mem": null, "work_mem": "4MB"}) == set()

server(configuration) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"configuration": configuration},
	}}}
}

test_one_file_in_parts if {
	found := server([
		{"file": "a.conf", "text": "jit = on\n"},
		{"file": "b.conf", "text": "jit = off\nwork_mem = 1MB"},
		{"file": "a.conf", "firstLine": 7, "text": "\njit = 0\n"},
	])
	found == {{
		"message": "jit is set 2 times: on here, 0 at line 8 of a.conf, and the last one wins. Keep one.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 1,
	}}
}

test_a_file_that_overrides_another if server([{"file": "a.conf", "text": "jit = on"}, {"file": "b.conf", "text": "jit = off"}]) == set()

test_alter_system if {
	server([{"file": "a.conf", "text": "jit = on"}, {"file": "/d/postgresql.auto.conf", "text": "jit = 'off'"}]) == {{
		"message": "jit is on here, but ALTER SYSTEM sets it to off (line 1 of /d/postgresql.auto.conf), which wins. Keep one.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 1,
		"severity": "info",
	}}
	server([{"file": "a.conf", "text": "jit = on"}, {"file": "postgresql.auto.conf", "text": "jit = on"}]) == set()
	server([{"file": "postgresql.auto.conf", "text": "jit = on"}]) == set()
}

test_two_places_of_a_resource if {
	found := check.findings with data.walguard.model.claims.cluster as {
		"operator": "X",
		"namespace": "n",
		"name": "c",
		"parameters": [{"name": "jit", "value": "on", "path": ["a"]}, {"name": "jit", "value": "off", "path": ["a"]}],
	}
	some f in found
	contains(f.message, "off at a later line")
}

# Two texts of one resource, neither a file with a name: OPA found two places and ended the review.
test_two_details_of_a_component_parameter if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "parameters.kubeblocks.io/v1alpha1",
		"kind": "ComponentParameter",
		"metadata": {"name": "orders-postgresql", "namespace": "prod"},
		"spec": {
			"clusterName": "orders",
			"componentName": "postgresql",
			"configItemDetails": [{"name": "a", "configFileParams": {"postgresql.conf": {"content": "jit = on\n"}}}, {"name": "b", "configFileParams": {"postgresql.conf": {"content": "\njit = off\n"}}}],
		},
	}}}
	found == {{
		"message": "jit is set 2 times: on here, off at line 2 of spec.configItemDetails[1].configFileParams.postgresql.conf.content, and the last one wins. Keep one.",
		"path": ["spec", "configItemDetails", 0, "configFileParams", "postgresql.conf", "content"],
		"line": 1,
	}}
}

test_library_left_out_by_a_second_line if {
	severities := {object.get(f, "severity", "warning") | some f in server([{"file": "a.conf", "text": "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'shop'\nshared_preload_libraries = 'pg_stat_statements'\n"}])}
	severities == {"error"}
	{object.get(f, "severity", "warning") | some f in server([{"file": "a.conf", "text": "shared_preload_libraries = 'pg_stat_statements'\nshared_preload_libraries = 'pg_cron'\n"}])} == {"warning"}
	{object.get(f, "severity", "warning") | some f in server([{"file": "a.conf", "text": "shared_preload_libraries = 'timescaledb.so'\nshared_preload_libraries = 'pg_stat_statements, timescaledb'\n"}])} == {"warning"}
}
