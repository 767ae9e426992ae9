package walguard.checks.access.contested_login_test

import data.walguard.checks.access.contested_login as check
import data.walguard.lib.manifest_test as manifests

managed(name, secret) := {"managed": {"roles": [{"name": name, "login": true, "passwordSecret": {"name": secret}}]}}

owned(owner, secret) := {"bootstrap": {"initdb": object.union({"database": "shop", "owner": owner}, secret)}}

test_owner_and_managed_role if {
	check.findings == {{
		"message": "Role shop owns the database with the password of Secret orders-app and is a managed role with that of shop: a restart may set either. Name shop in bootstrap.initdb.secret, or manage another role.",
		"path": ["spec", "managed", "roles", 0, "passwordSecret", "name"],
		"severity": "warning",
	}} with input as manifests.review({}, object.union(managed("shop", "shop"), owned("shop", {})))
}

test_owner_postgres if {
	check.findings == {{
		"message": "The owner of the database is postgres, whose password the operator takes away without enableSuperuserAccess: no login with that of the Secret works. Let another role own the database, or set enableSuperuserAccess.",
		"path": ["spec", "bootstrap", "initdb", "owner"],
		"severity": "warning",
	}} with input as manifests.review({}, owned("postgres", {}))

	# A Secret of one's own is there to log in with.
	given := check.findings with input as manifests.review({}, owned("postgres", {"secret": {"name": "login"}}))
	{f.severity | some f in given} == {"error"}

	# Called as its database, since nothing else is said.
	unnamed := check.findings with input as manifests.review({}, {"bootstrap": {"initdb": {"database": "postgres"}}})
	{f.path | some f in unnamed} == {["spec", "bootstrap", "initdb", "database"]}
}

test_secret_of_another_user if {
	check.findings == {{
		"message": "The Secret shop is user admin's, and the managed role is called shop: the operator does not set its password. Write the role's name as username in the Secret.",
		"path": ["spec", "managed", "roles", 0, "passwordSecret", "name"],
		"severity": "error",
	}} with input as object.union(
		manifests.review({}, managed("shop", "shop")),
		{"inventory": {"namespace": {"prod": {"v1": {"Secret": {"shop": {"metadata": {"name": "shop"}, "stringData": {"username": "admin", "password": "x"}}}}}}}},
	)
}

test_one_secret if {
	check.findings == set() with input as manifests.review({}, object.union(managed("shop", "shop"), owned("shop", {"secret": {"name": "shop"}})))
	check.findings == set() with input as manifests.review({}, object.union(managed("shop", "orders-app"), owned("shop", {})))
	check.findings == set() with input as manifests.review({}, object.union(managed("reader", "reader"), owned("shop", {})))
	check.findings == set() with input as manifests.review({}, object.union(owned("postgres", {}), {"enableSuperuserAccess": true}))
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, object.union(managed("${ROLE}", "shop"), owned("${ROLE}", {})))
	check.findings == set() with input as manifests.review({}, managed("shop", "shop"))
}

test_superuser_secret_without_access if {
	check.findings == {{
		"message": "superuserSecret pg is not read without enableSuperuserAccess: true, and postgres has no password. Set enableSuperuserAccess, or take superuserSecret out.",
		"path": ["spec", "superuserSecret", "name"],
		"severity": "warning",
	}} with input as manifests.review({}, {"superuserSecret": {"name": "pg"}})
	check.findings == set() with input as manifests.review({}, {"superuserSecret": {"name": "pg"}, "enableSuperuserAccess": true})
	check.findings == set() with input as manifests.review({}, {"superuserSecret": {"name": "pg"}, "enableSuperuserAccess": "${ACCESS}"})
	check.findings == set() with input as manifests.review({}, {})
}

released(api_version, version) := {"inventory": {"namespace": {"database": {sprintf("helm.toolkit.fluxcd.io/%s", [api_version]): {"HelmRelease": {"cnpg": {
	"apiVersion": sprintf("helm.toolkit.fluxcd.io/%s", [api_version]),
	"kind": "HelmRelease",
	"metadata": {"name": "cnpg", "namespace": "database"},
	"spec": {"chart": {"spec": {"chart": "cloudnative-pg", "version": version}}},
}}}}}}}

