package walguard.operators.workload_strays_test

import data.walguard.checks.access.client_mismatch

password := {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

server(namespace, beside) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": object.union({"name": "db"}, namespace),
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": array.concat(
			[{"name": "postgres", "image": "postgres:17.6", "env": [object.union(password, {"name": "POSTGRES_PASSWORD"})]}],
			beside,
		)}},
	},
}

service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}

client(image, env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": image, "env": env}]}}}}

seen(made, others) := {f |
	some f in client_mismatch.findings with input as {
		"review": {"object": server({"namespace": "shop"}, [])},
		"inventory": {"namespace": object.union(others, {"shop": {"v1": {"Service": {"db": service}}, "apps/v1": {"Deployment": {"web": made}}}})},
	}
}

asking(variable, value) := {f.message | some f in seen(client("web:1", [{"name": variable, "value": value}, password]), {})}

elsewhere := "Deployment web has the password of this server and looks for it at db.default.svc.cluster.local, in another namespace than this one (shop): it finds no database. Write db.shop.svc."

test_another_namespace if {
	asking("KONG_PG_HOST", "db.default.svc.cluster.local") == {elsewhere}
	{f.message | some f in seen(client("web:1", [{"name": "KONG_DATABASE", "value": "db"}, {"name": "KONG_PG_HOST", "value": "db.default.svc.cluster.local"}, password]), {})} == {elsewhere}
	asking("DATABASE_URL", "postgres://app@db.default.svc.cluster.local:5432/app") == {elsewhere}
	{f.path | some f in seen(client("web:1", [{"name": "DB_HOST", "value": "db.other.svc"}, password]), {})} == {["spec", "template", "spec", "containers", 0, "env", 0]}
}

test_leads_here_or_is_not_known if {
	asking("DB_HOST", "db.shop.svc.cluster.local") == set()
	asking("DB_HOST", "db.example.com") == set()
	asking("DB_HOST", "pg.other.svc") == set()
	asking("GREETING", "db.other.svc") == set()
	seen(client("web:1", [{"name": "DB_HOST", "value": "db"}, {"name": "REPORT_DB_HOST", "value": "db.other.svc"}, password]), {}) == set()
	seen(client("web:1", [{"name": "DB_HOST", "value": "db.other.svc"}, {"name": "URL", "value": "postgres://db/app"}, password]), {}) == set()
	seen(client("web:1", [{"name": "DB_HOST", "value": "db.other.svc"}, object.union(password, {"valueFrom": {"secretKeyRef": {"name": "other", "key": "password"}}})]), {}) == set()
	seen(client("web:1", [{"name": "DB_HOST", "value": "db.other.svc"}, password]), {"other": {"v1": {"Service": {"db": service}}}}) == set()
}

# What kubectl -n or Kustomize says later.
test_namespace_that_is_not_written if {
	every metadata in [{}, {"namespace": "${NAMESPACE}"}] {
		name := object.get(metadata, "namespace", "default")
		client_mismatch.findings == set() with input as {
			"review": {"object": server(metadata, [])},
			"inventory": {"namespace": {name: {"v1": {"Service": {"db": service}}, "apps/v1": {"Deployment": {"web": client("web:1", [{"name": "DB_HOST", "value": "db.other.svc"}, password])}}}}},
		}
	}
}

exporter := "quay.io/prometheuscommunity/postgres-exporter:v0.17.1"

uri(value) := {"name": "DATA_SOURCE_URI", "value": value}

test_exporter_without_a_user if {
	seen(client(exporter, [uri("db:5432/shop?sslmode=disable")]), {}) == {{
		"message": "Container web has no user to log in as (DATA_SOURCE_USER is not set): there are no metrics. Set DATA_SOURCE_USER.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
		"severity": "error",
	}}
	beside := {"name": "metrics", "image": exporter, "env": [uri("127.0.0.1:5432/postgres?sslmode=disable")]}
	{f.path | some f in client_mismatch.findings} == {["spec", "template", "spec", "containers", 1, "env", 0, "value"]} with input as {"review": {"object": server({"namespace": "shop"}, [beside])}}
}

test_exporter_with_a_user if {
	every more in [[{"name": "DATA_SOURCE_USER", "value": "app"}], [{"name": "DATA_SOURCE_USER_FILE", "value": "/run/user"}], [{"name": "PGUSER", "value": "app"}], [{"name": "DATA_SOURCE_NAME", "value": "postgresql://app@db/shop"}]] {
		seen(client(exporter, array.concat([uri("db:5432/shop?sslmode=disable")], more)), {}) == set()
	}
	every value in ["app:x@db:5432/shop?sslmode=disable", "db:5432/shop?sslmode=disable&user=app", "pg.example.com:5432/shop?sslmode=disable", "db:5432/a?sslmode=disable,db:5432/b?sslmode=disable"] {
		seen(client(exporter, [uri(value)]), {}) == set()
	}
	seen(client("registry.example.com/metrics:1", [uri("db:5432/shop?sslmode=disable")]), {}) == set()
	from := json.patch(client(exporter, [uri("db:5432/shop?sslmode=disable")]), [{"op": "add", "path": "/spec/template/spec/containers/0/envFrom", "value": [{"secretRef": {"name": "exporter"}}]}])
	seen(from, {}) == set()
}
