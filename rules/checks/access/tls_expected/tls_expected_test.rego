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
		"severity": "error",
		"path": ["spec", "template", "spec", "containers", 1, "env", 0, "value"],
	}}
	count(findings({"args": ["-c", "ssl=off"]}, [exporter({"DATA_SOURCE_URI": "localhost:5432/postgres"})])) == 1
}

wiki(image, env) := findings({}, [{"name": "wiki", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}])

# It encrypts unless it is told not to.
test_program_that_encrypts if {
	address := "postgres://wiki:x@localhost:5432/wiki"
	{f.message | some f in wiki("outlinewiki/outline:0.87.4", {"DATABASE_URL": address})} == {"Container wiki insists on TLS (no PGSSLMODE=disable, without which Outline means TLS), and the server has ssl=off: every connection fails. Set PGSSLMODE to disable there, or give the server a certificate."}
	every row in [
		["outlinewiki/outline:0.87.4", {"DATABASE_URL": address, "PGSSLMODE": "disable"}],
		["outlinewiki/outline:0.87.4", {"DATABASE_URL": address, "NODE_ENV": "development"}],
		["outlinewiki/outline:0.87.4", {"DATABASE_URL": concat("", [address, "?sslmode=disable"])}],
		["outlinewiki/outline:0.87.4", {"DATABASE_URL": "postgres://wiki:x@elsewhere:5432/wiki"}],
		["outlinewiki/outline:0.87.4", {"REDIS_URL": "redis://localhost:6379"}],
		["corp/outline:0.87.4", {"DATABASE_URL": address}],
	] {
		wiki(row[0], row[1]) == set()
	}
	findings({}, [{"name": "wiki", "image": "outlinewiki/outline:0.87.4", "envFrom": [{"secretRef": {"name": "wiki"}}], "env": [{"name": "DATABASE_URL", "value": address}]}]) == set()
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

kinds := {
	"zalando": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql"},
	"crunchy": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"},
	"cnpg": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"},
}

beside(kind, spec, env) := {regex.replace(f.message, ": every.*", "") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": object.union(kinds[kind], {"metadata": {"name": "orders", "namespace": "prod"}, "spec": spec})},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": name, "value": value} | some name, value in env]}]}}},
		}}}}}},
	}
}

without(asks, line) := {sprintf("Container app connects without TLS (%s), and the server lets nobody in without it (\"%s\")", [asks, line])}

spilo := "hostnossl all all all reject"

test_client_without_tls if {
	beside("zalando", {"numberOfInstances": 2}, {"URL": "postgres://u:$(P)@orders.prod.svc:5432/d?sslmode=disable"}) == without("sslmode=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"DSN": "host=orders-repl user=u sslmode=disable"}) == without("sslmode=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"PGHOST": "orders", "PGSSLMODE": "disable"}) == without("PGSSLMODE=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"DB_HOST": "orders:5432", "DB_SSL_MODE": "disable"}) == without("DB_SSL_MODE=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"PG_HOST": "orders.prod.svc.cluster.local", "PG_SSL": "false"}) == without("PG_SSL=false", spilo)
	beside("zalando", {"patroni": {"pg_hba": ["local all all trust", "host all all 127.0.0.1/32 md5", "hostnossl all all all reject", "hostssl all all all md5"]}}, {"PGHOST": "orders", "PGSSLMODE": "disable"}) == without("PGSSLMODE=disable", spilo)
	beside("crunchy", {"postgresVersion": 17, "instances": [{}]}, {"URL": "jdbc:postgresql://orders-primary/d?user=u&sslmode=disable"}) == without("sslmode=disable", "hostssl all all all scram-sha-256")
}

