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
	{f.message | some f in zalando("bg_mon, pg_partman, \"pg_stat_statement\"")} == {
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

said(name, value) := {[object.get(f, "severity", "error"), f.message] | some f in findings("apps/v1", "StatefulSet", {"template": {"spec": {"containers": [{"name": "pg", "image": "postgres:17.6", "args": ["-c", sprintf("%s=%s", [name, value])]}]}}})}

test_names_that_are_two if {
	said("shared_preload_libraries", "pg_stat_statements\nauto_explain") == {["error", "No library is called \"pg_stat_statements\\nauto_explain\", which shared_preload_libraries names: the server does not start (\"could not access file\"). Put a comma between names."]}
	said("session_preload_libraries", "'auto_explain'") == {["error", "No library is called \"'auto_explain'\", which session_preload_libraries names: no connection gets beyond its start (\"could not access file\"). Leave the single quotes out."]}
	every text in ["a\tb", "a b, c", "a;b", `"a, b"`, `"a "`] {
		count(said("local_preload_libraries", text)) == 1
	}
	count(cnpg(["'pg_stat_statements'", "auto_explain"])) == 1
	count(cnpg(["pg_stat_statements auto_explain"])) == 1
}

test_lists_that_are_none if {
	said("shared_preload_libraries", "pg_stat_statements,") == {["warning", "shared_preload_libraries=\"pg_stat_statements,\" is no list of names (\"invalid list syntax\"): PostgreSQL passes over all of it, and loads none of the libraries. Write names with one comma between each two."]}
	every text in [",a", "a,,b", `"a`, `"a" b`, `a, "b`] {
		[severity | some [severity, _] in said("shared_preload_libraries", text)] == ["warning"]
	}
}

test_lists_that_are if {
	every text in ["", " ", "a,b", "a, b", "a,\nb", "\ta , b ", `"a", "b"`, `"a""b"`, "$libdir/a", "/opt/my lib/a.so", "${LIBRARIES}"] {
		said("shared_preload_libraries", text) == set()
	}
}