# Up to release 1.20, chart 0.18, the access was there by default.
test_superuser_secret_of_a_former_release if {
	every case in [["v2beta1", "0.18.1", 0], ["v2beta2", "0.9.2", 0], ["v2", "v0.18.x", 0], ["v2", "0.19.0", 1], ["v2", "0.26.0", 1], ["v2", ">=0.18.0", 1]] {
		count(check.findings) == case[2] with input as object.union(manifests.review({}, {"superuserSecret": {"name": "pg"}}), released(case[0], case[1]))
	}
	check.findings == set() with input as object.union(manifests.review({}, owned("postgres", {})), released("v2", "0.18.1"))
}

superuser(username, spec) := {f.message |
	some f in check.findings with input as object.union(
		manifests.review({}, object.union({"superuserSecret": {"name": "pg"}}, spec)),
		{"inventory": {"namespace": {"prod": {"v1": {"Secret": {"pg": {"metadata": {"name": "pg"}, "stringData": {"username": username, "password": "x"}}}}}}}},
	)
}

test_superuser_of_another_name if {
	superuser("admin", {"enableSuperuserAccess": true}) == {"The Secret pg is user admin's, and superuserSecret is for postgres alone: the operator sets no password, and the cluster does not become ready. Write postgres as username in the Secret."}
	superuser("postgres", {"enableSuperuserAccess": true}) == set()
	superuser("${SUPERUSER}", {"enableSuperuserAccess": true}) == set()
	superuser("admin", {"enableSuperuserAccess": false}) == set()
}

# The operator cuts white space off.
test_managed_role_with_a_line_break if {
	check.findings == set() with input as object.union(
		manifests.review({}, managed("shop", "shop")),
		{"inventory": {"namespace": {"prod": {"v1": {"Secret": {"shop": {"metadata": {"name": "shop"}, "data": {"username": base64.encode("shop\n"), "password": "eA=="}}}}}}}},
	)
}

client(env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "shop", "env": env}]}}}}

password_of(secret) := {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}

among(spec, env, secrets) := {[f.message, f.severity] | some f in found} if {
	found := check.findings with input as {
		"placeholders": true,
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": object.union({"apps/v1": {"Deployment": {"shop": client(env)}}}, secrets)}},
	}
}