# postgres_exporter's address without scheme.
test_exporter_without_tls if {
	beside("zalando", {"numberOfInstances": 2}, {"DATA_SOURCE_URI": "orders.prod.svc:5432/postgres?sslmode=disable"}) == without("sslmode=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"DATA_SOURCE_NAME": "postgresql://u:p@orders:5432/postgres?sslmode=disable"}) == without("sslmode=disable", spilo)
	beside("zalando", {"numberOfInstances": 2}, {"DATA_SOURCE_URI": "orders.prod.svc:5432/postgres?sslmode=require"}) == set()
	beside("zalando", {"numberOfInstances": 2}, {"DATA_SOURCE_URI": "orders.other.svc:5432/postgres?sslmode=disable"}) == set()
}

# A pooler, another server, lines of one's own, and what Spilo or CloudNativePG lets in.
test_client_that_may if {
	beside("zalando", {"numberOfInstances": 2}, {"URL": "postgres://u:p@orders-pooler/d?sslmode=disable"}) == set()
	beside("zalando", {"numberOfInstances": 2}, {"URL": "postgres://u:p@orders.other/d?sslmode=disable"}) == set()
	beside("zalando", {"numberOfInstances": 2}, {"URL": "postgres://u:p@orders/d?sslmode=prefer"}) == set()
	beside("zalando", {"numberOfInstances": 2}, {"PG_HOST": "another", "PG_SSL": "false"}) == set()
	beside("zalando", {"numberOfInstances": 2}, {"PG_HOST": "orders", "PG_SSL": "true", "HTTP_SSL": "false"}) == set()
	beside("zalando", {"patroni": {"pg_hba": ["local all all trust", "host shop all all md5", "hostnossl all all all reject"]}}, {"PGHOST": "orders", "PGSSLMODE": "disable"}) == set()
	beside("zalando", {"patroni": {"pg_hba": ["local all all trust", "host all all all md5"]}}, {"URL": "postgres://u:p@orders/d?sslmode=disable"}) == set()
	beside("zalando", {"env": [{"name": "ALLOW_NOSSL", "value": "true"}]}, {"URL": "postgres://u:p@orders/d?sslmode=disable"}) == set()
	beside("zalando", {"envFrom": [{"configMapRef": {"name": "e"}}]}, {"URL": "postgres://u:p@orders/d?sslmode=disable"}) == set()
	beside("crunchy", {"authentication": {"rules": [{"connection": "host", "method": "md5"}]}}, {"URL": "postgres://u:p@orders-primary/d?sslmode=disable"}) == set()
	beside("cnpg", {"instances": 3}, {"URL": "postgres://u:p@orders-rw/d?sslmode=disable"}) == set()
}

test_client_with_a_certificate_alone if {
	count(beside("cnpg", {"instances": 3}, {"DSN": "sslkey=/k sslcert=/c host=orders-rw.prod.svc dbname=app user=app sslmode=verify-full"})) == 1
	count(beside("cnpg", {"postgresql": {"pg_hba": ["host app app 10.0.0.0/8 scram-sha-256"]}}, {"DSN": "sslcert=/c host=orders-rw user=app"})) == 1
	count(beside("crunchy", {"instances": [{}]}, {"URL": "postgresql://app@orders-primary/d?sslcert=/c"})) == 1
}

test_client_with_a_certificate_that_may if {
	beside("cnpg", {"postgresql": {"pg_hba": ["hostssl app app all cert"]}}, {"DSN": "sslcert=/c host=orders-rw user=app"}) == set()
	beside("cnpg", {"postgresql": {"pg_hba": ["${LINE}"]}}, {"DSN": "sslcert=/c host=orders-rw user=app"}) == set()
	beside("cnpg", {"instances": 3}, {"DSN": "sslcert=/c host=orders-rw user=app password=x"}) == set()
	beside("cnpg", {"instances": 3}, {"URL": "postgres://app:$(P)@orders-rw/d?sslcert=/c"}) == set()
	beside("cnpg", {"instances": 3}, {"PGPASSWORD": "x", "DSN": "sslcert=/c host=orders-rw user=app"}) == set()
	beside("cnpg", {"instances": 3}, {"DSN": "sslcert=/c host=orders-rw user=streaming_replica"}) == set()
	beside("cnpg", {"instances": 3}, {"DSN": "sslcert=/c host=elsewhere user=app"}) == set()
}

# A replica cluster of CloudNativePG, with the cluster that it follows and what makes that one's certificate.
copied(parameters, external, names) := {[f.message, f.severity] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "copy", "namespace": "dr"}, "spec": {
			"bootstrap": {"pg_basebackup": {"source": "a"}},
			"externalClusters": [object.union({"name": "a", "connectionParameters": parameters, "sslRootCert": {"name": "ca", "key": "ca.crt"}}, external)],
		}}},
		"inventory": {"namespace": {"prod": {
			"postgresql.cnpg.io/v1": {"Cluster": {"orders": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"certificates": {"serverTLSSecret": "tls"}}}}},
			"cert-manager.io/v1": {"Certificate": {"c": {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"secretName": "tls", "dnsNames": names}}}},
		}}},
	}
}

