package walguard.checks.access.pooler_login_test

import data.walguard.checks.access.pooler_login as check

crunchy(users, pgbouncer) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "instances": [{"name": "main"}], "users": users, "proxy": {"pgBouncer": pgbouncer}},
	}}}
}

test_only_superusers if {
	crunchy([{"name": "postgres"}, {"name": "orders", "options": "CREATEDB SUPERUSER"}], {"replicas": 2}) == {{
		"message": "PgBouncer lets no superuser in, and every user here is one: \"no such user\" or \"password authentication failed\" for orders. Leave SUPERUSER out of options of users[1], or connect to the primary's Service.",
		"path": ["spec", "users", 1, "options"],
	}}
}

# What is in sight comes by the pooler, and is let in by nobody, or goes to the primary.
test_superuser_that_comes_by_it if {
	levels("pgbouncer-uri", "orders-pguser-orders") == {"error"}
	levels("pgbouncer-uri", "orders-pguser-other") == {"usual"}
	levels("uri", "orders-pguser-orders") == set()
	levels("host", "orders-pguser-orders") == set()
	levels("jdbc-uri", "orders-pguser-orders") == set()
	levels("uri", "orders-pguser-other") == {"usual"}
	levels("password", "orders-pguser-orders") == {"usual"}
}

# One comes by it, and the other one does not.
test_superuser_that_comes_both_ways if {
	levels_of([["uri", "orders-pguser-orders"], ["pgbouncer-uri", "orders-pguser-orders"]]) == {"error"}
}

levels(key, secret) := levels_of([[key, secret]])

levels_of(references) := {object.get(f, "severity", "usual") | some f in found} if {
	client := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": key, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}} | some [key, secret] in references]}]}}}}
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{"name": "main"}], "users": [{"name": "orders", "options": "SUPERUSER"}], "proxy": {"pgBouncer": {}}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": client}}}}},
	}
}

among_others(user, key, pgbouncer) := [[f.severity, f.path] | some f in found] if {
	client := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "env": [
		{"name": "HOST", "value": "orders-pgbouncer.prod.svc"},
		{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": sprintf("orders-pguser-%s", [user]), "key": key}}},
	]}]}}}}
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{"name": "main"}], "users": [{"name": "orders"}, {"name": "postgres"}, {"name": "admin", "options": "SUPERUSER"}], "proxy": {"pgBouncer": pgbouncer}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": client}}}}},
	}
}

test_superuser_among_others if {
	among_others("postgres", "password", {}) == [["error", ["spec", "users", 1]]]
	among_others("admin", "password", {}) == [["error", ["spec", "users", 2]]]
	among_others("orders", "password", {}) == []
	among_others("postgres", "password", {"exposeSuperusers": true}) == []
	among_others("postgres", "password", {"config": {"global": {"auth_query": "SELECT * FROM lookup($1)"}}}) == []
	among_others("postgres", "password", {"config": {"global": {"auth_type": "trust"}}}) == []
}

# One superuser among others may be there for administration.
test_not_reported if {
	crunchy([{"name": "orders", "options": "CREATEDB"}], {}) == set()
	crunchy([{"name": "orders", "options": "NOSUPERUSER"}], {}) == set()
	crunchy([{"name": "orders"}, {"name": "admin", "options": "SUPERUSER"}], {}) == set()
	crunchy([{"name": "postgres"}], {}) == set()
	crunchy([{"name": "orders", "options": "SUPERUSER"}], {"exposeSuperusers": true}) == set()
	crunchy([{"name": "orders", "options": "SUPERUSER"}], {"config": {"global": {"auth_query": "SELECT * FROM lookup($1)"}}}) == set()
	crunchy([{"name": "orders", "options": "SUPERUSER"}], null) == set()
}

cnpg(postgresql, poolers) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "postgresql": postgresql}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": poolers}}}},
	}
}

pooler(pgbouncer) := {"orders-pooler": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "orders-pooler", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "pgbouncer": pgbouncer}}}

