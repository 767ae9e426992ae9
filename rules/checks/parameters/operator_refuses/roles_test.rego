package walguard.checks.parameters.operator_refuses_roles_test

import data.walguard.checks.parameters.operator_refuses as check
import data.walguard.lib.manifest_test as manifests

role(name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "DatabaseRole", "metadata": {"name": name, "namespace": "prod"}, "spec": object.union({"cluster": {"name": "orders"}}, spec)}

refused(spec, roles) := {[f.message, f.path, f.resource.name] | some f in found} if {
	found := check.findings with input as object.union(
		manifests.review({}, spec),
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"DatabaseRole": {one.metadata.name: one | some one in roles}}}}}},
	)
}

said(spec) := {trim_prefix(message, "CloudNativePG refuses this resource: ") | some [message, _, _] in refused({}, [role("r", spec)])}

test_role_that_the_schema_refuses if {
	refused({}, [role("r", {"name": "cnpg_app"})]) == {["CloudNativePG refuses this resource: role cnpg_app is the operator's or PostgreSQL's own. Take another name.", ["spec", "name"], "r"]}
	said({"name": "shop", "ensure": "absent"}) == {"a DatabaseRole has no ensure: absent. Delete it with databaseRoleReclaimPolicy: delete instead."}
	said({"name": "shop", "disablePassword": true, "passwordSecret": {"name": "s"}}) == {"role shop has disablePassword and a passwordSecret. Leave one of them."}
	said({"name": "shop", "clientCertificate": {}}) == {"role shop has a clientCertificate and no login: true. Set login: true, or take it out."}
	count(refused({}, [role("r", {"owner": "x"})])) == 1
}

test_role_that_two_manage if {
	refused({"managed": {"roles": [{"name": "shop"}]}}, [role("r", {"name": "shop"})]) == {["CloudNativePG refuses this resource: role shop is managed by spec.managed.roles of this cluster too, and the DatabaseRole is never applied. Leave one of the two.", ["spec", "name"], "r"]}
	refused({}, [role("a", {"name": "shop"}), role("b", {"name": "shop"})]) == {["CloudNativePG refuses this resource: role shop is managed by DatabaseRole a of this cluster too, and the DatabaseRole is never applied. Leave one of the two.", ["spec", "name"], "b"]}
}

test_role_that_is_taken if {
	every spec in [
		{"name": "shop", "ensure": "present"},
		{"name": "shop", "disablePassword": false, "passwordSecret": {"name": "s"}},
		{"name": "shop", "disablePassword": true},
		{"name": "shop", "login": true, "clientCertificate": {"enabled": true}},
		{"name": "shop", "clientCertificate": {"enabled": false}},
		{"name": "shop", "login": "${LOGIN}", "clientCertificate": {}},
	] {
		said(spec) == set()
	}
	refused({"managed": {"roles": [{"name": "other"}]}}, [role("a", {"name": "shop"}), role("b", {"name": "${NAME}"}), role("c", {"name": "${NAME}"})]) == set()
	refused({}, [object.union(role("a", {"name": "pg_app"}), {"spec": {"cluster": {"name": "another"}}})]) == set()
}
