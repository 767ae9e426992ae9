package walguard.checks.access.tls_expected_test

import data.walguard.checks.access.tls_expected as check

server(fields, beside) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"serviceName": "orders", "template": {"spec": {"containers": array.concat([object.union({"name": "postgres", "image": "postgres:17.6"}, fields)], beside)}}},
}

findings(fields, beside) := found if {
	found := check.findings with input as {"review": {"object": server(fields, beside)}}
}

exporter(variables) := {"name": "exporter", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.19.1", "env": [{"name": name, "value": value} | some name, value in variables]}

test_exporter if {
	findings({}, [exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@localhost:5432/postgres"})]) == {{
		"message": "Container exporter insists on TLS (no sslmode, which to this exporter means require), and the server has ssl=off: every connection fails. Write sslmode=disable there, or give the server a certificate.",
		"path": ["spec", "template", "spec", "containers", 1, "env", 0, "value"],
	}}
	count(findings({"args": ["-c", "ssl=off"]}, [exporter({"DATA_SOURCE_URI": "localhost:5432/postgres"})])) == 1
}

test_not_reported if {
	findings({}, [exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@localhost:5432/postgres?sslmode=disable"})]) == set()
	findings({"args": ["-c", "ssl=on", "-c", "ssl_cert_file=/tls/tls.crt"]}, [exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@localhost/postgres"})]) == set()
	findings({}, [exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@elsewhere:5432/postgres"})]) == set()
	findings({}, [{"name": "app", "image": "corp/app:1", "env": [{"name": "DATABASE_URL", "value": "postgresql://a:b@localhost/app"}]}]) == set()
}

# Bitnami's image may switch it on by a variable.
test_variable_of_the_image if {
	asks := exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@localhost:5432/postgres"})
	bitnami := {"image": "docker.io/bitnami/postgresql:17.6.0"}
	count(findings(bitnami, [asks])) == 1
	findings(object.union(bitnami, {"env": [{"name": "POSTGRESQL_ENABLE_TLS", "value": "yes"}]}), [asks]) == set()
	findings(object.union(bitnami, {"env": [{"name": "POSTGRESQL_ENABLE_TLS", "value": "${TLS}"}]}), [asks]) == set()
}

clients(variables) := found if {
	found := check.findings with input as {
		"review": {"object": server({}, [])},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "corp/web:1", "env": [{"name": name, "value": value} | some name, value in variables]}]}}},
		}}}}}},
	}
}

test_client_elsewhere if {
	{f.resource.name | some f in clients({"DATABASE_URL": "postgres://shop:x@orders.prod.svc.cluster.local:5432/shop?sslmode=require"})} == {"web"}
	count(clients({"PGSSLMODE": "verify-full", "PGHOST": "orders"})) == 1
	clients({"DATABASE_URL": "postgres://shop:x@orders/shop?sslmode=prefer"}) == set()
	clients({"DATABASE_URL": "postgres://shop:x@others/shop?sslmode=require"}) == set()
	clients({"DATABASE_URL": "postgres://shop:x@orders.example.com/shop?sslmode=require"}) == set()
	clients({"DATABASE_URL": "postgres://shop:x@orders.test.svc/shop?sslmode=require"}) == set()
	clients({"PGSSLMODE": "require", "PGHOST": "others"}) == set()
}

# A configuration, an image or a command that nobody has read may switch TLS on.
test_silent_when_unknown if {
	beside := [exporter({"DATA_SOURCE_NAME": "postgresql://postgres:x@localhost:5432/postgres"})]
	findings({"image": "corp/postgres:17"}, beside) == set()
	findings({"command": ["/start.sh"]}, beside) == set()
	findings({"args": ["-c", "config_file=/etc/postgresql/postgresql.conf"]}, beside) == set()
}