test_host_that_is_not_in_the_certificate if {
	full := {"host": "orders-rw.prod.svc.cluster.local", "sslmode": "verify-full"}
	copied(full, {}, ["orders-rw", "orders-rw.prod.svc"]) == {["The certificate of orders has no name orders-rw.prod.svc.cluster.local (Certificate prod/c), and sslmode=verify-full refuses any other: this cluster cannot be copied from there. Add it to dnsNames of the Certificate.", "error"]}
	copied(full, {}, ["orders-rw.prod.svc.cluster.local"]) == set()
	copied(full, {}, ["*.prod.svc.cluster.local"]) == set()
	copied(full, {}, []) == set()
	copied({"host": "orders-rw.prod.svc.cluster.local", "sslmode": "verify-ca"}, {}, ["orders-rw"]) == set()
	copied({"host": "orders-rw.elsewhere.svc", "sslmode": "verify-full"}, {}, ["orders-rw"]) == set()
	copied({"host": "${HOST}", "sslmode": "verify-full"}, {}, ["orders-rw"]) == set()
}

test_authority_that_is_not_named if {
	copied({"host": "db.example.com", "sslmode": "verify-ca"}, {"sslRootCert": null}, []) == {["sslmode=verify-ca asks for the certificate of an authority, and sslRootCert is not set: \"root certificate file does not exist\": this cluster cannot be copied from there. Name the Secret that has it in sslRootCert.", "error"]}
	copied({"host": "db.example.com", "sslmode": "require"}, {"sslRootCert": null}, []) == set()
	copied({"host": "db.example.com", "sslmode": "verify-ca", "sslrootcert": "system"}, {"sslRootCert": null}, []) == set()
}

# ------------------------------------------------------------------------------------------------- never renewed

named_secrets(certificates, objects) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"instances": 3, "certificates": certificates}}},
		"inventory": {"namespace": {"prod": objects}},
	}
}

