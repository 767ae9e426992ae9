package walguard.checks.access.database_not_created_roles_test

import data.walguard.checks.access.database_not_created as check

made(kind, name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

of(content, others) := {[f.message, f.path, object.get(f, "severity", "warning")] |
	found := check.findings with input as {
		"review": {"object": object.union(made("Cluster", "orders", {}), content)},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {kind: {one.metadata.name: one | some one in others; one.kind == kind} | some kind in {one.kind | some one in others}}}}},
	}
	some f in found
}

cluster(spec, others) := of({"spec": spec}, others)

shop(spec) := made("Database", "shop", object.union({"name": "shop", "owner": "ghost", "cluster": {"name": "orders"}}, spec))

fault := ["Database shop names role ghost, and neither bootstrap.initdb nor managed.roles makes it: the database is not created (\"role does not exist\"). Add ghost to managed.roles.", ["spec", "owner"], "error"]

begun(initdb) := {"bootstrap": {"initdb": initdb}}

test_owner_that_nothing_makes if {
	cluster({"instances": 3}, [shop({})]) == {fault}
	cluster(begun({"database": "main", "postInitSQL": ["CREATE ROLE other"]}), [shop({})]) == {fault}
	cluster({"managed": {"roles": [{"name": "ghost", "ensure": "absent"}]}}, [shop({})]) == {fault}
}

test_owners_that_somebody_may_make if {
	every spec in [{"enableSuperuserAccess": true}, {"managed": {"roles": [{"name": "admin", "createrole": true}]}}] {
		{found[2] | some found in cluster(spec, [shop({})])} == {"warning"}
	}
}

test_owners_that_are_made if {
	every name in ["app", "postgres", "pg_monitor", "${OWNER}"] {
		cluster({"instances": 3}, [shop({"owner": name})]) == set()
	}
	cluster(begun({"database": "main"}), [shop({"owner": "main"})]) == set()
	cluster(begun({"database": "main", "owner": "ghost"}), [shop({})]) == set()
	cluster({"managed": {"roles": [{"name": "ghost"}]}}, [shop({})]) == set()
	cluster({"instances": 3}, [shop({}), made("DatabaseRole", "g", {"name": "ghost", "cluster": {"name": "orders"}})]) == set()
}

test_owners_that_may_be_there if {
	every initdb in [
		{"postInitSQL": ["CREATE ROLE ghost"]}, {"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "a", "key": "b"}]}}, {"owner": "${OWNER}"},
		{"import": {"type": "microservice", "databases": ["app"], "source": {"externalCluster": "old"}}},
	] {
		count([1 | some f in cluster(begun(initdb), [shop({})]); f == fault]) == 0
	}
	cluster({"bootstrap": {"recovery": {"source": "old"}}}, [shop({})]) == set()
	cluster({"managed": {"roles": [{"name": "${ROLE}"}]}}, [shop({})]) == set()
	cluster({"instances": 3}, [shop({"ensure": "absent"})]) == set()
	cluster({"instances": 3}, [object.union(shop({}), {"status": {"applied": true}})]) == set()
	of({"spec": {"instances": 3}, "status": {"phase": "Cluster in healthy state"}}, [shop({})]) == set()
}

test_role_of_crossplane if {
	check.findings == set() with input as {
		"review": {"object": made("Cluster", "orders", {"instances": 3})},
		"inventory": {
			"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Database": {"shop": shop({})}}}},
			"cluster": {"postgresql.sql.crossplane.io/v1alpha1": {"Role": {"ghost": {"apiVersion": "postgresql.sql.crossplane.io/v1alpha1", "kind": "Role", "metadata": {"name": "ghost"}}}}},
		},
	}
}

test_tablespaces_and_memberships if {
	cluster({"tablespaces": [{"name": "fast", "storage": {"size": "1Gi"}, "owner": {"name": "ghost"}}]}, []) == {["Tablespace fast names role ghost, and neither bootstrap.initdb nor managed.roles makes it: it is not created (\"role does not exist\"). Add ghost to managed.roles.", ["spec", "tablespaces", 0, "owner", "name"], "error"]}
	cluster({"tablespaces": [{"name": "fast", "storage": {"size": "1Gi"}}, {"name": "slow", "storage": {"size": "1Gi"}, "owner": {"name": ""}}]}, []) == set()
	cluster({"managed": {"roles": [{"name": "a", "inRoles": ["pg_monitor", "ghost"]}]}}, []) == {["inRoles of role a names role ghost, and neither bootstrap.initdb nor managed.roles makes it: the role is not created (\"role does not exist\"). Add ghost to managed.roles.", ["spec", "managed", "roles", 0, "inRoles", 1], "error"]}
	cluster({"managed": {"roles": [{"name": "a", "ensure": "absent", "inRoles": ["ghost"]}]}}, []) == set()
}

# --------------------------------------------------------------------------------------------- schemas, users of PMM

schemas(of_database) := {[f.message, f.path] |
	found := check.findings with input as {"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": {"preparedDatabases": {"orders": {"schemas": of_database}}}}}}
	some f in found
}

test_schemas_of_prepared_databases if {
	schemas({"my-schema": {}}) == {["The operator creates no schema called \"my-schema\" in database orders. Write letters, digits and \"_\" only, and no digit first.", ["spec", "preparedDatabases", "orders", "schemas", "my-schema"]]}
	schemas({"data": {"defaultUsers": true, "defaultRoles": false}}) == {["Schema data of database orders has defaultUsers and defaultRoles: false, and the operator creates these users with the roles alone. Set defaultRoles to true.", ["spec", "preparedDatabases", "orders", "schemas", "data"]]}
	schemas({"data": {"defaultUsers": true}, "history": {"defaultRoles": false}, "a": null, "${SCHEMA}": {}}) == set()
}

percona(users) := {[f.message, f.path] |
	found := check.findings with input as {"review": {"object": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 17, "users": users}}}}
	some f in found
}

test_user_of_pmm if {
	percona([{"name": "app"}, {"name": "monitor"}]) == {["The operator keeps the user monitor for PMM, and creates neither it nor its databases for spec.users. Give the user another name.", ["spec", "users", 1, "name"]]}
	percona([{"name": "app"}]) == set()
	percona([{"name": "logicalrepl"}]) == set()
}

test_user_of_logical_replicas if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 17, "logicalReplicas": [{"name": "reports"}], "users": [{"name": "logicalrepl"}]}}}}
	{f.path | some f in found} == {["spec", "users", 0, "name"]}
}

# With PMM the operator's own comes to it, and both have one name.
test_user_of_pmm_twice if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 17, "pmm": {"enabled": true}, "users": [{"name": "monitor"}]}}}}
	{[f.path, f.severity] | some f in found} == {[["spec", "users", 0, "name"], "error"]}
}
