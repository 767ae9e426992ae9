package walguard.checks.access.client_mismatch_test

import data.walguard.checks.access.client_mismatch as check

server(image, env, more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [object.union({"name": "postgres", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}, more)]}},
	},
}

official := server("postgres:17.6", {"POSTGRES_USER": "orders", "POSTGRES_DB": "orders"}, {})

app(name, env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": name, "image": "registry.example.com/app:1.0", "env": env}]}}},
}

beside(object_, apps) := among(object_, {"apps/v1": {"Deployment": {made.metadata.name: made | some made in apps}}})

among(object_, objects) := {"review": {"object": object_}, "inventory": {"namespace": {"prod": objects}}}

variables(host, user, database) := [{"name": "DB_HOST", "value": host}, {"name": "DB_USER", "value": user}, {"name": "DB_NAME", "value": database}]

test_another_role if {
	check.findings == {{
		"message": `Deployment api asks for the role kemal, and the first start makes orders (POSTGRES_USER), which no client uses: role "kemal" does not exist. Write the same name on both sides.`,
		"path": ["spec", "template", "spec", "containers", 0, "env", 1],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "api", "namespace": "prod"},
	}} with input as beside(official, [app("api", variables("db", "kemal", "orders"))])

	# Bitnami's image makes postgres as well.
	made := server("bitnami/postgresql:16.6.0", {"POSTGRESQL_USERNAME": "orders", "POSTGRESQL_DATABASE": "orders"}, {})
	count(check.findings) == 1 with input as beside(made, [app("api", variables("db.prod.svc", "kemal", "orders"))])
	check.findings == set() with input as beside(made, [app("api", variables("db.prod.svc", "postgres", "orders"))])
}

test_another_database if {
	some f in check.findings with input as beside(official, [app("api", variables("db:5432", "orders", "reports"))])
	contains(f.message, `database "reports" does not exist`)
	count(check.findings) == 1 with input as beside(official, [app("api", [{"name": "DATABASE_URL", "value": "postgres://orders@db:5432/reports?sslmode=disable"}])])
	count(check.findings) == 1 with input as beside(official, [app("api", [{"name": "KC_DB_URL", "value": "jdbc:postgresql://db/keycloak"}])])
}

test_the_same if {
	check.findings == set() with input as beside(official, [app("api", variables("db", "orders", "orders"))])
	check.findings == set() with input as beside(official, [])
}

# Whoever uses what the first start made may have made the rest.
test_one_of_two if check.findings == set() with input as beside(official, [app("api", variables("db", "orders", "orders")), app("reports", variables("db", "reports", "reports"))])

test_not_all_is_known if {
	check.findings == set() with input as beside(official, [app("api", variables("db", "kemal", "reports")), app("jobs", [{"name": "DB_HOST", "value": "db"}])])
	check.findings == set() with input as beside(official, [app("api", variables("db", "${DB_USER}", "${DB_NAME}"))])
	hidden := {"name": "DB_USER", "valueFrom": {"secretKeyRef": {"name": "out-of-sight", "key": "user"}}}
	check.findings == set() with input as beside(official, [app("api", [{"name": "DB_HOST", "value": "db"}, hidden, {"name": "DB_NAME", "value": "orders"}])])
}

test_another_server if {
	check.findings == set() with input as beside(official, [app("api", variables("rds.example.com", "kemal", "reports"))])
	check.findings == set() with input as beside(official, [app("api", variables("db.staging.svc", "kemal", "reports"))])
}

test_made_by_a_script if {
	scripted := server("postgres:17.6", {"POSTGRES_USER": "orders", "POSTGRES_DB": "orders"}, {"volumeMounts": [{"name": "scripts", "mountPath": "/docker-entrypoint-initdb.d"}]})
	check.findings == set() with input as beside(scripted, [app("api", variables("db", "kemal", "reports"))])
}

test_made_by_a_command if {
	one := app("api", variables("db", "kemal", "reports"))
	making := json.patch(one, [{"op": "add", "path": "/spec/template/spec/initContainers", "value": [{"name": "prepare", "image": "postgres:17.6", "command": ["sh", "-c", "createdb -h db reports"]}]}])
	check.findings == set() with input as beside(official, [making])
}

