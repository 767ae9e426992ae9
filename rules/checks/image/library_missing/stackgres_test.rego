package walguard.checks.image.library_missing_stackgres_test

import data.walguard.checks.image.library_missing as check

told(libraries, postgres) := {[f.message, f.path, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "stackgres.io/v1",
			"kind": "SGCluster",
			"metadata": {"name": "mirror", "namespace": "prod"},
			"spec": {"instances": 2, "postgres": object.union({"version": "16.4"}, postgres), "configurations": {"sgPostgresConfig": "tuned"}},
		}},
		"inventory": {"namespace": {"prod": {"stackgres.io/v1": {"SGPostgresConfig": {"tuned": {
			"apiVersion": "stackgres.io/v1",
			"kind": "SGPostgresConfig",
			"metadata": {"name": "tuned", "namespace": "prod"},
			"spec": {"postgresVersion": "16", "postgresql.conf": {"shared_preload_libraries": libraries}},
		}}}}}},
	}
	some f in found
}

test_not_installed if {
	told("pg_stat_statements,auto_explain,pg_cron", {"extensions": [{"name": "pg_trgm"}]}) == {[
		"shared_preload_libraries names pg_cron, which spec.postgres.extensions does not have: the server does not start (\"could not access file\"). Add it there with its version, or take it out.",
		["spec", "postgresql.conf", "shared_preload_libraries"],
		"tuned",
	]}
	{message | some [message, _, _] in told("timescaledb, pg_cron", {})} == {"shared_preload_libraries names pg_cron and timescaledb, which spec.postgres.extensions does not have: the server does not start (\"could not access file\"). Add it there with its version, or take it out."}
}

test_installed if {
	told("pg_stat_statements,auto_explain", {}) == set()
	told("pg_cron", {"extensions": [{"name": "pg_cron", "version": "1.6"}]}) == set()
	told("timescaledb", {"extensions": [{"name": "timescaledb_tsl"}]}) == set()
	told("pg_partman_bgw", {"extensions": [{"name": "pg_partman"}]}) == set()

	# Of one's own, or not filled in yet.
	told("ours", {}) == set()
	told("${LIBRARIES}", {}) == set()
	told("pg_cron", {"extensions": [{"name": "${EXTENSION}"}]}) == set()
	told("pg_cron", {"extensions": "${EXTENSIONS}"}) == set()
}
