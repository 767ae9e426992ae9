package walguard.operators.workload_test

import data.walguard.checks.workload.init_script

starting(script, more) := found if {
	found := {f.message | some f in init_script.findings} with input as {"review": {"object": with_parts("StatefulSet", "postgres:17.6", object.union({"name": "postgres", "command": ["sh", "-c", script]}, more), {}, claims)}}
}

test_files_before_initdb if {
	expected := {"Container postgres writes /var/lib/postgresql/data/pg_hba.conf before the image runs initdb, which refuses a directory that is not empty: on a new volume the server never starts. Mount it as a file of a ConfigMap outside of the data directory, and name it with -c config_file or -c hba_file."}
	line := "echo 'host replication r 0.0.0.0/0 scram-sha-256' >> /var/lib/postgresql/data/pg_hba.conf\n"
	starting(concat("", [line, "exec docker-entrypoint.sh postgres"]), {}) == expected
	starting("echo a | tee -a \"/var/lib/postgresql/data/pg_hba.conf\"\ndocker-entrypoint.sh postgres", {}) == expected
	every script in [
		concat("", ["if [ -s /var/lib/postgresql/data/PG_VERSION ]; then\n", line, "fi\nexec docker-entrypoint.sh postgres"]),
		concat("", ["test -s /var/lib/postgresql/data/PG_VERSION && ", line, "exec docker-entrypoint.sh postgres"]),
		concat("", ["pg_basebackup -h db -D /var/lib/postgresql/data\n", line, "exec docker-entrypoint.sh postgres"]),
		"echo a > /tmp/pg_hba.conf\nexec docker-entrypoint.sh postgres",
		"echo a > /var/lib/postgresql/data.log\nexec docker-entrypoint.sh postgres",
		concat("", [line, "exec postgres"]),
		concat("", ["docker-entrypoint.sh postgres &\n", line]),
	] {
		starting(script, {}) == set()
	}
	starting(concat("", [line, "exec docker-entrypoint.sh postgres"]), {"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}) == set()
	starting("", {"command": ["docker-entrypoint.sh", "postgres", concat("", [line, "docker-entrypoint.sh"])]}) == set()
}
