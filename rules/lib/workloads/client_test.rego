package walguard.lib.workloads_test

import data.walguard.index
import data.walguard.lib.workloads

deployed(pod) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": pod}}}

called_by(made, objects) := found if {
	found := workloads.called with input as {"review": {"object": made}, "inventory": {"namespace": {"shop": objects}}}
}

called(container) := called_by(deployed({"containers": [container]}), {})

is_alone(made, objects) if workloads.alone with input as {"review": {"object": made}, "inventory": {"namespace": {"shop": objects}}}

env(values) := {"name": "app", "image": "app:1", "env": [{"name": name, "value": value} | some name, value in values]}

test_hosts_in_addresses if {
	every address in ["postgres://a:b@db.example.com:5432/shop", "postgresql+psycopg2://a:p@ss@db.example.com/shop", "jdbc:postgresql://db.example.com/shop", "postgresql://db", "host=db.example.com user=a dbname=postgres"] {
		called(env({"DATABASE_URL": address})) == {"db"}
	}
	called({"name": "app", "image": "app:1", "args": ["--db=postgres://a:b@db:5432/shop"], "env": [{"name": "PGUSER", "value": "a"}]}) == {"db"}
	called(env({"DATABASE_URL": "mysql://a:b@db:3306/shop"})) == set()
	called(env({"DATABASE_URL": "postgres://a:b@$(HOST)/shop"})) == set()
}

test_hosts_in_variables if {
	every name in ["DB_HOST", "DATABASE_HOST", "POSTGRES_HOST", "KC_DB_URL_HOST", "DB_POSTGRESDB_HOST", "PGHOST", "POSTGRESQL_ADDRESS", "SQL_SERVER", "DB_HOSTNAME", "DB_ADDR", "DB_SERVICE"] {
		called(env({name: "db.example.com:5432", "PGUSER": "a"})) == {"db"}
	}
	called(env({"DATA_SOURCE_URI": "db:5432/postgres?sslmode=disable"})) == {"db"}
	called(env({"PGPOOL_BACKEND_NODES": "0:one:5432,1:two:5432", "DB_KIND": "postgres"})) == {"one", "two"}
	called(env({"DB_HOST": "db", "PGUSER": "a", "MYSQL_DB_HOST": "maria", "MONGO_DB_HOST": "mongo"})) == {"db"}
	every value in ["", "localhost", "127.0.0.1", "0.0.0.0", "${DB_HOST}", "{{ .Values.host }}", "YOUR_HOST/x y"] {
		called(env({"DB_HOST": value, "PGUSER": "a"})) == set()
	}
}

# Something must say that it is PostgreSQL's.
test_what_speaks if {
	called(env({"DB_HOST": "db"})) == set()
	every name, value in {"DB_PORT": "5432", "DB_CONNECTION": "pgsql", "PGDATABASE": "shop", "DB_TYPE": "postgres", "DB_PORT_NUMBER": "5432"} {
		called(env({"DB_HOST": "db", name: value})) == {"db"}
	}
	called(env({"DB_HOST": "db", "DB_PORT": "3306"})) == set()
	called(env({"DB_HOST": "db", "HTTP": "5432"})) == set()
	called({"name": "app", "image": "postgres-client:1", "env": [{"name": "DB_HOST", "value": "db"}]}) == {"db"}
	called({"name": "app", "image": "app:1", "command": ["psql", "-c", "select 1"], "env": [{"name": "DB_HOST", "value": "db"}]}) == {"db"}
	called({"name": "app", "image": "app:1", "env": [{"name": "DB_HOST", "value": "db"}, {"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}) == {"db"}
}

# What a ConfigMap says for all of them.
test_variables_of_maps if {
	maps := {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"DB_HOST": "db.example.com", "DB_PORT": "5432"}}}}}
	by_map := deployed({"containers": [{"name": "app", "image": "app:1", "envFrom": [{"configMapRef": {"name": "c"}}]}]})
	called_by(by_map, maps) == {"db"}
	called_by(by_map, {}) == set()
}

