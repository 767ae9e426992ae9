package walguard.checks.access.pooler_login_startup_test

import data.walguard.checks.access.pooler_login as check

deployed(name, container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": {"enableServiceLinks": false, "containers": [object.union({"name": name}, container)]}}},
}

exporter(tag) := {"image": sprintf("quay.io/prometheuscommunity/pgbouncer-exporter:%s", [tag]), "env": [{"name": "PGBOUNCER_EXPORTER_CONNECTION_STRING", "value": "postgres://app:x@pool.prod.svc:6432/pgbouncer?sslmode=disable"}]}

# A pooler by variables and an exporter of its own, before a server that is elsewhere.
said(pooler, of_exporter, maps) := {[f.severity, f.message] | some f in found} if {
	found := {object.union({"severity": "by default"}, f) | some f in check.findings; contains(f.message, "startup")} with input as {
		"review": {"object": deployed("pool", pooler)},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": maps,
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {"pool": deployed("pool", pooler), "exporter": deployed("exporter", of_exporter)}},
		}}},
	}
}

variables(more) := [{"name": name, "value": value} | some name, value in object.union({"POSTGRESQL_HOST": "pg.example.com", "POSTGRESQL_PASSWORD": "x"}, more)]

bitnami(tag, more) := {"image": sprintf("bitnamilegacy/pgbouncer:%s", [tag]), "env": variables(more)}

# prometheus-community/pgbouncer_exporter 99, by its argument.
test_argument_of_the_exporter if {
	by_argument := {"image": "prometheuscommunity/pgbouncer-exporter:v0.9.0", "args": ["--pgBouncer.connectionString=postgres://app:x@pool:6432/pgbouncer?sslmode=disable"]}
	said(bitnami("1.18.0", {}), by_argument, {}) == refused
	said(bitnami("1.18.0", {}), object.union(by_argument, {"args": ["--pgBouncer.connectionString=postgres://app:x@elsewhere:6432/pgbouncer"]}), {}) == set()
	said(bitnami("1.18.0", {}), object.union(by_argument, {"image": "shop/web:1"}), {}) == set()
}

refused := {["error", "PgBouncer refuses Deployment exporter with \"unsupported startup parameter: extra_float_digits\", which its driver always sends. Set PGBOUNCER_IGNORE_STARTUP_PARAMETERS to extra_float_digits."]}

# Its host has the port behind it.
test_gitea if {
	gitea := {"image": "gitea/gitea:1.24.6-rootless", "env": [{"name": "GITEA__database__HOST", "value": "pool.prod.svc:6432"}]}
	said(bitnami("1.18.0", {}), gitea, {}) == refused
	said(bitnami("1.18.0", {"PGBOUNCER_IGNORE_STARTUP_PARAMETERS": "extra_float_digits"}), gitea, {}) == set()
	said(bitnami("1.18.0", {}), object.union(gitea, {"image": "gitea/gitea:nightly"}), {}) == set()
	said(bitnami("1.18.0", {}), object.union(gitea, {"env": [{"name": "GITEA__database__HOST", "value": "elsewhere:6432"}]}), {}) == set()
}

test_what_the_image_passes_over if {
	said(bitnami("1.18.0-debian-11-r62", {}), exporter("v0.5.1"), {}) == refused
	said(bitnami("1.18.0", {"PGBOUNCER_IGNORE_STARTUP_PARAMETERS": "extra_float_digits"}), exporter("v0.5.1"), {}) == set()
	said(bitnami("1.24.1", {}), exporter("v0.5.1"), {}) == set()
	said(bitnami("1.24.1", {"PGBOUNCER_IGNORE_STARTUP_PARAMETERS": "options"}), exporter("v0.11.0"), {}) == refused
	said({"image": "edoburu/pgbouncer:1.18.0", "env": [{"name": "DB_HOST", "value": "pg.example.com"}]}, exporter("v0.5.1"), {}) == set()
	said(bitnami("1.18.0", {}), {"image": "shop/web:1", "env": exporter("v0.5.1").env}, {}) == set()
}

# Newer ones may have another driver.
test_releases_of_the_exporter if {
	every tag in ["v0.12.0", "latest", "main"] {
		{row[0] | some row in said(bitnami("1.18.0", {}), exporter(tag), {})} == {"by default"}
	}
}

from_map := {"image": "bitnamilegacy/pgbouncer:1.18.0", "env": [{"name": "POSTGRESQL_PASSWORD", "value": "x"}], "envFrom": [{"configMapRef": {"name": "pool"}}]}

settings(more) := {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": object.union({"POSTGRESQL_HOST": "pg.example.com"}, more)}}

test_variables_of_a_map if {
	said(from_map, exporter("v0.5.1"), settings({})) == refused
	said(from_map, exporter("v0.5.1"), settings({"PGBOUNCER_IGNORE_STARTUP_PARAMETERS": "extra_float_digits"})) == set()
	said(from_map, exporter("v0.5.1"), {}) == set()
}