test_ldap if {
	found := cnpg({"ldap": {"server": "ldap.corp"}}, pooler({"poolMode": "session"}))
	{f.path | some f in found} == {["spec", "postgresql", "ldap"]}
}

test_ldap_not_reported if {
	cnpg({"ldap": {"server": "ldap.corp"}}, {}) == set()
	cnpg({}, pooler({})) == set()
	cnpg({"ldap": {"server": "ldap.corp"}, "pg_hba": ["host app app all scram-sha-256"]}, pooler({})) == set()
	cnpg({"ldap": {"server": "ldap.corp"}}, pooler({"pg_hba": ["host all all all ldap ldapserver=ldap.corp"]})) == set()
}

pgbouncer(ini, containers, others) := messages(concat("\n", ["listen_addr = *", "listen_port = 5432", ini]), containers, others)

messages(ini, containers, others) := {f.message |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"pgbouncer": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pgbouncer", "namespace": "prod"}, "data": {"userlist.txt": "", "pgbouncer.ini": concat("\n", ["[databases]", "* = host=db", "[pgbouncer]", ini])}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pgbouncer"}, "ports": [{"port": 5432}]}}},
			},
			"apps/v1": {"Deployment": object.union(
				{"pgbouncer": {
					"apiVersion": "apps/v1",
					"kind": "Deployment",
					"metadata": {"name": "pgbouncer", "namespace": "prod"},
					"spec": {"template": {"metadata": {"labels": {"app": "pgbouncer"}}, "spec": {
						"containers": array.concat([{"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1", "volumeMounts": [{"name": "conf", "mountPath": "/etc/pgbouncer"}]}], containers),
						"volumes": [{"name": "conf", "configMap": {"name": "pgbouncer"}}],
					}}},
				}},
				others,
			)},
		}}},
	}
	some f in found
}

exporter := [{"name": "exporter", "image": "quay.io/prometheuscommunity/pgbouncer-exporter:v0.11.0"}]

shop := {"shop": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "shop", "image": "shop:1", "env": [{"name": "URL", "value": "jdbc:postgresql://pool:6432/shop"}]}]}}}}}

asking_console(ini, address) := pgbouncer(concat("\n", ["ignore_startup_parameters = extra_float_digits", ini]), [{"name": "exporter", "image": "metrics:1", "args": [sprintf("--pgBouncer.connectionString=%s", [address])]}], {})

test_console if {
	asking_console("admin_users = postgres", "postgres://stats:x@localhost:5432/pgbouncer?sslmode=disable") == {"Container exporter asks the console of PgBouncer as stats, who is in neither admin_users nor stats_users: \"not allowed\", and there are no metrics. Write stats_users = stats."}
	count(asking_console("", "postgresql://stats@pool.prod/pgbouncer")) == 1
	every ini in ["stats_users = a, stats", "admin_users=stats", "auth_type = any", "%include other.ini", "stats_users = ${STATS}"] {
		asking_console(ini, "postgres://stats:x@localhost:5432/pgbouncer") == set()
	}
	every address in ["postgres://stats:x@elsewhere:5432/pgbouncer", "postgres://stats:x@localhost:5432/shop", "postgres://$(USER):x@localhost:5432/pgbouncer"] {
		asking_console("admin_users = postgres", address) == set()
	}
	by_service := {"exporter": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "exporter", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "metrics", "image": "metrics:1", "env": [{"name": "DSN", "value": "postgres://stats:x@localhost/pgbouncer"}]}]}}}}}
	pgbouncer("ignore_startup_parameters = extra_float_digits", [], by_service) == set()
}

test_startup_parameters if {
	pgbouncer("", exporter, {}) == {"PgBouncer refuses container exporter with \"unsupported startup parameter: extra_float_digits\", which its driver always sends. Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini."}
	pgbouncer("", [], shop) == {"PgBouncer refuses Deployment shop with \"unsupported startup parameter: extra_float_digits\", which its driver always sends. Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini."}
	pgbouncer("ignore_startup_parameters = options, extra_float_digits", exporter, shop) == set()
	pgbouncer("", [], {}) == set()
}

