package walguard.operators.workload_test

short_of_standbys(words, container, pod) := object.get(read(with_parts("StatefulSet", "postgres:17.6", object.union({"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], "args": [word | some said in words; some word in ["-c", said]]}, container), pod, claims)), ["synchronous_short", "reason"], "")

test_standbys_that_cannot_log_in if {
	short_of_standbys(["synchronous_standby_names=*"], {}, {}) == "synchronous_standby_names=*, and no standby can log in: the image's own pg_hba.conf has no line for replication"
	every words in [
		[],
		["synchronous_standby_names="],
		["synchronous_standby_names=*", "synchronous_commit=local"],
		["synchronous_standby_names=*", "wal_level=logical"],
		["synchronous_standby_names=*", "hba_file=/etc/pg_hba.conf"],
		["synchronous_standby_names=*", "primary_conninfo=host=a"],
	] {
		short_of_standbys(words, {}, {}) == ""
	}
	short_of_standbys(["synchronous_standby_names=*"], {}, {"initContainers": [{"name": "hba", "image": "busybox:1"}]}) == ""
	short_of_standbys(["synchronous_standby_names=*"], {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "scripts", "mountPath": "/docker-entrypoint-initdb.d"}]}, {}) == ""
	short_of_standbys(["synchronous_standby_names=*"], {"command": ["/start.sh"]}, {}) == ""
	short_beside([]) != ""
	short_beside([{"name": "hba", "image": "writer:1", "volumeMounts": [{"name": "data", "mountPath": "/pg"}]}]) == ""
}

short_beside(others) := object.get(read(with_parts("StatefulSet", "postgres:17.6", {}, {"containers": array.concat([{"name": "db", "image": "postgres:17.6", "env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], "args": ["-c", "synchronous_standby_names=*"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}], others)}, claims)), ["synchronous_short", "reason"], "")
