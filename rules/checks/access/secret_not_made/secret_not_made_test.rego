package walguard.checks.access.secret_not_made_test

import data.walguard.checks.access.secret_not_made as check

asks(secret) := {"env": [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}]}

findings(cluster, container, others) := found if found := check.findings with input as {
	"review": {"object": cluster},
	"inventory": {"namespace": {"prod": object.union(
		{"apps/v1": {"Deployment": {"shop": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "shop", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [container]}}},
		}}}},
		others,
	)}},
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": object.union({"instances": 1}, spec)}

pgo(version, kind, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": "db", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17}, spec)}

crunchy(spec) := pgo("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", spec)

percona(spec) := pgo("pgv2.percona.com/v2", "PerconaPGCluster", spec)

told(secret, reason, cure) := {
	"message": sprintf("Deployment shop asks for Secret %s, which the operator does not make: %s. The container is not created; %s.", [secret, reason, cure]),
	"path": ["spec", "template", "spec", "containers", 0, "env", 0],
	"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
}

test_superuser_of_cloudnativepg if {
	findings(cnpg({}), asks("db-superuser"), {}) == {told("db-superuser", "enableSuperuserAccess is not true", "set it, or log in as the owner of the database")}
	findings(cnpg({"enableSuperuserAccess": true, "superuserSecret": {"name": "root"}}), asks("db-superuser"), {}) == {told("db-superuser", "superuserSecret names root", "ask for root")}
	findings(cnpg({"enableSuperuserAccess": true}), asks("db-superuser"), {}) == set()
	findings(cnpg({"superuserSecret": {"name": "db-superuser"}}), asks("db-superuser"), {}) == set()
}

# A Secret that it made for a former manifest stays.
test_owner_of_cloudnativepg if {
	findings(cnpg({"bootstrap": {"initdb": {"owner": "app", "secret": {"name": "own"}}}}), asks("db-app"), {}) == {told("db-app", "bootstrap.initdb.secret names own", "ask for own, or take it out there")}

	# One that runs may have the Secret of a former manifest.
	findings(object.union(cnpg({"bootstrap": {"initdb": {"owner": "app", "secret": {"name": "own"}}}}), {"status": {"phase": "Cluster in healthy state"}}), asks("db-app"), {}) == {object.union(told("db-app", "bootstrap.initdb.secret names own", "ask for own, or take it out there"), {"severity": "warning"})}
	findings(cnpg({"bootstrap": {"initdb": {"owner": "app"}}}), asks("db-app"), {}) == set()
	findings(cnpg({"bootstrap": {"initdb": {"owner": "app", "secret": {"name": "db-app"}}}}), asks("db-app"), {}) == set()
	findings(cnpg({}), asks("db-app"), {}) == set()
}

test_users_of_crunchy_and_percona if {
	some cluster in [crunchy({"users": [{"name": "shop"}]}), percona({"users": [{"name": "shop"}]})]
	findings(cluster, asks("db-pguser-db"), {}) == {told("db-pguser-db", "its user is not in spec.users", "list it there, or ask for db-pguser-shop")}
	findings(cluster, asks("db-pguser-shop"), {}) == set()
}

test_user_of_the_cluster if {
	findings(crunchy({}), asks("db-pguser-postgres"), {}) == {told("db-pguser-postgres", "without spec.users there is one user, db", "list it there, or ask for db-pguser-db")}
	findings(crunchy({}), asks("db-pguser-db"), {}) == set()
	findings(percona({"pmm": {"enabled": true}}), asks("db-pguser-monitor"), {}) == set()
	findings(percona({"users": [{"name": "shop", "secretName": "own"}]}), asks("db-pguser-shop"), {}) == {told("db-pguser-shop", "its user is not in spec.users", "list it there, or ask for own")}
}

test_all_of_a_secret if {
	{f.path | some f in findings(cnpg({}), {"envFrom": [{"secretRef": {"name": "db-superuser"}}]}, {})} == {["spec", "template", "spec", "containers", 0, "envFrom", 0]}
}

test_made_by_somebody_else if {
	findings(cnpg({}), asks("db-superuser"), {"v1": {"Secret": {"db-superuser": {"kind": "Secret", "metadata": {"name": "db-superuser"}}}}}) == set()
	findings(cnpg({}), asks("db-superuser"), {"bitnami.com/v1alpha1": {"SealedSecret": {"db-superuser": {"kind": "SealedSecret", "metadata": {"name": "db-superuser"}}}}}) == set()
	findings(cnpg({}), asks("db-superuser"), {"external-secrets.io/v1": {"ExternalSecret": {"x": {"kind": "ExternalSecret", "metadata": {"name": "x"}, "spec": {"target": {"name": "db-superuser"}}}}}}) == set()
}

test_silent_when_unknown if {
	findings(cnpg({"enableSuperuserAccess": "${SUPERUSER}"}), asks("db-superuser"), {}) == set()
	findings(cnpg({"superuserSecret": {"name": "${SECRET}"}}), asks("db-superuser"), {}) == set()
	findings(crunchy({"users": [{"name": "${USER}"}]}), asks("db-pguser-x"), {}) == set()
	findings(cnpg({}), asks("elsewhere-superuser"), {}) == set()
	findings(cnpg({}), {"env": [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-superuser", "key": "password", "optional": true}}}]}, {}) == set()
	findings(cnpg({}), {}, {}) == set()
}

keyed(secret, key) := {"env": [{"name": "DB", "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}]}

told_key(key, reason, cure) := {
	"message": sprintf("Deployment shop asks for key %s of Secret db-pguser-shop, which the operator does not write: %s. %s, since the container is not created.", [key, reason, cure]),
	"path": ["spec", "template", "spec", "containers", 0, "env", 0],
	"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
}

test_keys_of_what_there_is_not if {
	some cluster in [crunchy({"users": [{"name": "shop"}]}), percona({"users": [{"name": "shop", "databases": []}]})]
	findings(cluster, keyed("db-pguser-shop", "dbname"), {}) == {told_key("dbname", "user shop has no databases", "List them in spec.users")}
	findings(cluster, keyed("db-pguser-shop", "pgbouncer-uri"), {}) == {told_key("pgbouncer-uri", "the cluster has no proxy.pgBouncer", "Add it, or take the key of the server")}
}

test_keys_that_are_written if {
	findings(crunchy({"users": [{"name": "shop"}]}), keyed("db-pguser-shop", "password"), {}) == set()
	findings(crunchy({"users": [{"name": "shop", "databases": ["shop"]}]}), keyed("db-pguser-shop", "uri"), {}) == set()
	findings(crunchy({}), keyed("db-pguser-db", "dbname"), {}) == set()
	findings(crunchy({"proxy": {"pgBouncer": {}}}), keyed("db-pguser-db", "pgbouncer-uri"), {}) == set()
	findings(crunchy({"users": [{"name": "${USER}"}]}), keyed("db-pguser-shop", "dbname"), {}) == set()
}

# What another namespace asks for.
from_web(cluster, secret, others) := {f.message |
	found := check.findings with input as {
		"review": {"object": cluster},
		"inventory": {"namespace": {
			"prod": {cluster.apiVersion: {cluster.kind: {cluster.metadata.name: cluster}}},
			"web": object.union(
				{"apps/v1": {"Deployment": {"shop": {
					"apiVersion": "apps/v1",
					"kind": "Deployment",
					"metadata": {"name": "shop", "namespace": "web"},
					"spec": {"template": {"spec": {"containers": [asks(secret)]}}},
				}}}},
				others,
			),
		}},
	}
	some f in found
	f.severity == "warning"
	f.resource.namespace == "web"
}

in_prod(secret) := {sprintf("Deployment shop asks for Secret %s in namespace web, and the operator makes it in prod: unless something copies it, the container is not created. Move it there, or copy the Secret.", [secret])}

zalando := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": {"numberOfInstances": 2, "users": {"shop_owner": []}}}

test_secrets_of_another_namespace if {
	from_web(crunchy({"users": [{"name": "shop"}]}), "db-pguser-shop", {}) == in_prod("db-pguser-shop")
	from_web(percona({"users": [{"name": "shop"}]}), "db-pguser-shop", {}) == in_prod("db-pguser-shop")
	from_web(cnpg({}), "db-app", {}) == in_prod("db-app")
	from_web(zalando, "shop-owner.acid-db.credentials.postgresql.acid.zalan.do", {}) == in_prod("shop-owner.acid-db.credentials.postgresql.acid.zalan.do")
}

test_secrets_that_may_be_there if {
	from_web(crunchy({"users": [{"name": "shop"}]}), "db-pguser-other", {}) == set()
	from_web(cnpg({}), "db-superuser", {}) == set()
	from_web(cnpg({}), "db-app", {"v1": {"Secret": {"db-app": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db-app", "namespace": "web"}}}}}) == set()
	from_web(cnpg({}), "db-app", {"external-secrets.io/v1": {"ExternalSecret": {"x": {"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "metadata": {"name": "x", "namespace": "web"}, "spec": {"target": {"name": "db-app"}}}}}}) == set()
	from_web(cnpg({"inheritedMetadata": {"annotations": {"reflector.v1.k8s.emberstack.com/reflection-allowed": "true"}}}), "db-app", {}) == set()
	from_web(cnpg({}), "db-app", {"postgresql.cnpg.io/v1": {"Cluster": {"db": object.union(cnpg({}), {"metadata": {"name": "db", "namespace": "web"}})}}}) == set()
}

test_underscores_of_users if {
	underscored := "shop_owner.acid-db.credentials.postgresql.acid.zalan.do"
	findings(zalando, asks(underscored), {}) == {told(underscored, "it writes - for each _ of the user", "write - in that name too")}
	count(findings(zalando, asks(sprintf("web.%s", [underscored])), {})) == 1
	findings(zalando, asks("shop-owner.acid-db.credentials.postgresql.acid.zalan.do"), {}) == set()
	findings(zalando, asks("shop_owner.acid-other.credentials.postgresql.acid.zalan.do"), {}) == set()
	findings(zalando, asks("${SHOP_USER}.acid-db.credentials.postgresql.acid.zalan.do"), {}) == set()
}

of_volume(volume) := {[f.path, split(f.message, ",")[0]] |
	found := check.findings with input as {
		"review": {"object": zalando},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"shop": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "shop", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "shop"}], "volumes": [{"name": "tmp", "emptyDir": {}}, volume]}}},
		}}}}}},
	}
	some f in found
}

test_secrets_of_volumes if {
	name := "shop_owner.acid-db.credentials.postgresql.acid.zalan.do"
	one := {[["spec", "template", "spec", "volumes", 1], sprintf("Deployment shop asks for Secret %s", [name])]}
	of_volume({"name": "db", "secret": {"secretName": name}}) == one
	of_volume({"name": "db", "projected": {"sources": [{"configMap": {"name": "ca"}}, {"secret": {"name": name}}]}}) == one
	of_volume({"name": "db", "secret": {"secretName": name, "optional": true}}) == set()
	of_volume({"name": "db", "secret": {"secretName": "other"}}) == set()
}
