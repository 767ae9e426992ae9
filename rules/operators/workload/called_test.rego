package walguard.operators.workload_test

import data.walguard.operators.workload

# A server of which a script of the first start and what lies beside it are in one ConfigMap.
started_with(texts) := {
	"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
		"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "c", "mountPath": "/docker-entrypoint-initdb.d"}]}],
		"volumes": [{"name": "c", "configMap": {"name": "c"}}],
	}}},
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}}}}},
}

unread_at_start(texts) := [[one.source, one.severity] | some one in object.get(found, "unread", [])] if {
	found := workload.cluster with input as started_with(texts)
}

set_at_start(texts) := [[one.name, one.value] | some one in found.parameters] if {
	found := workload.cluster with input as started_with(texts)
}

test_what_a_script_runs_whatever_it_is_called if {
	writing := "echo fsync=off >> $PGDATA/postgresql.conf"
	said := [["the script /docker-entrypoint-initdb.d/lib.txt", "warning"]]
	unread_at_start({"a.sh": ". /docker-entrypoint-initdb.d/lib.txt", "lib.txt": writing}) == said
	unread_at_start({"a.sh": `. "$(dirname "$0")/lib.txt"`, "lib.txt": writing}) == said
	unread_at_start({"a.sh": "cat /docker-entrypoint-initdb.d/lib.txt", "lib.txt": writing}) == []
	unread_at_start({"a.sh": "echo /docker-entrypoint-initdb.d/lib", "lib": writing}) == [["the script /docker-entrypoint-initdb.d/lib", "warning"]]
	set_at_start({"a.sh": "psql -f /docker-entrypoint-initdb.d/lib.txt", "lib.txt": "ALTER SYSTEM SET fsync = off;"}) == [["fsync", "off"]]
	set_at_start({"a.sh": "psql -f /other/lib.txt", "other.txt": "ALTER SYSTEM SET fsync = off;"}) == []
}