test_operators_own_secrets_named if {
	message := {"spec.certificates names db-ca and db-server, which the operator creates itself: named there they count as the user's, and nobody renews them; they expire after 90 days. Remove spec.certificates, or name Secrets of your own."}
	of_server := {"serverCASecret": "db-ca", "serverTLSSecret": "db-server"}
	named_secrets(of_server, {}) == message
	named_secrets(of_server, {"v1": {"Secret": {"db-ca": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db-ca", "namespace": "prod", "ownerReferences": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "name": "db"}]}}}}}) == message
	count(named_secrets({"clientCASecret": "db-ca", "replicationTLSSecret": "db-replication"}, {})) == 1
	named_secrets(of_server, {"v1": {"Secret": {"db-ca": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db-ca", "namespace": "prod"}}}}}) == set()
	named_secrets(of_server, {"cert-manager.io/v1": {"Certificate": {"db": {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"secretName": "db-server"}}}}}) == set()
	every certificates in [
		{},
		{"serverAltDNSNames": ["db.example.com"]},
		{"serverCASecret": "db-ca"},
		{"serverCASecret": "corp-ca", "serverTLSSecret": "db-server"},
		{"serverCASecret": "db-ca", "serverTLSSecret": "db-tls"},
		{"serverCASecret": "db-ca", "replicationTLSSecret": "db-replication"},
	] {
		named_secrets(certificates, {}) == set()
	}
}

# A server with a pg_hba.conf of its own, and PgBouncer before it.
pooled(lines, ini, pooler) := found if {
	reviewed := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "orders", "template": {"spec": {
			"containers": [{
				"name": "postgres",
				"image": "postgres:17.6",
				"args": ["-c", "hba_file=/etc/postgresql/pg_hba.conf", "-c", "ssl=on"],
				"volumeMounts": [{"name": "hba", "mountPath": "/etc/postgresql"}],
			}],
			"volumes": [{"name": "hba", "configMap": {"name": "hba"}}],
		}}},
	}
	all_of := check.findings with input as {"review": {"object": reviewed}, "inventory": {"namespace": {"prod": {
		"v1": {
			"ConfigMap": {
				"hba": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hba", "namespace": "prod"}, "data": {"pg_hba.conf": lines}},
				"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": ini}},
			},
			"Secret": {"pool": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pool", "namespace": "prod"}, "stringData": {"pgbouncer.ini": ini}}},
		},
		"apps/v1": {"Deployment": {"pool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [object.union({"name": "pgbouncer", "image": "edoburu/pgbouncer:1.18.0"}, pooler)],
				"volumes": [{"name": "ini", "configMap": {"name": "pool"}}, {"name": "secret", "secret": {"secretName": "pool"}}],
			}}},
		}}},
	}}}}
	found := {[f.message, f.path, f.resource.kind, f.severity] | some f in all_of; contains(f.message, "Deployment pool")}
}

