package walguard.checks.access.client_mismatch_programs_test

import data.walguard.checks.access.client_mismatch as check

made(container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [object.union({"name": "web"}, container)]}}},
}

alone(container) := found if {
	found := {[f.severity, f.message] | some f in check.findings} with input as {"review": {"object": made(container)}, "inventory": {}}
}

server(image) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": image}]}}},
}

beside(image, container) := found if {
	found := {[f.severity, f.message] | some f in check.findings} with input as {"review": {"object": server(image)}, "inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": made(container)}}}}}}
}

env(variables) := [{"name": name, "value": value} | some name, value in variables]

pgadmin(variables) := {"image": "dpage/pgadmin4:9.8", "env": env(variables)}

test_programs_that_stop if {
	check.findings == {{
		"message": "Deployment web has no PGADMIN_DEFAULT_PASSWORD, and the entrypoint of its image stops there: it has no first start. Set PGADMIN_DEFAULT_PASSWORD.",
		"path": ["spec", "template", "spec", "containers", 0],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
		"severity": "error",
	}} with input as {"review": {"object": made(pgadmin({"PGADMIN_DEFAULT_EMAIL": "a@example.com"}))}, "inventory": {}}
	backup := "prodrigestivill/postgres-backup-local:17"
	alone({"image": backup, "env": env({"POSTGRES_HOST": "pg", "POSTGRES_USER": "shop", "POSTGRES_PASSWORD_FILE": "/p"})}) == {["error", "Deployment web has no POSTGRES_DB, and the entrypoint of its image stops there: there is no dump. Set POSTGRES_DB."]}
	alone({"image": backup, "env": env({"POSTGRES_HOST": "pg", "POSTGRES_USER": "shop", "POSTGRES_DB": "shop"})}) == {["error", "Deployment web has no POSTGRES_PASSWORD, and the entrypoint of its image stops there: there is no dump. Set POSTGRES_PASSWORD."]}
	alone({"image": backup, "env": env({"POSTGRES_HOST": "pg", "POSTGRES_USER_FILE": "/u", "POSTGRES_DB_FILE": "/d", "POSTGRES_PASSFILE_STORE": "/p"})}) == set()
	alone({"image": backup, "envFrom": [{"secretRef": {"name": "elsewhere"}}]}) == set()
	alone({"image": backup, "command": ["sh", "-c", "pg_dump -h pg"]}) == set()
}

wrong(value, what) := {["error", sprintf("Deployment web has PGADMIN_DEFAULT_EMAIL \"%s\", and the entrypoint of its image takes %s: it has no first start. Write one, as admin@example.com.", [value, what])]}

mail(image, value, more) := alone({"image": image, "env": array.concat([{"name": "PGADMIN_DEFAULT_EMAIL", "value": value}, {"name": "PGADMIN_DEFAULT_PASSWORD", "value": "x"}], env(more))})

test_words_of_pgadmin if {
	mail("dpage/pgadmin4:9.8", "admin", {}) == wrong("admin", "an e-mail address")
	mail("dpage/pgadmin4", "admin@localhost", {}) == wrong("admin@localhost", "an e-mail address")
	mail("dpage/pgadmin4:9.8", "a@db.local", {}) == wrong("a@db.local", "none of a domain that is reserved")
	mail("dpage/pgadmin4:8.4", "a@db.local", {}) == set()
	mail("dpage/pgadmin4:9.8", "a@db.local", {"PGADMIN_CONFIG_ALLOW_SPECIAL_EMAIL_DOMAINS": "['local']"}) == set()
	mail("dpage/pgadmin4:4.30", "admin", {}) == set()
	mail("dpage/pgadmin4:9.8", "a@example.com", {}) == set()
	mail("dpage/pgadmin4:9.8", "${MAIL}", {}) == set()
	mail("dpage/pgadmin4:9.8", "$(MAIL)", {}) == set()
}

# Beside a server as well, whose clients need not name it.
test_beside_a_server if {
	beside("postgres:17.6", pgadmin({"PGADMIN_DEFAULT_EMAIL": "a@example.com"})) == {["error", "Deployment web has no PGADMIN_DEFAULT_PASSWORD, and the entrypoint of its image stops there: it has no first start. Set PGADMIN_DEFAULT_PASSWORD."]}
	beside("postgres:17.6", pgadmin({"PGADMIN_DEFAULT_EMAIL": "a@example.com", "PGADMIN_DEFAULT_PASSWORD_FILE": "/p"})) == set()
}