# PgBouncer listens on no address unless it is told to.
test_listens_nowhere if {
	messages("", [], {}) == {"This pgbouncer.ini has no listen_addr, so PgBouncer listens on its Unix socket only, and Service pool leads to it: every connection is refused. Set listen_addr = * and listen_port = 5432."}
	messages(";listen_addr = *\nlisten_port = 5432", [], {}) == {"This pgbouncer.ini has no listen_addr, so PgBouncer listens on its Unix socket only, and Service pool leads to it: every connection is refused. Set listen_addr = *."}
	messages("%include /etc/pgbouncer/more.ini", [], {}) == set()
}

# The file takes a comment for a part of the number that it follows.
test_comment_behind_a_number if {
	pgbouncer("default_pool_size = 50        # real connections\nmax_client_conn = 5000", [], {}) == {"default_pool_size = 50 has a comment behind it, which PgBouncer takes for a part of the value: it stops at \"cannot load config file\". Put comments on lines of their own."}
	pgbouncer("max_client_conn = 500\t; all of them\r", [], {}) == {"max_client_conn = 500 has a comment behind it, which PgBouncer takes for a part of the value: it stops at \"cannot load config file\". Put comments on lines of their own."}
	pgbouncer("default_pool_size = 50\n# real connections\n; max_client_conn = 500 # all\nserver_reset_query = DISCARD ALL; --", [], {}) == set()
	pgbouncer("default_pool_size = 50 # real", [{"name": "second", "image": "edoburu/pgbouncer:latest"}], {}) == {"default_pool_size = 50 has a comment behind it, which PgBouncer takes for a part of the value: it stops at \"cannot load config file\". Put comments on lines of their own."}
}

pgo(kind, spec) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": object.union(
		{
			"Crunchy": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"},
			"Percona": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"},
		}[kind],
		{"metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17, "instances": [{"name": "main"}], "proxy": {"pgBouncer": {}}}, spec)},
	)}}
}

lines(listed) := {"patroni": {"dynamicConfiguration": {"postgresql": {"pg_hba": listed}}}}

pooled(options) := {"proxy": {"pgBouncer": {"config": {"global": options}}}}

test_lines_without_tls if {
	some kind in ["Crunchy", "Percona"]
	pgo(kind, lines(["hostnossl all all all md5"])) == {"PgBouncer logs users in over TLS, and \"hostnossl all all all md5\" is for connections without it: nobody gets in through PgBouncer. Write host for those that come with and without TLS, or hostssl."}
	{contains(m, "all lines of pg_hba") | some m in pgo(kind, lines(["hostnossl a a all md5", "hostnossl b b all md5"]))} == {true}
	count(pgo(kind, {"authentication": {"rules": [{"connection": "hostnossl", "method": "scram-sha-256"}]}})) == 1
	count(pgo(kind, {"authentication": {"rules": [{"hba": "hostnossl all all all scram-sha-256"}]}})) == 1
}

test_lines_with_tls if {
	pgo("Crunchy", lines(["hostnossl all all all md5", "hostssl all all all md5"])) == set()
	pgo("Crunchy", lines(["local all all peer"])) == set()
	pgo("Crunchy", lines([])) == set()
	pgo("Crunchy", lines(["hostnossl all all all md5", "{{ .Values.more }}"])) == set()
	pgo("Crunchy", object.union(lines(["hostnossl all all all md5"]), {"authentication": {"rules": [{"connection": "hostssl", "users": ["app"], "method": "password"}]}})) == set()
	pgo("Crunchy", object.union(lines(["hostnossl all all all md5"]), {"proxy": null})) == set()
	pgo("Crunchy", object.union(lines(["hostnossl all all all md5"]), pooled({"server_tls_sslmode": "prefer"}))) == set()
}

