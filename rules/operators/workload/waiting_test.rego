package walguard.operators.workload_waiting_test

import data.walguard.checks.access.client_mismatch
import data.walguard.checks.access.connection_uri
import data.walguard.checks.access.pooler_login
import data.walguard.checks.backup.dump_not_kept
import data.walguard.checks.image.archiver_missing
import data.walguard.checks.image.library_missing
import data.walguard.checks.manifest.not_text
import data.walguard.checks.workload.permissions
import data.walguard.checks.workload.probe_login

secret := {"valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

server(more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": array.concat(
			[object.union(
				{
					"name": "postgres",
					"image": "postgres:17.6",
					"env": [object.union({"name": "POSTGRES_PASSWORD"}, secret), {"name": "POSTGRES_USER", "value": "shop"}],
					"ports": [{"containerPort": 5432}],
					"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}],
				},
				object.get(more, "postgres", {}),
			)],
			object.get(more, "beside", []),
		)}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

service(name, port) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"}, "spec": {"selector": {"app": name}, "ports": [{"port": port}]}}

beside(objects) := {"review": {"object": server({})}, "inventory": {"namespace": {"shop": object.union({"v1": {"Service": {"db": service("db", 5432)}}}, objects)}}}

deployment(pod) := {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}},
}}}}

web(env) := deployment({"containers": [{"name": "web", "image": "shop/web:1", "env": env}]})

cron_job(container) := {"batch/v1": {"CronJob": {"dump": {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "dump", "namespace": "shop"},
	"spec": {"jobTemplate": {"spec": {"template": {"spec": {
		"containers": [object.union({"name": "dump", "image": "postgres:17.6", "env": [object.union({"name": "PGPASSWORD"}, secret)]}, container)],
		"volumes": [{"name": "dumps", "emptyDir": {}}],
	}}}}},
}}}}

waiting(command, host) := deployment({
	"initContainers": [{"name": "wait", "image": "busybox", "command": ["sh", "-c", command], "env": [{"name": "HOST", "value": host}, {"name": "PORT", "value": "5432"}]}],
	"containers": [{"name": "web", "image": "shop/web:1", "env": [{"name": "DB_HOST", "value": "db"}]}],
})

