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
