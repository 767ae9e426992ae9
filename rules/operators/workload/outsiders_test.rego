package walguard.operators.workload_test

import data.walguard.operators.workload

altering(kind, pod) := {"apiVersion": {"Job": "batch/v1", "CronJob": "batch/v1", "Pod": "v1"}[kind], "kind": kind, "metadata": {"name": "tune", "namespace": "shop"}, "spec": pod}

client := {"name": "run", "image": "postgres:17", "command": ["psql", "-h", "db", "-c", "ALTER SYSTEM SET fsync = off"]}

outside(written) := found if found := workload.cluster with input as {"review": {"object": written}}

test_outsider_is_a_change if {
	path := ["spec", "template", "spec", "containers", 0]
	found := outside(altering("Job", {"template": {"spec": {"containers": [client]}}}))
	object.filter(found, ["operator", "name", "change", "partial", "parameters", "unread"]) == {
		"operator": "Job",
		"name": "tune",
		"change": true,
		"partial": true,
		"parameters": [{"name": "fsync", "value": "off", "path": path}],
	}
	outside(altering("CronJob", {"jobTemplate": {"spec": {"template": {"spec": {"containers": [client]}}}}})).parameters[0].path == ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0]
	outside(altering("Pod", {"initContainers": [client]})).parameters[0].path == ["spec", "initContainers", 0]
}

test_outsider_that_writes_files if {
	writing := {"name": "run", "command": ["sh", "-c", "echo fsync=off >> /d/postgresql.auto.conf"], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}
	pod := {"containers": [writing], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}]}
	outside(altering("Job", {"template": {"spec": pod}})).unread == [{
		"source": "what container run runs",
		"path": ["spec", "template", "spec", "containers", 0],
		"severity": "warning",
		"reason": "it writes the server's configuration on a volume",
		"cure": "Set parameters where the server's own resource says them",
	}]
}

that_runs(words) := outside(altering("Job", {"template": {"spec": {"containers": [object.union(client, {"command": words})]}}}))

# Beside its server, or where nothing says what it is of, it is not one.
test_clients_are_no_outsiders if {
	every words in [["psql", "-c", "ALTER TABLE system SET (fillfactor = 80)"], ["psql", "-f", "/s/a.sql"], []] {
		not that_runs(words)
	}
	not workload.changes with input as {
		"review": {"object": altering("Job", {"template": {"spec": {"containers": [object.union(client, {"command": ["pg_dump", "-h", "db", "app"]})]}}})},
		"inventory": {"namespace": {"shop": {"v1": {"Pod": {"db": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"containers": [{"name": "db", "image": "postgres:17"}]}}}}}}},
	}
}

test_record_of_a_client_by_itself if {
	object.filter(that_runs(["pg_dump", "-h", "db.example.com", "app"]), ["operator", "name", "change", "partial", "client", "hosts", "parameters"]) == {
		"operator": "Job",
		"name": "tune",
		"change": true,
		"partial": true,
		"client": true,
		"hosts": ["db"],
		"parameters": [],
	}
	without_host := that_runs(["sh", "-c", "pg_dump $URL"])
	without_host.client
	not without_host.hosts
}

test_variables_of_some_instances if {
	template := {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}}
	found := outside({"apiVersion": "workloads.kubeblocks.io/v1", "kind": "InstanceSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
		"template": template,
		"instances": [{"name": "a", "env": [{"name": "TZ", "value": "UTC"}, {"name": "POSTGRES_INITDB_ARGS", "value": "-c fsync=off"}]}],
	}})
	found.unread == [{"source": "the variable POSTGRES_INITDB_ARGS of some instances", "path": ["spec", "instances", 0, "env", 1], "severity": "info"}]
}

pooler(kind, container) := outside({
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": {"name": "pool", "namespace": "shop"},
	"spec": {"template": {"spec": {"containers": [object.union({"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1"}, container)]}}},
})

# It answers for what it lets in, though its server is nobody's in sight.
test_pooler_without_passwords if {
	found := pooler("Deployment", {"env": [{"name": "AUTH_TYPE", "value": "trust"}]})
	found.change
	found.open_poolers == [{
		"pooler": "PgBouncer in container pgbouncer",
		"text": "AUTH_TYPE trust",
		"cure": "Let it ask for passwords (scram-sha-256), or listen on 127.0.0.1",
		"level": "warning",
		"path": ["spec", "template", "spec", "containers", 0],
	}]
	every env in [[{"name": "AUTH_TYPE", "value": "scram-sha-256"}], [{"name": "AUTH_TYPE", "value": "trust"}, {"name": "LISTEN_ADDR", "value": "127.0.0.1"}]] {
		other := pooler("Deployment", {"env": env})
		other.client
		not other.open_poolers
	}
}

test_pooler_by_a_secret if {
	[[one.source, one.severity] | some one in pooler("StatefulSet", {"env": [{"name": "AUTH_TYPE", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}).hba_unread] == [["the variable AUTH_TYPE of PgBouncer", "info"]]
}

# Beside a server it is that one's.
test_pooler_in_the_pod_of_a_server if {
	found := outside({
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "shop"},
		"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17"}, {"name": "pool", "image": "edoburu/pgbouncer:v1", "env": [{"name": "AUTH_TYPE", "value": "any"}]}]}}},
	})
	not found.change
	[one.path | some one in found.open_poolers] == [["spec", "template", "spec", "containers", 1]]
}