test_waits_for_nobody if {
	client_mismatch.findings == {{
		"message": "Deployment web waits in init container wait for postgres, and no Service of this namespace has the name: it finds no database. Write db.",
		"path": ["spec", "template", "spec", "initContainers", 0, "command"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
	}} with input as beside(waiting("until pg_isready -h postgres -p 5432; do sleep 2; done", ""))
	every command in ["until nc -z $HOST $PORT; do sleep 2; done", "while ! nc -z -w 2 ${HOST} 5432; do sleep 1; done", "until pg_isready --host=\"$HOST\" -q; do sleep 1; done"] {
		count(client_mismatch.findings) == 1 with input as beside(waiting(command, "postgres"))
		client_mismatch.findings == set() with input as beside(waiting(command, "db"))
	}
	every command in ["until nc -z postgres 6379; do sleep 1; done", "until pg_isready -h pg.example.com; do sleep 1; done", "until pg_isready -h localhost; do sleep 1; done", "sleep 5"] {
		client_mismatch.findings == set() with input as beside(waiting(command, ""))
	}
}

dumped(command) := cron_job({"command": ["sh", "-c", command]})

test_dump_of_nobody if {
	client_mismatch.findings == {{
		"message": "CronJob dump has the password of this server and looks for it at postgres, and no Service of this namespace has the name: it finds no database. Write db.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "shop"},
	}} with input as beside(dumped("pg_dump -U shop -h postgres shop > /dumps/a.sql"))
	every command in ["pg_dump -U shop -h db shop > /dumps/a.sql", "pg_dump -U shop -h db.other shop", "pg_dump -U shop -h localhost shop", "pg_dump -h db a; pg_dump -h postgres b", "pg_dump -U shop shop"] {
		client_mismatch.findings == set() with input as beside(dumped(command))
	}
}

exporter(uri, pod) := deployment(object.union({"containers": [{"name": "exporter", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.17.1", "env": [object.union({"name": "DATA_SOURCE_PASS"}, secret), {"name": "DATA_SOURCE_URI", "value": uri}, {"name": "DATA_SOURCE_USER", "value": "shop"}]}]}, pod))

test_exporter_of_nobody if {
	{f.message | some f in client_mismatch.findings} == {"Deployment web has the password of this server and looks for it at postgres, and no Service of this namespace has the name: it finds no database. Write db."} with input as beside(exporter("postgres:5432/shop?sslmode=disable", {}))
	client_mismatch.findings == set() with input as beside(exporter("db:5432/shop?sslmode=disable", {}))
}

test_user_by_name if {
	permissions.findings == {{
		"message": "runAsNonRoot without runAsUser, and image postgres-exporter has a name for its user (nobody), of which the kubelet cannot tell that it is not root: it refuses container exporter. Set runAsUser to 65534.",
		"path": ["spec", "template", "spec", "containers", 0],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
		"severity": "error",
	}} with input as beside(exporter("db:5432/shop?sslmode=disable", {"securityContext": {"runAsNonRoot": true}}))
	permissions.findings == set() with input as beside(exporter("db:5432/shop?sslmode=disable", {"securityContext": {"runAsNonRoot": true, "runAsUser": 65534}}))
	permissions.findings == set() with input as beside(exporter("db:5432/shop?sslmode=disable", {}))
	permissions.findings == set() with input as beside(exporter("pg.example.com:5432/shop", {"securityContext": {"runAsNonRoot": true}}))
	in_pod := {"name": "metrics", "image": "prometheuscommunity/postgres-exporter:v0.17.1", "securityContext": {"runAsNonRoot": true}}
	{f.path | some f in permissions.findings} == {["spec", "template", "spec", "containers", 1]} with input as {"review": {"object": server({"beside": [in_pod]})}}
}

probed(container) := {"review": {"object": server({"postgres": container})}}

test_asks_as_root if {
	every command in [["pg_isready"], ["sh", "-c", "pg_isready -d shop -h 127.0.0.1"], ["/bin/sh", "-c", "exec pg_isready -q"]] {
		{f.message | some f in probe_login.findings} == {"readinessProbe logs in as root, and the image creates role shop alone: every try logs a FATAL error. Name shop there."} with input as probed({"readinessProbe": {"exec": {"command": command}}})
	}
	every command in [["pg_isready", "-U", "shop"], ["sh", "-c", "pg_isready -d postgresql://shop@localhost/shop"], ["sh", "-c", "su postgres -c pg_isready"], ["pg_isready", "-d", "user=shop"]] {
		probe_login.findings == set() with input as probed({"readinessProbe": {"exec": {"command": command}}})
	}
	every number, image in {999: "postgres:17.6", 70: "postgres:17.6-alpine"} {
		{[f.message, f.severity] | some f in probe_login.findings} == {["readinessProbe logs in as postgres, and the image creates role shop alone: every try logs a FATAL error. Name shop there.", "info"]} with input as probed({"image": image, "readinessProbe": {"exec": {"command": ["sh", "-c", "exec pg_isready -q -h 127.0.0.1 -p 5432"]}}, "securityContext": {"runAsUser": number}})
	}
	probe_login.findings == set() with input as probed({"readinessProbe": {"exec": {"command": ["pg_isready"]}}, "securityContext": {"runAsUser": 70}})
	probe_login.findings == set() with input as probed({"readinessProbe": {"exec": {"command": ["pg_isready"]}}, "securityContext": {"runAsUser": 999}, "env": [object.union({"name": "POSTGRES_PASSWORD"}, secret)]})
	probe_login.findings == set() with input as probed({"readinessProbe": {"exec": {"command": ["pg_isready"]}}, "env": [object.union({"name": "POSTGRES_PASSWORD"}, secret), {"name": "PGUSER", "value": "postgres"}]})
}

config(data_) := {"v1": {
	"ConfigMap": {"web": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "shop"}, "data": data_}},
	"Service": {"db": service("db", 5432)},
}}

test_numbers_of_clients if {
	not_text.findings == {{
		"message": "The value of key DB_PORT of ConfigMap web is the number 5432, and only text is taken there: the API server refuses the object. Put it in quotes.",
		"path": ["data", "DB_PORT"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": "shop"},
	}} with input as beside(config({"DB_HOST": "db", "DB_PORT": 5432}))
	not_text.findings == set() with input as beside(config({"DB_HOST": "db", "DB_PORT": "5432"}))
	not_text.findings == set() with input as beside(config({"REDIS_HOST": "redis", "REDIS_PORT": 6379}))
	{f.message | some f in not_text.findings} == {"The value of variable DB_PORT of Deployment web is the number 5432, and only text is taken there: the API server refuses the object. Put it in quotes."} with input as beside(web([{"name": "DATABASE_URL", "value": "postgres://shop@db.shop:5432/shop"}, {"name": "DB_PORT", "value": 5432}]))
	not_text.findings == set() with input as beside(web([{"name": "CACHE", "value": "redis"}, {"name": "PORT", "value": 6379}]))
}

pooled(host, ini) := {"review": {"object": server({})}, "inventory": {"namespace": {"shop": {
	"v1": {
		"Service": {"db": service("db", 5432), "pool": service("pool", 6432)},
		"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "shop"}, "data": {"pgbouncer.ini": ini}}},
	},
	"apps/v1": {"Deployment": {
		"web": web([{"name": "KC_DB_URL_HOST", "value": host}])["apps/v1"].Deployment.web,
		"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {
			"containers": [{"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1", "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer/pgbouncer.ini", "subPath": "pgbouncer.ini"}]}],
			"volumes": [{"name": "ini", "configMap": {"name": "pool"}}],
		}}}},
	}},
}}}}

