package walguard.lib.script_test

import data.walguard.lib.script

test_sets if {
	every text in [
		`psql -c "ALTER SYSTEM SET fsync = off"`,
		"echo fsync=off >> $PGDATA/postgresql.auto.conf",
		"sed -i 's/#fsync = on/fsync = off/' /data/postgresql.conf",
		"sed -ri s/a/b/ /data/postgresql*conf",
		"echo a | tee -a /data/postgresql.conf",
		"cp /conf/postgresql.conf /data/",
		"initdb -D /data -c fsync=off",
		"initdb -D /data -kc fsync=off",
		"initdb --set fsync=off",
		"echo a > /data/conf.d/a.conf",
		"export POSTGRESQL_FSYNC=off",
	] {
		script.sets(text)
	}
	every text in [
		"cat /data/postgresql.conf",
		"initdb -D /data -k --locale=C",
		"chown -R 999 /data",
		"psql -c 'CREATE EXTENSION a'",
		"postgres -c config_file=/etc/postgresql.conf",
		"",
	] {
		not script.sets(text)
	}
}

# What walguard.lib.sql reads is no secret.
test_writes if {
	script.writes("echo a >> postgresql.auto.conf")
	script.writes("ALTER SYSTEM SET a = $B")
	not script.writes("ALTER SYSTEM SET a = b")
}

test_of if {
	script.of({"command": ["sh", "-c", "a"], "args": ["b"], "lifecycle": {"postStart": {"exec": {"command": ["c"]}}}, "livenessProbe": {"exec": {"command": ["d"]}}}) == "sh -c a\nb\nc\n\nd\n\n"
	script.of({"command": 1, "args": [1]}) == "\n\n\n\n\n\n"
	not script.of("x")
}

test_hides if {
	script.hides("echo QUx= | base64 -d | psql")
	script.hides("curl -s http://x | bash")
	not script.hides("curl -o /x http://y; base64 -d /x > /y")
}

test_dangerous if {
	script.dangerous("FSYNC=off")
	not script.dangerous("work_mem=8MB")
	not script.dangerous("osync_fsyncer")
}
