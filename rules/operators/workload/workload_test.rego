package walguard.operators.workload_test

import data.walguard.operators.workload

# A StatefulSet of one container of the official image with its data on a claim, each part to be replaced.
with_parts(kind, image, container, pod, spec) := {
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": {"name": "orders", "namespace": "shop"},
	"spec": object.union(
		{"template": {"spec": object.union(
			{"containers": [{"name": "proxy", "image": "pgbouncer"}, object.union(
				{"image": image, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
				container,
			)]},
			pod,
		)}},
		spec,
	),
}

claims := {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}]}

set_of(image, container) := with_parts("StatefulSet", image, container, {}, claims)

official(container) := set_of("postgres:17.6", container)

bitnami(container) := set_of("bitnami/postgresql:17.6.0", object.union(
	{"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]},
	container,
))

read(resource) := found if found := workload.cluster with input as {"review": {"object": resource}}

# With ConfigMaps and claims of the namespace in sight.
among(resource, maps, found_claims) := found if {
	objects := {"v1": {
		"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": texts} | some name, texts in maps},
		"PersistentVolumeClaim": found_claims,
	}}
	found := workload.cluster with input as {"review": {"object": resource}, "inventory": {"namespace": {"shop": objects}}}
}

at := ["spec", "template", "spec", "containers", 1]

below(path) := array.concat(at, path)

map_of(name) := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": name}

test_whole_cluster if {
	cluster := read(official({
		"args": ["-c", "max_wal_size=4GB", "--wal-level=logical"],
		"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--wal-segsize=64\n -k"}],
		"resources": {"limits": {"memory": "8Gi"}},
	}))
	object.remove(cluster, ["companions", "data_claim", "frozen", "refusals", "templated_claims"]) == {
		"first_start": {
			"POSTGRES_INITDB_ARGS": {"value": "--wal-segsize=64\n -k", "path": below(["env", 0, "value"])},
			"scripts": {"value": "false", "absent": true, "path": at, "message": cluster.first_start.scripts.message},
		},
		"annotations": {"path": ["spec", "template", "metadata", "annotations"], "volume": "data"},
		"data_claims": `^data-orders-[0-9]+$`,
		"claims_stay": true,
		"operator": "StatefulSet",
		"password_missing": {"value": "POSTGRES_PASSWORD", "origin": "written", "path": below(["env"]), "refuses": "create a database", "level": "error"},
		"selection": {"labels": {}, "own": {}, "count": 1},
		"shared_memory": {"value": 67108864, "origin": "written", "path": below(["volumeMounts"])},
		"grace": {"value": 30, "origin": "operator", "path": ["spec", "template", "spec"], "field": "terminationGracePeriodSeconds"},
		"data_on_root": {"value": "/var/lib/postgresql/data", "claim": "0/data", "path": below(["volumeMounts"]), "origin": "written"},
		"data_place": {"volume": "the claims of the template data", "within": "", "major": 17, "owner": 999, "adapts": true, "configuration": "inside", "path": below(["volumeMounts", 0]), "origin": "written"},
		"name": "orders",
		"namespace": "shop",
		"major": {"value": 17, "origin": "written", "path": below(["image"])},
		"image": {"value": "postgres:17.6", "origin": "written", "path": below(["image"])},
		"upgrade": {"by": "nobody"},
		"parameters": [
			{"name": "max_wal_size", "value": "4GB", "path": below(["args", 1]), "argument": true},
			{"name": "wal_level", "value": "logical", "path": below(["args", 2]), "argument": true},
		],
		"parameters_path": below(["args"]),
		"parameter_values": "text",
		"pods": [{
			"sysctls": ["spec", "template", "spec", "securityContext", "sysctls"],
			"containers": [["spec", "template", "spec", list] | some list in ["initContainers", "containers", "ephemeralContainers"]],
			"volumes": ["spec", "template", "spec", "volumes"],
			"environment": [below(["env"])],
		}],
		"defaults": {},
		"segment": {"value": 64, "unit": "MB", "origin": "written", "path": below(["env", 0])},
		"checksums": {"value": true, "origin": "written", "path": below(["env", 0])},
		"instance_sets": [{
			"name": "orders",
			"path": at,
			"resources": {"requests": {}, "limits": {"memory": "8Gi"}},
			"resources_path": below(["resources"]),
			"data": {
				"path": ["spec", "volumeClaimTemplates", 0, "spec"],
				"size": "10Gi",
				"size_path": ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"],
				"class": "fast",
				"class_path": ["spec", "volumeClaimTemplates", 0, "spec", "storageClassName"],
			},
		}],
	}
}