test_what_a_program_needs if {
	photos := {"image": "ghcr.io/immich-app/immich-server:v1.143.1", "env": env({"DB_HOSTNAME": "db"})}
	beside("postgres:17.6", photos) == {["error", "Container web runs Immich, which creates the extension vchord or vector, and the image of this server has neither: it does not start. Take an image that has it."]}
	beside("ghcr.io/immich-app/postgres:17-vectorchord0.4.3", photos) == set()
	beside("pgvector/pgvector:pg17", photos) == set()
	beside("postgres:17.6", object.union(photos, {"env": env({"DB_HOSTNAME": "elsewhere"})})) == set()
	beside("postgres:17.6", object.union(photos, {"image": "shop/photos:1"})) == set()
}

chat(server_image, tag) := beside(server_image, {"image": sprintf("mattermost/mattermost-team-edition:%s", [tag]), "env": env({"MM_SQLSETTINGS_DATASOURCE": "postgres://chat:x@db:5432/chat"})})

test_oldest_server_of_a_program if {
	chat("postgres:13.22", "11.0.2") == {["error", "Container web runs Mattermost 11.0.2, which starts with PostgreSQL 14 or newer, and this is 13: it does not start. Upgrade the server first."]}
	chat("postgres:14.19", "11.0.2") == set()
	chat("postgres:13.22", "10.11.3") == set()
	chat("postgres:13.22", "latest") == set()
	beside("postgres:13.22", {"image": "mattermost/mattermost-team-edition:11.0.2", "env": env({"MM_SQLSETTINGS_DATASOURCE": "postgres://chat:x@elsewhere:5432/chat"})}) == set()
}

test_users_that_odoo_refuses if {
	said := {["error", "Deployment web has USER \"postgres\", and the entrypoint of its image takes another role, since that one is a security risk to Odoo: it aborts at once. Write the name of a role of its own."]}
	alone({"image": "odoo:17.0", "env": env({"HOST": "pg", "USER": "postgres"})}) == said
	alone({"image": "odoo:17.0", "env": env({"HOST": "pg", "USER": "odoo"})}) == set()
	count(alone({"image": "odoo:17.0", "env": env({"HOST": "pg", "POSTGRES_USER": "postgres"})})) == 1
	alone({"image": "odoo:17.0", "env": env({"HOST": "pg", "POSTGRES_USER": "postgres", "USER": "odoo"})}) == set()
	alone({"image": "odoo:17.0", "env": env({"HOST": "pg", "USER": "postgres"}), "volumeMounts": [{"name": "c", "mountPath": "/etc/odoo"}]}) == set()
}

