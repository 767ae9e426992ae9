package walguard.checks.access.connection_uri_test

import data.walguard.checks.access.connection_uri as check

secret(name, fields) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": fields}

app(env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "shop", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "shop", "image": "shop:1", "env": env}]}}},
}

sight(fields, env) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"image": "postgres:17"}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"shop": secret("shop", fields)}},
		"apps/v1": {"Deployment": {"shop": app(env)}},
	}}},
}

test_written if {
	check.findings == {{
		"message": "The password in this connection URI has a \"#\", which ends its part: programs read another host, or none. Write %23 for it, or take a password of letters and digits.",
		"path": ["stringData", "URL"],
		"resource": {"apiVersion": "v1", "kind": "Secret", "namespace": "prod", "name": "shop"},
		"severity": "error",
	}} with input as sight({"URL": "postgresql://shop:a#b@orders.prod.svc:5432/shop"}, [])
	found := check.findings with input as sight({"URL": "postgres://shop:a/b@orders/shop", "other": "postgres://shop:?b@orders:5432/shop"}, [])
	count(found) == 2
}

# It reads a password up to the "@", and takes two hexadecimal digits for one character.
test_sqlalchemy if {
	env := [
		{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "password"}}},
		{"name": "URL", "value": "postgresql+psycopg2://shop:$(PASSWORD)@orders:5432/shop"},
	]
	check.findings == set() with input as sight({"URL": "postgresql+asyncpg://shop:?b#@orders:5432/shop"}, [])
	check.findings == set() with input as sight({"password": "a/b#c?"}, env)
	every password in ["a/b@c", "a/%b"] {
		{f.severity | some f in check.findings} == {"warning"} with input as sight({"password": password}, env)
	}
}

test_composed if {
	env := [
		{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "password"}}},
		{"name": "URL", "value": "postgres://shop:$(PASSWORD)@orders:5432/shop"},
	]
	check.findings == {{
		"message": "The password in this connection URI has a \"/\", which ends its part: programs read another host, or none. Write %2F for it, or take a password of letters and digits.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 1, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
		"severity": "error",
	}} with input as sight({"password": "a/b@c"}, env)
	{[f.severity, substring(f.message, 0, 49)] | some f in check.findings} == {["warning", "The password in this connection URI has a \"@\", wh"]} with input as sight({"password": "a-b@c"}, env)
	count(check.findings) == 1 with input as sight({"password": "a%b"}, env)
	check.findings == set() with input as sight({"password": "a%2Fb-c!"}, env)
}

# The password in the place of a variable, in a Job that ends: where, and how severe.
migrating(password, container) := {[f.severity, f.path[count(f.path) - 1]] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"P": password}}}},
			"batch/v1": {"Job": {"migrate": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [object.union({"name": "migrate", "image": "dbmate:2"}, container)]}}}}}},
		}}},
	}
}

from_secret := {"name": "P", "valueFrom": {"secretKeyRef": {"name": "db", "key": "P"}}}

test_composed_in_a_job if {
	url := {"name": "URL", "value": "postgres://app:$(P)@orders-rw/app"}
	migrating("a]b/c#d", {"env": [from_secret, url]}) == {["error", "value"]}
	migrating("ab", {"env": [{"name": "P", "value": "a?b"}, url]}) == {["error", "value"]}
	migrating("a?b", {"envFrom": [{"secretRef": {"name": "db"}}], "env": [url]}) == {["error", "value"]}
	migrating("a?b", {"env": [from_secret], "args": ["--url=postgres://app:$(P)@orders-rw/app", "up"]}) == {["error", 0]}
	migrating("a/b", {"env": [from_secret], "command": ["sh", "-c", "migrate \"postgres://app:${P}@orders-rw/app\" up"]}) == {["error", 2]}
	migrating("a/b", {"env": [from_secret], "command": ["sh", "-c", "psql postgres://app:$P@orders-rw/app"]}) == {["error", 2]}
}

test_composed_in_a_job_that_reads_it if {
	url := {"name": "URL", "value": "postgres://app:$(P)@orders-rw/app"}
	migrating("a]b|c", {"env": [from_secret, url]}) == set()
	migrating("${P}#", {"env": [from_secret, url]}) == set()

	# libpq reads on.
	migrating("a?b#", {"env": [from_secret], "command": ["sh", "-c", "psql postgres://app:$P@orders-rw/app"]}) == set()
	migrating("a/b", {"env": [from_secret], "command": ["sh", "-c", "P=$(encode $P); psql postgres://app:$P@orders-rw/app"]}) == set()
	migrating("a/b", {"env": [from_secret], "command": ["psql", "postgres://app:$P@orders-rw/app"]}) == set()
	migrating("postgres://app:$(P)@orders-rw/app", {"envFrom": [{"secretRef": {"name": "db"}}]}) == set()
}