ini := "[databases]\nshop = host=db port=5432\n[pgbouncer]\nlisten_addr = *\nlisten_port = 6432\nauth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt\n"

test_java_by_host if {
	wanted := "PgBouncer refuses Deployment web with \"unsupported startup parameter: extra_float_digits\", which its driver always sends. Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini."
	every host in ["pool", "pool.shop.svc"] {
		wanted in {f.message | some f in pooler_login.findings} with input as pooled(host, ini)
	}
	every host in ["db", "pool.other"] {
		not wanted in {f.message | some f in pooler_login.findings} with input as pooled(host, ini)
	}
	not wanted in {f.message | some f in pooler_login.findings} with input as pooled("pool", concat("", [ini, "ignore_startup_parameters = extra_float_digits\n"]))
}

renamed(to) := cron_job({"command": ["sh", "-c", sprintf("f=/dumps/shop-$(date +%%F).dump\npg_dump -U shop -h db -Fc -f \"$f.part\" shop\nmv \"$f.part\" \"%s\"", [to])], "volumeMounts": [{"name": "dumps", "mountPath": "/dumps"}]})

test_whole_dump_on_an_empty_dir if {
	count(dump_not_kept.findings) == 1 with input as beside(renamed("$f"))
	dump_not_kept.findings == set() with input as beside(renamed("/mnt/kept/shop.dump"))
}

test_loopback_of_a_pooler if {
	wanted := "This pgbouncer.ini has listen_addr = 127.0.0.1, where only its own pod comes, and Service pool leads to it: every connection is refused. Set listen_addr = *."
	wanted in {f.message | some f in pooler_login.findings} with input as pooled("pool", replace(ini, "listen_addr = *", "listen_addr = 127.0.0.1"))
	not wanted in {f.message | some f in pooler_login.findings} with input as pooled("pool", ini)
}

at_port(port) := json.patch(pooled("pool", ini), [{"op": "add", "path": "/inventory/namespace/shop/apps~1v1/Deployment/web/spec/template/spec/containers/0/env", "value": [{"name": "DB_HOST", "value": "pool"}, {"name": "DB_PORT", "value": port}]}])

test_port_of_a_pooler if {
	{f.message | some f in client_mismatch.findings} == {"Deployment web asks for port 5432 of pool, which has 6432: it finds no database. Write 6432."} with input as at_port("5432")
	client_mismatch.findings == set() with input as at_port("6432")
}