by_file := {"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}

only_tls := "local all all peer\nhost all all 127.0.0.1/32 scram-sha-256\nhostssl all all 0.0.0.0/0 scram-sha-256\n"

plain_ini := "[databases]\n* = host=orders port=5432\n[pgbouncer]\nauth_type = scram-sha-256\n"

test_pooler_without_tls if {
	pooled(only_tls, plain_ini, by_file) == {[
		"Deployment pool connects without TLS (no server_tls_sslmode, which before PgBouncer 1.20 means disable), and the server lets nobody in without it (\"hostssl all all 0.0.0.0/0 scram-sha-256\"): all logins through it fail. Set server_tls_sslmode to require.",
		["data", "pgbouncer.ini"],
		"ConfigMap",
		"error",
	]}
	count(pooled(only_tls, sprintf("%sserver_tls_sslmode = disable\n", [plain_ini]), object.union(by_file, {"image": "edoburu/pgbouncer:v1.25.1-p0"}))) == 1
	every rest in ["hostnossl all all all reject\nhost all all all scram-sha-256\n", "hostssl all all all cert\nhost all all all reject\n"] {
		count(pooled(rest, plain_ini, by_file)) == 1
	}
	{[path, kind] | some [_, path, kind, _] in pooled(only_tls, "", {"env": [{"name": "DB_HOST", "value": "orders"}]})} == {[["spec", "template", "spec", "containers", 0, "env"], "Deployment"]}
	{[path, kind] | some [_, path, kind, _] in pooled(only_tls, plain_ini, {"volumeMounts": [{"name": "secret", "mountPath": "/etc/pgbouncer"}]})} == {[["stringData", "pgbouncer.ini"], "Secret"]}
	count(pooled(only_tls, "", {"env": [{"name": "DATABASE_URL", "value": "postgres://app:x@orders:5432/app"}]})) == 1
	{path | some [_, path, _, _] in pooled(only_tls, "", {"image": "bitnami/pgbouncer:1.25.0", "env": [{"name": "POSTGRESQL_HOST", "value": "orders"}, {"name": "PGBOUNCER_SERVER_TLS_SSLMODE", "value": "disable"}]})} == {["spec", "template", "spec", "containers", 0, "env", 1, "value"]}
}

test_pooler_that_may if {
	every mode in ["prefer", "require", "verify-full", "allow"] {
		pooled(only_tls, sprintf("%sserver_tls_sslmode = %s\n", [plain_ini, mode]), by_file) == set()
	}
	every image in ["edoburu/pgbouncer:v1.20.1-p0", "edoburu/pgbouncer:v1.24.1-p1", "edoburu/pgbouncer:latest", "edoburu/pgbouncer", "edoburu/pgbouncer:2.1.0"] {
		pooled(only_tls, plain_ini, object.union(by_file, {"image": image})) == set()
	}
	pooled(only_tls, replace(plain_ini, "orders", "elsewhere"), by_file) == set()
	pooled(only_tls, sprintf("%%include /etc/more.ini\n%s", [plain_ini]), by_file) == set()
	every lines in [
		"host all all all scram-sha-256\n",
		"hostssl all all all scram-sha-256\nhost app app 10.0.0.0/8 scram-sha-256\n",
		"hostnossl app all all reject\nhost all all all scram-sha-256\n",
		"hostssl all all all scram-sha-256\ninclude more.conf\n",
		"local all all peer\n",
	] {
		pooled(lines, plain_ini, by_file) == set()
	}
	pooled(only_tls, "", {"env": [{"name": "DB_HOST", "value": "orders"}, {"name": "SERVER_TLS_SSLMODE", "value": "require"}]}) == set()
	pooled(only_tls, "", {"env": [{"name": "DB_HOST", "value": "orders"}], "envFrom": [{"secretRef": {"name": "more"}}]}) == set()
	pooled(only_tls, "", {"image": "bitnami/pgbouncer:1.18.0", "env": [{"name": "POSTGRESQL_HOST", "value": "orders"}]}) == set()
}

by_default(env) := beside("zalando", {"numberOfInstances": 2}, env)

# Programs that go without TLS unless a variable asks for it.
test_client_whose_default_is_plain if {
	by_default({"SQL_PLUGIN": "postgres12", "SQL_HOST": "orders.prod.svc.cluster.local", "SQL_USER": "temporal"}) == {"Container app connects without TLS, the default of Temporal's SQL tool, and the server lets nobody in without it (\"hostnossl all all all reject\")"}
	count(by_default({"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": "orders:5432"})) == 1
	count(by_default({"DB_POSTGRESDB_HOST": "orders"})) == 1
	every env in [
		{"SQL_PLUGIN": "postgres12", "SQL_HOST": "orders", "SQL_TLS": "true"},
		{"SQL_PLUGIN": "mysql8", "SQL_HOST": "orders"},
		{"GF_DATABASE_HOST": "orders:5432"},
		{"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": "orders:5432", "GF_DATABASE_SSL_MODE": "require"},
		{"DB_POSTGRESDB_HOST": "elsewhere"},
		{"DB_POSTGRESDB_HOST": "orders", "PGSSLMODE": "require"},
	] {
		by_default(env) == set()
	}
	beside("cnpg", {"instances": 3}, {"DB_POSTGRESDB_HOST": "orders-rw"}) == set()
}

test_words_of_programs if {
	here := {"DATABASE_HOST": "orders"}
	{f.message | some f in clients(object.union(here, {"DATABASE_SSL": "true"}))} == {"Container web insists on TLS (DATABASE_SSL=true), and the server has ssl=off: every connection fails. Turn it off there, or give the server a certificate."}
	{f.message | some f in clients(object.union(here, {"DATABASE_SSL": `{"rejectUnauthorized":false}`}))} == {"Container web insists on TLS (DATABASE_SSL={…}), and the server has ssl=off: every connection fails. Turn it off there, or give the server a certificate."}
	{f.message | some f in clients({"GF_DATABASE_HOST": "orders.prod.svc:5432", "GF_DATABASE_SSLMODE": "require"})} == {"Container web insists on TLS (GF_DATABASE_SSLMODE=require), and the server has ssl=off: every connection fails. Write sslmode=disable there, or give the server a certificate."}
	every name in ["DB_SSL", "POSTGRES_SSL_ENABLED", "PG_USE_SSL", "APP_DB_SSL_MODE", "DB_POSTGRESDB_SSL_ENABLED"] {
		count(clients(object.union(here, {name: "true"}))) == 1
	}
}

test_words_that_do_not_insist if {
	here := {"DATABASE_HOST": "orders"}
	every value in ["false", "prefer", "allow", "disable", "", "{}", "0"] {
		clients(object.union(here, {"DATABASE_SSL": value})) == set()
	}
	clients({"DATABASE_HOST": "elsewhere", "DATABASE_SSL": "true"}) == set()
	clients(object.union(here, {"REDIS_SSL": "true"})) == set()
	clients(object.union(here, {"DATABASE_SSL_REJECT_UNAUTHORIZED": "true"})) == set()
	clients({"KONG_PG_HOST": "orders", "KONG_PG_SSL": "on"}) == set()
}

# The images of both operators' poolers have client_tls_sslmode = require.
test_pooler_that_asks_for_tls if {
	asks := {"URL": "postgres://u:$(P)@orders-pooler.prod.svc:5432/d?sslmode=disable"}
	at_pooler := {"Container app connects without TLS (sslmode=disable), and PgBouncer lets nobody in without it (\"client_tls_sslmode = require\")"}
	beside("zalando", {"enableConnectionPooler": true}, asks) == at_pooler
	beside("zalando", {"enableReplicaConnectionPooler": true}, {"PGHOST": "orders-pooler-repl", "DB_SSL": "false", "PGSSLMODE": "disable"}) != set()
	beside("crunchy", {"proxy": {"pgBouncer": {"replicas": 1}}}, {"URL": "postgresql://u@orders-pgbouncer/d?sslmode=disable"}) == at_pooler
}

test_pooler_of_another_kind if {
	asks := {"URL": "postgres://u:$(P)@orders-pooler.prod.svc:5432/d?sslmode=disable"}
	beside("zalando", {"enableReplicaConnectionPooler": true}, asks) == set()
	beside("zalando", {"enableConnectionPooler": true}, {"URL": "postgres://u@orders-pooler/d?sslmode=require"}) == set()
	beside("zalando", {"enableConnectionPooler": true}, {"URL": "postgres://u@orders-pooler/d"}) == set()
	beside("zalando", {"enableConnectionPooler": true, "connectionPooler": {"dockerImage": "corp/pgbouncer:1"}}, asks) == set()
	beside("crunchy", {"proxy": {"pgBouncer": {"config": {"global": {"client_tls_sslmode": "prefer"}}}}}, {"URL": "postgresql://u@orders-pgbouncer/d?sslmode=disable"}) == set()
	beside("crunchy", {"numberOfInstances": 1}, {"URL": "postgresql://u@orders-pgbouncer/d?sslmode=disable"}) == set()
}

# ---------------------------------------------------------------------------------------------------- addresses in Secrets

test_exporter_with_its_address_in_a_secret if {
	every address, said in {"postgresql://postgres:x@orders:5432/postgres": 1, "postgresql://postgres:x@orders:5432/postgres?sslmode=disable": 0} {
		found := check.findings with input as {
			"review": {"object": server({}, [])},
			"inventory": {"namespace": {"prod": {
				"v1": {"Secret": {"exporter": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "exporter", "namespace": "prod"}, "stringData": {"dsn": address}}}},
				"apps/v1": {"Deployment": {"exporter": {
					"apiVersion": "apps/v1",
					"kind": "Deployment",
					"metadata": {"name": "exporter", "namespace": "prod"},
					"spec": {"template": {"spec": {"containers": [{"name": "exporter", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.17.1", "env": [{"name": "DATA_SOURCE_NAME", "valueFrom": {"secretKeyRef": {"name": "exporter", "key": "dsn"}}}]}]}}},
				}}},
			}}},
		}
		[f.path | some f in found] == [path | some path in [["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom"]]; said == 1]
	}
}

# ------------------------------------------------------------------------------------------------ Spilo without an operator

by_spilo(fields) := count(found) if {
	found := check.findings with input as {
		"review": {"object": server(object.union({"image": "ghcr.io/zalando/spilo-17:4.0-p2"}, fields), [])},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "KC_DB_URL", "value": "jdbc:postgresql://orders:5432/postgres?sslmode=disable"}]}]}}},
		}}}}}},
	}
}

