package walguard.checks.parameters.preload_replaced_test

import data.walguard.checks.parameters.preload_replaced as check
import data.walguard.lib.manifest_test as manifests

findings(libraries) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"shared_preload_libraries": libraries}}},
	}}}
}

test_replaced if {
	findings("pg_stat_statements,pg_cron") == {{
		"message": "shared_preload_libraries replaces the list of the image, so bg_mon, pgextwlist, pg_auth_mon and 2 others are not loaded. Write \"bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache\".",
		"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/shared_preload_libraries", "value": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache"}],
	}}
}

test_complete if findings("bg_mon, pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache") == set()

without_cron(spec, status) := {[object.get(f, "severity", "usual"), f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"status": status,
		"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"shared_preload_libraries": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_stat_kcache"}}}, spec),
	}}}
}

# zalando/spilo 1043
test_never_initialised if {
	list := "\"bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache\""
	stuck := {["error", sprintf("shared_preload_libraries replaces the list of the image and lacks pg_cron, which Spilo creates first: a new cluster is never initialised. Write %s.", [list])]}
	without_cron({}, {}) == stuck
	without_cron({"dockerImage": "ghcr.io/zalando/spilo-17:4.0-p2"}, {}) == stuck
	without_cron({"dockerImage": "ghcr.io/zalando/spilo-15:3.0-p1"}, {}) == stuck
	{message |
		some case in [[{"dockerImage": "ghcr.io/zalando/spilo-15:2.1-p9"}, {}], [{"dockerImage": "registry.corp/own:1"}, {}], [{"standby": {"standby_host": "a"}}, {}], [{}, {"PostgresClusterStatus": "Running"}]]
		some [_, message] in without_cron(case[0], case[1])
	} == {sprintf("shared_preload_libraries replaces the list of the image, so pg_cron is not loaded. Write %s.", [list])}
}

test_elsewhere if check.findings == set() with input as manifests.change({"shared_preload_libraries": "pg_cron"})

test_silent_when_unknown if findings("${LIBRARIES}") == set()

test_one_lost if {
	findings("bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,pg_cron,pg_stat_kcache") == {{
		"message": "shared_preload_libraries replaces the list of the image, so set_user is not loaded. Write \"bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache\".",
		"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/shared_preload_libraries", "value": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron,pg_stat_kcache"}],
	}}
}

workload(container, objects) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [object.union({"name": "postgres", "volumeMounts": [{"name": "conf", "mountPath": "/bitnami/repmgr/conf"}]}, container)],
				"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": objects}}},
	}
}

configuration(lines) := {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"postgresql.conf": lines}}}}

repmgr := {"image": "docker.io/bitnami/postgresql-repmgr:17.6.0"}

# bitnami/charts 2829.
test_repmgr_without_its_library if {
	workload(repmgr, configuration("max_connections = 200\n")) == {{
		"message": "What is written here takes the place of what the image preloads, so repmgr is not loaded: repmgrd ends with \"ensure shared_preload_libraries includes repmgr\", and the pod with it. Add shared_preload_libraries = 'repmgr'.",
		"path": ["data", "postgresql.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "conf", "namespace": "prod"},
		"severity": "error",
	}}
	workload(repmgr, configuration("shared_preload_libraries = 'pgaudit, repmgr'\n")) == set()
	count(workload(repmgr, configuration("shared_preload_libraries = 'pgaudit'\n"))) == 1
	workload(repmgr, {}) == set()
}

preloads(image, args) := {[f.severity, f.path] | some f in workload({"image": image, "args": args, "volumeMounts": []}, {})}

# immich 18439: args take the place of the command that names the libraries.
test_libraries_of_the_command if {
	at := {["error", ["spec", "template", "spec", "containers", 0, "args", 0]]}
	preloads("ghcr.io/immich-app/postgres:16-vectorchord0.4.3", ["postgres", "-c", "max_connections=200"]) == at
	preloads("ghcr.io/immich-app/postgres:14-vectorchord0.4.3-pgvectors0.2.0", ["postgres", "-c", "max_connections=200"]) == at
}

# Another database may lie in such an image, as Jellyfin's does.
vectors(container, texts) := {f.severity | some f in workload(object.union({"image": "tensorchord/pgvecto-rs:pg16-v0.3.0", "args": ["-c", "max_connections=200"], "volumeMounts": [{"name": "conf", "mountPath": "/docker-entrypoint-initdb.d"}]}, container), {"ConfigMap": {"conf": {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "conf", "namespace": "prod"},
	"data": texts,
}}})}

test_libraries_that_nobody_may_need if {
	vectors({}, {}) == {"warning"}
	vectors({}, {"init.sql": "CREATE TABLE a (b int);"}) == {"warning"}
	vectors({}, {"init.sql": "CREATE EXTENSION vectors;"}) == {"error"}
	vectors({"env": [{"name": "POSTGRES_DB", "value": "immich"}]}, {}) == {"error"}
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "immich-postgres"},
		"spec": {"template": {"spec": {"containers": [{"name": "db", "image": "tensorchord/pgvecto-rs:pg16-v0.3.0", "args": ["-c", "max_connections=200"]}]}}},
	}}}
	{f.severity | some f in found} == {"error"}
}

test_libraries_that_are_loaded if {
	preloads("ghcr.io/immich-app/postgres:16-vectorchord0.4.3", ["postgres", "-c", "shared_preload_libraries=vchord.so"]) == set()
	preloads("ghcr.io/immich-app/postgres:16-vectorchord0.4.3", ["postgres", "-c", "config_file=/etc/postgresql/postgresql.conf"]) == set()
	preloads("ghcr.io/immich-app/postgres:16-vectorchord0.4.3", []) == set()
	preloads("pgvector/pgvector:pg17", ["-c", "max_connections=200"]) == set()
}

timescale(container, lines) := {[f.severity, f.path] | some f in workload(object.union({"image": "timescale/timescaledb:2.17.2-pg16", "volumeMounts": [{"name": "conf", "mountPath": "/etc/postgresql"}]}, container), configuration(lines))}

by_file := {"args": ["-c", "config_file=/etc/postgresql/postgresql.conf"]}

# OpenCSGs/csghub-charts 687: the image's own scripts create the extension.
test_timescaledb_by_another_file if {
	timescale(by_file, "max_connections = 200\n") == {["error", ["data", "postgresql.conf"]]}
	timescale({"args": ["-c", "shared_preload_libraries=pg_stat_statements"]}, "max_connections = 200\n") == {["error", ["spec", "template", "spec", "containers", 0, "args", 1]]}
	timescale(by_file, "shared_preload_libraries = 'timescaledb,pg_stat_statements'\n") == set()
	timescale({"args": ["-c", "max_connections=200"]}, "max_connections = 200\n") == set()
	timescale({"args": ["-c", "config_file=/elsewhere/postgresql.conf"]}, "max_connections = 200\n") == set()
	timescale(object.union(by_file, {"image": "registry.example.com/timescaledb:pg16"}), "max_connections = 200\n") == set()
}