archiving(command, container) := {"review": {"object": server({"postgres": object.union({"args": ["-c", "archive_mode=on", "-c", concat("", ["archive_command=", command])]}, container)})}}

test_archiver_not_in_the_image if {
	{f.message | some f in archiver_missing.findings} == {"archive_command runs wal-g, which the image postgres:17.6 does not have: no WAL is archived, and pg_wal fills the volume. Use an image with wal-g."} with input as archiving("wal-g wal-push %p", {})
	count(archiver_missing.findings) == 1 with input as archiving("envdir /etc/wal-e wal-e wal-push %p", {})
	every command in ["/opt/wal-g wal-push %p", "cp %p /archive/%f", "/scripts/archive.sh %p"] {
		archiver_missing.findings == set() with input as archiving(command, {})
	}
	archiver_missing.findings == set() with input as archiving("wal-g wal-push %p", {"image": "shop/postgres-wal-g:17"})
	archiver_missing.findings == set() with input as archiving("wal-g wal-push %p", {"volumeMounts": [{"name": "tools", "mountPath": "/usr/local/bin/wal-g", "subPath": "wal-g"}]})
}

test_archiver_behind_a_test_or_a_pipe if {
	every command, program in {
		"test ! -f /archive/%f && aws s3 cp %p s3://wal/%f": "aws",
		"gzip < %p | ssh store 'cat > /wal/%f'": "ssh",
		"timeout 60 rsync -a %p store::wal/%f": "rsync",
		"AWS_REGION=eu-west-1 wal-g wal-push %p": "wal-g",
	} {
		{split(f.message, ",")[0] | some f in archiver_missing.findings} == {sprintf("archive_command runs %s", [program])} with input as archiving(command, {})
	}
	every command in ["wal-g wal-push %p || cp %p /archive/%f", "test ! -f /archive/%f && cp %p /archive/%f", "cp %p /archive/aws && rm %p"] {
		archiver_missing.findings == set() with input as archiving(command, {})
	}

	# Its configuration is no program.
	count(archiver_missing.findings) == 1 with input as archiving("pgbackrest --stanza=db archive-push %p", {"volumeMounts": [{"name": "conf", "mountPath": "/etc/pgbackrest"}]})
	archiver_missing.findings == set() with input as archiving("pgbackrest --stanza=db archive-push %p", {"volumeMounts": [{"name": "conf", "mountPath": "/opt/pgbackrest"}]})
}

# The command runs a file of a ConfigMap.
by_script(command, text) := {
	"review": archiving(command, {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "scripts", "mountPath": "/usr/local/bin/archive.sh", "subPath": "archive.sh"}]}).review,
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"scripts": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "scripts", "namespace": "shop"}, "data": {"archive.sh": text}}}}}}},
}

with_scripts(review) := json.patch(review, [{"op": "add", "path": "/review/object/spec/template/spec/volumes", "value": [{"name": "scripts", "configMap": {"name": "scripts", "defaultMode": 493}}]}])

test_archiver_that_a_script_calls if {
	text := "#!/bin/sh\nset -e\naws s3 cp \"$1\" \"s3://wal/$2\" \\\n  && echo \"$2\"\n"
	every command in ["/usr/local/bin/archive.sh %p %f", "/bin/sh /usr/local/bin/archive.sh %p %f", "bash /usr/local/bin/archive.sh"] {
		{f.message | some f in archiver_missing.findings} == {"archive_command runs aws, which the image postgres:17.6 does not have: no WAL is archived, and pg_wal fills the volume. Use an image with aws."} with input as with_scripts(by_script(command, text))
	}
	archiver_missing.findings == set() with input as with_scripts(by_script("/usr/local/bin/archive.sh.old %p", text))
	every other in [
		"#!/bin/sh\naws s3 cp \"$1\" s3://wal\n",
		"set -e\ncp \"$1\" \"/archive/$2\"\n# aws s3 cp\n",
		"set -e\ncurl -O https://example.org/aws\naws s3 cp \"$1\" s3://wal\n",
		"set -e\naws s3 cp \"$1\" s3://wal || cp \"$1\" /archive\n",
	] {
		archiver_missing.findings == set() with input as with_scripts(by_script("/usr/local/bin/archive.sh %p %f", other))
	}
}

