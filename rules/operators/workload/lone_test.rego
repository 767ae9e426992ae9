package walguard.operators.workload_lone_test

import data.main
import data.walguard.checks.access.client_mismatch
import data.walguard.checks.access.connection_uri
import data.walguard.checks.access.pooler_login
import data.walguard.checks.access.secret_key_missing
import data.walguard.checks.access.secret_line_break
import data.walguard.checks.backup.dump_never_starts
import data.walguard.operators.workload

secret(fields) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, "stringData": fields}

made(kind, container, pod) := {
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": object.union({"containers": [object.union({"name": "web", "image": "shop/web:1"}, container)]}, pod)}},
}

web(container) := made("Deployment", container, {})

seen(object_of, objects) := {"review": {"object": object_of}, "inventory": {"namespace": {"shop": objects}}}

with_secret(fields) := {"v1": {"Secret": {"db": secret(fields)}}}

of_secret(name, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}}

uri(container, objects) := {f.message | some f in connection_uri.findings with input as seen(web(container), objects)}

spelt(name, value) := uri({"env": [{"name": name, "value": value}]}, {})

server := {"apps/v1": {"StatefulSet": {"db": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}}}}

cluster := {"postgresql.cnpg.io/v1": {"Cluster": {"db": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "shop"}}}}}

# -------------------------------------------------------------------------------------------------------- addresses

broken(mark, encoded) := sprintf("The password in this connection URI has a %q, which ends its part: programs read another host, or none. Write %s for it, or take a password of letters and digits.", [mark, encoded])

test_passwords_in_addresses if {
	connection_uri.findings == {{
		"message": broken("#", "%23"),
		"path": ["stringData", "url"],
		"resource": {"apiVersion": "v1", "kind": "Secret", "namespace": "shop", "name": "db"},
		"severity": "error",
	}} with input as seen(web({"env": [of_secret("URL", "url")]}), with_secret({"url": "postgres://shop:a#b@pg.example.com:5432/shop"}))
	spelt("URL", "postgresql://shop:a/b@pg/shop") == {broken("/", "%2F")}
	every value in [
		"postgres://shop:a%23b@pg/shop",
		"postgres://shop:ab@pg/shop?x=a@b",
		"postgres://pg:5432/shop?user=a@b",
		"postgres://shop:$(PASSWORD)#@pg/shop",
		"postgres://shop:<PASSWORD>/@pg/shop",
		"mysql://shop:a#b@pg/shop",
	] {
		spelt("URL", value) == set()
	}
}