test_pod if {
	cluster := read({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": {"containers": [{"image": "postgres:18"}]}})
	cluster.operator == "Pod"
	cluster.instance_sets[0].path == ["spec", "containers", 0]
	cluster.checksums.value == true
	cluster.checksums.origin == "postgres"
}

# As a server; the pooler in its pod is one by itself then.
client_or_nothing(resource) if not read(resource)

client_or_nothing(resource) if read(resource).client

test_not_judged if {
	every resource in [
		official({"command": ["sh", "-c", "psql"]}),
		set_of("postgres-exporter", {}),
		object.union(official({}), {"kind": "Job"}),
		object.union(official({}), {"apiVersion": "v1"}),
		object.union(official({}), {"spec": {"template": {"spec": {"containers": [{"image": "busybox"}], "initContainers": [{"image": "postgres:17"}]}}}}),
	] {
		client_or_nothing(resource)
	}
}

test_labels_of_others if read(object.union(official({}), {"metadata": {"labels": {"application": "orders", "app.kubernetes.io/managed-by": "Helm"}}}))

test_hostile if {
	every value in [null, 3, "x", [], {}, [null], [3], [{}], [{"name": 3}], [{"name": "data"}], {"a": null}] {
		every field in ["env", "envFrom", "args", "volumeMounts", "resources"] {
			read(official({field: value})).name == "orders"
		}
		every field in ["volumes", "affinity", "nodeSelector"] {
			read(with_parts("Deployment", "postgres:17", {}, {field: value}, {})).name == "orders"
		}
		every field in ["volumeClaimTemplates", "replicas", "strategy"] {
			read(with_parts("Deployment", "postgres:17", {}, {}, {field: value})).name == "orders"
			read(with_parts("StatefulSet", "postgres:17", {}, {}, {field: value})).name == "orders"
		}
		client_or_nothing(official({"image": value}))
	}
}

# -------------------------------------------------------------------------------------------------- parameters

test_variable_in_the_command_line if {
	cluster := read(official({"args": ["-c", "shared_buffers=$(BUFFERS)", "-F"]}))
	[p.name | some p in cluster.parameters] == ["fsync"]
	cluster.defaults == {"shared_buffers": ""}
}

configured(container, maps) := among(
	with_parts(
		"StatefulSet", "postgres:17", object.union(
			{"volumeMounts": [
				{"name": "data", "mountPath": "/var/lib/postgresql/data"},
				{"name": "conf", "mountPath": "/etc/pg/"},
			]},
			container,
		),
		{"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, claims,
	),
	maps, {},
)

custom := {"args": ["-c", "config_file=/etc/pg/my.conf"]}

test_configuration_file if {
	cluster := configured(custom, {"conf": {"my.conf": "fsync = off\nbroken = = 3", "other.conf": "fsync = on", "n": 3}})
	cluster.parameters == [
		{"name": "fsync", "value": "off", "path": ["data", "my.conf"], "line": 1, "resource": map_of("conf")},
		{"name": "config_file", "value": "/etc/pg/my.conf", "path": below(["args", 1]), "argument": true},
	]
	cluster.syntax_errors == [{"reason": "syntax error: broken = = 3", "line": 2, "path": ["data", "my.conf"], "resource": map_of("conf")}]
	not cluster.partial
}

test_configuration_out_of_sight if {
	configured(custom, {}).partial
	configured(custom, {"conf": {"other.conf": ""}}).partial
	configured(custom, {"conf": {"my.conf": "include 'x'"}}).partial
	not configured({}, {}).partial
}

# Supabase's image has a file there; another one is somebody's, or missing.
test_configuration_of_the_image if {
	file_severities("supabase/postgres:17.6.1.084", "/etc/postgresql/postgresql.conf") == ["info"]
	file_severities("ghcr.io/immich-app/postgres:16-vectorchord0.4.3", "/etc/postgresql/postgresql.conf") == ["info"]
	file_severities("supabase/postgres:17.6.1.084", "/etc/own/postgresql.conf") == ["warning"]
	file_severities("postgres:17", "/etc/postgresql/postgresql.conf") == ["warning"]
}

file_severities(image, path) := [place.severity |
	some place in read(with_parts("StatefulSet", image, {"args": ["-c", sprintf("config_file=%s", [path])]}, {}, claims)).unread
	startswith(place.source, "the file")
]

test_configuration_under_another_name if {
	mounted := {"volumeMounts": [
		{"name": "data", "mountPath": "/var/lib/postgresql/data"},
		{"name": "conf", "mountPath": "/var/lib/postgresql/data/postgresql.conf", "subPath": "pg.conf"},
	]}
	resource := with_parts("StatefulSet", "postgres:17", mounted, {"volumes": [{"name": "conf", "configMap": {"name": "conf", "items": [{"key": "a", "path": "pg.conf"}, {"key": "b", "path": "c"}]}}]}, claims)
	among(resource, {"conf": {"a": "fsync=off", "b": "fsync=on"}}, {}).parameters == [{"name": "fsync", "value": "off", "path": ["data", "a"], "line": 1, "resource": map_of("conf")}]
	read(resource).partial
}

scripted(maps) := among(
	with_parts(
		"StatefulSet", "postgres:17", {"volumeMounts": [
			{"name": "data", "mountPath": "/var/lib/postgresql/data"},
			{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"},
		]},
		{"volumes": [{"name": "init", "configMap": {"name": "init"}}]}, claims,
	),
	maps, {},
)

test_scripts_of_the_first_start if {
	scripted({}).partial
	scripted({"init": {"a.sql": "ALTER SYSTEM SET fsync = off"}}).partial
	not scripted({"init": {"a.sql": "create table t ()"}}).partial
}

test_bitnami if {
	cluster := read(bitnami({"env": [
		{"name": "POSTGRESQL_FSYNC", "value": "off"},
		{"name": "POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS", "value": "1"},
	]}))
	cluster.parameters == [{"name": "fsync", "value": "off", "path": below(["env", 0, "value"])}]
	cluster.defaults.max_wal_size == "400MB"
	cluster.synchronous == {"value": true, "origin": "written", "path": below(["env", 1, "value"])}
	cluster.instance_sets[0].data.size == "10Gi"
	not cluster.unmounted
	not cluster.instances
}

bitnami_with(maps) := among(
	with_parts(
		"StatefulSet", "bitnami/postgresql:17", {"volumeMounts": [
			{"name": "data", "mountPath": "/bitnami/postgresql"},
			{"name": "tmp", "mountPath": "/opt/bitnami/postgresql/conf"},
			{"name": "conf", "mountPath": "/bitnami/postgresql/conf"},
			{"name": "more", "mountPath": "/bitnami/postgresql/conf/conf.d"},
		]},
		{"volumes": [
			{"name": "tmp", "emptyDir": {}},
			{"name": "conf", "configMap": {"name": "conf"}},
			{"name": "more", "configMap": {"name": "more"}},
		]},
		claims,
	),
	maps, {},
)

test_files_of_bitnami if {
	cluster := bitnami_with({
		"conf": {"postgresql.conf": "fsync=on\ninclude_dir 'conf.d'"},
		"more": {"b.conf": "fsync=yes", "a.conf": "fsync=off", "c.txt": "fsync=1"},
	})
	[p.value | some p in cluster.parameters] == ["on", "off", "yes"]
	cluster.defaults == {}
	not cluster.partial
	bitnami_with({"conf": {}}).partial
}

test_bitnami_environment_from_a_map if {
	resource := bitnami({"envFrom": [{"prefix": "POSTGRESQL_", "configMapRef": {"name": "env"}}]})
	among(resource, {"env": {"FSYNC": "off", "NUM_SYNCHRONOUS_REPLICAS": "2"}}, {}).parameters == [{"name": "fsync", "value": "off", "path": ["data", "FSYNC"], "resource": map_of("env")}]
}

test_altered_from_a_map if {
	mounts := [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "auto", "mountPath": "/var/lib/postgresql/data/postgresql.auto.conf", "subPath": "a.conf"}]
	resource := with_parts("StatefulSet", "postgres:17", {"volumeMounts": mounts}, {"volumes": [{"name": "auto", "configMap": {"name": "auto"}}]}, claims)
	{p.name | some p in among(resource, {"auto": {"a.conf": "fsync = off"}}, {}).parameters} == {"fsync"}
	{u.source | some u in read(resource).unread} == {"ConfigMap shop/auto"}
}

test_data_directory_from_a_map if {
	resource := set_of("postgres:17", {"envFrom": [{"configMapRef": {"name": "env"}}]})
	among(resource, {"env": {"PGDATA": "/data"}}, {}).unmounted[0].directory == "/data"
}

test_repmgr if {
	resource := with_parts("StatefulSet", "bitnami/postgresql-repmgr:17", {"env": [{"name": "REPMGR_USE_PGREWIND", "value": "yes"}]}, {}, object.union(claims, {"replicas": 3}))
	cluster := read(resource)
	cluster.instances.value == 3
	cluster.instance_sets[0].replicas.value == 3
	cluster.rewind.used
}

test_standby_is_not_initialised if {
	cluster := read(bitnami({"env": [{"name": "POSTGRES_REPLICATION_MODE", "value": "slave"}]}))
	not cluster.segment
	not cluster.checksums
}

test_others if {
	read(set_of("timescale/timescaledb:2.18.0-pg17", {})).defaults.shared_buffers == ""
	spilo := read(set_of("ghcr.io/zalando/spilo-17:4", {}))
	spilo.partial
	spilo.patroni
	not spilo.segment
	pro := read(set_of("postgrespro-ent-16:16", {}))
	pro.partial
	pro.edition == "postgrespro-enterprise"
}

# A StatefulSet of Spilo as its own repository has it, not one that the operator makes.
spilo_with(env) := read({
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"replicas": 1,
		"template": {"spec": {"containers": [{"name": "db", "image": "ghcr.io/zalando/spilo-17:4.0-p3", "env": env, "volumeMounts": [{"name": "data", "mountPath": "/home/postgres/pgdata"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
})

test_what_spilo_is_told_beside if {
	[one.what | some one in spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql:\n  data_dir: /tmp/x\n"}]).lost] == ["data_dir=/tmp/x"]
	not spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql:\n  data_dir: /home/postgres/pgdata/mine\n"}]).lost
	[one.source | some one in spilo_with([{"name": "CRONTAB", "value": "[\"* * * * * psql -c 'alter system set fsync=off'\"]"}]).unread] == ["the variable CRONTAB"]
	[one.reason | some one in spilo_with([{"name": "PGUSER_SUPERUSER", "value": "x\n    fsync: off"}]).unread] == ["its line break begins another line of Patroni's configuration"]
	[one.source | some one in spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql:\n  bin_dir: /home/postgres/pgdata/bin\n"}]).unread] == ["the programs in /home/postgres/pgdata/bin (bin_dir)"]
	not spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql:\n  bin_dir: /usr/lib/postgresql/17/bin\n"}]).unread
}

test_spilo_by_hand if {
	text := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        max_connections: 800\npostgresql:\n  parameters:\n    fsync: 'off'\n"
	spilo := read(object.union(
		set_of("ghcr.io/zalando/spilo-17:4", {"env": [{"name": "SPILO_CONFIGURATION", "value": text}]}),
		{"metadata": {"labels": {"application": "spilo", "spilo-cluster": "demo"}}},
	))
	place := array.concat(container_at, ["env", 0, "value"])
	spilo.parameters == [
		{"name": "max_connections", "value": "800", "line": 5, "path": place},
		{"name": "fsync", "value": "off", "line": 8, "path": place},
	]
}

container_at := ["spec", "template", "spec", "containers", 1]

test_red_hats_images if {
	every image, major in {
		"quay.io/sclorg/postgresql-15-c9s:latest": 15,
		"registry.redhat.io/rhel9/postgresql-16@sha256:1": 16,
		"registry.redhat.io/rhscl/postgresql-12-rhel7:1-10": 12,
	} {
		read(set_of(image, {})).major.value == major
	}
	not read(set_of("example.com/team/postgresql-15", {}))
	cluster := read(set_of("quay.io/sclorg/postgresql-15-c9s", {
		"env": [{"name": "POSTGRESQL_MAX_CONNECTIONS", "value": "500"}],
		"resources": {"limits": {"memory": "1Gi"}},
	}))
	cluster.parameters == [{"name": "max_connections", "value": "500", "path": array.concat(container_at, ["env", 0, "value"])}]
	cluster.defaults == {"listen_addresses": "*", "shared_buffers": "256MB", "effective_cache_size": "512MB"}
	cluster.unmounted[0].directory == "/var/lib/pgsql/data/userdata"
}

# Where Bitnami's server looks itself.
test_bitnami_own_place if {
	cluster := among(
		with_parts(
			"StatefulSet", "bitnami/postgresql:17.6.0",
			{"volumeMounts": [{"name": "conf", "mountPath": "/opt/bitnami/postgresql/conf/postgresql.conf", "subPath": "postgresql.conf"}]},
			{"volumes": [{"name": "conf", "configMap": {"name": "tuned"}}]}, {},
		),
		{"tuned": {"postgresql.conf": "fsync = off\n"}}, {},
	)
	[p.name | some p in cluster.parameters] == ["fsync"]
	cluster.defaults == {"listen_addresses": "*"}
}

test_options_of_initdb_out_of_sight if {
	secret := {"secretKeyRef": {"name": "a", "key": "b"}}
	not read(official({"env": [{"name": "POSTGRES_INITDB_ARGS", "valueFrom": secret}]})).segment
	not read(official({"envFrom": [{"configMapRef": {"name": "env"}}]})).segment
	read(official({"envFrom": [{"secretRef": {"name": "env"}}]})).segment.value == 16
	not read(set_of("postgres", {})).checksums
}

test_archiving if read(official({"args": ["-c", "archive_mode=off"]})).archiving.value == "off"

# ----------------------------------------------------------------------------------------------------- volumes

on(volume, pod) := read(with_parts("StatefulSet", "postgres:17", {}, object.union({"volumes": [object.union({"name": "data"}, volume)]}, pod), {})).instance_sets[0].data

place := ["spec", "template", "spec", "volumes", 0]

test_ephemeral_volumes if {
	on({"emptyDir": {"sizeLimit": "1Gi"}}, {}) == {
		"path": place,
		"size": "1Gi",
		"size_path": array.concat(place, ["emptyDir", "sizeLimit"]),
		"class": "",
		"class_path": place,
		"ephemeral": "an emptyDir",
	}
	generic := on({"ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "fast"}}}}, {})
	generic.class == "fast"
	generic.ephemeral == "a generic ephemeral volume"
	on({"hostPath": {"path": "/x"}}, {}).ephemeral == "a hostPath of whatever node the pod comes to"
}

test_host_path_of_a_certain_node if {
	every pod in [
		{"nodeName": "n1"},
		{"nodeSelector": {"disk": "nvme"}},
		{"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
	] {
		not on({"hostPath": {"path": "/x"}}, pod).ephemeral
	}
}

test_claim_in_sight if {
	claim := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "shop"}, "spec": {"resources": {"requests": {"storage": "5Gi"}}}}
	resource := with_parts("Deployment", "postgres:17", {}, {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]}, {})
	data_volume := among(resource, {}, {"c": claim}).instance_sets[0].data
	data_volume.size == "5Gi"
	data_volume.resource.kind == "PersistentVolumeClaim"
	on({"persistentVolumeClaim": {"claimName": "c"}}, {}).class == ""
}

with_wal(container) := read(with_parts(
	"StatefulSet", "postgres:17", object.union(
		{"volumeMounts": [
			{"name": "data", "mountPath": "/var/lib/postgresql/data"},
			{"name": "wal", "mountPath": "/wal"},
		]},
		container,
	),
	{"volumes": [{"name": "wal", "emptyDir": {}}]}, claims,
))

test_wal_volume if {
	every variable in [{"name": "POSTGRES_INITDB_WALDIR", "value": "/wal/pg_wal"}, {"name": "POSTGRES_INITDB_ARGS", "value": "-k --waldir=/wal/"}] {
		with_wal({"env": [variable]}).instance_sets[0].wal.ephemeral == "an emptyDir"
	}
	not with_wal({}).instance_sets[0].wal
}

test_wal_off_the_volumes if {
	with_wal({"env": [{"name": "POSTGRES_INITDB_WALDIR", "value": "/other"}]}).unmounted == [{
		"role": "WAL",
		"directory": "/other",
		"path": below(["volumeMounts"]),
		"mounted": ["/var/lib/postgresql/data"],
		"relied": true,
	}]
}

off(image, container) := read(set_of(image, container)).unmounted[0].directory

test_data_off_the_volumes if {
	off("postgres:18", {}) == "/var/lib/postgresql/18/docker"
	off("postgres:17", {"env": [{"name": "PGDATA", "value": "/data/"}]}) == "/data"
	off("postgres:17", {"args": ["-D", "/srv"]}) == "/srv"
	off("bitnami/postgresql:17", {}) == "/bitnami/postgresql/data"
	off("bitnami/postgresql:17", {"env": [{"name": "POSTGRESQL_VOLUME_DIR", "value": "/vol/"}]}) == "/vol/data"
}

test_nobody_knows if {
	every resource in [
		official({}),
		set_of("corp.example/postgres:18", {}),
		set_of("postgres", {}),
		set_of("postgres:18", {"env": [{"name": "PGDATA", "valueFrom": {}}]}),
		set_of("postgres:18", {"env": [{"name": "PGDATA", "value": "$(HOME)/x"}]}),
		set_of("postgres:18", {"envFrom": [{"configMapRef": {"name": "env"}}]}),
	] {
		not read(resource).unmounted
	}
	read(set_of("postgres", {})).instance_sets[0].data.size == "10Gi"
}

test_claim_of_the_pod_lasts if {
	resource := with_parts("Deployment", "postgres:18", {}, {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]}, {})
	read(resource).unmounted[0].mounted == ["/var/lib/postgresql/data"]
}

# ----------------------------------------------------------------------------------------------------- overlap

claimed(kind, spec) := read(with_parts(kind, "postgres:17", {}, {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]}, spec))

test_overlap if {
	claimed("Deployment", {}).overlap == {"value": "update", "origin": "operator", "path": ["spec"], "claim": "c"}
	claimed("Deployment", {"strategy": {"type": "RollingUpdate"}}).overlap == {"value": "update", "origin": "written", "path": ["spec", "strategy"], "claim": "c"}
	claimed("Deployment", {"replicas": 2, "strategy": {"type": "Recreate"}}).overlap == {"value": "replicas", "origin": "written", "path": ["spec", "replicas"], "claim": "c"}
	claimed("StatefulSet", {"replicas": 2}).overlap.value == "replicas"
}

test_no_overlap if {
	every cluster in [
		claimed("Deployment", {"strategy": {"type": "Recreate"}}),
		claimed("Deployment", {"strategy": {"rollingUpdate": {"maxSurge": 0}}}),
		claimed("Deployment", {"replicas": 0}),
		claimed("StatefulSet", {"replicas": 1}),
		read(official({})),
		read(with_parts("StatefulSet", "postgres:17", {}, {}, object.union(claims, {"replicas": 3}))),
	] {
		not cluster.overlap
	}
}

# ------------------------------------------------------------------------------------------------------- Patroni

patroni_text := concat("\n", [
	"bootstrap:",
	"  dcs:",
	"    postgresql:",
	"      parameters:",
	"        archive_mode: \"on\"",
	"        archive_command: /etc/timescaledb/scripts/pgbackrest_archive.sh %p",
	"        max_connections: 100",
	"      use_pg_rewind: true",
	"      use_slots: false",
	"    synchronous_mode: true",
])

timescale(env, maps) := among(
	{
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "ts", "namespace": "shop", "labels": {"cluster-name": "ts"}},
		"spec": {
			"replicas": 3,
			"template": {"spec": {
				"containers": [{
					"image": "timescale/timescaledb-ha:pg14.6-ts2.9.1-p1",
					"command": ["/bin/bash", "-c", "exec patroni /etc/timescaledb/patroni.yaml"],
					"env": array.concat([{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/var/lib/postgresql/data"}, {"name": "WALDIR", "value": "/var/lib/postgresql/wal/pg_wal"}], env),
					"volumeMounts": [
						{"name": "storage-volume", "mountPath": "/var/lib/postgresql"},
						{"name": "wal-volume", "mountPath": "/var/lib/postgresql/wal"},
						{"name": "conf", "mountPath": "/etc/timescaledb/patroni.yaml", "subPath": "patroni.yaml"},
					],
				}],
				"volumes": [{"name": "conf", "configMap": {"name": "ts-patroni"}}],
			}},
			"volumeClaimTemplates": [
				{"metadata": {"name": "storage-volume"}, "spec": {"resources": {"requests": {"storage": "2Gi"}}}},
				{"metadata": {"name": "wal-volume"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}},
			],
		},
	},
	maps, {},
)

test_patroni if {
	env := [{"name": "PGBACKREST_BACKUP_ENABLED", "value": "false"}]
	cluster := timescale(env, {"ts-patroni": {"patroni.yaml": patroni_text}})
	container := ["spec", "template", "spec", "containers", 0]
	place := {"path": ["data", "patroni.yaml"], "resource": map_of("ts-patroni")}
	[cluster.name, cluster.patroni, cluster.major.value, cluster.instances.value] == ["ts", true, 14, 3]
	not cluster.partial
	cluster.parameters == [
		object.union({"name": "archive_mode", "value": "on", "line": 5}, place),
		object.union({"name": "archive_command", "value": "/etc/timescaledb/scripts/pgbackrest_archive.sh %p", "line": 6}, place),
		object.union({"name": "max_connections", "value": "100", "line": 7}, place),
	]
	[cluster.defaults.max_wal_senders, cluster.defaults.shared_buffers] == ["10", ""]
	cluster.archiving == {"value": "discards", "origin": "written", "path": array.concat(container, ["env", 2])}
	cluster.slots == {"value": false, "origin": "written", "path": ["data", "patroni.yaml"], "resource": map_of("ts-patroni")}
	cluster.synchronous.value == true
	cluster.rewind.used
	[cluster.instance_sets[0].data.size, cluster.instance_sets[0].wal.size] == ["2Gi", "1Gi"]
	not cluster.segment
}

test_patroni_that_archives if {
	maps := {"ts-patroni": {"patroni.yaml": patroni_text}}
	timescale([{"name": "PGBACKREST_BACKUP_ENABLED", "value": "true"}], maps).archiving.value == "on"
	not timescale([], maps).archiving
	own := {"ts-patroni": {"patroni.yaml": replace(patroni_text, "/etc/timescaledb/scripts/pgbackrest_archive.sh", "cp")}}
	timescale([], own).archiving.value == "on"
	timescale([], {"ts-patroni": {"patroni.yaml": replace(patroni_text, "      use_slots: false", "")}}).slots.value == true
}

test_patroni_out_of_sight if {
	every maps in [{}, {"ts-patroni": {"patroni.yaml": "bootstrap: {}"}}] {
		cluster := timescale([], maps)
		cluster.partial
		cluster.parameters == []
		not cluster.slots
		not cluster.archiving
	}
}

secret_of(name) := {"apiVersion": "v1", "kind": "Secret", "namespace": "shop", "name": name}

secret(name, fields) := {name: object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "shop"}}, fields)}

# The chart's StatefulSet, with Patroni's file out of a volume.
timescale_with(volume, objects) := found if {
	set := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "ts", "namespace": "shop"},
		"spec": {"template": {"spec": {
			"containers": [{
				"image": "timescale/timescaledb-ha:pg14.6-ts2.9.1-p1",
				"command": ["/bin/sh", "-c", "exec patroni /etc/timescaledb/patroni.yaml"],
				"volumeMounts": [{"name": "conf", "mountPath": "/etc/timescaledb"}],
			}],
			"volumes": [object.union({"name": "conf"}, volume)],
		}}},
	}
	found := workload.cluster with input as {"review": {"object": set}, "inventory": {"namespace": {"shop": {"v1": objects}}}}
}

test_patroni_in_a_secret if {
	encoded := base64.encode(patroni_text)
	of_secret := {"secret": {"secretName": "ts-patroni"}}
	of_key := {"projected": {"sources": [{"secret": {"name": "ts-patroni", "items": [{"key": "conf", "path": "patroni.yaml"}]}}]}}
	every row in [
		[of_secret, {"data": {"patroni.yaml": encoded}}, ["data", "patroni.yaml"]],
		[of_secret, {"data": {"patroni.yaml": sprintf("%s\n", [encoded])}}, ["data", "patroni.yaml"]],
		[of_secret, {"data": {"patroni.yaml": base64.encode("bootstrap: {}")}, "stringData": {"patroni.yaml": patroni_text}}, ["stringData", "patroni.yaml"]],
		[of_key, {"data": {"conf": encoded}}, ["data", "conf"]],
	] {
		[volume, fields, path] := row
		cluster := timescale_with(volume, {"Secret": secret("ts-patroni", fields)})
		not cluster.partial
		cluster.parameters[2] == {"name": "max_connections", "value": "100", "line": 7, "path": path, "resource": secret_of("ts-patroni")}
	}
}

test_a_secret_that_cannot_be_read if {
	volume := {"secret": {"secretName": "ts-patroni"}}
	every objects in [{}, {"Secret": secret("ts-patroni", {"data": {"patroni.yaml": "no base64!"}})}, {"Secret": secret("other", {"stringData": {"patroni.yaml": patroni_text}})}] {
		cluster := timescale_with(volume, objects)
		cluster.partial
		cluster.parameters == []
	}
}

test_patroni_that_never_commits_alone if {
	place := {"path": ["data", "patroni.yaml"], "resource": map_of("ts-patroni")}
	strict := sprintf("%s\n    synchronous_mode_strict: true\n", [patroni_text])
	timescale([], {"ts-patroni": {"patroni.yaml": strict}}).commit_wait == object.union(place, {"value": 1, "origin": "written", "relax": "synchronous_mode_strict: false"})
	not timescale([], {"ts-patroni": {"patroni.yaml": replace(strict, "mode_strict: true", "mode_strict: false")}}).commit_wait
	not timescale([], {"ts-patroni": {"patroni.yaml": replace(strict, "synchronous_mode: true", "synchronous_mode: false")}}).commit_wait
}

test_patroni_timing if {
	place := {"path": ["data", "patroni.yaml"], "resource": map_of("ts-patroni")}
	timed := sprintf("%s\n    ttl: 20\n    retry_timeout: soon\n", [patroni_text])
	timescale([], {"ts-patroni": {"patroni.yaml": timed}}).patroni_timing == {
		"ttl": object.union(place, {"value": 20, "origin": "written"}),
		"loop_wait": object.union(place, {"value": 10, "origin": "operator"}),
		"retry_timeout": object.union(place, {"value": 10, "origin": "operator"}),
	}
	not timescale([], {"ts-patroni": {"patroni.yaml": patroni_text}}).patroni_timing
}

# ------------------------------------------------------------------------------------------------ several servers

beside := with_parts(
	"StatefulSet", "postgres:17.6", {}, {"containers": [
		{"name": "main", "image": "postgres:17.6"},
		{"image": "postgres:16.2"},
	]},
	{},
)

test_one_of_several_servers if {
	first := read(beside)
	[first.major.value, first.others] == [17, ["container 1"]]
	second := workload.cluster with input as {"review": {"object": beside, "chosen": "container 1"}}
	[second.major.value, second.instance_sets[0].path] == [16, below([])]
	not read(official({})).others
}

test_flags_of_bitnami if {
	found := read(bitnami({"env": [{"name": "POSTGRESQL_EXTRA_FLAGS", "value": "-c  max_wal_size=4GB --wal-level=logical"}]}))
	at_flags := below(["env", 0, "value"])
	found.parameters == [
		{"name": "max_wal_size", "value": "4GB", "path": at_flags, "argument": true},
		{"name": "wal_level", "value": "logical", "path": at_flags, "argument": true},
	]
}

unmounted_at(path) := read(with_parts("StatefulSet", "postgres:17", {"volumeMounts": [{"name": "data", "mountPath": path}]}, {}, claims))

# The place of a mount that is filled in later may be the one.
test_mount_that_is_filled_in_later if {
	unmounted_at("/data").unmounted[0].directory == "/var/lib/postgresql/data"
	not unmounted_at("${DATA}").unmounted
}

# A standby on no volume copies its primary whenever it starts.
test_standby_that_is_copied if {
	script := "until pg_isready -h primary; do sleep 1; done; pg_basebackup -h primary -D /var/lib/postgresql/data -R; exec docker-entrypoint.sh postgres"
	not read(with_parts("Deployment", "postgres:17", {"command": ["bash", "-c", script], "volumeMounts": []}, {}, {})).unmounted
	read(with_parts("Deployment", "postgres:17", {"volumeMounts": []}, {}, {})).unmounted
	every other in ["# pg_basebackup -R\nexec docker-entrypoint.sh postgres", "pg_basebackup -D /tmp/copy; exec docker-entrypoint.sh postgres"] {
		read(with_parts("Deployment", "postgres:17", {"command": ["bash", "-c", other], "volumeMounts": []}, {}, {})).unmounted
	}
}

test_strategy_that_is_filled_in_later if not claimed("Deployment", {"strategy": {"type": "${STRATEGY}"}}).overlap

# Three servers of which each has a volume.
unrelated(container) := read(with_parts(
	"StatefulSet", "postgres:17", {}, {"containers": [object.union(
		{"name": "db", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
		container,
	)]},
	object.union(claims, {"replicas": 3}),
))

test_unrelated_servers if {
	unrelated({}).unrelated_servers == {"value": 3, "origin": "written", "path": ["spec", "replicas"]}
	unrelated({"command": ["/usr/local/bin/docker-entrypoint.sh", "postgres"]}).unrelated_servers.value == 3

	# A command of one's own, a ConfigMap out of sight, a configuration out of sight may make standbys.
	where := ["-D", "/var/lib/postgresql/data"]
	unrelated({"args": where}).unrelated_servers.value == 3
	every container in [
		{"command": ["bash", "-c", "./clone.sh; exec docker-entrypoint.sh postgres"]},
		{"args": where, "envFrom": [{"configMapRef": {"name": "elsewhere"}}]},
		{"args": array.concat(where, ["-c", "config_file=/etc/postgresql.conf"])},
	] {
		cluster := unrelated(container)
		cluster.name == "orders"
		not cluster.unrelated_servers
	}
}

prepared_by(words) := read(with_parts("StatefulSet", "postgres:17", {}, {"initContainers": [{"name": "prepare", "image": "busybox", "command": words}]}, object.union(claims, {"replicas": 3})))

# Who only gives the volume away makes no standby.
test_unrelated_servers_with_a_prepared_volume if {
	every words in [
		["chown", "-R", "999:999", "/var/lib/postgresql/data"],
		["sh", "-c", "chown -R 999:999 /data && chmod 700 /data"],
		["/bin/sh", "-c", "set -e\nmkdir -p /data/pgdata\nrm -rf /data/lost+found\n"],
	] {
		prepared_by(words).unrelated_servers.value == 3
	}
	every words in [
		["sh", "-c", "chown -R 999:999 /data; pg_basebackup -h orders-0 -D /data"],
		["sh", "-c", "echo standby > $(hostname)"],
		["/scripts/init.sh"],
	] {
		cluster := prepared_by(words)
		not cluster.unrelated_servers
	}
}

# A container among the init containers that goes on is a server like any other; one that ends is none.
test_sidecar if {
	postgres := {"name": "db", "image": "postgres:17", "args": ["-c", "fsync=off"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}
	cluster := read(sidecar(object.union(postgres, {"restartPolicy": "Always"})))
	[setting] := cluster.parameters
	setting.value == "off"
	setting.path == ["spec", "template", "spec", "initContainers", 1, "args", 1]
	not read(sidecar(postgres))
}

sidecar(init) := with_parts(
	"StatefulSet", "busybox", {"command": ["sleep", "infinity"]},
	{"initContainers": [{"name": "first", "image": "busybox"}, init]}, claims,
)

# The kubelet mounts both maps of a ConfigMap.
test_binary_data if {
	resource := with_parts(
		"StatefulSet", "postgres:17",
		{"args": ["-c", "config_file=/etc/pg/postgresql.conf"], "volumeMounts": [
			{"name": "data", "mountPath": "/var/lib/postgresql/data"},
			{"name": "conf", "mountPath": "/etc/pg"},
		]},
		{"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, claims,
	)
	conf := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "binaryData": {"postgresql.conf": base64.encode("fsync = off\n"), "x": 1}}
	cluster := workload.cluster with input as {"review": {"object": resource}, "inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"conf": conf}}}}}}
	[setting] := [p | some p in cluster.parameters; p.name == "fsync"]
	setting.value == "off"
	setting.path == ["binaryData", "postgresql.conf"]
}

# A variable of a ConfigMap is read by its key; one of a Secret may say anything.
test_options_from_elsewhere if {
	resource := official({"env": [{"name": "POSTGRES_INITDB_ARGS", "valueFrom": {"configMapKeyRef": {"name": "options", "key": "initdb"}}}]})
	cluster := among(resource, {"options": {"initdb": "-c fsync=off", "other": "-c fsync=on"}}, {})
	[setting] := [p | some p in cluster.parameters; p.name == "fsync"]
	setting.value == "off"
	setting.resource == map_of("options")
	not cluster.unread

	source := [{"source": "the variable POSTGRES_INITDB_ARGS", "path": below(["env"]), "severity": "warning"}]
	read(resource).unread == source
	among(resource, {"options": {"other": "x"}}, {}).unread == source
	secret := official({"env": [{"name": "POSTGRES_INITDB_ARGS", "valueFrom": {"secretKeyRef": {"name": "options", "key": "initdb"}}}]})
	read(secret).unread == source

	# run.sh's options are read where the container has them.
	flags := bitnami({"envFrom": [{"configMapRef": {"name": "options"}}]})
	among(flags, {"options": {"POSTGRESQL_EXTRA_FLAGS": "-c fsync=off"}}, {}).unread[0].source == "the variable POSTGRESQL_EXTRA_FLAGS"
	not among(flags, {"options": {"POSTGRESQL_PORT_NUMBER": "5432"}}, {}).unread
}

# ------------------------------------------------------------------------------------------------- ways of images

sources_of(cluster) := {place.source: place.severity | some place in cluster.unread}

mounted_at(image, mounts, volumes, maps) := among(with_parts("StatefulSet", image, {"volumeMounts": array.concat([{"name": "data", "mountPath": "/bitnami/postgresql"}], mounts)}, {"volumes": volumes}, claims), maps, {})

test_volumes_that_nobody_reads if {
	conf := {"name": "v", "mountPath": "/opt/bitnami/postgresql/conf"}
	every volume in [{"hostPath": {"path": "/x"}}, {"persistentVolumeClaim": {"claimName": "c"}}, {"projected": {"sources": [{"downwardAPI": {"items": []}}, {"configMap": {"name": "c"}}]}}] {
		sources_of(mounted_at("bitnami/postgresql:17", [conf], [object.union({"name": "v"}, volume)], {"c": {}}))["the volume at /opt/bitnami/postgresql/conf"] == "info"
	}
	not mounted_at("bitnami/postgresql:17", [conf], [{"name": "v", "emptyDir": {}}], {}).unread
	sources_of(mounted_at("bitnami/postgresql:17", [{"name": "data", "mountPath": "/docker-entrypoint-initdb.d"}], [], {})) == {"the volume at /docker-entrypoint-initdb.d": "info"}
}

test_scripts_that_somebody_puts_there if {
	resource := with_parts(
		"StatefulSet", "postgres:17",
		{"volumeMounts": [{"name": "v", "mountPath": "/docker-entrypoint-initdb.d"}]},
		{"volumes": [{"name": "v", "emptyDir": {}}], "initContainers": [{"volumeMounts": [{"name": "v", "mountPath": "/x"}]}]},
		claims,
	)
	sources_of(read(resource)) == {"the volume at /docker-entrypoint-initdb.d": "info"}
}

test_scripts_in_sight if {
	cluster := mounted_at(
		"postgres:17",
		[{"name": "v", "mountPath": "/docker-entrypoint-initdb.d", "subPath": "d"}],
		[{"name": "v", "configMap": {"name": "c", "items": [{"key": key, "path": sprintf("d/%s", [key])} | some key in ["a.sql", "b.sh", "c.sh", "d.sh"]]}}],
		{"c": {"a.sql": "ALTER SYSTEM SET fsync = off", "b.sh": "echo fsync=off >> postgresql.auto.conf", "c.sh": "curl x | sh", "d.sh": "sed -i s/a/b/ postgresql.conf"}},
	)
	[p.name | some p in cluster.parameters] == ["fsync"]
	sources_of(cluster) == {
		"the script /docker-entrypoint-initdb.d/b.sh": "warning",
		"the script /docker-entrypoint-initdb.d/c.sh": "info",
		"the script /docker-entrypoint-initdb.d/d.sh": "info",
	}
}

test_variables_in_files if {
	of_file := {"volumeMounts": [{"name": "v", "mountPath": "/v"}], "env": [{"name": "POSTGRES_INITDB_ARGS_FILE", "value": "/v/a"}]}
	resource := with_parts("StatefulSet", "postgres:17", of_file, {"volumes": [{"name": "v", "configMap": {"name": "c"}}]}, claims)
	[p.name | some p in among(resource, {"c": {"a": "-c fsync=off\n"}}, {}).parameters] == ["fsync"]
	sources_of(read(resource)) == {"the variable POSTGRES_INITDB_ARGS": "warning"}
}

test_options_that_are_a_program if sources_of(read(official({"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "-k; x"}]}))) == {"the variable POSTGRES_INITDB_ARGS": "warning"}

test_commit_mode_with_synchronous_standbys if {
	mode := {"name": "POSTGRESQL_SYNCHRONOUS_COMMIT_MODE", "value": "off"}
	"synchronous_commit" in {p.name | some p in read(bitnami({"env": [mode, {"name": "POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS", "value": "1"}]})).parameters}
	not "synchronous_commit" in {p.name | some p in read(bitnami({"env": [mode]})).parameters}
}

test_sub_path_of_a_variable if {
	container := {"env": [{"name": "NAME", "value": "a"}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "v", "mountPath": "/var/lib/postgresql/./data/postgresql.conf", "subPathExpr": "$(NAME)"}]}
	cluster := among(with_parts("StatefulSet", "postgres:17", container, {"volumes": [{"name": "v", "configMap": {"name": "c"}}]}, claims), {"c": {"a": "fsync = off"}}, {})
	[p.name | some p in cluster.parameters] == ["fsync"]
}

# ---------------------------------------------------------------------------------------------------------- copies

snapshot := {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}

copied := "the postgresql.auto.conf of the copied volume"

test_copied_template if {
	template := {"volumeClaimTemplates": [object.union(claims.volumeClaimTemplates[0], {"spec": {"dataSource": snapshot}})]}
	cluster := read(with_parts("StatefulSet", "postgres:17.6", {}, {}, template))
	cluster.unread == [{"source": copied, "severity": "info", "path": ["spec", "volumeClaimTemplates", 0, "spec", "dataSource"]}]
	not read(official({})).unread

	# The directory of a copy is the server's own.
	mounted := {"volumeMounts": [{"name": "data", "mountPath": "/data"}], "env": [{"name": "PGDATA", "value": "/data"}]}
	not read(with_parts("StatefulSet", "postgres:17.6", mounted, {}, template)).data_on_root
	read(official(mounted)).data_on_root.value == "/data"
}

test_copied_claim if {
	cluster := among(
		with_parts("Deployment", "postgres:17.6", {}, {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]}, {}), {},
		{"c": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "shop"}, "spec": {"dataSourceRef": snapshot}}},
	)
	cluster.unread == [{
		"source": copied,
		"severity": "info",
		"path": ["spec", "dataSourceRef"],
		"resource": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "shop", "name": "c"},
	}]
}

test_copied_ephemeral_volume if {
	cluster := read(with_parts("Deployment", "postgres:17.6", {}, {"volumes": [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {"dataSource": snapshot}}}}]}, {}))
	cluster.unread == [{"source": copied, "severity": "info", "path": ["spec", "template", "spec", "volumes", 0, "ephemeral", "volumeClaimTemplate", "spec", "dataSource"]}]
}

test_options_for_an_image_of_another_name if {
	[p.name | some p in read(set_of("example/db:1", with_initdb("-c fsync=off"))).parameters] == ["fsync"]
	sources_of(read(set_of("example/db:1", with_initdb("-k; x")))) == {"the variable POSTGRES_INITDB_ARGS": "warning"}
}

with_initdb(value) := {"env": [{"name": "POSTGRES_INITDB_ARGS", "value": value}]}

# -------------------------------------------------------------------------------------- what of the data does not last

over(directory, volume, container) := read(with_parts(
	"StatefulSet", "postgres:17.6",
	object.union(container, {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "over", "mountPath": directory}]}),
	{"volumes": [object.union({"name": "over"}, volume)]}, claims,
))

# What is lost with the pod, and whether the claim still says where the tables are.
test_mounts_over_the_data if {
	every name, expected in {
		"base": [true, false], "global": [true, false], "pg_tblspc": [true, false], "base/5": [true, false],
		"pg_commit_ts": [true, true], "pg_multixact": [true, true], "pg_twophase": [true, true], "pg_xact": [true, true],
		"pg_stat": [false, true], "pg_notify": [false, true], "log": [false, true], "baseless": [false, true],
	} {
		directory := concat("/", ["/var/lib/postgresql/data", name])
		cluster := over(directory, {"emptyDir": {}}, {})
		object.get(cluster, "lost", []) == [part | expected[0]; part := {"what": sprintf("What is mounted at %s", [directory]), "on": "an emptyDir", "path": ["spec", "template", "spec", "volumes", 0]}]
		[size | size := cluster.instance_sets[0].data.size] == ["10Gi" | expected[1]]
	}
}

test_volumes_that_pass if {
	at_base := "/var/lib/postgresql/data/base"
	[part.on | some part in over(at_base, {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}, {}).lost] == ["a generic ephemeral volume"]
	not over(at_base, {"persistentVolumeClaim": {"claimName": "c"}}, {}).lost

	# That of the WAL is an instance's own, and said there.
	not over("/var/lib/postgresql/data/pg_wal", {"emptyDir": {}}, {}).lost
	over("/var/lib/postgresql/data/pg_wal", {"emptyDir": {}}, {}).instance_sets[0].wal.ephemeral == "an emptyDir"
	not over("/var/lib/postgresql/data/base", {"emptyDir": {}}, {"env": [{"name": "POSTGRES_INITDB_WALDIR", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}).lost
}

test_data_that_a_command_moves if {
	moving := {"command": ["sh", "-c", "PGDATA=/scratch/pg exec docker-entrypoint.sh postgres"]}
	[[part.what, part.on, part.path] | some part in read(official(moving)).lost] == [["PGDATA=/scratch/pg", "no lasting volume", below(["command"])]]
	not over("/scratch", {"persistentVolumeClaim": {"claimName": "c"}}, moving).lost
	count(over("/scratch", {"emptyDir": {}}, moving).lost) == 1
}

# A quarter and a half of the limit in whole MB.
test_sizes_of_sclorg if {
	every limit, sizes in {"1030Mi": ["257MB", "515MB"], "1031Mi": ["257MB", "515MB"], "1032Mi": ["258MB", "516MB"], "1052771Ki": ["257MB", "514MB"]} {
		seen := read(set_of("quay.io/sclorg/postgresql-16-c9s", {"resources": {"limits": {"memory": limit}}})).defaults
		[seen.shared_buffers, seen.effective_cache_size] == sizes
	}
	seen := read(set_of("quay.io/sclorg/postgresql-16-c9s", {})).defaults
	[seen.shared_buffers, seen.effective_cache_size, seen.listen_addresses] == ["32MB", "128MB", "*"]
}

# Whatever loads a library does so from a volume.
test_libraries_of_a_volume if {
	every name in ["shared_preload_libraries", "session_preload_libraries", "local_preload_libraries", "dynamic_library_path", "jit_provider", "archive_library", "oauth_validator_libraries"] {
		every directory in ["/usr/lib/postgresql/17/lib", "/opt/ext", "/lib", "/lib64/x"] {
			loading := over(directory, {"persistentVolumeClaim": {"claimName": "c"}}, {"args": ["-c", sprintf("%s=%s/mine.so", [name, directory])]})
			[[place.source, place.severity] | some place in loading.unread; startswith(place.source, name)] == [[sprintf("%s=%s/mine.so", [name, directory]), "info"]]
		}
		elsewhere := over("/opt/ext", {"persistentVolumeClaim": {"claimName": "c"}}, {"args": ["-c", sprintf("%s=/opt/other/mine.so", [name])]})
		[1 | some place in object.get(elsewhere, "unread", []); startswith(place.source, name)] == []
	}
}

told(env, fields) := found if {
	found := workload.cluster with input as {
		"review": {"object": official({"env": env})},
		"inventory": {"namespace": {"shop": {"v1": {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": fields}}}}}},
	}
}

# By the end of its name a variable is a password, a user or a database.
test_line_breaks_of_secrets if {
	every name, level in {
		"POSTGRES_PASSWORD": "error", "PGPASSWORD": "error", "POSTGRESQL_POSTGRES_PASSWORD": "error", "REPMGR_PASSWORD": "error",
		"POSTGRES_USER": "warning", "POSTGRES_DB": "warning", "POSTGRESQL_DATABASE": "warning", "PGUSER": "warning",
	} {
		env := [{"name": name, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
		[[one.secret, one.key, one.level, one.path] | some one in told(env, {"k": "x\n"}).line_breaks] == [["s", "k", level, below(["env", 0, "valueFrom", "secretKeyRef"])]]
		not told(env, {"k": "x"}).line_breaks
	}
	not told([{"name": "MY_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}], {"k": "x\n"}).line_breaks
}

test_passwords_in_the_open if {
	[[one.name, one.path] | some one in read(official({"env": [{"name": "POSTGRES_PASSWORD", "value": "secret"}]})).passwords] == [["POSTGRES_PASSWORD", below(["env", 0, "value"])]]
	every one in [{"name": "ALLOW_EMPTY_PASSWORD", "value": "secret"}, {"name": "POSTGRES_PASSWORD_FILE", "value": "secret"}, {"name": "POSTGRES_PASSWORD", "value": "${PASSWORD}"}, {"name": "PASSWORD_OF", "value": "secret"}] {
		not read(official({"env": [one]})).passwords
	}
}

# Extensions whose control file does not say "trusted", and three whose file does.
for_superusers := [
	"adminpack", "amcheck", "dblink", "file_fdw", "pageinspect", "pg_buffercache", "pg_cron", "pg_freespacemap", "pg_prewarm", "pg_stat_statements", "pg_surgery",
	"pg_visibility", "pg_walinspect", "pgaudit", "pgrowlocks", "pgstattuple", "plperlu", "plpython3u", "pltclu", "postgis", "postgis_topology", "postgres_fdw",
	"sslinfo",
]

test_extensions_for_superusers if {
	script := concat("\n", [sprintf("CREATE EXTENSION %s;", [name]) | some name in array.concat(for_superusers, ["pg_trgm", "hstore", "pgcrypto"])])
	seen := workload.cluster with input as {
		"review": {"object": with_parts(
			"StatefulSet", "bitnami/postgresql:17.6.0",
			{"env": [{"name": "POSTGRESQL_USERNAME", "value": "app"}, {"name": "POSTGRESQL_PASSWORD", "value": "secret"}], "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]},
			{"volumes": [{"name": "init", "configMap": {"name": "init"}}]}, claims,
		)},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "shop"}, "data": {"a.sql": script}}}}}}},
	}
	{one.reason | some one in seen.script_faults} == {sprintf("The image runs this as user app, who may not create extension %s", [name]) | some name in for_superusers}
}

test_words_that_stand_for_themselves if {
	workload.of_the_server == {
		"archive_command", "archive_mode", "autovacuum", "autovacuum_max_workers", "hba_file", "huge_pages", "listen_addresses", "max_connections",
		"max_locks_per_transaction", "max_prepared_transactions", "max_replication_slots", "max_wal_senders", "max_wal_size", "max_worker_processes", "port",
		"shared_buffers", "shared_preload_libraries", "ssl", "wal_buffers", "wal_level",
	}
	workload.of_image == {
		"GOSU_VERSION", "HOME", "HOSTNAME", "LANG", "PATH", "PGDATA", "PG_MAJOR", "PG_SHA256", "PG_VERSION", "PWD", "USER",
	}
}

# A Secret from which a Deployment takes what it reads on its first start.
first_taken(fields, container, volumes) := found if {
	found := object.get(workload.cluster, "first_start", {}) with input as {
		"review": {"object": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "shop"}}, fields)},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"orders": with_parts("Deployment", "postgres:17.6", container, {"volumes": volumes}, {})}}}}},
	}
}