test_server_tls if {
	pgo("Crunchy", pooled({"server_tls_sslmode": "disable"})) == {"server_tls_sslmode is disable, and the lines of pg_hba.conf that the operator puts first reject PgBouncer's own user without TLS: nobody gets in through PgBouncer. Leave server_tls_sslmode out."}
	pgo("Percona", pooled({"server_tls_sslmode": "require"})) == set()
	pgo("Percona", pooled({"server_tls_sslmode": "${MODE}"})) == set()
}

zalando(spec) := {[f.path, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": spec,
	}}}
}

test_user_that_is_reserved if {
	zalando({"connectionPooler": {"user": "postgres"}}) == {[
		["spec", "connectionPooler", "user"],
		"The operator does not take postgres, the superuser, for the pooler's user and creates its own, and PgBouncer logs in as postgres all the same: with all its rights, and with a password that is not kept in step. Write a user of its own, such as pooler, or leave the field out.",
	]}
	count(zalando({"enableReplicaConnectionPooler": true, "enableConnectionPooler": false, "connectionPooler": {"user": "postgres"}})) == 1
	count(zalando({"connectionPooler": {"user": "admin"}})) == 1
}

test_user_of_its_own if {
	zalando({"connectionPooler": {"user": "pooler"}}) == set()
	zalando({"connectionPooler": {"mode": "session"}}) == set()
	zalando({"enableConnectionPooler": false, "connectionPooler": {"user": "postgres"}}) == set()
	zalando({"connectionPooler": {"user": "admin"}, "users": {"admin": []}}) == set()
}

# A Pooler that takes over the Service of its name.
called(name) := {[f.message, f.severity, f.resource.name] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {name: {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": name, "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "type": "rw"}}}}}}},
	}
}

test_pooler_called_as_a_service if {
	called("orders-rw") == {["Pooler orders-rw has the name of the cluster's own Service, which then leads to PgBouncer: standbys, PgBouncer itself and applications find no server there. Give it another name, such as orders-pooler-rw.", "error", "orders-rw"]}
	count(called("orders-r")) == 1
	called("orders-pooler-rw") == set()
	called("other-rw") == set()
}

# PgBouncer starts with no name and no value that it cannot read.
test_settings if {
	pgbouncer("pool_mode = transactions", [], {}) == {"pool_mode=transactions is not one of session, transaction and statement, and PgBouncer does not start with it: every connection is refused. Write one of them."}
	pgbouncer("max_client_conns = 500", [], {}) == {"PgBouncer has no setting max_client_conns, and does not start with it (\"unknown parameter\"): every connection is refused. Write max_client_conn."}
	pgbouncer("zzz = 1", [], {}) == {"PgBouncer has no setting zzz unless a newer release has it, and does not start with it (\"unknown parameter\"): every connection is refused. Correct it, or take it out."}
	pgbouncer("max_client_conn = 5k\nserver_lifetime = 1h", [], {}) == {
		"max_client_conn=5k is not a whole number, and PgBouncer does not start with it: every connection is refused. Write one without a unit.",
		"server_lifetime=1h is not a number of seconds, and PgBouncer does not start with it: every connection is refused. Write seconds without a unit.",
	}
	pgbouncer("Pool_Mode = Transaction\nserver_lifetime = 3600.5\nauth_type = ${AUTH}\nmax_client_conn=0x10\n[users]\napp = pool_mode=x", [], {}) == set()
}

# Who names it in full means this one, and PostgreSQL's name has no other counterpart.
test_settings_by_other_names if {
	every name, meant in {"max_client_connection": "max_client_conn", "max_connections": "max_client_conn", "pool_size": "default_pool_size"} {
		pgbouncer(sprintf("%s = 500", [name]), [], {}) == {sprintf("PgBouncer has no setting %s, and does not start with it (\"unknown parameter\"): every connection is refused. Write %s.", [name, meant])}
	}
}