test_beside_a_server_it_is_that_ones_matter if {
	every objects in [server, cluster] {
		not workload.cluster with input as seen(web({"env": [{"name": "URL", "value": "postgres://shop:a#b@pg/shop"}]}), objects)
	}
	workload.cluster.client with input as seen(web({"env": [{"name": "URL", "value": "postgres://shop:a#b@pg/shop"}]}), {"batch/v1": {"Job": {"x": object.union(server["apps/v1"].StatefulSet.db, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x", "namespace": "shop"}})}}})
}

test_words_of_addresses if {
	said := "DSN of Deployment web has a blank in a value without quotes, so that \"b\" is read as the next word: no program takes such an address. Put the value of password in single quotes."
	spelt("DSN", "host=pg user=shop password=a b c dbname=shop") == {said}
	spelt("DSN", "user=shop host=pg password=a b") == {said}
	every value in [
		"host=pg user=shop password='a b' dbname=shop",
		"host=pg user=shop password=ab dbname=shop",
		"host=pg password=a b",
		"user=shop password=a b",
		"host=pg user=shop password={{ x }} dbname=shop",
		"host=pg,pg2 user=shop password=a b",
	] {
		spelt("DSN", value) == set()
	}
}

kong(name, value) := uri({"image": "kong:3.9", "env": [{"name": "KONG_PG_HOST", "value": "pg"}, {"name": name, "value": value}]}, {})

test_comments_of_kong if {
	kong("KONG_PG_PASSWORD", "a#b") == {"KONG_PG_PASSWORD of Deployment web has a \"#\", at which a comment begins for Kong: the password ends before it. Write \\# for it."}
	count(uri({"image": "docker.io/kong/kong-gateway:3.9", "env": [{"name": "KONG_PG_HOST", "value": "pg"}, of_secret("KONG_PG_PASSWORD", "p")]}, with_secret({"p": "#b"}))) == 1
	kong("KONG_PG_PASSWORD", "a\\#b") == set()
	kong("KONG_PG_PASSWORD", "{vault://env/a#b}") == set()
	kong("KONG_PG_PASSWORD", "${PASSWORD#x}") == set()
	kong("KONG_PROXY_LISTEN", "a#b") == set()
	spelt("KONG_PG_PASSWORD", "a#b") == set()
}

keycloak(image, more) := uri(object.union({"image": image, "env": [{"name": "DB_VENDOR", "value": "postgres"}, {"name": "DB_ADDR", "value": "pg"}]}, more), {})

test_names_that_keycloak_had if {
	keycloak("quay.io/keycloak/keycloak:22.0.5", {}) == {"DB_VENDOR of Deployment web is not read by Keycloak since 17, and no KC_DB is there: it keeps its data in a file of its container (dev-file), and this database stays empty. Write KC_DB=postgres, KC_DB_URL_HOST, KC_DB_URL_DATABASE, KC_DB_USERNAME and KC_DB_PASSWORD."}
	keycloak("quay.io/keycloak/keycloak:16.1.1", {}) == set()
	keycloak("registry.example.com/keycloak:22.0.5", {}) == set()
	keycloak("quay.io/keycloak/keycloak:22.0.5", {"args": ["start", "--db=postgres"]}) == set()
	keycloak("quay.io/keycloak/keycloak:22.0.5", {"envFrom": [{"configMapRef": {"name": "kc"}}]}) == set()
	keycloak("quay.io/keycloak/keycloak:22.0.5", {"volumeMounts": [{"name": "conf", "mountPath": "/opt/keycloak/conf"}]}) == set()
	keycloak("quay.io/keycloak/keycloak:22.0.5", {"env": [{"name": "DB_ADDR", "value": "pg"}, {"name": "KC_DB", "value": "postgres"}]}) == set()
	keycloak("quay.io/keycloak/keycloak:22.0.5", {"env": [{"name": "DB_VENDOR", "value": "postgres"}]}) == set()
}

psql(more) := uri(object.union({"image": "postgres:17.6", "command": ["psql", "-c", "SELECT 1"], "env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "verify-full"}]}, more), {})

test_root_certificates if {
	psql({}) == {"PGSSLMODE of Deployment web is verify-full, and no root certificate is there: libpq ends with \"root certificate file does not exist\". Set PGSSLROOTCERT to the file of the CA, or to system for a public one."}
	psql({"image": "shop/web:1"}) == set()
	psql({"envFrom": [{"secretRef": {"name": "db"}}]}) == set()
	psql({"env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "require"}]}) == set()
	psql({"env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "verify-ca"}, {"name": "PGSSLROOTCERT", "value": "system"}]}) == set()
	psql({"volumeMounts": [{"name": "c", "mountPath": "/root/.postgresql"}]}) == set()
	psql({"command": ["sh", "-c", "wget -O ~/.postgresql/root.crt https://x"]}) == set()
}

test_root_certificates_of_drivers if {
	django := {"image": "shop/web:1", "command": ["gunicorn"], "env": [{"name": "DJANGO_SETTINGS_MODULE", "value": "shop.settings"}, {"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "verify-full"}]}
	told := "no root certificate is mounted: unless the image has ~/.postgresql/root.crt, libpq ends with \"root certificate file does not exist\"."
	psql(django) == {sprintf("PGSSLMODE of Deployment web is verify-full, and %s Set PGSSLROOTCERT to the file of the CA, or to system for a public one.", [told])}
	psql({"image": "shop/web:1", "command": [], "env": [{"name": "DB", "value": "postgresql+psycopg2://a@pg/d?sslmode=verify-ca"}]}) == {sprintf("DB of Deployment web has sslmode=verify-ca, and %s Add sslrootcert with the file of the CA, or with system for a public one.", [told])}
	count(psql({"image": "getredash/redash:25.1.0", "command": []})) == 1
	psql(object.union(django, {"volumeMounts": [{"name": "ca", "mountPath": "/etc/pg-ca"}]})) == set()
	psql(object.union(django, {"command": ["sh", "-c", "cp /x ~/.postgresql/root.crt; gunicorn"]})) == set()
}

n8n(variables, more) := uri(object.union({"image": "n8nio/n8n:1.115.3", "env": array.concat([{"name": "DB_TYPE", "value": "postgresdb"}, {"name": "DB_POSTGRESDB_HOST", "value": "pg"}], variables)}, more), {})

test_paths_where_n8n_reads_a_certificate if {
	ca := {"name": "DB_POSTGRESDB_SSL_CA", "value": "/certs/ca.crt"}
	key := {"name": "DB_POSTGRESDB_SSL_KEY", "value": "/certs/tls.key"}
	n8n([ca], {}) == {"DB_POSTGRESDB_SSL_CA of Deployment web is a path, and n8n reads a certificate itself there (\"no start line\", or one that it does not trust). Write DB_POSTGRESDB_SSL_CA_FILE for it."}
	count(n8n([ca, key], {})) == 2
	count(n8n([ca, key, {"name": "DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED", "value": "true"}], {})) == 2
	count(n8n([ca, key, {"name": "DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED", "value": "false"}], {})) == 1
	count(n8n([ca, key], {"envFrom": [{"configMapRef": {"name": "n8n"}}]})) == 1
	n8n([{"name": "DB_POSTGRESDB_SSL_CA_FILE", "value": "/certs/ca.crt"}], {}) == set()
	n8n([{"name": "DB_POSTGRESDB_SSL_CA", "value": "-----BEGIN CERTIFICATE-----\nMIIB\n"}], {}) == set()
}

# What a server in sight is named by is its own cluster's matter, with the same words.
test_clients_of_a_server_in_sight if {
	found := {[f.resource.name, f.path] | some f in connection_uri.findings} with input as {
		"review": {"object": object.union(server["apps/v1"].StatefulSet.db, {"spec": {"serviceName": "db"}})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {
			"web": web({"image": "kong:3.9", "env": [{"name": "KONG_PG_HOST", "value": "db"}, {"name": "KONG_PG_PASSWORD", "value": "a#b"}]}),
			"other": object.union(web({"image": "kong:3.9", "env": [{"name": "KONG_PG_HOST", "value": "pg"}, {"name": "KONG_PG_PASSWORD", "value": "a#b"}]}), {"metadata": {"name": "other", "namespace": "shop"}}),
		}}}}},
	}
	found == {["web", ["spec", "template", "spec", "containers", 0, "env", 1, "value"]]}
}

# ---------------------------------------------------------------------------------------------------------- secrets

keys_of(env, fields) := {f.message | some f in secret_key_missing.findings with input as seen(web({"env": env}), with_secret(fields))}

test_keys if {
	said := {"Secret db has no key password (it has pass): the container is not created. Add the key, or name the right one."}
	keys_of([{"name": "POSTGRES_HOST", "value": "pg"}, of_secret("POSTGRES_PASSWORD", "password")], {"pass": "x"}) == said
	keys_of([{"name": "JDBC_URL", "value": "jdbc:postgresql://pg/shop"}, of_secret("JDBC_PASSWORD", "password")], {"pass": "x"}) == said
	keys_of([{"name": "POSTGRES_HOST", "value": "pg"}, of_secret("POSTGRES_PASSWORD", "pass")], {"pass": "x"}) == set()
	keys_of([{"name": "SMTP_HOST", "value": "mail"}, of_secret("SMTP_PASSWORD", "password")], {"pass": "x"}) == set()
	keys_of([{"name": "POSTGRES_HOST", "value": "pg"}, of_secret("SMTP_TOKEN", "token")], {"pass": "x"}) == set()
}

breaks(value) := {f.message | some f in secret_line_break.findings with input as seen(web({"env": [of_secret("URL", "url")]}), with_secret({"url": value}))}

test_line_breaks if {
	said := "The address in url of Secret db ends with a line break, which becomes part of the database's name: it does not exist. Encode it without (echo -n)."
	breaks("postgres://shop:a@pg/shop\n") == {said}
	breaks("postgres://shop:a@pg/shop") == set()
	breaks("https://x\n") == set()
}

# ------------------------------------------------------------------------------------------------------------ dumps

dumping(script, env) := {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "dump", "namespace": "shop"},
	"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
		"restartPolicy": "Never",
		"containers": [{"name": "dump", "image": "postgres:17.6", "command": ["sh", "-ec", script], "env": env}],
	}}}}},
}

dumps(script, env, objects) := {f.message | some f in dump_never_starts.findings with input as object.union(seen(dumping(script, env), objects), {"inventory": {"namespace": {"shop": object.union(objects, {"batch/v1": {"CronJob": {"dump": dumping(script, env)}}})}}})}

glued := "CronJob dump gives pg_dump a password behind --password, which takes none (\"option '--password' doesn't allow an argument\"): there is no dump. Leave it out, and set PGPASSWORD."

test_dumps if {
	dumps("pg_dump --host=pg --password=x -f /d/a shop", [], {}) == {glued}
	dumps("pg_dump --password=x -f /d/a shop", [{"name": "PGHOST", "value": "pg.example.com"}], {}) == {glued}
	dumps("pg_dump -h pg -f /d/a shop", [], {}) == set()
	dumps("pg_dump --host=pg --password=x -f /d/a shop", [], server) == set()
	dumps("pg_dump --password=x -f /d/a shop", [{"name": "PGHOST", "value": "$(OTHER)"}], {}) == {glued}
}

test_findings_about_the_object_itself if {
	job := dumping("pg_dump --host=pg --password=x -f /d/a shop", [])
	{[f.check, f.resource.name] | some f in main.findings; f.check == "backup/dump_never_starts"} == {["backup/dump_never_starts", "dump"]} with input as seen(job, {"batch/v1": {"CronJob": {"dump": job, "other": object.union(job, {"metadata": {"name": "other", "namespace": "shop"}})}}})
}

# ---------------------------------------------------------------------------------------------------------- poolers

pgbouncer(ini, users) := {f.message | some f in pooler_login.findings with input as seen(
	made("Deployment", {"image": "registry.example.com/pgbouncer:1.24", "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}, {"volumes": [{"name": "c", "secret": {"secretName": "db"}}]}),
	object.union(with_secret({"pgbouncer.ini": ini, "users.txt": users}), {"apps/v1": {"Deployment": {"kc": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "kc", "namespace": "shop"},
		"spec": {"template": {"spec": {"containers": [{"name": "kc", "image": "kc", "env": [{"name": "KC_DB_URL", "value": "jdbc:postgresql://pool:6432/kc"}]}]}}},
	}}}}),
)}

pooled(ini, users) := {f.message | some f in pooler_login.findings with input as object.union(
	seen(
		made("Deployment", {"image": "registry.example.com/pgbouncer:1.24", "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}, {"volumes": [{"name": "c", "secret": {"secretName": "db"}}]}),
		{},
	),
	{"inventory": {"namespace": {"shop": {
		"v1": {
			"Secret": {"db": secret({"pgbouncer.ini": ini, "users.txt": users})},
			"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 6432}]}}},
		},
		"apps/v1": {"Deployment": {"kc": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "kc", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [{"name": "kc", "image": "kc", "env": [{"name": "KC_DB_URL", "value": "jdbc:postgresql://pool:6432/kc"}]}]}}},
		}}},
	}}}},
)}

ini_of(more) := concat("\n", ["[databases]", "* = host=pg", "[pgbouncer]", "listen_addr = *", "auth_type = scram-sha-256", "auth_file = /etc/pgbouncer/users.txt", more, ""])

nobody := "/etc/pgbouncer/users.txt, the auth_file of this PgBouncer, names no user, and it has no auth_query: nobody can log in (\"no such user\"). Write a line \"user\" \"password\" there for each."

test_nobody_in_the_file_of_users if {
	pgbouncer(ini_of(""), "\n") == {nobody}
	pgbouncer(ini_of(""), "; later\n\n") == {nobody}
	pgbouncer(ini_of(""), "\"shop\" \"x\"\n") == set()
	pgbouncer(ini_of("auth_query = SELECT 1"), "\n") == set()
	pgbouncer(replace(ini_of(""), "scram-sha-256", "trust"), "\n") == set()
	pgbouncer(replace(ini_of(""), "users.txt", "other.txt"), "\n") == set()
	pgbouncer("[pgbouncer]\nauth_type = md5\n", "\n") == set()
}

test_what_jdbc_sends if {
	pooled(ini_of(""), "\"kc\" \"x\"\n") == {"PgBouncer refuses Deployment kc with \"unsupported startup parameter: extra_float_digits\", which its driver always sends. Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini."}
	pooled(ini_of("ignore_startup_parameters = options, extra_float_digits"), "\"kc\" \"x\"\n") == set()
	pooled(ini_of("listen_port = ${PORT}"), "\"kc\" \"x\"\n") == set()
	pooled(ini_of("%include /x"), "\"kc\" \"x\"\n") == set()
}

# ------------------------------------------------------------------------------------------- what a model says of clients

suspected(name, value) := found if {
	found := {f.message | some f in connection_uri.findings} with input as seen(web({"env": [{"name": name, "value": value}]}), {"apps/v1": {"Deployment": {"web": web({"env": [{"name": name, "value": value}]})}}})
}

test_suspects if {
	suspected("DATABASE_URL", "\"postgres://shop@pg.example.com/shop\"") == {"DATABASE_URL of Deployment web has its quotes in the value, which YAML needs and no driver reads. Leave one pair of them out."}
	suspected("SPRING_DATASOURCE_URL", "postgresql://pg.example.com/shop") == {"SPRING_DATASOURCE_URL of Deployment web does not begin with jdbc:, and the JDBC driver takes no other (\"No suitable driver\"). Write jdbc:postgresql://pg:5432/DATABASE, and user and password elsewhere."}
	suspected("KEYCLOAK_DATABASE_HOST", "jdbc:postgresql://pg.example.com") == {"KEYCLOAK_DATABASE_HOST of Deployment web is jdbc:postgresql://pg.example.com, and programs take all of it for the host's name. Set it to pg.example.com."}
	suspected("DATABASE_URL", "postgres://shop@pg/shop?sslmode=true") == {"There is no sslmode \"true\", and programs end with that before they connect. Write disable, prefer, require, verify-ca or verify-full."}
	{f.message | some f in connection_uri.findings} == {"PGSSLMODE of Deployment web is \"on\", which libpq does not know: it refuses every connection. Write allow, disable, prefer, require, verify-ca, verify-full."} with input as seen(web({"env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "on"}]}), {"apps/v1": {"Deployment": {"web": web({"env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLMODE", "value": "on"}]})}}})
	uri({"env": [{"name": "DATABASE_URL", "value": "postgres://shop@pg/shop?sslmode=require"}, {"name": "PGHOST", "value": "pg"}]}, {}) == set()
	not workload.cluster with input as seen(web({"env": [{"name": "DATABASE_URL", "value": "\"postgres://shop@pg/shop\""}]}), server)
}

stopped(container) := {f.message | some f in pooler_login.findings with input as seen(web(container), {})}

test_images_of_poolers_that_stop if {
	stopped({"image": "bitnamilegacy/pgbouncer:1.24", "env": [{"name": "POSTGRESQL_HOST", "value": "pg"}]}) == {"Bitnami's image of PgBouncer stops at its own check: POSTGRESQL_PASSWORD is not set. Set POSTGRESQL_PASSWORD."}
	stopped({"image": "bitnamilegacy/pgbouncer:1.24", "env": [{"name": "POSTGRESQL_HOST", "value": "pg"}, of_secret("POSTGRESQL_PASSWORD", "p")]}) == set()
	stopped({"image": "bitnamilegacy/pgbouncer:1.24"}) == set()
}

lost(container) := {[object.get(f, "severity", "warning"), f.message] | some f in client_mismatch.findings with input as seen(web(container), {})}

test_clients_that_know_nobody if {
	lost({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": [{"name": "DB_USER", "value": "shop"}]}) == {["error", "Deployment web has no DB_HOST and no DATABASE_URL, and the entrypoint of its image stops there (\"You must set DB_HOST env\"): it finds no database. Set DB_HOST."]}
	lost({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": [{"name": "DB_HOST", "value": "pg"}]}) == set()
	exporter := "quay.io/prometheuscommunity/postgres-exporter:v0.17.1"
	lost({"image": exporter, "env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop?sslmode=disable"}]}) == {["error", "Container web has no user to log in as (DATA_SOURCE_USER is not set): there are no metrics. Set DATA_SOURCE_USER."]}
	count(lost({"image": exporter, "env": [{"name": "DATA_SOURCE_URI", "value": "pg.example.com:5432/shop?sslmode=require"}]})) == 1
	lost({"image": exporter, "env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop?user=a"}]}) == set()
	lost({"image": exporter, "env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop"}, {"name": "DATA_SOURCE_USER", "value": "a"}]}) == set()
	lost({"image": exporter, "args": ["--config.file=/c"], "env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop"}]}) == set()
	lost({"image": "shop/web:1", "env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop"}]}) == set()
}

listed(at) := {f.message | some f in pooler_login.findings with input as seen(
	made("Deployment", {"image": "registry.example.com/pgbouncer:1.24", "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer/pgbouncer.ini", "subPath": "pgbouncer.ini"}, object.union({"name": "c"}, at)]}, {"volumes": [{"name": "c", "secret": {"secretName": "db"}}]}),
	with_secret({"pgbouncer.ini": ini_of(""), "users.txt": "\"shop\" \"x\"\n"}),
)}

test_directories_for_lists if {
	listed({"mountPath": "/etc/pgbouncer/users.txt"}) == {"auth_file of this PgBouncer is /etc/pgbouncer/users.txt, where a volume is mounted whole, which makes a directory of it: it reads no user there. Mount it at /etc/pgbouncer, or add subPath: users.txt."}
	listed({"mountPath": "/etc/pgbouncer/users.txt", "subPath": "users.txt"}) == set()
}