test_spilo_without_an_operator if {
	by_spilo({}) == 1
	by_spilo({"env": [{"name": "ALLOW_NOSSL", "value": "true"}]}) == 0
	by_spilo({"env": [{"name": "ALLOW_NOSSL", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]}) == 0
	by_spilo({"env": [{"name": "SPILO_CONFIGURATION", "value": "bootstrap: {}"}]}) == 0
	by_spilo({"env": [{"name": "SPILO_CONFIGURATION", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]}) == 0
	by_spilo({"image": "registry.example.com/spilo-17:4.0-p2"}) == 0
}

# ------------------------------------------------------------------------------------------------------ client certificates

wanting(lines, env) := beside("cnpg", {"postgresql": {"pg_hba": lines}}, env)

test_client_without_a_certificate if {
	found := {"Container app has no client certificate, and the first line of pg_hba.conf for it wants one (\"hostssl all all all cert\")"}
	wanting(["hostssl all all all cert"], {"PGHOST": "orders-rw", "PGUSER": "app", "PGSSLMODE": "require"}) == found
	wanting(["hostssl shop shop all scram-sha-256", "hostssl all all all cert"], {"PGHOST": "orders-rw", "PGUSER": "app", "PGSSLMODE": "verify-full"}) == found
	wanting(["hostssl all all all cert"], {"URL": "postgres://app:x@orders-rw.prod.svc:5432/app?sslmode=require"}) == found
	count(wanting(["hostssl app app 0.0.0.0/0 scram-sha-256 clientcert=verify-full"], {"PGHOST": "orders-rw", "PGUSER": "app", "PGDATABASE": "app", "PGSSLMODE": "require"})) == 1
	every lines in [
		["hostssl all all 10.0.0.0/8 cert"],
		["hostssl app app all scram-sha-256", "hostssl all all all cert"],
		["hostssl all +staff all scram-sha-256", "hostssl all all all cert"],
		["hostssl all all 10.0.0.0/8 scram-sha-256", "hostssl all all all cert"],
		["hostssl other other all cert"],
		["include_if_exists /a", "hostssl all all all cert"],
		["hostssl all all all scram-sha-256"],
	] {
		wanting(lines, {"PGHOST": "orders-rw", "PGUSER": "app", "PGDATABASE": "app", "PGSSLMODE": "require"}) == set()
	}
	wanting(["hostssl all all all cert"], {"PGHOST": "orders-rw", "PGUSER": "app"}) == set()
	wanting(["hostssl all all all cert"], {"PGHOST": "orders-rw", "PGUSER": "app", "PGSSLMODE": "require", "PGSSLCERT": "/a"}) == set()
	wanting(["hostssl all all all cert"], {"PGHOST": "others", "PGUSER": "app", "PGSSLMODE": "require"}) == set()
	wanting(["hostssl all all all cert"], {"URL": "postgres://app:x@others:5432/app?sslmode=require"}) == set()
}

# ------------------------------------------------------------------------------------------------- managed services

abroad(env, secrets) := {[f.severity, regex.replace(f.message, ": every.*", "")] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "corp/app:1", "env": env}]}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": fields} | some name, fields in secrets}}}}},
	}
}

