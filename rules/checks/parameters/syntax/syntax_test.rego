package walguard.checks.parameters.syntax_test

import data.walguard.checks.parameters.syntax as check

findings(configuration) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"configuration": configuration},
	}}}
}

test_a_path_without_quotes if {
	findings([{"file": "postgresql.conf", "firstLine": 10, "text": "jit = off\ndata_directory = /srv/pg\n"}]) == {{
		"message": "The server does not start: line 11 of postgresql.conf, syntax error: data_directory = /srv/pg. Put the value into single quotes, or remove the line.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 2,
	}}
}

test_a_template_is_filled_in_later if findings([{"text": "{% if x %}\nshared_buffers = {{ buffers }}\n{% endif %}\nport = ${PORT}\n"}]) == set()

test_fine if findings([{"text": "jit = off\n"}]) == set()

test_hundreds_of_errors if count(findings([{"text": concat("\n", [sprintf("port %d = =", [n]) | some n in numbers.range(1, 50)])}])) == 20

# ModSecurity's exclusions for PostgreSQL's backups were in a file postgresql.conf.
test_a_file_of_another_program if {
	text := "# exclusions\nSecRule REQUEST_URI \"@rx ^/base/.*\" \\\n  \"id:20001,\\\n  pass,\\\n"
	findings([{"file": "postgresql.conf", "text": text}]) == {{
		"message": "No line names a parameter of PostgreSQL, so this looks like another program's configuration. Exclude the file if it is.",
		"severity": "info",
		"path": ["spec", "configuration", 0, "text"],
		"line": 2,
	}}
	count(findings([{"text": text}, {"text": "jit = off\n"}])) > 1
	count(findings([{"text": "shared_buffers = 4 GB\nwork_mem = 1 MB\n"}])) == 2
}

test_no_configuration if check.findings == set() with input as {"review": {"object": {"apiVersion": "v1", "kind": "Secret"}}}

# Mounted where the server looks it is no other program's.
test_yaml_in_a_config_map if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgresql", "image": "bitnami/postgresql:17.6.0", "volumeMounts": [{"name": "conf", "mountPath": "/bitnami/postgresql/conf"}]}],
				"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"postgresql.conf": "listenAddresses: '*'\nmaxConnections: 200\n"}}}}}}},
	}
	count(found) == 2
	count([1 | some f in found; f.severity]) == 0
}
