package walguard.model.programs_test

import data.walguard.model.programs

container(fields) := object.union({"name": "a", "image": "postgres:16"}, fields)

workloads(kind, fields) := {"batch/v1": {"CronJob": {"job": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "job", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [container(fields)]}}}}}}}}} if kind == "CronJob"

workloads(kind, fields) := {"batch/v1": {"Job": {"job": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [container(fields)]}}}}}}} if kind == "Job"

workloads(kind, fields) := {"apps/v1": {kind: {"job": {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "job", "namespace": "prod"}, "spec": {"template": {"spec": {"initContainers": [container(fields)], "containers": []}}}}}}} if kind in {"Deployment", "StatefulSet"}

reviewed(object, others) := {"review": {"object": object}, "inventory": {"namespace": {"prod": others}}}

crunchy(spec) := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "prod"}, "spec": object.union({"postgresVersion": 16}, spec)}

of(name) := {"env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": name, "key": "uri"}}}]}

dumps(object, kind, fields) := {[one.job, one.role] | some one in found} if found := programs.denied_dumps with input as reviewed(object, workloads(kind, fields))

statements(object, fields) := {[one.role, one.what, one.option] | some one in found} if found := programs.denied_statements with input as reviewed(object, workloads("Job", fields))

strangers(object, fields) := {[one.client, one.role, one.made] | some one in found} if found := programs.strangers with input as reviewed(object, workloads("Job", fields))

dumpall := {"command": ["sh", "-c", "pg_dumpall -d \"$DATABASE_URL\" > /dump/all.sql"]}

test_dump_by_a_secret if {
	every kind in ["CronJob", "Job", "Deployment", "StatefulSet"] {
		dumps(crunchy({}), kind, object.union(dumpall, of("hippo-pguser-hippo"))) == {[sprintf("%s job", [kind]), "hippo"]}
	}
	dumps(crunchy({}), "Job", object.union(dumpall, {"envFrom": [{"secretRef": {"name": "hippo-pguser-hippo"}}]})) == {["Job job", "hippo"]}
	dumps(crunchy({"users": [{"name": "app", "options": "CREATEDB"}]}), "Job", object.union(dumpall, of("hippo-pguser-app"))) == {["Job job", "app"]}
}

test_dump_that_may if {
	dumps(crunchy({"users": [{"name": "app", "options": "SUPERUSER"}]}), "Job", object.union(dumpall, of("hippo-pguser-app"))) == set()
	dumps(crunchy({"users": [{"name": "app", "options": "${OPTIONS}"}]}), "Job", object.union(dumpall, of("hippo-pguser-app"))) == set()
	dumps(crunchy({"databaseInitSQL": {"name": "a", "key": "b"}}), "Job", object.union(dumpall, of("hippo-pguser-hippo"))) == set()
	dumps(crunchy({"users": [{"name": "postgres"}]}), "Job", object.union(dumpall, of("hippo-pguser-postgres"))) == set()
	dumps(crunchy({}), "Job", object.union(dumpall, of("another"))) == set()
	dumps(crunchy({}), "Job", object.union(dumpall, {"env": array.concat(of("hippo-pguser-hippo").env, of("admin").env)})) == set()
	every option in ["--no-role-passwords", "-t", "--tablespaces-only"] {
		dumps(crunchy({}), "Job", object.union({"command": [sprintf("pg_dumpall %s", [option])]}, of("hippo-pguser-hippo"))) == set()
	}
	dumps(crunchy({}), "Job", object.union({"command": ["pg_dump"]}, of("hippo-pguser-hippo"))) == set()
	dumps(crunchy({}), "Job", object.union({"command": ["pg_dumpall -U admin"]}, of("hippo-pguser-hippo"))) == set()
	dumps(crunchy({}), "Job", object.union({"command": ["pg_dumpall"]}, {"env": array.concat(of("hippo-pguser-hippo").env, [{"name": "PGUSER", "value": "admin"}])})) == set()
	dumps(crunchy({}), "Job", object.union({"command": ["psql -c 'ALTER ROLE hippo SUPERUSER'; pg_dumpall"]}, of("hippo-pguser-hippo"))) == set()
	dumps(crunchy({}), "Job", object.union({"command": ["psql -c 'GRANT admins TO hippo'; pg_dumpall"]}, of("hippo-pguser-hippo"))) == set()
}