# The server's own container may name the Service, as long as it is this server.
test_itself if {
	talking := json.patch(official, [{"op": "add", "path": "/spec/template/spec/containers/1", "value": {"name": "helper", "env": variables("db", "kemal", "orders")}}])
	check.findings == set() with input as among(talking, {"apps/v1": {"StatefulSet": {"db": talking}}})
	another := json.patch(talking, [{"op": "replace", "path": "/metadata/name", "value": "other"}])
	count(check.findings) == 1 with input as among(talking, {"apps/v1": {"StatefulSet": {"db": talking, "other": another}}})
	count(check.findings) == 1 with input as among(talking, {"apps/v1": {"Deployment": {"db": object.union(talking, {"kind": "Deployment"})}}})
}

taken(source) := [{"name": "DB_HOST", "value": "db"}, {"name": "DB_USER", "valueFrom": {source: {"name": "login", "key": "user"}}}, {"name": "DB_NAME", "value": "orders"}]

# The role is what a ConfigMap or a Secret in sight says.
test_role_from_another_object if {
	every role, said in {"kemal": 1, "orders": 0} {
		objects := {
			"ConfigMap": {"login": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "login", "namespace": "prod"}, "data": {"user": role}}},
			"Secret": {"login": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "prod"}, "stringData": {"user": role}}},
		}
		every source in ["configMapKeyRef", "secretKeyRef"] {
			count(check.findings) == said with input as among(official, {"v1": objects, "apps/v1": {"Deployment": {"api": app("api", taken(source))}}})
		}
	}
}

nameless := server("postgres:17.6", {"POSTGRES_PASSWORD": "x"}, {})

test_no_database_is_named if {
	{f.message | some f in check.findings} == {`Deployment cloud asks for the database nextcloud, and the first start makes postgres (POSTGRES_DB is not set), which no client uses: database "nextcloud" does not exist. Write the same name on both sides.`} with input as beside(nameless, [app("cloud", variables("db:5432", "postgres", "nextcloud"))])
	count(check.findings) == 1 with input as beside(server("postgres:17.6", {"POSTGRES_USER": "orders"}, {}), [app("api", variables("db", "orders", "reports"))])
}

test_the_database_that_is_there_anyway if {
	{f.message | some f in check.findings} == {`Deployment n8n asks for the database n8n, and the first start makes postgres (POSTGRES_DB), which no client uses: database "n8n" does not exist. Write the same name on both sides.`} with input as beside(server("postgres:17.6", {"POSTGRES_USER": "postgres", "POSTGRES_DB": "postgres"}, {}), [app("n8n", variables("db", "postgres", "n8n"))])
	check.findings == set() with input as beside(server("postgres:17.6", {"POSTGRES_DB": "postgres"}, {}), [app("api", variables("db", "postgres", "postgres"))])
	check.findings == set() with input as beside(server("postgres:17.6", {"POSTGRES_DB": "postgres"}, {}), [app("api", variables("db", "orders", "orders"))])
}

# Of its superuser's name, made by hand with its role, for one of several programs, by a library that creates it, or by Rails.
test_no_database_is_named_silent if {
	check.findings == set() with input as beside(server("postgres:17.6", {"POSTGRES_USER": "orders"}, {}), [app("api", variables("db", "orders", "orders"))])
	check.findings == set() with input as beside(nameless, [app("api", variables("db", "postgres", "postgres"))])
	check.findings == set() with input as beside(nameless, [app("api", variables("db", "orders", "orders"))])
	check.findings == set() with input as beside(nameless, [app("api", variables("db", "postgres", "orders")), app("reports", variables("db", "postgres", "reports"))])
	check.findings == set() with input as beside(nameless, [app("api", [{"name": "DATABASE_URL", "value": "postgres://postgres@db/orders"}])])
	rails := json.patch(app("api", variables("db", "postgres", "orders")), [{"op": "add", "path": "/spec/template/spec/initContainers", "value": [{"command": ["bundle", "exec", "rails", "db:prepare"]}]}])
	check.findings == set() with input as beside(nameless, [rails])
	hidden := json.patch(nameless, [{"op": "add", "path": "/spec/template/spec/containers/0/envFrom", "value": [{"secretRef": {"name": "out-of-sight"}}]}])
	check.findings == set() with input as beside(hidden, [app("api", variables("db", "postgres", "orders"))])
}

