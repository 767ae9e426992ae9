package walguard.checks.access.database_not_created_test

import data.walguard.checks.access.database_not_created as check

findings(spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": spec}}}

test_name if {
	findings({"databases": {"orders-app": "orders"}}) == {{
		"message": "The operator creates no database called \"orders-app\". Write letters, digits and \"_\" only, and no digit first.",
		"path": ["spec", "databases", "orders-app"],
		"severity": "error",
	}}
	{f.path | some f in findings({"preparedDatabases": {"orders-app": {}}})} == {["spec", "preparedDatabases", "orders-app"]}
}

test_two_owners if {
	findings({"databases": {"orders": "shop"}, "preparedDatabases": {"orders": {}}}) == {{
		"message": "Database orders stands under databases too, with the owner shop; the operator creates the schemas and roles of a prepared database as orders_owner, and every sync ends with \"permission denied for database\". Leave it in one of the two.",
		"path": ["spec", "preparedDatabases", "orders"],
		"severity": "error",
	}}
}

test_created if {
	findings({"databases": {"orders": "shop"}, "preparedDatabases": {"shop": {}}}) == set()
	findings({"databases": {"orders": "orders_owner"}, "preparedDatabases": {"orders": {}}}) == set()
}

test_silent_when_unknown if {
	findings({"databases": {"${NAME}": "shop"}}) == set()
	findings({"databases": {"orders": "${OWNER}"}, "preparedDatabases": {"orders": {}}}) == set()
	findings({}) == set()
}

test_owner_that_is_no_user if {
	findings({"databases": {"orders": "postgres"}}) == {{
		"message": "Database orders belongs to postgres, which is not among users: the operator passes it over. Name an owner that is among users.",
		"path": ["spec", "databases", "orders"],
	}}
	{f.message | some f in findings({"databases": {"orders": "shop"}, "users": {"app": []}})} == {"Database orders belongs to shop, which is not among users: the operator passes it over unless its own configuration has that role. Add shop to users, or name an owner that is there."}
	findings({"databases": {"orders": "app"}, "users": {"app": null}}) == set()
	findings({"databases": {"postgres": "postgres"}, "users": {"app": []}}) == set()
	findings({"databases": {"orders": "shop"}, "users": {"${USER}": []}}) == set()
	findings({"databases": {"orders": "shop"}, "users": {}}) == set()
}

# The role is called as the user is, with the namespace.
test_owner_without_its_namespace if {
	findings({"databases": {"orders": "shop"}, "users": {"web.shop": [], "app.shop": [], "workshop": []}}) == {{
		"message": "Database orders belongs to shop, and the role of the user is called app.shop, with the namespace: the operator passes the database over. Name app.shop as the owner.",
		"path": ["spec", "databases", "orders"],
		"severity": "error",
	}}
	findings({"databases": {"orders": "app.shop"}, "users": {"app.shop": []}}) == set()
	{f.message | some f in findings({"databases": {"orders": "shop"}, "users": {"workshop": []}})} == {"Database orders belongs to shop, which is not among users: the operator passes it over unless its own configuration has that role. Add shop to users, or name an owner that is there."}
}

configured(spec, configuration) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": spec}},
	"inventory": {"namespace": {"op": {"acid.zalan.do/v1": {"OperatorConfiguration": {"c": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "c", "namespace": "op"},
		"configuration": configuration,
	}}}}}},
}

test_roles_of_the_configuration if {
	spec := {"databases": {"orders": "shop"}, "users": {"app": []}}
	count(configured(spec, {"kubernetes": {}})) == 1
	configured(spec, {"kubernetes": {"infrastructure_roles_secret_name": "roles"}}) == set()
	configured(spec, {"teams_api": {"enable_teams_api": true}}) == set()
	configured({"databases": {"orders": "postgres"}}, {"users": {"super_username": "root"}}) == set()
}

test_role_that_may_not if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"Job": {"make": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "make", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"image": "postgres:17", "command": ["createdb", "-h", "orders-rw", "-U", "app", "reports"]}]}}}}}}}}},
	}
	found == {{
		"message": "Job make creates a database as app, who has no CREATEDB: permission denied. Give the role CREATEDB, or create it as a superuser.",
		"path": ["spec", "template", "spec", "containers", 0, "command"],
		"resource": {"apiVersion": "batch/v1", "kind": "Job", "name": "make", "namespace": "prod"},
	}}
}