said(found) := {f.message | some f in found}

test_sslmode_of_an_exporter if {
	said(connection_uri.findings) == {"DATA_SOURCE_URI of Deployment web has sslmode=prefer, which this exporter does not know: it takes disable, require, verify-ca and verify-full. Write disable, or require where the server has TLS."} with input as beside(exporter("db:5432/shop?sslmode=prefer", {}))
	connection_uri.findings == set() with input as beside(exporter("db:5432/shop?sslmode=disable", {}))
	connection_uri.findings == set() with input as beside(exporter("pg.example.com:5432/shop?sslmode=prefer", {}))
}

n8n(env, more) := deployment({"containers": [object.union({"name": "n8n", "image": "n8nio/n8n:1.113.3", "env": array.concat([{"name": "DB_POSTGRESDB_HOST", "value": "db"}], env)}, more)]})

test_database_of_another_kind if {
	said(connection_uri.findings) == {"DB_POSTGRESDB_HOST of Deployment web names the server, and without DB_TYPE=postgresdb this program takes SQLite: nothing is kept here. Set DB_TYPE to postgresdb."} with input as beside(n8n([], {}))
	every more in [{"envFrom": [{"configMapRef": {"name": "n8n"}}]}, {"command": ["/start.sh"]}, {"args": ["--db", "x"]}, {"volumeMounts": [{"name": "c", "mountPath": "/etc/n8n"}]}, {"image": "shop/n8n:1"}] {
		connection_uri.findings == set() with input as beside(n8n([], more))
	}
	connection_uri.findings == set() with input as beside(n8n([{"name": "DB_TYPE", "value": "postgresdb"}], {}))
}

address(uri) := {"v1": {"Service": {"db": service("db", 5432)}, "Secret": {"url": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "url", "namespace": "shop"}, "stringData": {"url": uri}}}}}

test_at_sign_before_a_slash if {
	count(connection_uri.findings) == 1 with input as beside(address("postgres://shop:p@ss/w#rd@db:5432/shop"))
	every good in ["postgres://shop:pass@db/shop?application_name=a@db/", "postgres://shop:p%40ss@db:5432/shop", "postgres://shop:pass@pg.example.com/shop?x=a@db/"] {
		connection_uri.findings == set() with input as beside(address(good))
	}
}

becomes(old, new) := {"review": {"operation": "UPDATE", "object": server({"postgres": {"image": new}}), "oldObject": server({"postgres": {"image": old}})}}

test_extension_left_behind if {
	library_missing.findings == {{
		"message": "postgis/postgis:17-3.5 had postgis, and postgres:17.6 does not: what uses it ends with \"could not access file\". Stay with that image, or drop the extension first.",
		"path": ["spec", "template", "spec", "containers", 0, "image"],
		"severity": "warning",
	}} with input as becomes("postgis/postgis:17-3.5", "postgres:17.6")
	{f.severity | some f in library_missing.findings} == {"error"} with input as becomes("timescale/timescaledb:2.22.1-pg17", "postgres:17.6-alpine")
	every new in ["postgis/postgis:17-3.5-alpine", "shop/postgres:17", "kartoza/postgis:17"] {
		library_missing.findings == set() with input as becomes("postgis/postgis:17-3.5", new)
	}
}

test_older_timescaledb if {
	said(library_missing.findings) == {"TimescaleDB 2.22.1 becomes 2.17.2, which has no library of the later release: databases whose extension is of it answer every query with \"could not access file\". Write 2.22.1 again."} with input as becomes("timescale/timescaledb:2.22.1-pg17", "timescale/timescaledb:2.17.2-pg17")
	library_missing.findings == set() with input as becomes("timescale/timescaledb:2.17.2-pg17", "timescale/timescaledb:2.22.1-pg17")
	library_missing.findings == set() with input as becomes("timescale/timescaledb:2.22.1-pg17", "timescale/timescaledb:latest-pg17")
}