exported(address) := json.patch(server("postgres:17.6", {"POSTGRES_USER": "orders", "POSTGRES_DB": "reports"}, {}), [{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "metrics", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.17.1", "env": [{"name": "DATA_SOURCE_NAME", "value": address}]}}])

test_exporter_without_a_database if {
	every address in ["postgresql://orders:$(PASS)@127.0.0.1:5432?sslmode=disable", "postgres://orders@localhost/?sslmode=disable", "host=localhost user=orders password=$(PASS) sslmode=disable"] {
		found := check.findings with input as {"review": {"object": exported(address)}}
		found == {{
			"message": "container metrics names no database and so asks for that of its role, orders, and the first start makes reports (POSTGRES_DB): there are no metrics. Write reports into its address.",
			"path": ["spec", "template", "spec", "containers", 1, "env", 0, "value"],
			"severity": "info",
		}}
	}
	every address in ["postgresql://orders@127.0.0.1:5432/reports?sslmode=disable", "postgresql://metrics@127.0.0.1:5432?sslmode=disable", "postgresql://orders@db.example.com:5432", "host=localhost user=orders dbname=reports", "postgresql://orders@127.0.0.1?dbname=reports"] {
		found := check.findings with input as {"review": {"object": exported(address)}}
		found == set()
	}
}

test_hook_of_another_role if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{
			"name": "postgres",
			"image": "postgres:17",
			"env": [{"name": "POSTGRES_USER", "value": "shop"}],
			"lifecycle": {"postStart": {"exec": {"command": ["psql", "-U", "postgres"]}}},
		}]}}},
	}}}
	found == {{
		"message": "The postStart hook logs in as postgres, and the first start makes role shop alone (POSTGRES_USER): role \"postgres\" does not exist, and the rest of it does nothing. Name shop there.",
		"path": ["spec", "template", "spec", "containers", 0, "lifecycle", "postStart", "exec", "command"],
	}}
}

bouncer(container, services) := {[f.path, f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {name: {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}} | some name in services}},
			"apps/v1": {"Deployment": {"pgbouncer": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pgbouncer", "namespace": "prod"},
				"spec": {"template": {"spec": {"containers": [object.union({"name": "pgbouncer", "image": "bitnami/pgbouncer:1.24.1"}, container)]}}},
			}}},
		}}},
	}
}

test_pooler_that_waits_for_the_default if {
	dsn := {"name": "PGBOUNCER_DSN_0", "value": "shop=host=orders port=5432 dbname=shop"}
	bouncer({"env": [dsn]}, ["orders"]) == {[
		["spec", "template", "spec", "containers", 0, "env"],
		"error",
		"Deployment pgbouncer has no POSTGRESQL_HOST, and the image waits for the default \"postgresql\" before it starts, of which this namespace has no Service: it finds no database. Set POSTGRESQL_HOST to orders.",
	]}
	bouncer({"env": [dsn]}, ["orders", "postgresql"]) == set()
	bouncer({"env": [dsn, {"name": "POSTGRESQL_HOST", "value": "orders"}]}, ["orders"]) == set()
	bouncer({"env": [dsn], "envFrom": [{"configMapRef": {"name": "a"}}]}, ["orders"]) == set()
	bouncer({"env": [dsn], "image": "example.com/pgbouncer:1"}, ["orders"]) == set()
	bouncer({"env": [dsn], "command": ["pgbouncer", "/a.ini"]}, ["orders"]) == set()
	bouncer({"env": [{"name": "PGBOUNCER_DSN_0", "value": "shop=host=elsewhere"}]}, ["orders"]) == set()
}

