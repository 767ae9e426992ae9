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
			"message": "CloudNativePG prod/orders sets shared_preload_libraries=pgaudit: CloudNativePG keeps that parameter for itself and refuses the resource. Take it out; spec.postgresql.shared_preload_libraries is the place for it",
			"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/shared_preload_libraries"}],
		},
		{
			"message": "CloudNativePG prod/orders sets port=6432: CloudNativePG keeps that parameter for itself and refuses the resource. Take it out",
			"path": ["spec", "postgresql", "parameters", "Port"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/Port"}],
		},
	}
}

# CloudNativePG itself writes its defaults into the resource.
test_the_operators_own_value if {
	findings({"archive_mode": "on", "log_directory": "/controller/log", "log_rotation_age": "0", "log_truncate_on_rotation": "false", "shared_preload_libraries": ""}) == set()
}

test_overwritten if {
	under_patroni({"port": "6432", "cluster_name": "x", "hot_standby": "on"}) == {
		{
			"message": "Zalando Postgres Operator prod/orders sets port=6432: Zalando Postgres Operator overwrites it with 5432. Take it out",
			"severity": "warning",
			"path": ["spec", "postgresql", "parameters", "port"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/port"}],
		},
		{
			"message": "Zalando Postgres Operator prod/orders sets cluster_name=x: Zalando Postgres Operator overwrites it. Take it out",
			"severity": "warning",
			"path": ["spec", "postgresql", "parameters", "cluster_name"],
			"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/cluster_name"}],
		},
	}
}

# Crunchy's schema speaks of spec.config only; what stands in Patroni's section is overwritten.
test_two_places if {
	{f.message | some f in crunchy({"config": {"parameters": {"wal_level": "replica", "jit": "on"}}})} == {"Crunchy Postgres for Kubernetes prod/orders sets wal_level=replica: Crunchy Postgres for Kubernetes keeps that parameter for itself and refuses the resource. Take it out"}
	crunchy({"config": {"parameters": {"wal_level": "logical"}}}) == set()
	crunchy({"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"wal_level": "replica"}}}}}) == {{
		"message": "Crunchy Postgres for Kubernetes prod/orders sets wal_level=replica: Crunchy Postgres for Kubernetes overwrites it with logical. Take it out",
		"severity": "warning",
		"path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters", "wal_level"],
	}}
}

test_free if findings({"work_mem": "4MB", "full_page_writes": "off"}) == set()