by_hand := {"v1": {"Secret": {"shop": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop", "namespace": "prod"}, "stringData": {"password": "x"}}}}}

synced(spec) := {"external-secrets.io/v1": {"ExternalSecret": {"shop": {"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "metadata": {"name": "shop", "namespace": "prod"}, "spec": spec}}}}

address := [password_of("shop"), {"name": "URL", "value": "postgresql://shop:$(DB_PASSWORD)@orders-rw.prod.svc:5432/shop"}]

test_a_role_that_is_filled_in if {
	spec := owned("shop", {})
	url := {"name": "URL", "value": "postgresql://$(DB_USER):$(DB_PASSWORD)@orders-rw.prod.svc:5432/shop"}
	count(among(spec, [{"name": "DB_USER", "value": "shop"}, password_of("shop"), url], by_hand)) == 1
	among(spec, [{"name": "DB_USER", "value": "report"}, password_of("shop"), url], by_hand) == set()
	among(spec, [password_of("shop"), url], by_hand) == set()
}

apart := [password_of("shop"), {"name": "DB_USER", "value": "shop"}, {"name": "DB_HOST", "value": "orders-rw"}]

test_client_with_the_password_of_somebody_else if {
	spec := owned("shop", {})
	among(spec, address, by_hand) == {["Deployment shop logs in as shop with the password of Secret shop, and the operator sets that of orders-app, which it generates, at every start of a primary: logins fail then. Name shop in bootstrap.initdb.secret, or log in with orders-app.", "warning"]}
	count(among(spec, apart, by_hand)) == 1
	count(among(spec, apart, synced({"data": [{"remoteRef": {"key": "database/static-creds/shop"}}]}))) == 1
}

test_clients_that_know_the_password if {
	spec := owned("shop", {})
	among(spec, apart, synced({"data": [{"remoteRef": {"key": "orders-app"}}]})) == set()
	among(spec, apart, {}) == set()
	among(owned("shop", {"secret": {"name": "shop"}}), apart, by_hand) == set()
	among(spec, [password_of("orders-app"), {"name": "DB_USER", "value": "shop"}, {"name": "DB_HOST", "value": "orders-rw"}], by_hand) == set()
	among(spec, [password_of("shop"), {"name": "DB_USER", "value": "other"}, {"name": "DB_HOST", "value": "orders-rw"}], by_hand) == set()
	among(spec, [password_of("shop"), {"name": "DB_USER", "value": "shop"}, {"name": "DB_HOST", "value": "elsewhere"}], by_hand) == set()
}

whole := [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "uri"}}}]

templated(address) := synced({"target": {"template": {"data": {"uri": address, "count": 3}}}, "data": [{"remoteRef": {"key": "static-creds/shop"}}]})

from_store := "postgresql://{{ .username }}:{{ .password }}@orders-rw:5432/shop?sslmode=require"

test_whole_address_from_a_secret if {
	spec := owned("shop", {})
	every secret in [templated(from_store), templated(replace(from_store, "{{ .username }}", "shop"))] {
		count(among(spec, whole, secret)) == 1
	}
	count(among(spec, whole, {"v1": {"Secret": {"shop": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop", "namespace": "prod"}, "stringData": {"uri": "postgres://shop:x@orders-rw/shop"}}}}})) == 1
	sealed := {"bitnami.com/v1alpha1": {"SealedSecret": {"shop": {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": {"name": "shop", "namespace": "prod"}, "spec": {"encryptedData": {"password": "AgB"}, "template": {"data": {"uri": "postgres://shop:{{ .password }}@orders-rw/shop"}}}}}}}
	count(among(spec, whole, sealed)) == 1
}

test_whole_address_of_another_role if {
	among(owned("shop", {}), whole, templated(replace(from_store, "{{ .username }}", "report"))) == set()
	among(owned("shop", {}), whole, templated(replace(from_store, "orders-rw", "elsewhere"))) == set()
	among(owned("shop", {}), whole, synced({})) == set()
	among(owned("shop", {}), whole, {"v1": {"Secret": {"shop": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop", "namespace": "prod"}, "stringData": {"uri": "postgres://shop:CHANGE_ME@orders-rw/shop"}}}}}) == set()
	every more in [{"enableSuperuserAccess": true}, {"managed": {"roles": [{"name": "report", "login": true}]}}] {
		among(object.union(owned("shop", {}), more), whole, templated(from_store)) == set()
	}
	among(owned("shop", {"postInitSQL": ["CREATE ROLE report LOGIN"]}), whole, templated(from_store)) == set()
	among(owned("shop", {"import": {"type": "monolith"}}), whole, templated(from_store)) == set()
}

test_all_variables_of_a_secret if {
	secret := {"v1": {"Secret": {"shop": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop", "namespace": "prod"}, "stringData": {"USER": "shop", "PASSWORD": "x", "HOST": "orders-rw"}}}}}
	deployment := json.patch(client([]), [{"op": "add", "path": "/spec/template/spec/containers/0/envFrom", "value": [{"prefix": "DB_", "secretRef": {"name": "shop"}}]}])
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": owned("shop", {})}},
		"inventory": {"namespace": {"prod": object.union({"apps/v1": {"Deployment": {"shop": deployment}}}, secret)}},
	}
	{f.path | some f in found} == {["spec", "template", "spec", "containers", 0, "envFrom", 0]}
}

zalando(spec) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-db", "namespace": "prod"},
	"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17"}}, spec),
}}}

# The operator's own users keep their names in the pods.
test_rotation_of_system_users if {
	zalando({"usersWithSecretRotation": ["app", "postgres"]}) == {{
		"message": "usersWithSecretRotation has postgres: its Secret gets the password of a new role, which pods and sidecars use for postgres from their next start on (\"password authentication failed\"). Take it out.",
		"path": ["spec", "usersWithSecretRotation", 1],
		"severity": "warning",
	}}
	{f.path | some f in zalando({"usersWithSecretRotation": ["standby"]})} == {["spec", "usersWithSecretRotation", 0]}
}

test_rotation_that_is_meant_so if {
	zalando({"usersWithSecretRotation": ["app"]}) == set()
	zalando({"usersWithInPlaceSecretRotation": ["standby"]}) == set()
	zalando({"usersWithSecretRotation": ["standby"], "usersWithInPlaceSecretRotation": ["standby"]}) == set()
	zalando({"usersWithSecretRotation": ["postgres"], "usersIgnoringSecretRotation": ["postgres"]}) == set()
	zalando({"usersWithSecretRotation": ["postgres"], "standby": {"standby_host": "db"}}) == set()
	zalando({"usersWithSecretRotation": "postgres"}) == set()
}

# A program that takes the password from the Secret means to log in with it.
asking(secret, spec) := asking_for(secret, "password", spec)

asking_for(secret, key, spec) := {f.severity |
	found := check.findings with input as object.union(manifests.review({}, spec), {"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "web", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}]}]}}},
	}}}}}}})
	some f in found
}

test_owner_whose_generated_password_a_program_takes if {
	both := object.union(managed("shop", "shop"), owned("shop", {}))
	asking("orders-app", both) == {"error"}
	asking_for("orders-app", "fqdn-uri", both) == {"error"}
	asking_for("orders-app", "host", both) == {"warning"}
	asking("shop", both) == {"warning"}
	asking("mine", object.union(managed("shop", "shop"), owned("shop", {"secret": {"name": "mine"}}))) == {"warning"}
}

test_superuser_that_a_program_means_to_be if {
	super := {"superuserSecret": {"name": "pg"}}
	asking("pg", super) == {"error"}
	asking("pg", object.union(super, {"enableSuperuserAccess": false})) == {"error"}
	asking("other", super) == {"warning"}
	asking("other", object.union(super, {"enableSuperuserAccess": false})) == set()
	asking("pg", object.union(super, {"enableSuperuserAccess": true})) == set()
	asking("pg", object.union(super, {"enableSuperuserAccess": "${ACCESS}"})) == set()
}

admitting(lines) := found if found := check.findings with input as manifests.review({}, object.union(owned("postgres", {"secret": {"name": "login"}}), {"postgresql": {"pg_hba": lines}}))

test_logins_by_certificate if {
	admitting(["hostssl all shahab all cert clientcert=verify-full"]) == set()
	admitting(["hostssl sameuser all all\tcert"]) == set()
	count(admitting(["hostssl all cert all scram-sha-256", "# hostssl all all all cert"])) == 1
}

# Without enableSuperuserAccess postgres has no password at all.
by_postgres(spec, variables) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as object.union(manifests.review({}, spec), {"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"api": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "api", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "api", "image": "shop:1", "env": variables}]}}},
	}}}}}}})
}

