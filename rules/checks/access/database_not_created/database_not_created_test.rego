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