test_statements if {
	every command in ["psql -c 'CREATE DATABASE reports'", "psql <<EOF\ncreate  database a;\nEOF", "createdb reports"] {
		statements(crunchy({}), object.union({"args": ["sh", "-c", command]}, of("hippo-pguser-hippo"))) == {["hippo", "a database", "CREATEDB"]}
	}
	every command in ["psql -c 'CREATE ROLE a'", "psql -c 'create user a'", "createuser a"] {
		statements(crunchy({}), object.union({"command": ["sh", "-c", command]}, of("hippo-pguser-hippo"))) == {["hippo", "a role", "CREATEROLE"]}
	}
	statements(crunchy({"users": [{"name": "hippo", "options": "CREATEDB CREATEROLE"}]}), object.union({"command": ["psql -c 'CREATE DATABASE a; CREATE ROLE b'"]}, of("hippo-pguser-hippo"))) == set()
	statements(crunchy({"users": [{"name": "hippo", "options": "superuser"}]}), object.union({"command": ["psql -c 'CREATE DATABASE a'"]}, of("hippo-pguser-hippo"))) == set()
	statements(crunchy({"users": [{"name": "hippo", "options": "NOCREATEDB"}]}), object.union({"command": ["createdb a"]}, of("hippo-pguser-hippo"))) == {["hippo", "a database", "CREATEDB"]}
	statements(crunchy({}), object.union({"command": ["echo CREATE DATABASE a"]}, of("hippo-pguser-hippo"))) == set()
	statements(crunchy({}), object.union({"command": ["psql -c 'SELECT 1'"]}, of("hippo-pguser-hippo"))) == set()
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

asks(role) := {"command": ["pg_dumpall", "-h", "orders-rw", "-U", role]}

test_roles_of_cloudnativepg if {
	dumps(cnpg({}), "Job", asks("app")) == {["Job job", "app"]}
	dumps(cnpg({}), "Job", object.union(dumpall, of("orders-app"))) == {["Job job", "app"]}
	dumps(cnpg({"bootstrap": {"initdb": {"database": "shop", "owner": "seller", "secret": {"name": "seller"}}}}), "Job", object.union(dumpall, of("seller"))) == {["Job job", "seller"]}
	managed := {"managed": {"roles": [{"name": "backup", "superuser": true}, {"name": "report", "createdb": true, "passwordSecret": {"name": "report"}}, {"name": "gone", "ensure": "absent"}]}}
	dumps(cnpg(managed), "Job", asks("backup")) == set()
	dumps(cnpg(managed), "Job", asks("gone")) == set()
	dumps(cnpg(managed), "Job", object.union(dumpall, of("report"))) == {["Job job", "report"]}
	statements(cnpg(managed), {"command": ["createdb -h orders-rw -U report a"]}) == set()
	statements(cnpg({"managed": {"roles": [{"name": "app", "createrole": true}]}}), {"command": ["createuser -h orders-rw -U app a"]}) == set()
	dumps(cnpg({"managed": {"roles": [{"name": "app", "superuser": true}]}}), "Job", asks("app")) == set()
	dumps(cnpg({}), "Job", asks("postgres")) == set()
}

test_owner_that_may_have_more if {
	every bootstrap in [
		{"recovery": {"source": "a"}},
		{"pg_basebackup": {"source": "a"}},
		{"initdb": {"import": {"type": "monolith"}}},
		{"initdb": {"postInitSQLRefs": {}}},
		{"initdb": {"postInitTemplateSQLRefs": {}}},
		{"initdb": {"postInitApplicationSQLRefs": {}}},
		{"initdb": {"postInitSQL": ["ALTER ROLE app LOGIN"]}},
		{"initdb": {"postInitSQL": ["alter user app superuser"]}},
		{"initdb": {"postInitTemplateSQL": ["GRANT a TO app"]}},
		{"initdb": {"postInitApplicationSQL": ["DO $$ … CREATEDB …$$"]}},
		{"initdb": {"owner": "${OWNER}"}},
	] {
		dumps(cnpg({"bootstrap": bootstrap}), "Job", asks("app")) == set()
	}
	dumps(cnpg({"bootstrap": {"initdb": {"postInitSQL": ["CREATE TABLE a ()"], "database": "app", "owner": "app"}}}), "Job", asks("app")) == {["Job job", "app"]}
}

test_hosts if {
	dumps(cnpg({}), "Job", {"command": ["pg_dumpall", "-U", "app"], "env": [{"name": "PGHOST", "value": "orders-rw.prod.svc"}]}) == {["Job job", "app"]}
	dumps(cnpg({}), "Job", {"command": ["pg_dumpall"], "env": [{"name": "PGHOST", "value": "orders-r"}, {"name": "PGUSER", "value": "app"}]}) == {["Job job", "app"]}
	dumps(cnpg({}), "Job", {"command": ["pg_dumpall --host=orders-ro --username=app"]}) == {["Job job", "app"]}
	every fields in [
		{"command": ["pg_dumpall", "-U", "app"]},
		{"command": ["pg_dumpall", "-U", "app", "-h", "others-rw"]},
		{"command": ["pg_dumpall", "-U", "app", "-h", "orders-rw.test"]},
		{"command": ["pg_dumpall", "-U", "app", "-h", "orders-rw"], "env": [{"name": "PGHOST", "value": "elsewhere"}]},
		{"command": ["pg_dumpall", "-h", "orders-rw"], "env": [{"name": "PGUSER", "value": "${ROLE}"}]},
		{"command": ["pg_dumpall -h orders-rw -U app; psql -h orders-rw -U other"]},
	] {
		dumps(cnpg({}), "Job", fields) == set()
	}
}

test_roles_of_zalando if {
	zalando := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a", "namespace": "prod"}, "spec": {"users": {"app_owner": ["createdb"], "admin": ["SUPERUSER"], "maker": ["createrole"]}}}
	dumps(zalando, "Job", object.union(dumpall, of("app-owner.acid-a.credentials.postgresql.acid.zalan.do"))) == {["Job job", "app_owner"]}
	dumps(zalando, "Job", object.union(dumpall, of("admin.acid-a.credentials.postgresql.acid.zalan.do"))) == set()
	statements(zalando, object.union({"command": ["createdb a"]}, of("app-owner.acid-a.credentials.postgresql.acid.zalan.do"))) == set()
	statements(zalando, object.union({"command": ["createuser a"]}, of("maker.acid-a.credentials.postgresql.acid.zalan.do"))) == set()
}

# ------------------------------------------------------------------------------------------------------- workloads

workload(image, fields, pod) := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": object.union({"containers": array.concat([object.union({"name": "postgres", "image": image}, fields)], object.get(pod, "beside", []))}, object.remove(pod, ["beside"]))}}}

named(name, value) := {"env": [{"name": name, "value": value}]}

test_roles_of_images if {
	dumps(workload("docker.io/bitnamilegacy/postgresql:17", named("POSTGRESQL_USERNAME", "app"), {}), "CronJob", {"command": ["pg_dumpall", "-h", "db", "-U", "app"]}) == {["CronJob job", "app"]}
	dumps(workload("docker.io/bitnamilegacy/postgresql:17", named("POSTGRESQL_USERNAME", "app"), {}), "CronJob", {"command": ["pg_dumpall", "-h", "db", "-U", "postgres"]}) == set()
	dumps(workload("quay.io/sclorg/postgresql-15-c9s:latest", named("POSTGRESQL_USER", "app"), {}), "CronJob", {"command": ["pg_dumpall", "-h", "db", "-U", "app"]}) == {["CronJob job", "app"]}
	dumps(workload("postgres:17", named("POSTGRES_USER", "app"), {}), "CronJob", {"command": ["pg_dumpall", "-h", "db", "-U", "app"]}) == set()
	statements(workload("docker.io/bitnamilegacy/postgresql:17", named("POSTGRESQL_USERNAME", "app"), {}), {"command": ["createdb", "-h", "db", "-U", "app", "a"]}) == set()
	statements(workload("quay.io/sclorg/postgresql-15-c9s:latest", named("POSTGRESQL_USER", "app"), {}), {"command": ["createdb", "-h", "db", "-U", "app", "a"]}) == {["app", "a database", "CREATEDB"]}
}

hook(name, command) := {"lifecycle": {name: {"exec": {"command": ["sh", "-c", command]}}}}

server(fields) := workload("postgres:17", object.union(named("POSTGRES_USER", "shop"), fields), {})

test_strangers if {
	strangers(server({}), {"command": ["psql", "-h", "db", "-U", "postgres", "-c", "SELECT 1"]}) == {["Job job", "postgres", "shop"]}
	strangers(server({}), {"command": ["psql", "-h", "db", "-U", "root"]}) == {["Job job", "root", "shop"]}
	strangers(server({}), {"command": ["psql"], "env": [{"name": "PGHOST", "value": "db"}, {"name": "PGUSER", "value": "postgres"}]}) == {["Job job", "postgres", "shop"]}
	strangers(server(hook("postStart", "psql -U postgres -d \"$POSTGRES_DB\" -c 'CREATE EXTENSION vector'")), {}) == {["The postStart hook", "postgres", "shop"]}
	strangers(server(hook("preStop", "psql --username=postgres -c CHECKPOINT")), {}) == {["The preStop hook", "postgres", "shop"]}
	strangers(workload("postgres:17", named("POSTGRES_USER", "shop"), {"beside": [{"name": "jobs", "image": "postgres:17", "args": ["psql -h localhost -U postgres"]}]}), {}) == {["Container jobs", "postgres", "shop"]}
	strangers(workload("postgres:17", named("POSTGRES_USER", "shop"), {"beside": [{"name": "jobs", "image": "postgres:17", "command": ["psql --host=127.0.0.1 -U $ROLE"], "env": [{"name": "ROLE", "value": "postgres"}]}]}), {}) == {["Container jobs", "postgres", "shop"]}
}

test_no_strangers if {
	strangers(server({}), {"command": ["psql", "-h", "db", "-U", "shop"]}) == set()
	strangers(server({}), {"command": ["psql", "-h", "db", "-U", "reader"]}) == set()
	strangers(server(hook("postStart", "psql -U \"$POSTGRES_USER\" -c 'SELECT 1'")), {}) == set()
	strangers(server(hook("postStart", "psql -U shop -c 'CREATE ROLE postgres'; psql -U postgres")), {}) == set()
	strangers(server(hook("postStart", "psql -U postgres; psql -U shop")), {}) == set()
	strangers(server(hook("postStart", "psql -U postgres")), {"command": ["psql", "-h", "db", "-U", "shop", "-c", "create user \"postgres\""]}) == set()
	strangers(server(hook("postStart", "psql -U postgres")), {"command": ["createuser", "-h", "db", "-U", "shop", "x"]}) == set()
	strangers(workload("postgres:17", hook("postStart", "psql -U postgres"), {}), {}) == set()
	strangers(workload("postgres:17", object.union(named("POSTGRES_USER", "postgres"), hook("postStart", "psql -U root")), {}), {}) == set()
	strangers(workload("postgres:17", object.union(named("POSTGRES_USER", "root"), hook("postStart", "psql -U postgres")), {}), {}) == set()
	strangers(workload("postgres:17", object.union(named("POSTGRES_USER", "${NAME}"), hook("postStart", "psql -U postgres")), {}), {}) == set()
	strangers(workload("example.com/postgres:17", object.union(named("POSTGRES_USER", "shop"), hook("postStart", "psql -U postgres")), {}), {}) == set()
	strangers(workload("docker.io/bitnamilegacy/postgresql:17", object.union(named("POSTGRES_USER", "shop"), hook("postStart", "psql -U postgres")), {}), {}) == set()
	strangers(server(object.union(hook("postStart", "psql -U postgres"), {"command": ["/start.sh"]})), {}) == set()
	strangers(server(object.union(hook("postStart", "psql -U postgres"), {"volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]})), {}) == set()
	strangers(workload("postgres:17", named("POSTGRES_USER", "shop"), {"beside": [{"name": "jobs", "image": "postgres:17", "args": ["psql -h elsewhere -U postgres"]}]}), {}) == set()
}