# What is said of the first variable's value: severity and message.
spoken(env) := found if {
	found := {[object.get(f, "severity", "error"), f.message] | some f in check.findings} with input as sight({}, env)
}

of_shop(name, value) := spoken([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "password"}}}, {"name": name, "value": value}])

test_variables_in_variables if {
	spoken([{"name": "URL", "value": "postgres://shop:$(PASSWORD)@orders/shop"}, {"name": "PASSWORD", "value": "x"}]) == {["error", "URL of Deployment shop has $(PASSWORD) before PASSWORD is defined, so Kubernetes leaves it as it is and the client reads those letters. Move PASSWORD above URL."]}
	spoken([{"name": "URL", "value": "postgres://$(NAME):$(PASSWORD)@orders/$(BASE)"}, {"name": "NAME", "value": "shop"}, {"name": "PASSWORD", "value": "x"}, {"name": "BASE", "value": "shop"}]) == {["error", "URL of Deployment shop has $(BASE), $(NAME) and $(PASSWORD) before they are defined, so Kubernetes leaves them as they are. Move them above URL."]}
	spoken([{"name": "NAME", "value": "shop"}, {"name": "URL", "value": "postgres://$(NAME):$(PASSWORD)@orders/shop"}, {"name": "PASSWORD", "value": "x"}]) == {["error", "URL of Deployment shop has $(PASSWORD) before PASSWORD is defined, so Kubernetes leaves it as it is and the client reads those letters. Move PASSWORD above URL."]}
	spoken([{"name": "HOST", "value": "orders.prod.svc"}, {"name": "URL", "value": "postgres://shop:$(PASS)@$(HOST):5432/shop"}]) == {["error", "URL of Deployment shop has $(PASS), and this container has no PASS: Kubernetes leaves it as it is and the client reads those letters. Add PASS to env, above URL."]}
	of_shop("URL", "postgres://shop:${PASSWORD}@orders/shop") == {["warning", "URL of Deployment shop has ${PASSWORD}, which a shell replaces and Kubernetes does not: the client reads those letters. Write $(PASSWORD), with PASSWORD above it."]}
	of_shop("URL", "postgres://shop:$PASSWORD@orders/shop") == {["warning", "URL of Deployment shop has $PASSWORD, which a shell replaces and Kubernetes does not: the client reads those letters. Write $(PASSWORD), with PASSWORD above it."]}
	of_shop("URL", "postgres://shop:$(PASSWORD)@orders/shop") == set()
	of_shop("URL", "postgres://shop:$(OTHER)@orders/shop") == set()
	of_shop("URL", "postgres://shop:$$(PASSWORD)@orders/shop") == set()
	of_shop("URL", "postgres://shop:${OTHER}@orders/shop") == set()
	of_shop("URL", "postgres://shop:${PASSWORD}@elsewhere/shop") == set()
	of_shop("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "postgresql://shop:${PASSWORD}@orders/shop") == set()
	of_shop("URL", "jdbc:postgresql://orders/shop?user=${PASSWORD}") == set()
	of_shop("URL", "postgres://shop:$(PASSWORD)@orders:$(ORDERS_SERVICE_PORT)/shop") == set()
}

test_urls_that_no_driver_takes if {
	every row in [
		["DATABASE_URL", "\"postgres://shop:x@orders/shop\"", "has its quotes in the value, which YAML needs and no driver reads. Leave one pair of them out."],
		["SONAR_JDBC_URL", "jdbc:postgresql://orders:5432/shop”", "ends with ”, which the driver takes for a part of the name before it. Leave it out."],
		["DATABASE_URL", "postgres://shop:x@orders/shop'", "ends with ', which the driver takes for a part of the name before it. Leave it out."],
		["DATABASE_URL", "mysql://shop:x@orders/shop", "begins with mysql, and PostgreSQL listens there: the driver speaks another protocol. Begin it with postgresql://."],
		["DATABASE_URL", "jdbc:postgres://orders/shop", "begins with jdbc:postgres:, which no JDBC driver takes (\"No suitable driver\"). Begin it with jdbc:postgresql://."],
		["KC_DB_URL", "postgresql://orders/shop", "does not begin with jdbc:, and the JDBC driver takes no other (\"No suitable driver\"). Write jdbc:postgresql://orders:5432/DATABASE, and user and password elsewhere."],
		["DATABASE_URL", "jdbc:postgresql://shop:x@orders:5432/shop", "has a user before the host, which JDBC takes for a part of the host's name. Write user and password into variables of their own, or behind \"?\": user=…&password=…."],
		["DATABASE_URL", "postgresql+asyncpg://orders/shop?sslmode=require", "has sslmode, which asyncpg's dialect does not know: \"connect() got an unexpected keyword argument 'sslmode'\". Write ssl for sslmode."],
		["DATABASE_URL", "postgres://orders/shop?target_session_attrs=read_write", "has target_session_attrs=read_write, which drivers do not know. Write read-write, primary, standby, prefer-standby or any."],
		["PGHOST", "orders:5432", "is orders:5432, and libpq takes all of it for the host's name. Set PGHOST to orders, and PGPORT to the port."],
		["PGHOST", "tcp://orders.prod", "is tcp://orders.prod, and libpq takes all of it for the host's name. Set PGHOST to orders.prod, and PGPORT to the port."],
	] {
		of_shop(row[0], row[1]) == {["error", sprintf("%s of Deployment shop %s", [row[0], row[2]])]}
	}
	every row in [
		["DATABASE_URL", "jdbc:postgresql://orders/shop?user=a@b"],
		["DATABASE_URL", "postgres://orders/shop?options='-c search_path=a'"],
		["DATABASE_URL", "mysql://shop:x@mysql/shop"],
		["DATABASE_URL", "postgres://orders/shop?target_session_attrs=read-write&sslmode=require"],
		["DATABASE_URL", "postgresql+asyncpg://orders/shop?ssl=require"],
		["PGHOST", "orders.prod.svc"],
		["PGHOST", "elsewhere:5432"],
		["DB_HOST", "orders:5432"],
	] {
		of_shop(row[0], row[1]) == set()
	}
}

test_words_beside_the_host if {
	spoken([{"name": "DB_HOST", "value": "orders:5432"}, {"name": "DB_PORT", "value": "5432"}]) == {["warning", "DB_HOST of Deployment shop is orders:5432, and DB_PORT is there as well: most programs put both together, which is no address. Set it to orders."]}
	spoken([{"name": "KC_DB_URL_HOST", "value": "jdbc:postgresql://orders"}]) == {["error", "KC_DB_URL_HOST of Deployment shop is jdbc:postgresql://orders, and programs take all of it for the host's name. Set it to orders."]}
	spoken([{"name": "DB_HOST", "value": "postgres://orders.prod:5432/"}]) == {["warning", "DB_HOST of Deployment shop is postgres://orders.prod:5432/, and programs take all of it for the host's name. Set it to orders.prod."]}
	spoken([{"name": "DB_HOST", "value": "postgres://elsewhere"}]) == set()
	spoken([{"name": "PGHOST", "value": "orders"}, {"name": "PGSSLMODE", "value": "off"}]) == {["error", "PGSSLMODE of Deployment shop is \"off\", which libpq does not know: it refuses every connection. Write allow, disable, prefer, require, verify-ca, verify-full."]}
	spoken([{"name": "PGHOST", "value": "orders"}, {"name": "PGSSLMODE", "value": "require"}]) == set()
	spoken([{"name": "PGHOST", "value": "elsewhere"}, {"name": "PGSSLMODE", "value": "off"}]) == set()
}

test_words_of_other_drivers if {
	dumped("postgresql://orders/shop?schema=public", "pg_dump -Fc \"$DATABASE_URL\" -f /x") == {["error", "DATABASE_URL of Deployment shop has schema=public, which psql and pg_dump do not know: \"invalid URI query parameter\". Leave it out for them."]}
	dumped("postgresql://orders/shop?sslmode=require", "pg_dump -Fc \"$DATABASE_URL\" -f /x") == set()
	dumped("postgresql://orders/shop?schema=public", "pg_dump -Fc \"${DATABASE_URL%%?*}\" -f /x") == set()
	dumped("postgresql://orders/shop?schema=public", "echo; pg_dump -h orders") == set()
}

dumped(address, script) := found if {
	found := {[object.get(f, "severity", "error"), f.message] | some f in check.findings} with input as json.patch(
		sight({}, [{"name": "DATABASE_URL", "value": address}]),
		[
			{"op": "replace", "path": "/inventory/namespace/prod/apps~1v1/Deployment/shop/spec/template/spec/containers/0/image", "value": "postgres:17"},
			{"op": "add", "path": "/inventory/namespace/prod/apps~1v1/Deployment/shop/spec/template/spec/containers/0/command", "value": ["sh", "-c", script]},
		],
	)
}

test_not_reported if {
	check.findings == set() with input as sight({"URL": "postgresql://shop:a%23b@orders:5432/shop?sslmode=require#x"}, [])
	check.findings == set() with input as sight({"URL": "postgresql://orders/shop?user=a@orders.example.com"}, [{"name": "URL", "value": "postgres://shop@orders/shop"}])
	check.findings == set() with input as sight({"URL": "mysql://shop:a#b@orders:3306/shop"}, [])
	check.findings == set() with input as sight({"URL": "postgresql://shop:a#b@elsewhere:5432/shop"}, [])
}

test_silent_when_unknown if {
	check.findings == set() with input as sight({"URL": "postgresql://shop:${PASSWORD}#@orders:5432/shop"}, [])
	check.findings == set() with input as object.remove(sight({}, []), ["inventory"])
}

test_a_mode_that_does_not_exist if {
	check.findings == {{
		"message": `There is no sslmode "disabled", and programs end with that before they connect. Write disable, prefer, require, verify-ca or verify-full.`,
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
	}} with input as sight({}, [{"name": "URL", "value": "postgres://shop@orders:5432/shop?connect_timeout=5&sslmode=disabled"}])
	{f.path | some f in check.findings} == {["stringData", "URL"]} with input as sight({"URL": "jdbc:postgresql://orders.prod.svc:5432/shop?sslmode=false"}, [])
}

test_modes_that_exist if {
	every mode in ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify", "$(MODE)", "${MODE}"] {
		check.findings == set() with input as sight({}, [{"name": "URL", "value": sprintf("postgres://shop@orders:5432/shop?sslmode=%s", [mode])}])
	}
	check.findings == set() with input as sight({}, [{"name": "URL", "value": "postgres://shop@elsewhere:5432/shop?sslmode=disabled"}])
}