test_settings_of_resources if {
	pgo("Crunchy", {"proxy": {"pgBouncer": {"config": {"global": {"pool_mode": "tx"}}}}}) == {"pool_mode=tx is not one of session, transaction and statement, and PgBouncer does not start with it: nobody gets in through PgBouncer. Write one of them."}
	pgo("Percona", {"proxy": {"pgBouncer": {"config": {"global": {"pool_mode": "transaction", "max_client_conn": "1000"}}}}}) == set()
	through("postgresql.cnpg.io/v1", "Cluster", {"instances": 3}, "Pooler", {"cluster": {"name": "orders"}, "pgbouncer": {"poolMode": "session", "parameters": {"server_idle_timeout": "10min", "unheard_of": "1"}}}) == {["error", "server_idle_timeout=10min is not a number of seconds, and PgBouncer does not start with it: nobody gets in through Pooler pool. Write seconds without a unit."]}
	through("postgresql.cnpg.io/v1", "Cluster", {"instances": 3}, "Pooler", {"cluster": {"name": "others"}, "pgbouncer": {"poolMode": "session", "parameters": {"server_idle_timeout": "10min"}}}) == set()
	pooled := {"instances": 2, "postgres": {"version": "17"}, "configurations": {"sgPoolingConfig": "pool"}}
	through("stackgres.io/v1", "SGCluster", pooled, "SGPoolingConfig", {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"pool_mode": "txn"}}}}) == {["error", "pool_mode=txn is not one of session, transaction and statement, and PgBouncer does not start with it: nobody gets in through PgBouncer. Write one of them."]}
	through("stackgres.io/v1", "SGCluster", object.union(pooled, {"pods": {"disableConnectionPooling": true}}), "SGPoolingConfig", {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"pool_mode": "txn"}}}}) == set()
}

through(version, kind, spec, beside, content) := {[f.severity, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": {version: {beside: {"pool": {"apiVersion": version, "kind": beside, "metadata": {"name": "pool", "namespace": "prod"}, "spec": content}}}}}},
	}
	some f in found
}

# The address of the pooler, beside the Secret of the user.
test_superuser_that_asks_the_pooler if {
	asking("orders-pgbouncer.prod.svc", "orders-pguser-orders") == {"error"}
	asking("jdbc:postgresql://orders-pgbouncer:5432/app", "orders-pguser-orders") == {"error"}
	asking("orders-pgbouncer.prod.svc", "orders-pguser-other") == {"usual"}
	asking("orders-primary.prod.svc", "orders-pguser-orders") == {"usual"}
}

asking(address, secret) := {object.get(f, "severity", "usual") | some f in found} if {
	client := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": "PGHOST", "value": address}, {"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}]}]}}}}
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{"name": "main"}], "users": [{"name": "orders", "options": "SUPERUSER"}], "proxy": {"pgBouncer": {}}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": client}}}}},
	}
}

own_query(bootstrap, poolers) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "bootstrap": bootstrap}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": poolers}}}},
	}
}

queried := pooler({"authQuery": "SELECT usename, passwd FROM public.user_search($1)", "authQuerySecret": {"name": "pooler-auth"}})

test_query_that_nobody_defines if {
	own_query({"initdb": {"database": "app"}}, queried) == {{
		"message": "Pooler orders-pooler has its own authQuery, and the operator makes neither user_search nor its role then: unless somebody does in database postgres, no login succeeds. Take authQuery and authQuerySecret out, or create both in postInitSQL.",
		"path": ["spec", "pgbouncer", "authQuery"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "name": "orders-pooler", "namespace": "prod"},
		"severity": "info",
	}}
	every bootstrap in [
		{"initdb": {"postInitSQL": ["CREATE FUNCTION user_search(text) RETURNS record …"]}},
		{"initdb": {"postInitSQL": ["${SQL}"]}},
		{"initdb": {"postInitSQL": [1]}},
		{"initdb": {"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "sql", "key": "a"}]}}},
		{"initdb": {"import": {"type": "monolith"}}},
		{"recovery": {"source": "old"}},
	] {
		own_query(bootstrap, queried) == set()
	}

	# Another one has the operator make them.
	other := {"second": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "second", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "pgbouncer": {}}}}
	own_query({"initdb": {}}, object.union(queried, other)) == set()
	own_query({"initdb": {}}, pooler({"authQuery": "SELECT * FROM auth.lookup($1)"})) == set()
}

