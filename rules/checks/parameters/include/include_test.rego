package walguard.checks.parameters.include_test

import data.walguard.checks.parameters.include as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_each_directive if {
	findings({"include_if_exists": "/var/lib/postgresql/data/mine"}) == {{
		"message": "include_if_exists is not a parameter: the server reads the file /var/lib/postgresql/data/mine and applies whatever it sets. Remove it, and write the parameters of that file here.",
		"path": ["spec", "postgresql", "parameters", "include_if_exists"],
	}}
	count(findings({"Include": "a", "include_dir": "b"})) == 2
}

test_custom_conf if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders"},
		"spec": {"patroni": {"dynamicConfiguration": {"postgresql": {"custom_conf": "/etc/postgres/mine.conf"}}}},
	}}}
	found == {{
		"message": "custom_conf replaces postgresql.conf by the file /etc/postgres/mine.conf, which walguard cannot read. Remove it, and write the parameters of that file here.",
		"path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "custom_conf"],
	}}
}

test_on_a_command_line if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders"},
		"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "include=/etc/extra.conf"]}]}}},
	}}}
	{f.message | some f in found} == {"include is not a parameter: on a command line it stops the server (\"unrecognized configuration parameter\"), and /etc/extra.conf is not read. Remove it, and write the parameters of that file here."}
}

test_parameters if {
	findings({}) == set()
	findings({"max_wal_size": "8GB"}) == set()
}

test_another_object if {
	check.findings == set() with input as {"review": {"object": {"kind": "Service"}}}
}
