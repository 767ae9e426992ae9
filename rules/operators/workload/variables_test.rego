package walguard.operators.workload_test

configured_by(image, env) := read(set_of(image, {"env": [{"name": name, "value": value} | some name, value in env], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql"}]}))

names_of(cluster) := {setting.name | some setting in cluster.parameters}

unread_names(cluster) := [one.source | some one in object.get(cluster, "unread", [])]

postdock := "postdock/postgres:1.9-postgres11-repmgr40"

test_variables_of_postdock if {
	[[setting.name, setting.value] | some setting in configured_by(postdock, {"CONFIGS": "max_connections:'300',fsync:off,junk"}).parameters] == [["max_connections", "300"], ["fsync", "off"]]
	names_of(configured_by(postdock, {"CONFIGS": "jit>off|fsync>off", "CONFIGS_DELIMITER_SYMBOL": "|", "CONFIGS_ASSIGNMENT_SYMBOL": ">"})) == {"jit", "fsync"}
	names_of(configured_by("postgres:17.6", {"CONFIGS": "fsync:off"})) == set()
}

hidden_in(image, name) := unread_names(read(set_of(image, {"env": [{"name": name, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]})))

test_variables_that_are_not_in_sight if {
	hidden_in(postdock, "CONFIGS") == ["the variable CONFIGS"]
	hidden_in("kartoza/postgis:16-3.4", "EXTRA_CONF") == ["the variable EXTRA_CONF"]
	hidden_in("postgres:17.6", "EXTRA_CONF") == []
}

test_variables_of_kartoza if {
	names_of(configured_by("kartoza/postgis:16-3.4", {"EXTRA_CONF": `jit = off\nfsync = off`})) == {"jit", "fsync"}
	unread_names(configured_by("kartoza/postgis:16-3.4", {"EXTRA_CONF": `\x66sync = off`})) == ["the variable EXTRA_CONF"]
	names_of(configured_by("kartoza/postgis:16-3.4", {"MAINTENANCE_WORK_MEM": "1GB"})) == {"maintenance_work_mem"}
	{setting.name | some setting in mounting("kartoza/postgis:16-3.4", "/settings", {"extra.conf": "fsync = off\n"}).parameters} == {"fsync"}
	{part.on | some part in configured_by("kartoza/postgis:16-3.4", {"RECREATE_DATADIR": "TRUE"}).lost} == {"a volume on which the image begins anew at every start (RECREATE_DATADIR)"}
	not configured_by("kartoza/postgis:16-3.4", {"RECREATE_DATADIR": "FALSE"}).lost
}

test_files_of_immich if {
	immich := "ghcr.io/immich-app/postgres:14-vectorchord0.4.3"
	{setting.name | some setting in mounting(immich, "/etc/postgresql", {"postgresql.override.conf": "fsync = off\n", "postgresql.conf": "jit = off\n", "x.conf": "work_mem = 4MB\n"}).parameters} == {"fsync", "jit"}
	{setting.name | some setting in mounting("postgres:17.6", "/etc/postgresql", {"postgresql.override.conf": "fsync = off\n"}).parameters} == set()
	overridden("/etc/postgresql/postgresql.conf") == {"config_file", "fsync"}
	overridden("/etc/own.conf") == {"config_file"}
}

overridden(config_file) := names_of(among(
	object.union(
		set_of("ghcr.io/immich-app/postgres:14-vectorchord0.4.3", {"args": ["postgres", "-c", sprintf("config_file=%s", [config_file])], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "s", "mountPath": "/etc/postgresql"}]}),
		{"spec": {"template": {"spec": {"volumes": [{"name": "s", "configMap": {"name": "m"}}]}}}},
	),
	{"m": {"postgresql.override.conf": "fsync = off\n"}}, {},
))

test_variables_of_images_of_somebodys_own if {
	own := "example.org/me/postgres:16"
	every name, value in {"PG_FSYNC": "off", "PG_OPTIONS_EXTRA": "-c fsync=off", "CONF": "full_page_writes: 'no'", "ZERO_DAMAGED_PAGES": "on", "OPTS": "ignore_checksum_failure=on"} {
		unread_names(configured_by(own, {name: value})) == [sprintf("the variable %s", [name])]
	}
	every name, value in {"PG_FSYNC": "on", "APPENDFSYNC": "no", "TZ": "UTC", "CONF": "work_mem=1GB", "PGOPTIONS": "-c jit=off"} {
		unread_names(configured_by(own, {name: value})) == []
	}
	unread_names(configured_by("postgres:17.6", {"PG_FSYNC": "off"})) == []
}

with_resources(of_container, of_pod) := read(object.union(
	set_of("postgres:17.6", of_container),
	{"spec": {"template": {"spec": of_pod}}},
)).instance_sets[0]

test_resources_of_the_pod if {
	limits := {"resources": {"limits": {"memory": "1Gi"}}}
	of_pod := with_resources({}, limits)
	of_pod.resources.limits == {"memory": "1Gi"}
	of_pod.resources_path == ["spec", "template", "spec", "resources"]
	both := with_resources({"resources": {"requests": {"memory": "512Mi"}}}, limits)
	both.resources.limits == {"memory": "1Gi"}
	both.resources_path == ["spec", "template", "spec", "containers", 1, "resources"]
	with_resources({"resources": {"limits": {"memory": "512Mi"}}}, limits).resources.limits == {"memory": "512Mi"}
}