claim_of_data := {"name": "data", "persistentVolumeClaim": {"claimName": "orders"}}

test_secret_of_a_deployment if {
	encoded := {"data": {"word": base64.encode("Rk7vq2LmXcPs")}}
	from_key := {"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "word"}}}]}
	taken := {"POSTGRES_PASSWORD of Deployment orders": {"variable": "POSTGRES_PASSWORD", "value": "Rk7vq2LmXcPs", "path": ["data", "word"]}}
	first_taken(encoded, from_key, [claim_of_data]) == taken
	not first_taken(encoded, from_key, [{"name": "data", "emptyDir": {}}])

	# The file of one item.
	from_file := {
		"env": [{"name": "POSTGRES_PASSWORD_FILE", "value": "/run/login/pw"}],
		"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "login", "mountPath": "/run/login"}],
	}
	files := {"name": "login", "secret": {"secretName": "login", "items": [{"key": "word", "path": "pw"}]}}
	first_taken(encoded, from_file, [claim_of_data, files]) == taken
}

test_autocert_of_a_pod if {
	pod := {
		"apiVersion": "v1",
		"kind": "Pod",
		"metadata": {"name": "one", "annotations": {"autocert.step.sm/name": "one.shop.svc"}},
		"spec": {
			"securityContext": {"runAsUser": 1234},
			"containers": [{"image": "postgres:18", "args": ["-c", "ssl=on", "-c", "ssl_key_file=/var/run/autocert.step.sm/site.key"]}],
		},
	}
	read(pod).tls_key == {
		"reason": "autocert writes it with mode 0644, which everybody may read",
		"cure": "Annotate the pod with autocert.step.sm/owner: \"1234:1234\" and autocert.step.sm/mode: \"0600\"",
		"path": ["metadata", "annotations"],
		"certain": true,
	}
}

# The range as its first and its last, in the Namespace that comes with a review.
ids_refused(user) := found if {
	found := object.get(workload.cluster, "refused_ids", null) with input as {"review": {
		"object": with_parts("StatefulSet", "postgres:17.6", {}, {"securityContext": {"runAsUser": user}}, claims),
		"namespaceObject": {"metadata": {"name": "shop", "annotations": {"openshift.io/sa.scc.uid-range": "1000680000-1000689999"}}},
	}}
}

test_range_of_openshift if {
	ids_refused(999) == {"reason": "runAsUser 999", "range": "1000680000-1000689999", "path": ["spec", "template", "spec", "securityContext", "runAsUser"], "count": 1}
	ids_refused(1000690000).reason == "runAsUser 1000690000"
	ids_refused(1000689999) == null
}

# Nothing else has a DeploymentConfig; the range of its namespace is not in sight.
test_kind_of_openshift if {
	found := read(object.union(with_parts("DeploymentConfig", "postgres:17.6", {}, {"securityContext": {"runAsUser": 999}}, {}), {"apiVersion": "apps.openshift.io/v1"})).refused_ids
	[found.sign, found.reason, found.range] == ["DeploymentConfig", "runAsUser 999", "from 1000000000 on"]
	not read(with_parts("Deployment", "postgres:17.6", {}, {"securityContext": {"runAsUser": 999}}, {})).refused_ids
}

levels_with_class(class) := {one.level | some one in among(
	with_parts("Deployment", "bitnami/postgresql:17.6.0", {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}, {"volumes": [claim_of_data]}, {}),
	{},
	{"orders": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"storageClassName": class, "resources": {"requests": {"storage": "10Gi"}}}}},
).unreachable_files}

