package walguard.checks.access.tls_expected_made_test

import data.walguard.checks.access.tls_expected as check

# A client beside a PostgresCluster, whose operator writes the host into the Secret of the user.
asking(env) := {regex.replace(f.message, ": every.*", "") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{}], "users": [{"name": "app", "databases": ["app"]}], "proxy": {"pgBouncer": {}}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": env}]}}},
		}}}}}},
	}
}

of(name, secret, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}

made(name, key) := of(name, "orders-pguser-app", key)

said(name, value) := {"name": name, "value": value}

server(asks) := {sprintf("Container app connects without TLS (%s), and the server lets nobody in without it (\"hostssl all all all scram-sha-256\")", [asks])}

pooler(asks) := {sprintf("Container app connects without TLS (%s), and PgBouncer lets nobody in without it (\"client_tls_sslmode = require\")", [asks])}

test_host_of_the_operators_secret if {
	every row in [
		[[made("H", "host"), said("DSN", "user=$(U) host=$(H) sslmode=disable")], server("sslmode=disable")],
		[[made("H", "host"), said("URL", "postgres://u:$(P)@$(H):5432/d?sslmode=disable")], server("sslmode=disable")],
		[[said("H", "orders-primary.prod.svc"), said("URL", "postgres://$(H)/d?sslmode=disable")], server("sslmode=disable")],
		[[made("U", "uri"), said("URL", "$(U)?sslmode=disable")], server("sslmode=disable")],
		[[made("U", "jdbc-uri"), said("URL", "$(U)&sslmode=disable")], server("sslmode=disable")],
		[[made("PGHOST", "host"), said("PGSSLMODE", "disable")], server("PGSSLMODE=disable")],
		[[made("DB_HOST", "host"), said("DB_SSL", "false")], server("DB_SSL=false")],
		[[made("H", "pgbouncer-host"), said("DSN", "host=$(H) sslmode=disable")], pooler("sslmode=disable")],
		[[made("U", "pgbouncer-uri"), said("URL", "$(U)?sslmode=disable")], pooler("sslmode=disable")],
		[[made("H", "host"), said("URL", "postgresql+asyncpg://u@$(H)/d?ssl=disable")], server("ssl=disable")],
		[[made("H", "host"), said("URL", "r2dbc:pool:postgresql://u@$(H)/d?sslMode=disable")], server("sslMode=disable")],
		[[made("H", "host"), said("C", "Host=$(H);Database=d;SSL Mode=Disable")], server("SSL Mode=disable")],
	] {
		asking(row[0]) == row[1]
	}
}

test_a_host_that_is_another_ones if {
	every env in [
		[made("H", "host"), said("DSN", "host=$(H) sslmode=require")],
		[of("H", "other-pguser-app", "host"), said("DSN", "host=$(H) sslmode=disable")],
		[made("H", "dbname"), said("DSN", "host=$(H) sslmode=disable")],
		[made("H", "host"), said("DSN", "host=$(X) sslmode=disable")],
		[made("H", "host"), said("C", "Host=$(H);SSL Mode=Require")],
	] {
		asking(env) == set()
	}
}

test_program_whose_default_is_plain if {
	asking([made("DB_POSTGRESDB_HOST", "host")]) == {"Container app connects without TLS, the default of n8n, and the server lets nobody in without it (\"hostssl all all all scram-sha-256\")"}
	asking([of("DB_POSTGRESDB_HOST", "other", "host")]) == set()
}