edoburu(more) := bouncer(object.union({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": [{"name": "POOL_MODE", "value": "transaction"}]}, more), ["orders"])

test_pooler_without_a_host if {
	{found[2] | some found in edoburu({})} == {"Deployment pgbouncer has no DB_HOST and no DATABASE_URL, and the entrypoint of its image stops there (\"You must set DB_HOST env\"): it finds no database. Set DB_HOST to orders."}
	edoburu({"env": [{"name": "DB_HOST", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]}) == set()
	edoburu({"env": [{"name": "DATABASE_URL", "value": "postgres://a:b@orders/c"}]}) == set()
	edoburu({"envFrom": [{"secretRef": {"name": "a"}}]}) == set()
	edoburu({"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}) == set()
	edoburu({"command": ["pgbouncer", "/conf/pgbouncer.ini"]}) == set()
	edoburu({"env": []}) == set()
}

# -------------------------------------------------------------------------------------- a role that nobody makes

unnamed := server("bitnami/postgresql:17.6.0", {}, {"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "postgres-password"}}}]})

with_password_of(secret) := array.concat(variables("db", "superset", "superset"), [{"name": "DB_PASS", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}])

test_role_of_the_same_secret if {
	{f.message | some f in check.findings} == {`Deployment app asks for the role superset, and the first start makes postgres (POSTGRES_USER is not set), which no client uses: role "superset" does not exist. Write the same name on both sides.`} with input as beside(unnamed, [app("app", with_password_of("db"))])
	check.findings == set() with input as beside(unnamed, [app("app", with_password_of("app"))])
	check.findings == set() with input as beside(unnamed, [app("app", with_password_of("db")), app("other", variables("db", "other", "other"))])
	check.findings == set() with input as beside(unnamed, [app("app", array.concat(variables("db", "postgres", "postgres"), [{"name": "DB_PASS", "valueFrom": {"secretKeyRef": {"name": "db", "key": "postgres-password"}}}]))])
}

# ------------------------------------------------------------------------------------------------------ names of pods

by_pod(service_name, value) := {[f.message, f.severity] | some f in found} if {
	named := json.patch(official, [{"op": "replace", "path": "/spec/serviceName", "value": service_name}])
	found := check.findings with input as beside(named, [app("api", [{"name": "PGHOST", "value": value}])])
}

test_name_of_a_pod if {
	by_pod("db-hl", "db-0.db.prod.svc.cluster.local") == {["Deployment api looks for db-0.db, and the names of these pods lie below db-hl (serviceName): it finds no database. Write db-0.db-hl.", "error"]}
	by_pod("", "db-0.db") == {["Deployment api looks for db-0.db, and these pods have no names, since serviceName is not set: it finds no database. Set serviceName to db, in a new StatefulSet.", "error"]}
	count(by_pod("db-hl", "postgres://orders@db-0.db:5432/orders")) == 1
	every value in ["db-0.db-hl", "db-0.db.other.svc", "other-0.db", "db.prod", "db-0.db.example.com", "${HOST}", "db-0"] {
		by_pod("db-hl", value) == set()
	}
	by_pod("${SERVICE}", "db-0.db") == set()
}

test_name_of_a_pod_in_the_server_itself if {
	named := json.patch(official, [{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "REPMGR_PRIMARY_HOST", "value": "db-0.other"}}])
	{f.path | some f in check.findings} == {["spec", "template", "spec", "containers", 0, "env", 2, "value"]} with input as among(named, {"apps/v1": {"StatefulSet": {"db": named}}})
}

# ---------------------------------------------------------------------------------------------------------- no Service

deployed := object.union(object.remove(official, ["kind", "spec"]), {"kind": "Deployment", "spec": object.remove(official.spec, ["serviceName"])})

unserved(services, env) := {f.message | some f in found} if {
	found := check.findings with input as among(deployed, {
		"v1": {"Service": {name: {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "prod"}, "spec": {"selector": {"app": selected}}} | some name, selected in services}},
		"apps/v1": {"Deployment": {"db": deployed, "api": app("api", env)}},
	})
}

test_no_service if {
	found := {"Deployment api looks for this server at db, the name of the Deployment, and no Service has that name: it finds no database. Create a Service db that selects its pods."}
	unserved({"web": "api"}, [{"name": "DB_HOST", "value": "db"}]) == found
	unserved({"web": "api"}, [{"name": "URL", "value": "postgresql+psycopg2://orders:x@db:5432/orders"}]) == found
	unserved({"web": "api", "db": "another"}, [{"name": "DB_HOST", "value": "db"}]) == set()
	unserved({"web": "db"}, [{"name": "DB_HOST", "value": "db"}]) == {"Deployment api looks for this server by the name of its Deployment, at db, and no Service of this namespace has the name: it finds no database. Write web."}
	unserved({}, [{"name": "DB_HOST", "value": "db"}]) == set()
	unserved({"web": "api"}, [{"name": "DB_HOST", "value": "rds.example.com"}, {"name": "MODE", "value": "db"}]) == set()
}

# The role of Bitnami's image that is written out is the one that it has anyway.
test_no_database_is_named_of_bitnami if {
	made := server("bitnami/postgresql:17.6.0", {"POSTGRES_USER": "postgres", "POSTGRES_PASSWORD": "x"}, {})
	{f.message | some f in check.findings} == {`Deployment n8n asks for the database n8n, and the first start makes postgres (POSTGRES_DB is not set), which no client uses: database "n8n" does not exist. Write the same name on both sides.`} with input as beside(made, [app("n8n", variables("db", "postgres", "n8n"))])
	check.findings == set() with input as beside(made, [app("n8n", variables("db", "postgres", "postgres"))])
}