# A list with the secret alone of the user that asks for those of others.
keyless(list, ini) := {[f.message, f.resource.kind] | some f in keyless_found(list, ini)}

of_keyless(list, ini) := {f.severity | some f in keyless_found(list, ini)}

keyless_found(list, ini) := {f | some f in found; contains(f.message, "auth_user")} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {"pgbouncer": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pgbouncer", "namespace": "prod"}, "stringData": {"userlist.txt": list, "pgbouncer.ini": ini}}}},
			"apps/v1": {"Deployment": {"pgbouncer": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pgbouncer", "namespace": "prod"},
				"spec": {"template": {"metadata": {"labels": {"app": "pgbouncer"}}, "spec": {
					"containers": [{"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1", "volumeMounts": [{"name": "conf", "mountPath": "/etc/pgbouncer"}]}],
					"volumes": [{"name": "conf", "secret": {"secretName": "pgbouncer"}}],
				}}},
			}}},
		}}},
	}
}

test_auth_user_without_a_password if {
	asking := "[databases]\n* = host=db auth_user=asker\n[pgbouncer]\nlisten_addr = *\nauth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt\n"
	keyless("\"asker\" \"SCRAM-SHA-256$4096:a==$b=:c=\"", asking) == {["The auth_file of pgbouncer has a SCRAM secret alone for auth_user asker, with which PgBouncer cannot log in itself to look for others. Write the password of asker there.", "Secret"]}
	keyless("\"asker\" \"hT3vN9sRqA\"", asking) == set()
	of_keyless("\"asker\" \"SCRAM-SHA-256$4096:a==$b=:c=\"", asking) == {"error"}
	of_keyless("\"asker\" \"SCRAM-SHA-256$4096:a==$b=:c=\"\n\"shop\" \"hT3vN9sRqA\"", asking) == {"warning"}
	keyless("\"shop\" \"SCRAM-SHA-256$4096:a==$b=:c=\"", asking) == set()
	keyless("\"asker\" \"SCRAM-SHA-256$4096:a==$b=:c=\"", replace(asking, " auth_user=asker", "")) == set()
}

# A Pooler of a Service that the cluster leaves out.
left_out(services, pooler) := {[f.message, f.severity, f.resource.name, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "managed": {"services": services}}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"p": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "prod"}, "spec": object.union({"cluster": {"name": "orders"}}, pooler)}}}}}},
	}
}

test_pooler_of_a_service_that_is_left_out if {
	said := {["Pooler p of type ro connects to Service orders-ro, which spec.managed.services leaves out: nobody gets in through it. Take ro out of disabledDefaultServices.", "error", "p", ["spec", "type"]]}
	left_out({"disabledDefaultServices": ["ro", "r"]}, {"type": "ro"}) == said
	left_out({"disabledDefaultServices": ["ro"], "additional": [{"selectorType": "ro", "serviceTemplate": {"metadata": {"name": "read"}}}]}, {"type": "ro"}) == said
	left_out({"disabledDefaultServices": ["r"]}, {"type": "ro"}) == set()
	left_out({"disabledDefaultServices": ["ro", "rw"]}, {"type": "rw"}) == set()
	left_out({"disabledDefaultServices": ["ro", "r"]}, {}) == set()
	left_out({}, {"type": "ro"}) == set()
}

# Nor is there anybody at a port of its Service that it does not listen on.
test_port_of_the_service if {
	messages("listen_addr = *", [], {}) == {"PgBouncer listens on 6432 (listen_port), and Service pool leads to 5432: every connection is refused. Set listen_port = 5432."}
}
