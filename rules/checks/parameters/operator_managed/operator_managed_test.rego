package walguard.checks.parameters.operator_managed_test

import data.walguard.checks.parameters.operator_managed as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

crunchy(spec) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"postgresVersion": 17}, spec),
	}}}
}

test_refused_by_the_webhook if {
	findings({"shared_preload_libraries": "pgaudit", "Port": "6432"}) == {
		{
			"message": "shared_preload_libraries=pgaudit is refused with the whole resource: CloudNativePG sets this parameter itself. Remove it; use spec.postgresql.shared_preload_libraries instead.",
			"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/shared_preload_libraries"}],
		},
		{
			"message": "port=6432 is refused with the whole resource: CloudNativePG sets this parameter itself. Remove it.",
			"path": ["spec", "postgresql", "parameters", "Port"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/Port"}],
		},
	}
}

# CloudNativePG itself writes its defaults into the resource.
test_the_operators_own_value if {
	findings({"archive_mode": "on", "log_directory": "/controller/log", "log_rotation_age": "0", "log_truncate_on_rotation": "false", "shared_preload_libraries": ""}) == set()
}

# ssl: the paths are those that the operator itself writes.
test_written_again if {
	findings({
		"ssl": "on",
		"ssl_cert_file": "/controller/certificates/server.crt",
		"ssl_key_file": "/controller/certificates/server.key",
		"ssl_ca_file": "/controller/certificates/client-ca.crt",
		"hot_standby": "on",
		"ssl_crl_dir": "/x",
	}) == set()
	{f.path[3] | some f in findings({"ssl_cert_file": "/mine/server.crt"})} == {"ssl_cert_file"}
}

# kuttl: the operator leaves these to the user.
test_percona_honours if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "pgv2.percona.com/v2",
		"kind": "PerconaPGCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {
			"logging_collector": "off",
			"restore_command": "/bin/true",
			"wal_log_hints": "off",
			"log_file_mode": "0640",
		}}}}},
	}}}
}

test_overwritten if {
	under_patroni({"port": "6432", "cluster_name": "x", "hot_standby": "on"}) == {
		{
			"message": "port=6432 has no effect: Zalando Postgres Operator overwrites it with 5432. Remove it.",
			"severity": "warning",
			"path": ["spec", "postgresql", "parameters", "port"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/port"}],
		},
		{
			"message": "cluster_name=x has no effect: Zalando Postgres Operator overwrites it. Remove it.",
			"severity": "warning",
			"path": ["spec", "postgresql", "parameters", "cluster_name"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/cluster_name"}],
		},
	}
}

# Crunchy's schema speaks of spec.config only; what stands in Patroni's section is overwritten.
test_two_places if {
	{f.message | some f in crunchy({"config": {"parameters": {"wal_level": "replica", "jit": "on"}}})} == {"wal_level=replica is refused with the whole resource: Crunchy Postgres for Kubernetes sets this parameter itself. Remove it."}
	crunchy({"config": {"parameters": {"wal_level": "logical"}}}) == set()
	crunchy({"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"wal_level": "replica"}}}}}) == {{
		"message": "wal_level=replica has no effect: Crunchy Postgres for Kubernetes overwrites it with logical. Remove it.",
		"severity": "warning",
		"path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters", "wal_level"],
		"fix": [{"op": "remove", "path": "/spec/patroni/dynamicConfiguration/postgresql/parameters/wal_level"}],
	}}
}

test_free if findings({"work_mem": "4MB", "full_page_writes": "off"}) == set()
