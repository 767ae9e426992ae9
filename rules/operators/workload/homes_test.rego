package walguard.operators.workload_test

mounting(image, directory, texts) := among(
	object.union(
		set_of(image, {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "s", "mountPath": directory}]}),
		{"spec": {"template": {"spec": {"volumes": [{"name": "s", "configMap": {"name": "m"}}]}}}},
	),
	{"m": texts}, {},
)

unread_at(image, directory, texts) := {[place.source, place.severity] | some place in object.get(mounting(image, directory, texts), "unread", [])}

losing_sql := "ALTER SYSTEM SET fsync = off;"

test_scripts_of_single_images if {
	{setting.name | some setting in mounting("cgr.dev/chainguard/postgres:17", "/var/lib/postgres/initdb", {"a.sql": losing_sql}).parameters} == {"fsync"}
	{setting.name | some setting in mounting("crunchydata/crunchy-postgres:centos8-13.4-4.7.3", "/pgconf", {"setup.sql": losing_sql}).parameters} == {"fsync"}
	mounting("postgres:17.6", "/pgconf", {"setup.sql": losing_sql}).parameters == []
	mounting("postgres:17.6", "/var/lib/postgres/initdb", {"setup.sql": losing_sql}).parameters == []
}

test_programs_of_single_images if {
	unread_at("quay.io/sclorg/postgresql-16-c9s:1", "/usr/share/container-scripts/postgresql", {"openshift-custom-postgresql.conf.template": "fsync = off\n"}) == {["what is mounted at /usr/share/container-scripts/postgresql", "warning"]}
	["what is mounted at /scripts", "info"] in unread_at("ghcr.io/zalando/spilo-17:4.0-p2", "/scripts", {"post_init.sh": "psql -c 'SELECT 1'\n"})
	unread_at("postgres:17.6", "/scripts", {"post_init.sh": losing_sql}) == set()
	unread_at("bitnamilegacy/postgresql-repmgr:17.5.0", "/bitnami/repmgr/conf", {"repmgr.conf": "pg_ctl_options='-o \"-c fsync=off\"'\n"}) == {["what is mounted at /bitnami/repmgr/conf/repmgr.conf", "warning"]}
	unread_at("bitnamilegacy/postgresql-repmgr:17.5.0", "/bitnami/repmgr/conf", {"repmgr.conf": "node_id=1\n"}) == set()
}

test_configuration_of_supabase if {
	{setting.name | some setting in mounting("supabase/postgres:15.8.1.060", "/etc/postgresql", {"postgresql.conf": "fsync = off\n"}).parameters} == {"fsync"}
	{setting.name | some setting in mounting("supabase/postgres:15.8.1.060", "/etc/postgresql-custom", {"wal-g.conf": "fsync = off\n", "x.conf": "work_mem = 4MB\n"}).parameters} == {"fsync"}
	mounting("postgres:17.6", "/etc/postgresql", {"postgresql.conf": "fsync = off\n"}).parameters == []
}

emptied_by(command) := [part.on | some part in object.get(
	read(object.union(
		set_of("postgres:17.6", {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}),
		{"spec": {"template": {"spec": {"initContainers": [{
			"name": "i",
			"command": ["sh", "-c", command],
			"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}],
			"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}],
		}]}}}},
	)),
	"lost", [],
)]

test_emptied_by_a_variable if {
	emptied_by("rm -rf $PGDATA/*") == ["a volume that init container i empties before every start"]
	emptied_by("rm -rf ${PGDATA} && initdb") == ["a volume that init container i empties before every start"]
	emptied_by("rm -rf $PGDATA/pg_stat_tmp/*") == []
	emptied_by("[ -f /x ] && rm -rf $PGDATA/*") == []
}

emptying_itself(fields) := [part.on | some part in object.get(
	read(set_of("postgres:17.6", object.union({"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, fields))),
	"lost", [],
)]

test_emptied_by_the_server if {
	emptying_itself({"command": ["sh", "-c", "rm -rf $PGDATA; exec docker-entrypoint.sh postgres"]}) == ["a volume on which the container itself begins anew at every start"]
	emptying_itself({"command": ["sh", "-c", "mv $PGDATA /var/lib/postgresql/data/old; exec docker-entrypoint.sh postgres"]}) == ["a volume on which the container itself begins anew at every start"]
	emptying_itself({"lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "rm -rf \"$PGDATA\"/*"]}}}}) == ["a volume on which the container itself begins anew at every stop"]
	emptying_itself({"command": ["sh", "-c", "PGDATA=/var/lib/postgresql/data/$(uuidgen) exec docker-entrypoint.sh postgres"]}) == ["a volume on which the container itself begins anew at every start"]
	emptying_itself({"command": ["sh", "-c", "rm -rf $PGDATA/pg_stat_tmp; exec docker-entrypoint.sh postgres"]}) == []
	emptying_itself({"command": ["sh", "-c", "rm -rf $PGDATA/*; pg_basebackup -h primary -D $PGDATA; exec postgres"]}) == []
}

# Bitnami's image takes this one from a file too.
test_wal_directory_of_a_file if {
	mounted := object.union(
		set_of("bitnamilegacy/postgresql:17.5.0", {
			"env": env_of({"POSTGRESQL_INITDB_WAL_DIR_FILE": "/s/k"}),
			"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}, {"name": "s", "mountPath": "/s"}],
		}),
		{"spec": {"template": {"spec": {"volumes": [{"name": "s", "configMap": {"name": "m"}}]}}}},
	)
	"/tmp/w" in {place.directory | some place in among(mounted, {"m": {"k": "/tmp/w"}}, {}).unmounted}
}

test_sql_of_the_installation if {
	share := "/usr/share/postgresql/17"
	{setting.name | some setting in mounting("postgres:17.6", share, {"system_views.sql": losing_sql}).parameters} == {"fsync"}
	mounting("postgres:17.6", share, {"system_views.txt": losing_sql}).parameters == []
	unread_at("postgres:17.6", sprintf("%s/extension", [share]), {"a--1.0.sql": "CREATE VIEW v AS SELECT 1;"}) == set()
	unread_at("postgres:17.6", sprintf("%s/lib", [share]), {"a.so": "x"}) == {[sprintf("what is mounted at %s/lib, in the place of the image's own", [share]), "info"]}
}

# What a webhook puts in nobody sees.
test_variables_filled_in_later if {
	every value in ["vault:secret/data/pg#args", "op://v/i/f"] {
		filled_later({"POSTGRES_INITDB_ARGS": value}) == {"the variable POSTGRES_INITDB_ARGS"}
	}
	filled_later({"POSTGRES_INITDB_ARGS": "--data-checksums", "POSTGRES_PASSWORD": "vault:secret/data/pg#password"}) == set()
}

filled_later(values) := {entry.source | some entry in object.get(read(set_of("postgres:17.6", {"env": env_of(values)})), "unread", [])}