variables(values) := [{"name": name, "value": value} | some name, value in values]

test_services_that_let_nobody_in_without_tls if {
	asked := "postgresql://a:b@db-1.%s:5432/shop?sslmode=disable"
	every domain, said in {
		"b.db.ondigitalocean.com": ["error", "Container app connects without TLS (sslmode=disable), and DigitalOcean lets nobody in without it"],
		"a.aivencloud.com": ["error", "Container app connects without TLS (sslmode=disable), and Aiven lets nobody in without it"],
		"eu-central-1.aws.neon.tech": ["error", "Container app connects without TLS (sslmode=disable), and Neon lets nobody in without it"],
		"abc.eu-central-1.rds.amazonaws.com": ["warning", "Container app connects without TLS (sslmode=disable), and RDS lets nobody in without it unless rds.force_ssl is off there, as it is by default before 15"],
		"postgres.database.azure.com": ["warning", "Container app connects without TLS (sslmode=disable), and Azure lets nobody in without it unless require_secure_transport is off there"],
	} {
		abroad(variables({"URL": sprintf(asked, [domain])}), {}) == {said}
		abroad([{"name": "URL", "valueFrom": {"secretKeyRef": {"name": "s", "key": "url"}}}], {"s": {"url": sprintf(asked, [domain])}}) == {said}
		abroad([{"name": "URL", "valueFrom": {"secretKeyRef": {"name": "s", "key": "url"}}}], {}) == set()
	}
	abroad(variables({"DB_TYPE": "postgresdb", "DB_POSTGRESDB_HOST": "db-1.b.db.ondigitalocean.com"}), {}) == {["error", "Container app connects without TLS, the default of n8n, and DigitalOcean lets nobody in without it"]}
}