test_poolers_that_stop if {
	alone({"image": "pgpool/pgpool:4.2", "volumeMounts": [{"name": "c", "mountPath": "/usr/local/pgpool-II/etc"}]}) == {["error", "Deployment web has no PGPOOL_PARAMS_BACKEND_HOSTNAME0, and the entrypoint of its image stops there: there is no pgpool.conf in /config either, and it ends. Set PGPOOL_PARAMS_BACKEND_HOSTNAME0."]}
	alone({"image": "pgpool/pgpool:4.2", "volumeMounts": [{"name": "c", "mountPath": "/config"}]}) == set()
	supavisor := {"SECRET_KEY_BASE": "x", "DATABASE_URL": "ecto://a:b@pg/d"}
	alone({"image": "supabase/supavisor:1.1.56", "env": env(object.union(supavisor, {"VAULT_ENC_KEY": "0123456789"}))}) == {["error", "Deployment web has VAULT_ENC_KEY of 10 characters, and the entrypoint of its image takes 32 characters: it keeps no password of a tenant. Write the output of openssl rand -hex 16."]}
	alone({"image": "supabase/supavisor:1.1.56", "env": env(object.union(supavisor, {"VAULT_ENC_KEY": "0123456789abcdef0123456789abcdef"}))}) == set()
	bouncer := {"DB_HOST": "pg", "DB_USER": "a", "DB_PASSWORD": "x", "AUTH_TYPE": "scram-sha-256"}
	alone({"image": "edoburu/pgbouncer:1.17.0", "env": env(bouncer)}) == {["error", "Deployment web has AUTH_TYPE \"scram-sha-256\", and the entrypoint of its image takes md5 or plain, as it writes MD5 sums into userlist.txt: nobody logs in. Write plain, or take 1.19 or newer."]}
	alone({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": env(bouncer)}) == set()
}

probed(probe, ports) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": json.patch(made({"image": "shop/web:1", "env": env({"DATABASE_URL": "postgres://a:b@127.0.0.1:5432/d"})}), [{"op": "add", "path": "/spec/template/spec/initContainers", "value": [{"name": "proxy", "image": "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.2", "restartPolicy": "Always", "startupProbe": probe, "ports": ports}]}])}, "inventory": {}}
}

test_ports_of_probes_of_a_proxy if {
	probed({"httpGet": {"port": "health"}}, []) == {"Container proxy has a startupProbe for port health, and no port of that name: the probe fails each time, and what waits for it does not start. Write the number, or add the name to its ports."}
	probed({"httpGet": {"port": "health"}}, [{"name": "health", "containerPort": 9090}]) == set()
	probed({"httpGet": {"port": 9090}}, []) == set()
	probed({"tcpSocket": {"port": "9090"}}, []) == set()
}

nextcloud(variables) := {"image": "nextcloud:29-apache", "env": env(variables)}

test_variables_that_count_together if {
	three := {"POSTGRES_DB": "n", "POSTGRES_USER": "n", "POSTGRES_PASSWORD": "x"}
	beside("postgres:16", nextcloud(three)) == {["error", "Deployment web has POSTGRES_DB and no POSTGRES_HOST, and Nextcloud takes PostgreSQL only with all of them: nothing is installed, and whoever opens it is offered SQLite. Set POSTGRES_HOST."]}
	beside("postgres:16", nextcloud(object.union(three, {"POSTGRES_HOST": "db"}))) == set()
	beside("postgres:16", nextcloud(object.union(object.remove(three, ["POSTGRES_PASSWORD"]), {"POSTGRES_HOST": "db", "POSTGRES_PASSWORD_FILE": "/run/p"}))) == set()
	beside("postgres:16", nextcloud({"POSTGRES_HOST": "db"})) == set()
	beside("postgres:16", object.union(nextcloud(three), {"envFrom": [{"secretRef": {"name": "hidden"}}]})) == set()
}

with_password(image, variables) := found if {
	of_server := json.patch(server("postgres:16"), [{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "p"}}}]}])
	client := {"image": image, "env": array.concat([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "p"}}}], env(variables))}
	service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as {"review": {"object": of_server}, "inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": made(client)}}, "v1": {"Service": {"db": service}}}}}}
}

test_hosts_whose_variables_do_not_say_so if {
	with_password("odoo:17.0", {"HOST": "localhost"}) == {["error", "Deployment web has the password of this server and looks for it at localhost, where its pod has none: it finds no database. Write db."]}
	count(with_password("temporalio/auto-setup:1.25.2", {"DB": "postgres12", "POSTGRES_SEEDS": "postgresql"})) == 1
	with_password("odoo:17.0", {"HOST": "db"}) == set()
	with_password("shop/web:1", {"HOST": "localhost"}) == set()
}

claim_of(more) := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, more)}

with_volume(of_pod, of_claim) := found if {
	client := made(object.union(pgadmin({"PGADMIN_DEFAULT_EMAIL": "a@example.com", "PGADMIN_DEFAULT_PASSWORD": "x"}), {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/pgadmin"}]}))
	deployed := json.patch(client, array.concat([{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}], of_pod))
	found := {[f.severity, f.message] | some f in check.findings} with input as {"review": {"object": server("postgres:16")}, "inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": deployed}}, "v1": {"PersistentVolumeClaim": {"data": claim_of(of_claim)}}}}}}
}

recreated := {"op": "add", "path": "/spec/strategy", "value": {"type": "Recreate"}}

owned := {"op": "add", "path": "/spec/template/spec/securityContext", "value": {"fsGroup": 5050}}

test_volumes_that_hold_up_an_update if {
	with_volume([owned], {}) == {["warning", "Deployment web starts its new pod while the old one holds claim data, which is for one node alone: an update hangs where the new pod lands on another (\"Multi-Attach error\"). Set spec.strategy.type to Recreate."]}
	with_volume([owned], {"accessModes": ["ReadWriteOncePod"]}) == {["error", "Deployment web starts its new pod while the old one holds claim data, which is for one pod alone: an update hangs for good. Set spec.strategy.type to Recreate."]}
	with_volume([owned, recreated], {}) == set()
	with_volume([owned, {"op": "add", "path": "/spec/strategy", "value": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}], {}) == set()
	with_volume([owned], {"accessModes": ["ReadWriteMany"]}) == set()
	with_volume([owned], {"storageClassName": "local-path"}) == set()
	with_volume([owned, {"op": "add", "path": "/spec/strategy", "value": {"type": "${STRATEGY}"}}], {}) == set()
}

