package walguard.checks.access.tls_expected_clients_test

import data.walguard.checks.access.tls_expected as check

deployed(name, pod) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"}, "spec": {"template": {"spec": pod}}}

grafana(host, secret, more) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": deployed("grafana", {"containers": [{
			"name": "grafana",
			"image": "grafana/grafana:12.2.0",
			"env": array.concat(
				[{"name": name, "value": value} | some name, value in object.union({"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": host}, more)],
				[{"name": "GF_DATABASE_PASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}],
			),
		}]})},
		"inventory": {},
	}
}

of_role := "grafana.grafana-pg.credentials.postgresql.acid.zalan.do"

test_secrets_of_zalandos_operator if {
	every host in ["grafana-pg", "grafana-pg.shop.svc.cluster.local:5432", "grafana-pg-pooler.shop"] {
		grafana(host, of_role, {"GF_DATABASE_SSL_MODE": "disable"}) == {["warning", "Container grafana connects without TLS (GF_DATABASE_SSL_MODE=disable), and Zalando's operator lets nobody in without it unless its pg_hba says otherwise: every connection is refused. Write require instead of disable."]}
	}
	grafana("grafana-pg", of_role, {}) == {["warning", "Container grafana connects without TLS, the default of Grafana, and Zalando's operator lets nobody in without it unless its pg_hba says otherwise: every connection is refused. Set GF_DATABASE_SSL_MODE to require."]}
	grafana("grafana-pg", of_role, {"GF_DATABASE_SSL_MODE": "require"}) == set()
	grafana("other", of_role, {"GF_DATABASE_SSL_MODE": "disable"}) == set()
	grafana("grafana-pg", "grafana", {"GF_DATABASE_SSL_MODE": "disable"}) == set()
}

# A file of addresses beside a server.
exporter(image, file, server) := {[f.message, f.path, f.resource.kind] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6"}, server)]}}},
		}},
		"inventory": {"namespace": {"shop": {
			"v1": {
				"Secret": {"sql": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "sql", "namespace": "shop"}, "stringData": {"sql_exporter.yml": file}}},
				"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}},
			},
			"apps/v1": {"Deployment": {"sql": deployed("sql", {"containers": [{"name": "sql", "image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/sql"}]}], "volumes": [{"name": "c", "secret": {"secretName": "sql"}}]})}},
		}}},
	}
}

sql_exporter := "burningalchemist/sql_exporter:0.14.3"

target(address) := sprintf("target:\n  data_source_name: '%s'\n", [address])

test_addresses_in_a_file if {
	exporter(sql_exporter, target("postgres://a:b@db:5432/app"), {}) == {["Container sql insists on TLS (no sslmode, which to this exporter means require), and the server has ssl=off: every connection fails. Write sslmode=disable there, or give the server a certificate.", ["stringData", "sql_exporter.yml"], "Secret"]}
	exporter(sql_exporter, target("postgres://a:b@db:5432/app?sslmode=disable"), {}) == set()
	exporter(sql_exporter, target("postgres://a:b@elsewhere:5432/app"), {}) == set()
	exporter("shop/sql_exporter:1", target("postgres://a:b@db:5432/app"), {}) == set()
	exporter(sql_exporter, target("postgres://a:b@db:5432/app"), {"args": ["-c", "ssl=on", "-c", "ssl_cert_file=/tls/tls.crt"]}) == set()
}

migrating(image, container, server) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6"}, server)]}}},
		}},
		"inventory": {"namespace": {"shop": {"batch/v1": {"Job": {"up": {
			"apiVersion": "batch/v1",
			"kind": "Job",
			"metadata": {"name": "up", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [object.union({"name": "up", "image": image}, container)]}}},
		}}}}}},
	}
}

test_migrations_of_go if {
	migrate := "migrate/migrate:v4.18.3"
	called := {"args": ["-path=/m", "-database=postgres://a:b@db.shop.svc:5432/app", "up"]}
	told := {["error", "Container up insists on TLS (no sslmode, which to golang-migrate means require), and the server has ssl=off: every connection fails. Write sslmode=disable there, or give the server a certificate."]}
	migrating(migrate, called, {}) == told
	migrating(migrate, {"args": ["-database", "postgres://a:b@db:5432/app", "up"]}, {}) == told
	count(migrating("ghcr.io/amacneil/dbmate:2.28", {"env": [{"name": "DATABASE_URL", "value": "postgres://a:$(P)@db:5432/app"}]}, {})) == 1
	every row in [
		["shop/migrate:1", called, {}],
		[migrate, object.union(called, {"env": [{"name": "PGSSLMODE", "value": "disable"}]}), {}],
		[migrate, object.union(called, {"envFrom": [{"secretRef": {"name": "x"}}]}), {}],
		[migrate, {"args": ["-database=postgres://a:b@db/app?sslmode=disable"]}, {}],
		[migrate, {"args": ["-database=pgx5://a:b@db/app"]}, {}],
		[migrate, {"args": ["-database=postgres://a:b@elsewhere/app"]}, {}],
		[migrate, called, {"args": ["-c", "ssl=on", "-c", "ssl_cert_file=/tls/tls.crt"]}],
	] {
		migrating(row[0], row[1], row[2]) == set()
	}
}