test_hosts_in_words if {
	every words in [["pg_dump", "-h", "db.example.com"], ["sh", "-c", "pg_isready -h db && run"], ["psql", "--host=db"], ["pg_dump", "--host", "db"]] {
		called({"name": "app", "image": "postgres:17", "command": words}) == {"db"}
	}
	called({"name": "app", "image": "app:1", "command": ["redis-cli", "-h", "cache"]}) == set()
}

reading(image) := deployed({"containers": [{"name": "app", "image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/p"}]}], "volumes": [{"name": "c", "configMap": {"name": "c"}}]})

test_hosts_in_files if {
	maps := {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"pgbouncer.ini": "[databases]\na = host=db.example.com port=5432\n", "pgpool.conf": "backend_hostname0 = 'two'\n"}}}}}
	called_by(reading("edoburu/pgbouncer:v1.24.1-p1"), maps) == {"db", "two"}
	called_by(reading("app:1"), maps) == set()
}

client_of(name) := env({"PGHOST": name})

test_init_containers_and_other_kinds if {
	called_by(deployed({"containers": [{"name": "app", "image": "app:1"}], "initContainers": [client_of("db"), "no container"]}), {}) == {"db"}
	called_by({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a", "namespace": "shop"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [client_of("db")]}}}}}}, {}) == {"db"}
	called_by({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"}, "data": {"PGHOST": "db"}}, {}) == set()
}

# Nobody speaks for what another object made, nor for a server.
test_servers_and_owned_objects if {
	called_by(object.union(deployed({"containers": [client_of("db")]}), {"metadata": {"ownerReferences": [{"kind": "X"}]}}), {}) == set()
	every server in [
		{"name": "db", "image": "postgres:17"}, {"name": "db", "image": "timescale/timescaledb:2"}, {"name": "db", "image": "x/app:1", "env": [{"name": "PGDATA", "value": "/d"}]},
		{"name": "db", "image": "x/app:1", "args": ["postgres", "-c", "fsync=off"]}, {"name": "db", "image": "x/app:1", "command": ["sh", "-c", "exec patroni /a"]},
	] {
		called_by(deployed({"containers": [client_of("db"), server]}), {}) == set()
	}
	every client in [
		{"name": "x", "image": "prometheuscommunity/postgres-exporter:v0.18"}, {"name": "x", "image": "postgrest/postgrest:v13"}, {"name": "x", "image": "postgres:17", "args": ["pg_isready"]},
	] {
		called_by(deployed({"containers": [client_of("db"), client]}), {}) == {"db"}
	}
}

servers_beside := [
	{"apps/v1": {"StatefulSet": {"db": {"kind": "StatefulSet", "spec": {"template": {"spec": {"containers": [{"image": "postgres:17"}]}}}}}}},
	{"apps/v1": {"Deployment": {"db": {"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"image": "postgis/postgis:17-3.5"}]}}}}}}},
	{"v1": {"Pod": {"db": {"kind": "Pod", "spec": {"containers": [{"image": "postgres:17"}]}}}}},
	{"postgresql.cnpg.io/v1": {"Cluster": {"db": {}}}},
	{"acid.zalan.do/v1": {"postgresql": {"db": {}}}},
	{"postgres-operator.crunchydata.com/v1beta1": {"PostgresCluster": {"db": {}}}},
]

test_server_beside if {
	every objects in servers_beside {
		called_by(deployed({"containers": [client_of("db")]}), objects) == set()
		not is_alone(deployed({"containers": [{"name": "p", "image": "edoburu/pgbouncer:v1"}]}), objects)
	}
	every objects in [{"postgresql.cnpg.io/v1": {"Cluster": {}}}, {"apps/v1": {"Deployment": {"web": {"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}}}}}] {
		called_by(deployed({"containers": [client_of("db")]}), objects) == {"db"}
	}
}

# Gatekeeper's inventory.
of_gatekeeper(objects) := found if {
	found := workloads.called with input as {"review": {"object": deployed({"containers": [client_of("db")]})}}
		with data.inventory as {"namespace": {"shop": objects}}
}

test_server_beside_in_data if {
	every objects in servers_beside {
		of_gatekeeper(objects) == set()
	}
	of_gatekeeper({"v1": {"Pod": {"web": {"spec": {"containers": [{"image": "nginx"}]}}}}}) == {"db"}
}

# The address stands in a Secret that is not in sight.
test_alone_without_a_host if {
	every container in [
		{"name": "p", "image": "edoburu/pgbouncer:v1.24.1-p1"}, {"name": "p", "image": "bitnamilegacy/pgpool:4"}, {"name": "p", "image": "prodrigestivill/postgres-backup-local:17"},
		{"name": "p", "image": "jkaninda/pg-bkup:v2"}, {"name": "p", "image": "schickling/postgres-backup-s3"}, {"name": "p", "image": "postgres:17", "command": ["sh", "-c", "pg_dump $URL > /d/a"]}, client_of("db"),
	] {
		is_alone(deployed({"containers": [container]}), {})
		not is_alone(object.union(deployed({"containers": [container]}), {"metadata": {"ownerReferences": [{"kind": "X"}]}}), {})
	}
	every container in [{"name": "a", "image": "app:1"}, {"name": "a", "image": "postgres:17", "command": ["psql", "-c", "select 1"]}, env({"DATABASE_URL": "$(URL)"})] {
		not is_alone(deployed({"containers": [container]}), {})
	}
	not is_alone({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "shop"}}, {})
}

running(words) := deployed({"containers": [{"name": "app", "image": "backup:1", "command": words, "volumeMounts": [{"name": "c", "mountPath": "/s"}]}], "volumes": [{"name": "c", "configMap": {"name": "c"}}]})

# A mounted script that the command names.
test_dump_by_a_mounted_script if {
	maps := {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"backup.sh": "pg_dump $URL"}}}}}
	is_alone(running(["sh", "-c", "sh /s/backup.sh"]), maps)
	not is_alone(running(["sh", "-c", "sh /s/other.sh"]), maps)
	not is_alone(running(["sh", "-c", "sh /s/backup.sh"]), {})
}

job_of(container) := {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [container]}}}}

# What ends is no server, but where it starts one.
test_jobs_with_the_image_of_a_server if {
	called_by(job_of({"name": "a", "image": "postgres:17", "command": ["sh", "/s/run.sh"], "env": [{"name": "PGHOST", "value": "db"}]}), {}) == {"db"}
	called_by(deployed({"containers": [{"name": "a", "image": "postgres:17", "command": ["sh", "/s/run.sh"], "env": [{"name": "PGHOST", "value": "db"}]}]}), {}) == set()
	called_by(job_of({"name": "a", "image": "postgres:17", "command": ["sh", "-c", "initdb -D /d"], "env": [{"name": "PGHOST", "value": "db"}]}), {}) == set()
}

# A new operator's kind of clusters belongs here too.
test_kinds_of_clusters if {
	{split(kind, "/")[1] | some kind, _ in index.cluster_kinds} == workloads.kinds_of_clusters
}

# A database, a role or a host of that name does not make a server of a client.
test_names_that_are_no_programs if {
	every line in ["until psql -h db -d postgres -c '\\q'; do sleep 1; done", "psql -U postgres -h db -c 'select 1'", "psql --dbname=postgres --host postgres"] {
		is_alone(deployed({"containers": [{"name": "app", "image": "app:1", "command": ["sh", "-c", line], "env": [{"name": "PGHOST", "value": "db"}]}]}), {})
	}
	not is_alone(deployed({"containers": [{"name": "app", "image": "app:1", "command": ["sh", "-c", "exec postgres -D /data"], "env": [{"name": "PGHOST", "value": "db"}]}]}), {})
}
