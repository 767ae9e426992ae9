package walguard.model.commanded_test

import data.walguard.model.commanded

sight(script) := {"namespace": {"shop": {"v1": {"ConfigMap": {"f": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "f", "namespace": "shop"}, "data": {"x.sh": script}}}}}}} if script != ""

sight("") := {"complete": true}

found(object, script) := {[one.name, one.severity] | some one in list} if {
	list := commanded.setting with input as {"review": {"object": object}, "inventory": sight(script)}
}

zalando(command, source) := {
	"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "pg", "namespace": "shop"},
	"spec": {
		"teamId": "acid", "numberOfInstances": 2, "volume": {"size": "100Gi"},
		"postgresql": {"version": "17", "parameters": {"archive_cleanup_command": command}},
		"additionalVolumes": [{"name": "x", "mountPath": "/x", "targetContainers": ["postgres"], "volumeSource": source}],
	},
}

map := {"configMap": {"name": "f"}}

losing := "echo fsync=off >> $PGDATA/postgresql.auto.conf"

expected := {["archive_cleanup_command", "warning"]}

test_scripts_in_sight if {
	every command in ["sh /x/x.sh %r", "sh < /x/x.sh", "cat /x/x.sh | sh -s %r", "cd /x && sh ./x.sh", "/x/x.sh"] {
		found(zalando(command, map), losing) == expected
		found(zalando(command, map), "pg_archivecleanup /wal \"$1\"") == set()
	}
	found(zalando("cp /x/x.sh /tmp/", map), losing) == set()
	found(zalando("/x/x.sh", map), "psql -c 'ALTER SYSTEM SET jit = off'") == {["archive_cleanup_command", "info"]}
	found(zalando("/x/x.sh", map), "printf '%s' x >> $PGDATA/$f") == {["archive_cleanup_command", "info"]}
	found(zalando("/x/x.sh", map), "gunzip < /a/$1 > $PGDATA/$2") == set()
}

test_scripts_not_in_sight if {
	found(zalando("/x/x.sh", map), "") == expected
	found(zalando("/x/x.sh", {"persistentVolumeClaim": {"claimName": "c"}}), "") == expected
	found(zalando("/x/x.sh", {"emptyDir": {}}), "") == set()
}

crunchy := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "pg", "namespace": "shop"},
	"spec": {"postgresVersion": 17, "instances": [{"name": "a"}], "config": {"parameters": {"archive_cleanup_command": "sh /etc/postgres/x.sh"}, "files": [map]}},
}

percona := {
	"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "pg", "namespace": "shop"},
	"spec": {
		"crVersion": "2.6.0", "postgresVersion": 17, "patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"archive_cleanup_command": "sh /x/x.sh"}}}},
		"instances": [{"name": "a", "extraVolumes": [object.union({"name": "x"}, map)], "volumeMounts": [{"name": "x", "mountPath": "/x"}]}],
	},
}

workload := {
	"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "pg", "namespace": "shop"},
	"spec": {"template": {"spec": {
		"containers": [{"name": "pg", "image": "postgres:17.5", "args": ["-c", "archive_cleanup_command=sh /x/x.sh"], "volumeMounts": [{"name": "x", "mountPath": "/x/x.sh", "subPath": "x.sh"}]}],
		"volumes": [object.union({"name": "x"}, map)],
	}}},
}

test_where_they_are_mounted if {
	every object in [crunchy, percona, workload] {
		found(object, losing) == expected
		found(object, "pg_archivecleanup /wal \"$1\"") == set()
	}
}