endpoints(configuration) := outside({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "orders-config", "namespace": "shop", "annotations": {"config": json.marshal(configuration)}}})

test_endpoints_in_which_patroni_keeps_its_configuration if {
	found := endpoints({"ttl": 30, "postgresql": {"parameters": {"fsync": "off"}, "recovery_conf": {"restore_command": "x"}}})
	object.filter(found, ["name", "change", "parameters", "unread"]) == {"name": "orders-config", "change": true, "parameters": [{"name": "fsync", "value": "off", "path": ["metadata", "annotations", "config"]}]}
	[one.severity | some one in endpoints({"postgresql": {"custom_conf": "/tmp/a"}}).unread] == ["info"]
	not endpoints({"ttl": 30})
	not outside({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "orders", "annotations": {"config": "{"}}})
}

on_claim(text) := outside(altering("Job", {"template": {"spec": {
	"containers": [{"name": "run", "command": ["sh", "-c", text], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
	"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}],
}}}))

test_lines_and_links_of_outsiders if {
	[[one.source, one.text] | some one in on_claim("echo 'host all all all trust' >> /d/pgdata/pg_hba.conf").hba_added] == [["What container run runs", "host all all all trust"]]
	[one.what | some one in on_claim("ln -s /tmp/w /d/pgdata/pg_wal").lost] == ["pg_wal=/tmp/w"]
	not on_claim("ls /d")
}

sizing(statement) := [[one.severity, one.reason] | some one in found.unread] if {
	found := outside(altering("Job", {"template": {"spec": {"containers": [object.union(client, {"command": ["psql", "-h", "db", "-c", statement]})]}}}))
}

# What fits depends on a server that is not in sight.
test_sizes_by_sql if {
	said := "it sets max_wal_size by ALTER SYSTEM, whatever the server has room for"
	sizing("ALTER SYSTEM SET max_wal_size = '8GB'") == [["info", said]]
	sizing("ALTER SYSTEM SET max_wal_size = '900GB'") == [["warning", said]]
}

told_by(source) := [one.severity | some one in found.hba_unread] if {
	found := outside({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17", "env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "valueFrom": source}]}]}})
}

# Nobody keeps the method there.
test_method_of_an_annotation if {
	told_by({"fieldRef": {"fieldPath": "metadata.annotations['m']"}}) == ["warning"]
	told_by({"secretKeyRef": {"name": "a", "key": "b"}}) == ["info"]
}

file_of_image(image, words, mounted, text) := found if {
	found := workload.cluster with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
			"containers": [{"name": "postgres", "image": image, "command": words, "volumeMounts": [object.union({"name": "c"}, mounted)]}],
			"volumes": [{"name": "c", "configMap": {"name": "c"}}],
		}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"k.conf": text}}}}}}},
	}
}

# Whatever image it is of, the server reads them.
test_files_of_other_images if {
	[setting.name | some setting in file_of_image("ghcr.io/zalando/spilo-17:4.0-p2", ["postgres", "-c", "config_file=/etc/p/k.conf"], {"mountPath": "/etc/p"}, "fsync = off").parameters; setting.name != "config_file"] == ["fsync"]
	[setting.name | some setting in file_of_image("quay.io/sclorg/postgresql-16-c9s:latest", ["run-postgresql"], {"mountPath": "/var/lib/pgsql/data/userdata/postgresql.auto.conf", "subPath": "k.conf"}, "fsync = off").parameters] == ["fsync"]
}

includes_of_bitnami(text) := [one.source | some one in file_of_image("bitnamilegacy/postgresql:17.5.0", ["postgres", "-c", "config_file=/etc/p/k.conf"], {"mountPath": "/etc/p"}, text).unread]

test_what_the_file_of_bitnami_includes if {
	includes_of_bitnami("include '/tmp/x'\n") == ["what /etc/p/k.conf includes"]
	not file_of_image("bitnamilegacy/postgresql:17.5.0", ["postgres", "-c", "config_file=/etc/p/k.conf"], {"mountPath": "/etc/p"}, "include_dir 'conf.d'\n").unread
}

instance(made) := [setting.name | some setting in object.get(found, "parameters", [])] if {
	found := object.union({}, workload.cluster) with input as {
		"review": {"object": {
			"apiVersion": "workloads.kubeblocks.io/v1",
			"kind": "Instance",
			"metadata": object.union({"name": "db-0", "namespace": "shop"}, made),
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "args": ["-c", "fsync=off"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}],
			},
		}},
		"inventory": {"namespace": {"shop": {"workloads.kubeblocks.io/v1": {"InstanceSet": {"db": {"apiVersion": "workloads.kubeblocks.io/v1", "kind": "InstanceSet", "metadata": {"name": "db", "namespace": "shop", "uid": "1"}}}}}}},
	}
}

# What an InstanceSet in sight asked for is judged with it.
test_instance_that_no_set_made if {
	owned := {"ownerReferences": [{"apiVersion": "workloads.kubeblocks.io/v1", "kind": "InstanceSet", "name": "db", "uid": "1"}]}
	instance({}) == ["fsync"]
	not instance(owned)
	instance(object.union(owned, {"name": "other-0"})) == ["fsync"]
}
