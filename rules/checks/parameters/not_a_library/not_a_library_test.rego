package walguard.checks.parameters.not_a_library_test

import data.walguard.checks.parameters.not_a_library as check

findings(api_version, kind, spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": api_version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}

cnpg(libraries) := findings("postgresql.cnpg.io/v1", "Cluster", {"postgresql": {"shared_preload_libraries": libraries}})

zalando(libraries) := findings("acid.zalan.do/v1", "postgresql", {"postgresql": {"version": "17", "parameters": {"shared_preload_libraries": libraries}}})

test_project_instead_of_library if {
	cnpg(["pg_cron", "pgvector"]) == {{
		"message": "No library is called pgvector, which shared_preload_libraries names: the server does not start (\"could not access file\"). Remove it: pgvector needs no preloading.",
		"path": ["spec", "postgresql", "shared_preload_libraries"],
	}}
	zalando("timescaledb,timescaledb_toolkit") == {{
		"message": "No library is called timescaledb_toolkit, which shared_preload_libraries names: the server does not start (\"could not access file\"). Remove it: the toolkit needs no preloading.",
		"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
	}}
}

test_library_of_another_name if {
	{f.message | some f in zalando("bg_mon, pg_partman, 'pg_stat_statement'")} == {
		"No library is called pg_partman, which shared_preload_libraries names: the server does not start (\"could not access file\"). Write pg_partman_bgw.",
		"No library is called pg_stat_statement, which shared_preload_libraries names: the server does not start (\"could not access file\"). Write pg_stat_statements.",
	}
}

test_not_reported if {
	cnpg(["pg_stat_statements", "vector", "pg_partman_bgw", "anything"]) == set()
	cnpg("pgvector") == set()
	cnpg([17, null]) == set()
	zalando("timescaledb") == set()
	zalando("") == set()
	zalando("${LIBRARIES}") == set()
	findings("acid.zalan.do/v1", "postgresql", {}) == set()
}
