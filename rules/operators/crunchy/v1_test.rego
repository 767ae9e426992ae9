package walguard.operators.crunchy_v1_test

import data.walguard.operators.crunchy

refused(version, spec) := {[fault.reason, fault.path] | some fault in object.get(found, "refusals", []); fault.by == "The API server"} if {
	found := crunchy.cluster with input as {"review": {"object": {
		"apiVersion": sprintf("postgres-operator.crunchydata.com/%s", [version]),
		"kind": "PostgresCluster",
		"metadata": {"name": "hippo", "namespace": "shop"},
		"spec": object.union({"postgresVersion": 17, "instances": [{"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"]}}]}, spec),
	}}}
}

pooled(logfile) := {"proxy": {"pgBouncer": {"config": {"global": {"logfile": logfile}}}}}

logged(directory) := {"config": {"parameters": {"log_directory": directory}}}

test_v1_alone if {
	every case in [
		[{"userInterface": {"pgAdmin": {}}}, "there is no userInterface in v1", ["spec", "userInterface"]],
		[{"backups": {"pgbackrest": {"repos": [{"name": "repo1"}], "global": {"log-path": "/pgbackrest/repo1/log"}}}}, "v1 takes no log-path in global", ["spec", "backups", "pgbackrest", "global", "log-path"]],
		[logged("/pgdata/log"), "v1 takes no log_directory /pgdata/log", ["spec", "config", "parameters", "log_directory"]],
		[pooled("/tmp/pgbouncer.log"), "PgBouncer's logfile is /tmp/pgbouncer.log, which v1 allows below /tmp/logs/pgbouncer/ and in additional volumes alone", ["spec", "proxy", "pgBouncer", "config", "global", "logfile"]],
		[pooled("/tmp/logs/pgbouncer/out"), "PgBouncer's logfile is /tmp/logs/pgbouncer/out, which does not end with .log", ["spec", "proxy", "pgBouncer", "config", "global", "logfile"]],
	] {
		[spec, reason, path] := case
		refused("v1", spec) == {[reason, path]}
		refused("v1beta1", spec) == set()
	}
}

test_both_versions if {
	every version in ["v1", "v1beta1"] {
		{path | some [_, path] in refused(version, {"instances": [{"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"]}, "volumes": {"additional": [{"name": "a", "claimName": "b"}, {"name": "c"}]}}]})} == {["spec", "instances", 0, "volumes", "additional", 1]}
	}
}

test_allowed if {
	every spec in [{}, logged("log"), logged("/pgwal/logs/postgres"), logged("${DIRECTORY}"), pooled("/tmp/logs/pgbouncer/pgbouncer.log"), pooled("/volumes/logs/a.log"), pooled("${LOG}")] {
		refused("v1", spec) == set()
	}
}
