package walguard.operators.workload_test

import data.walguard.operators.workload

env_of(values) := [{"name": name, "value": value} | some name, value in values]

unmounted(image, container) := {place.directory | some place in object.get(read(set_of(image, container)), "unmounted", [])}

# initdb and postgres take it from where the container starts.
test_data_by_a_relative_path if {
	unmounted("postgres:17.6", {"workingDir": "/scratch", "env": env_of({"PGDATA": "pg"})}) == {"/scratch/pg"}
	unmounted("postgres:17.6", {"workingDir": "/var/lib/postgresql/data", "env": env_of({"PGDATA": "pg"})}) == set()
}

# Red Hat's image takes it from HOME.
test_data_below_a_home if {
	unmounted("quay.io/sclorg/postgresql-16-c9s", {"env": env_of({"HOME": "/scratch"})}) == {"/scratch/data/userdata"}
	unmounted("quay.io/sclorg/postgresql-16-c9s", {"env": env_of({"HOME": "/var/lib/postgresql/data"})}) == set()
}

home_of(image) := found if found := workload.server.product.home with input as {"review": {"object": set_of(image, {})}}

test_homes_of_images if {
	home_of("percona/percona-distribution-postgresql:17") == "/data/db"
	home_of("crunchydata/crunchy-postgres:ubi9-17") == "/pgdata"
}

segment_of(text) := read(set_of("ghcr.io/zalando/spilo-17:4.0-p2", {"env": env_of({"SPILO_CONFIGURATION": text})})).segment

# An item of bootstrap.initdb.
test_segments_of_patroni if {
	segment_of("bootstrap:\n  initdb:\n  - encoding: UTF8\n  - wal-segsize: 64\n").value == 64
	not segment_of("bootstrap:\n  initdb:\n  - encoding: UTF8\n")
}

broken_out(image, values) := {entry.source |
	some entry in object.get(read(set_of(image, {"env": env_of(values)})), "unread", [])
	contains(object.get(entry, "reason", ""), "into SQL and files")
}

test_variables_that_scripts_write_as_they_are if {
	red_hat := "quay.io/sclorg/postgresql-16-c9s"
	every name, value in {
		"APP_DATA": "/tmp/mine",
		"CONTAINER_SCRIPTS_PATH": "/tmp/mine/",
		"POSTGRESQL_MASTER_USER": "repl; ALTER SYSTEM SET fsync = off",
		"POSTGRESQL_USER": `u" SUPERUSER; --`,
		"POSTGRESQL_LOG_DESTINATION": "stderr\nfsync = off",
		"POSTGRESQL_CONNECTION_LIMIT": "10; DROP TABLE t",
	} {
		broken_out(red_hat, {name: value}) == {sprintf("the variable %s", [name])}
	}
	broken_out(red_hat, {"APP_DATA": "/opt/app-root/", "POSTGRESQL_USER": "orders", "POSTGRESQL_LOG_DESTINATION": "stderr"}) == set()
	broken_out("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME_CONNECTION_LIMIT": "10; DROP TABLE t"}) == {"the variable POSTGRESQL_USERNAME_CONNECTION_LIMIT"}
}

# A variable of a Secret names the role that the image makes already.
test_role_of_a_secret_made_again if {
	objects := {"v1": {
		"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "shop"}, "data": {"init.sh": "set -e\npsql -v ON_ERROR_STOP=1 <<EOF\nCREATE USER \"${APP_USER}\";\nEOF\n"}}},
		"Secret": {"app": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app", "namespace": "shop"}, "stringData": {"user": "shop"}}},
	}}
	container := {
		"env": [{"name": "POSTGRES_USER", "value": "shop"}, {"name": "APP_USER", "valueFrom": {"secretKeyRef": {"name": "app", "key": "user"}}}],
		"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}],
	}
	made := with_parts("StatefulSet", "postgres:17.6", container, {"volumes": [{"name": "init", "configMap": {"name": "init"}}]}, claims)
	found := workload.created_again with input as {"review": {"object": made}, "inventory": {"namespace": {"shop": objects}}}
	[one.cure | some one in found] == ["Give APP_USER another value, or remove the statement"]
}

# Where Patroni's server has its data its file says, whatever the image would do.
of_patronis_file(text) := {place.directory |
	resource := set_of("timescale/timescaledb-ha:pg17", {
		"command": ["patroni", "/etc/patroni.yaml"],
		"env": env_of({"PGDATA": "/scratch"}),
		"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/patroni.yaml", "subPath": "patroni.yaml"}],
	})
	told := json.patch(resource, [{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "conf", "configMap": {"name": "patroni"}}]}])
	some place in object.get(among(told, {"patroni": {"patroni.yaml": text}}, {}), "unmounted", [])
}

test_data_in_patronis_file if {
	of_patronis_file("postgresql:\n  data_dir: /var/lib/postgresql/data/main\n") == set()
	of_patronis_file("postgresql:\n  data_dir: /home/postgres/pgdata/data\n") == {"/home/postgres/pgdata/data"}
	of_patronis_file("bootstrap: {}\n") == set()
}

# Patroni reads all files of a directory, in their order.
of_patronis_directory(maps) := [{one.name: one.value | some one in found.parameters; one.name in {"fsync", "jit"}}, {one.source | some one in object.get(found, "unread", [])}] if {
	resource := set_of("timescale/timescaledb-ha:pg17", {
		"command": ["patroni"],
		"args": ["/etc/patroni/"],
		"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/patroni"}],
	})
	found := among(json.patch(resource, [{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "conf", "configMap": {"name": "patroni"}}]}]), {"patroni": maps}, {})
}

test_directory_of_patroni if {
	own := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        max_connections: 100\npostgresql:\n  parameters:\n    fsync: 'off'\n"
	of_patronis_directory({"a.yml": own}) == [{"fsync": "off"}, set()]
	of_patronis_directory({"a.yml": own, "README.md": "x"}) == [{"fsync": "off"}, set()]
	of_patronis_directory({"a.yml": own, "b.yml": "postgresql:\n  parameters:\n    jit: 'off'\n"}) == [{"fsync": "off", "jit": "off"}, set()]
	of_patronis_directory({"0.yml": "postgresql:\n  parameters:\n    jit: 'off'\n", "a.yml": own}) == [{"fsync": "off", "jit": "off"}, set()]
	of_patronis_directory({"a.yml": own, "b.yml": "postgresql: {parameters: {jit: 'off'}}\n"}) == [{"fsync": "off"}, {"what is written in another style in /etc/patroni/a.yml"}]
	of_patronis_directory({"~postgres-operator_cluster.yaml": own}) == [{}, {"its command"}]
}