test_spelt_out_in_a_variable if {
	of_shop("URL", "postgres://shop:some-cool/password@orders:5432/shop") == {["error", "The password in this connection URI has a \"/\", which ends its part: programs read another host, or none. Write %2F for it, or take a password of letters and digits."]}
	of_shop("URL", "postgres://shop:some-cool%2Fpassword@orders:5432/shop") == set()
	of_shop("URL", "postgres://shop:x@orders:5432/shop?application_name=a@orders") == set()
	of_shop("URL", "postgres://shop:some/password@others:5432/shop") == set()
	of_shop("URL", "{{ scheme }}://shop:some/password@orders:5432/shop") == set()
}

of_operator(name, secret_name, key, objects) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "bootstrap": {"initdb": {"database": "shop", "owner": "shop"}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": objects},
			"apps/v1": {"Deployment": {"shop": app([{"name": name, "valueFrom": {"secretKeyRef": {"name": secret_name, "key": key}}}])}},
		}}},
	}
}

test_address_of_libpq_for_jdbc if {
	of_operator("SPRING_DATASOURCE_URL", "orders-app", "uri", {}) == {"SPRING_DATASOURCE_URL of Deployment shop takes key uri of Secret orders-app, which begins with postgresql://, and the JDBC driver takes no other than jdbc:postgresql:// (\"claims to not accept jdbcUrl\"). Take key jdbc-uri."}
	count(of_operator("QUARKUS_DATASOURCE_JDBC_URL", "orders-app", "fqdn-uri", {})) == 1
	of_operator("SPRING_DATASOURCE_URL", "orders-app", "jdbc-uri", {}) == set()
	of_operator("DATABASE_URL", "orders-app", "uri", {}) == set()
	of_operator("SPRING_DATASOURCE_URL", "shop", "uri", {}) == set()
	of_operator("SPRING_DATASOURCE_URL", "orders-app", "uri", {"orders-app": secret("orders-app", {"uri": "jdbc:postgresql://orders-rw:5432/shop"})}) == set()
}