test_class_of_a_claim_elsewhere_than_openshift if {
	levels_with_class("do-block-storage") == {"error"}
	levels_with_class("fast") == {"info"}
	levels_with_class("local-path") == {"info"}
}

own_configuration(directories) := among(
	with_parts(
		"StatefulSet", "registry.example/db/thing:1",
		{"args": ["postgres"], "volumeMounts": [{"name": "conf", "mountPath": directory} | some directory in directories]},
		{"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, {},
	),
	{"conf": {"postgresql.conf": "fsync = off\n"}}, {},
)

# Wherever it is, where there is one alone.
test_only_file_of_an_image_of_ones_own if {
	[[one.name, one.value, one.resource.name] | some one in own_configuration(["/etc/own"]).parameters] == [["fsync", "off", "conf"]]
	[one.name | some one in object.get(own_configuration(["/etc/own", "/etc/other"]), "parameters", [])] == []
}

test_passwords_of_a_secret_in_sight if {
	not told([{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}], {"k": "hunter2"}).passwords
	by_reference := workload.cluster with input as {
		"review": {"object": official({"envFrom": [{"secretRef": {"name": "s"}}]})},
		"inventory": {"namespace": {"shop": {"v1": {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": {"POSTGRES_PASSWORD": "hunter2"}}}}}}},
	}
	not by_reference.passwords
}

# Nobody knows how long the container is let live, or the database is there already.
test_first_boot if {
	asking := official({"startupProbe": {"tcpSocket": {"port": 5432}}, "livenessProbe": {"tcpSocket": {"port": 5432}, "periodSeconds": 5}})
	read(asking).first_boot.value == 30
	not read(json.patch(asking, [{"op": "replace", "path": "/spec/template/spec/containers/1/livenessProbe/periodSeconds", "value": "${PERIOD}"}])).first_boot
	not read(object.union(asking, {"metadata": {"creationTimestamp": "2025-01-01T00:00:00Z"}})).first_boot
}

# ------------------------------------------------------------------------------------------------- what has come since

test_patroni_that_counts_standbys if {
	counting := replace(patroni_text, "synchronous_mode: true", "synchronous_mode: quorum")
	timescale([], {"ts-patroni": {"patroni.yaml": counting}}).synchronous.value == true
}

# Clients ask a headless Service for the port itself, and nothing else is in the pod.
test_localhost_behind_a_headless_service if {
	level({}) == "error"
	level({"containers": [alone_in_its_pod, {"name": "proxy", "image": "pgbouncer"}]}) == "none"
}

level(pod) := object.get(found.loopback_only, "level", "none") if {
	found := workload.cluster with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "shop"},
			"spec": {"serviceName": "orders", "template": {"spec": object.union({"containers": [alone_in_its_pod], "volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, pod)}},
		}},
		"inventory": {"namespace": {"shop": {"v1": {
			"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "data": {"postgresql.conf": "max_connections = 10\n"}}},
			"Service": {"orders": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"clusterIP": "None", "selector": {"app": "orders"}}}},
		}}}},
	}
}

alone_in_its_pod := {"name": "postgres", "image": "postgres:17.6", "args": ["-c", "config_file=/etc/pg/postgresql.conf"], "volumeMounts": [{"name": "conf", "mountPath": "/etc/pg"}]}

# One with the name of the image's that lies on a volume is somebody's own.
test_program_on_a_volume if {
	own := object.union(official({"command": ["/scripts/docker-entrypoint.sh", "postgres"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "s", "mountPath": "/scripts"}]}), {})
	count([1 | some place in read(own).unread]) > 0
	not read(official({"command": ["/usr/local/bin/docker-entrypoint.sh", "postgres"]})).unread
}

by_hand(variables) := found if {
	settled := array.concat([{"name": "SPILO_CONFIGURATION", "value": "bootstrap: {}"}], [{"name": name, "value": value} | some name, value in variables])
	found := read(set_of("ghcr.io/zalando/spilo-17:4.0-p3", {"env": settled}))
}

test_stores_of_spilo_by_hand if {
	[one.name | some one in by_hand({"wal_s3_bucket": "b"}).unknown_options] == ["wal_s3_bucket"]
	count(by_hand({"WAL_S3_BUCKET": "b", "AWS_ENDPOINT": "https://s3.garage.example.com"}).store_refusals) == 1
	not by_hand({"WAL_S3_BUCKET": "b", "AWS_ENDPOINT": "https://s3.garage.example.com", "AWS_REGION": "garage", "USE_WALG_BACKUP": "true"}).store_refusals
}

sharded_pod(components, complete) := found if {
	found := workload.cluster with input as {
		"review": {"object": {
			"apiVersion": "v1",
			"kind": "Pod",
			"metadata": {
				"name": "pg-shard-abc-0",
				"namespace": "shop",
				"labels": {"app.kubernetes.io/instance": "pg", "app.kubernetes.io/managed-by": "kubeblocks"},
				"ownerReferences": [{"apiVersion": "workloads.kubeblocks.io/v1", "kind": "InstanceSet", "name": "pg-shard-abc", "uid": "1", "controller": true}],
			},
			"spec": {"containers": [{"name": "postgresql", "image": "postgres:17.6"}]},
		}},
		"inventory": {"complete": complete, "namespace": {"shop": {"apps.kubeblocks.io/v1": {
			"Cluster": {"pg": {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"shardings": [{"name": "shard", "shards": 2, "template": {"replicas": 2}}]}}},
			"Component": {name: {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Component", "metadata": {"name": name, "namespace": "shop"}} | some name in components},
		}}}},
	}
}

# The names of shards are drawn: where everything is in sight, the Component has to be there.
test_pod_of_a_shard if {
	not sharded_pod({"pg-shard-abc"}, true)
	sharded_pod({"pg-shard-xyz"}, true)
	not sharded_pod(set(), false)
}
