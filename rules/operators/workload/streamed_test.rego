package walguard.operators.workload_streamed_test

import data.walguard.operators.workload

server := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
}

pooler(image, env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "pool", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": image, "env": env}]}}},
}

pgpool := pooler("bitnami/pgpool:4.6.3", [{"name": "PGPOOL_BACKEND_NODES", "value": "0:db:5432"}])

pgbouncer(release) := pooler(concat(":", ["edoburu/pgbouncer", release]), [{"name": "DB_HOST", "value": "db"}])

service(name) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"}, "spec": {"selector": {"app": name}, "ports": [{"port": 5432}]}}

barman(text) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "barman", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "barman"}}, "spec": {
		"containers": [{"name": "barman", "image": "shop/barman:3", "volumeMounts": [{"name": "conf", "mountPath": "/etc/barman.d"}]}],
		"volumes": [{"name": "conf", "configMap": {"name": "barman"}}],
	}}},
	"text": text,
}

command(words, env) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "copy", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "copy"}}, "spec": {"containers": [{"name": "copy", "image": "postgres:17.6", "command": ["sh", "-c", words], "env": env}]}}},
}

faults(before, reader) := {[fault.reason, fault.cure, fault.level, fault.path] |
	found := workload.cluster with input as {
		"review": {"object": server},
		"inventory": {"namespace": {"shop": {
			"v1": {
				"Service": {"db": service("db"), "pool": service("pool")},
				"ConfigMap": {"barman": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "barman", "namespace": "shop"}, "data": {"db.conf": object.get(reader, "text", "")}}},
			},
			"apps/v1": {"Deployment": {"pool": before}, "StatefulSet": {reader.metadata.name: reader}},
		}}},
	}
	some fault in object.get(found, "pooler_faults", [])
	contains(fault.reason, "streams from")
}

test_streams_of_barman if {
	faults(pgpool, barman("[db]\nconninfo = host=db user=barman\nstreaming_conninfo = host=pool.shop.svc user=stream\n")) == {[
		"StatefulSet barman streams from Service pool (streaming_conninfo), and a pooler such as Pgpool-II, or PgBouncer before 1.23, hands no connection for replication on: no backup is taken",
		"Write db there",
		"error",
		["data", "db.conf"],
	]}
	faults(pgpool, barman("[db]\nconninfo = host=pool\nstreaming_conninfo = host=db\n")) == set()
	faults(pgpool, barman("[db]\n; streaming_conninfo = host=pool\n")) == set()
	faults(pgpool, barman("[db]\nstreaming_conninfo = host=pool.other.svc\n")) == set()
}

test_streams_of_commands if {
	every words in ["pg_basebackup -D /b -h pool -U stream", "pg_receivewal --host=pool -D /b", "pg_basebackup -d 'postgres://stream@pool/' -D /b", "pg_basebackup -D /b -d \"host=pool user=stream\""] {
		count(faults(pgpool, command(words, []))) == 1
	}
	{fault[0] | some fault in faults(pgbouncer("v1.22.1-p0"), command("pg_basebackup -D /b", [{"name": "PGHOST", "value": "pool"}]))} == {"StatefulSet copy streams from Service pool (pg_basebackup), and a pooler such as Pgpool-II, or PgBouncer before 1.23, hands no connection for replication on: no backup is taken"}
	every words in ["pg_basebackup -D /b -h db", "pg_dump -h pool -f /b/x"] {
		faults(pgpool, command(words, [{"name": "PGHOST", "value": "pool"}])) == set()
	}
	every release in ["v1.23.1-p2", "latest"] {
		faults(pgbouncer(release), command("pg_basebackup -D /b -h pool", [])) == set()
	}
}