test_volumes_of_users_of_their_own if {
	with_volume([recreated], {}) == {["warning", "Deployment web runs as user 5050 without fsGroup, and a new volume at /var/lib/pgadmin belongs to root unless its driver opens it to all: it does not start (\"Permission denied\"). Set fsGroup to 5050."]}
	count(with_volume([recreated, {"op": "add", "path": "/spec/template/spec/securityContext", "value": {"runAsUser": 5050}}], {})) == 1
	with_volume([recreated, {"op": "add", "path": "/spec/template/spec/securityContext", "value": {"runAsUser": 0}}], {}) == set()
	with_volume([recreated, {"op": "add", "path": "/spec/template/spec/securityContext", "value": {"fsGroup": 5050}}], {}) == set()
	with_volume([recreated, {"op": "add", "path": "/spec/template/spec/initContainers", "value": [{"name": "chown", "image": "busybox:1"}]}], {}) == set()
	with_volume([recreated], {"storageClassName": "local-path"}) == set()
	with_volume([recreated], {"volumeName": "pv-1"}) == set()
	with_volume([recreated], {"accessModes": ["ReadWriteMany"]}) == set()
}

zabbix(probes) := beside("postgres:16", object.union({"image": "zabbix/zabbix-server-pgsql:alpine-6.4.18", "env": env({"DB_SERVER_HOST": "db"})}, probes))

test_probes_that_kill_a_first_start if {
	soon := {"livenessProbe": {"tcpSocket": {"port": 10051}, "initialDelaySeconds": 15, "periodSeconds": 10, "failureThreshold": 3}}
	zabbix(soon) == {["warning", "Deployment web is killed 45 s after a start unless it listens (livenessProbe), and loads its schema before: half of it stays for good (\"users\" table is empty). Add a startupProbe (periodSeconds: 10, failureThreshold: 60)."]}
	zabbix({}) == set()
	zabbix(object.union(soon, {"startupProbe": {"tcpSocket": {"port": 10051}}})) == set()
	zabbix({"livenessProbe": {"tcpSocket": {"port": 10051}, "initialDelaySeconds": 300}}) == set()
}

linked(image, variables, of_pod, of_service) := of_service_named("superset", image, variables, of_pod, of_service)

of_service_named(name, image, variables, of_pod, of_service) := found if {
	client := json.patch(made({"image": image, "env": env(variables)}), of_pod)
	service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"}, "spec": object.union({"selector": {"app": "web"}, "ports": [{"port": 8088}]}, of_service)}
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as {"review": {"object": server("postgres:16")}, "inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": client}}, "v1": {"Service": {name: service}}}}}}
}

# n8n has said "Invalid number value" and gone on since it reads its variables otherwise (@n8n/config).
test_ports_of_some_releases if {
	of_service_named("n8n", "docker.n8n.io/n8nio/n8n:1.29.1", {}, [], {}) == {["error", "Deployment web reads N8N_PORT for its port, and Kubernetes sets it to tcp://… since there is Service n8n: it does not start. Set N8N_PORT to \"5678\", or enableServiceLinks: false in its pod."]}
	every image in ["n8nio/n8n:1.68.0", "n8nio/n8n:2.1.0", "n8nio/n8n", "n8nio/n8n:1"] {
		of_service_named("n8n", image, {}, [], {}) == set()
	}
}

test_ports_that_kubernetes_overwrites if {
	linked("apache/superset:5.0.0", {}, [], {}) == {["error", "Deployment web reads SUPERSET_PORT for its port, and Kubernetes sets it to tcp://… since there is Service superset: it does not start. Set SUPERSET_PORT to \"8088\", or enableServiceLinks: false in its pod."]}
	linked("apache/superset:5.0.0", {"SUPERSET_PORT": "8088"}, [], {}) == set()
	linked("apache/superset:5.0.0", {}, [{"op": "add", "path": "/spec/template/spec/enableServiceLinks", "value": false}], {}) == set()
	linked("apache/superset:5.0.0", {}, [], {"clusterIP": "None"}) == set()
	linked("shop/superset-like:1", {}, [], {}) == set()
}