test_user_of_a_protected_name if {
	findings({"users": {"admin": []}, "databases": {"cube": "admin"}}) == {{
		"message": "The operator creates no user admin, one of its protected_role_names, no Secret for it, and database cube, which it shall own, neither. Give the user another name.",
		"path": ["spec", "users", "admin"],
	}}
	findings({"users": {"cron_admin": []}}) == {{
		"message": "The operator creates no user cron_admin, one of its protected_role_names, and no Secret for it. Give the user another name.",
		"path": ["spec", "users", "cron_admin"],
	}}
	findings({"users": {"postgres": []}, "databases": {"cube": "postgres"}}) == {{
		"message": "The operator does not create database cube, for postgres is a role of its own and no user of the manifest. Give the user another name.",
		"path": ["spec", "users", "postgres"],
	}}

	# It has its Secret, and the flags that are asked for.
	findings({"users": {"postgres": ["superuser"]}}) == set()
	findings({"users": {"administrator": []}, "databases": {"cube": "administrator"}}) == set()
}

test_protected_names_of_the_operator if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": {"users": {"admin": [], "root": []}}}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "o", "namespace": "ops"}, "configuration": {"teams_api": {"protected_role_names": ["root"]}}}}}}}},
	}
	{f.path | some f in found} == {["spec", "users", "root"]}
}

imported(import_, host) := found if {
	spec := {
		"bootstrap": {"initdb": {"import": object.union({"type": "monolith", "databases": ["shop"], "source": {"externalCluster": "old"}}, import_)}},
		"externalClusters": [{"name": "old", "connectionParameters": {"host": host}}, {"name": "other", "connectionParameters": {"host": "a.b.eu-west-1.rds.amazonaws.com"}}],
	}
	found := check.findings with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "shop", "namespace": "prod"}, "spec": spec}}}
}

test_roles_of_a_service if {
	imported({"roles": ["shop"]}, "a.b.eu-west-1.rds.amazonaws.com") == {{
		"message": "The import of roles reads pg_authid, which no user of Amazon RDS may (\"permission denied\"), and no instance is created. Leave roles out and set pgRestoreExtraOptions: [--no-owner, --no-acl], or import one database with type: microservice.",
		"path": ["spec", "bootstrap", "initdb", "import", "roles"],
		"severity": "error",
	}}
	count(imported({"roles": ["*"]}, "Shop.postgres.database.azure.com")) == 1
	imported({}, "a.b.eu-west-1.rds.amazonaws.com") == set()
	imported({"roles": []}, "a.b.eu-west-1.rds.amazonaws.com") == set()
	imported({"roles": ["shop"], "type": "microservice"}, "a.b.eu-west-1.rds.amazonaws.com") == set()
	imported({"roles": ["shop"], "source": {"externalCluster": "absent"}}, "a.b.eu-west-1.rds.amazonaws.com") == set()
	imported({"roles": ["shop"]}, "old-rw.prod.svc") == set()
	running := {
		"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "shop", "namespace": "prod"}, "status": {"readyInstances": 1},
		"spec": {
			"bootstrap": {"initdb": {"import": {"type": "monolith", "databases": ["shop"], "roles": ["*"], "source": {"externalCluster": "old"}}}},
			"externalClusters": [{"name": "old", "connectionParameters": {"host": "a.b.eu-west-1.rds.amazonaws.com"}}],
		},
	}
	check.findings == set() with input as {"review": {"object": running}}
	imported({"roles": ["shop"]}, "${HOST}") == set()
}

scheduled(database, parameters) := findings({"preparedDatabases": {database: {"extensions": {"pg_cron": "pg_catalog"}}}, "postgresql": {"version": "17", "parameters": parameters}})

test_cron_in_another_database if {
	scheduled("orders", {}) == {{
		"message": "Database orders gets no pg_cron, which can be created in that of cron.database_name alone, postgres: every sync fails there. Take it out, and schedule its jobs there by cron.schedule_in_database.",
		"path": ["spec", "preparedDatabases", "orders", "extensions", "pg_cron"],
		"severity": "error",
	}}
	count(scheduled("orders", {"shared_preload_libraries": "pg_stat_statements,pg_cron", "cron.database_name": "shop"})) == 1
}

test_cron_at_home_or_unknown if {
	scheduled("orders", {"cron.database_name": "orders"}) == set()
	scheduled("orders", {"cron.database_name": "${DATABASE}"}) == set()
	scheduled("${DATABASE}", {}) == set()
	scheduled("orders", {"shared_preload_libraries": "pg_stat_statements"}) == set()
}
