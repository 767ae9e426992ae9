package walguard.checks.access.database_not_created_test

import data.walguard.checks.access.database_not_created as check

findings(spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": spec}}}

test_name if {
	findings({"databases": {"orders-app": "orders"}}) == {{
		"message": "The operator creates no database called \"orders-app\". Write letters, digits and \"_\" only, and no digit first.",
		"path": ["spec", "databases", "orders-app"],
	}}
	{f.path | some f in findings({"preparedDatabases": {"orders-app": {}}})} == {["spec", "preparedDatabases", "orders-app"]}
}

test_two_owners if {
	findings({"databases": {"orders": "shop"}, "preparedDatabases": {"orders": {}}}) == {{
		"message": "Database orders stands under databases too, with the owner shop; the operator creates the schemas and roles of a prepared database as orders_owner, and every sync ends with \"permission denied for database\". Leave it in one of the two.",
		"path": ["spec", "preparedDatabases", "orders"],
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
		"message": "Database orders belongs to postgres, which is not among users: the operator passes it over. Add postgres to users, or name an owner that is there.",
		"path": ["spec", "databases", "orders"],
	}}
	{f.message | some f in findings({"databases": {"orders": "shop"}, "users": {"app": []}})} == {"Database orders belongs to shop, which is not among users: the operator passes it over unless its own configuration has that role. Add shop to users, or name an owner that is there."}
	findings({"databases": {"orders": "app"}, "users": {"app": null}}) == set()
	findings({"databases": {"orders": "shop"}, "users": {"${USER}": []}}) == set()
	findings({"databases": {"orders": "shop"}, "users": {}}) == set()
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