test_services_that_let_a_client_in if {
	every url in [
		"postgresql://a:b@db-1.b.db.ondigitalocean.com/shop?sslmode=require",
		"postgresql://a:b@db-1.b.db.ondigitalocean.com/shop",
		"postgresql://a:b@db-1.example.com/shop?sslmode=disable",
		"postgresql://a:b@notneon.tech/shop?sslmode=disable",
		"postgresql://a:b@db-1.cluster-abc.eu-central-1.rds.amazonaws.com/shop?sslmode=disable",
	] {
		abroad(variables({"URL": url}), {}) == set()
	}
	abroad(variables({"DB_POSTGRESDB_HOST": "db-1.b.db.ondigitalocean.com", "DB_POSTGRESDB_SSL_ENABLED": "true"}), {}) == set()

	# Which may be off there.
	abroad(variables({"DB_TYPE": "postgresdb", "DB_POSTGRESDB_HOST": "db-1.abc.eu-central-1.rds.amazonaws.com"}), {}) == set()
}

by_program(image, values) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "batch/v1",
		"kind": "Job",
		"metadata": {"name": "app", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"name": "app", "image": image}, values)]}}},
	}}}
}

of_harbor(more) := {"env": variables(object.union({"POSTGRESQL_HOST": "db-1.b.db.ondigitalocean.com", "POSTGRESQL_PORT": "5432"}, more))}

test_programs_of_known_images if {
	by_program("goharbor/harbor-core:v2.14.0", of_harbor({})) == {"Container app connects without TLS, the default of Harbor, and DigitalOcean lets nobody in without it: every connection is refused. Set POSTGRESQL_SSLMODE to require."}
	by_program("goharbor/harbor-core:v2.14.0", of_harbor({"POSTGRESQL_SSLMODE": "require"})) == set()
	by_program("corp/app:1", of_harbor({})) == set()
	by_program("corp/migrate:1", {"args": ["--url", "postgres://a:b@db-1.b.db.ondigitalocean.com:25060/d?sslmode=disable"]}) == {"Container app connects without TLS (sslmode=disable), and DigitalOcean lets nobody in without it: every connection is refused. Write require instead of disable."}
}