address_of(user, host) := [{"name": "DATABASE_URL", "value": sprintf("postgres://%s:x@%s:5432/shop", [user, host])}]

test_login_as_postgres if {
	by_postgres({}, address_of("postgres", "orders-rw")) == {["error", "Deployment api logs in as postgres at orders-rw, and the operator takes its password away without enableSuperuserAccess: \"password authentication failed\". Let it log in as the owner of the database, or set enableSuperuserAccess."]}
	count(by_postgres({"enableSuperuserAccess": false}, [{"name": "DB_HOST", "value": "orders-ro"}, {"name": "DB_USERNAME", "value": "postgres"}])) == 1
	by_postgres({"enableSuperuserAccess": true}, address_of("postgres", "orders-rw")) == set()
	by_postgres({}, address_of("app", "orders-rw")) == set()
	by_postgres({}, address_of("postgres", "other-rw")) == set()
	by_postgres({"postgresql": {"pg_hba": ["host all all 10.0.0.0/8 trust"]}}, address_of("postgres", "orders-rw")) == set()
	by_postgres({"replica": {"enabled": true, "source": "x"}}, address_of("postgres", "orders-rw")) == set()
}

# Rendered by walguard.charts.
test_made_up_at_each_rendering if {
	server := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "pg", "namespace": "db", "annotations": {"charts.walguard.dev/generated-passwords": "postgresql.password and postgresql.repmgrPassword"}},
		"spec": {"template": {"spec": {"containers": [{"name": "postgresql", "image": "bitnami/postgresql-repmgr:17"}]}}},
	}
	check.findings == {{
		"message": "helm template, by which Argo CD and kustomize render the chart, sees no Secret: every sync makes a new postgresql.password and postgresql.repmgrPassword, and the data directory keeps the first. Set postgresql.existingSecret.",
		"path": ["metadata", "annotations"],
		"severity": "error",
	}} with input as {"review": {"object": server}}
	check.findings == set() with input as {"review": {"object": object.remove(server, ["metadata"])}}
}
