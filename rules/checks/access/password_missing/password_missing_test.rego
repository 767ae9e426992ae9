package walguard.checks.access.password_missing_test

import data.walguard.checks.access.password_missing as check

in_container := ["spec", "template", "spec", "containers", 0]

server(container, volumes) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union(
		{"template": {"spec": {"containers": [object.union({"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, container)]}}},
		volumes,
	),
}}}

templates := {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}]}

found(container) := given if given := check.findings with input as server(container, templates)

env(name) := {"env": [{"name": name, "value": "x"}]}

test_missing if {
	found(env("POSTGRES_DB")) == {{
		"message": "POSTGRES_PASSWORD is not set: the image refuses to create a database without it, and the container restarts for ever. Take it from a Secret (valueFrom.secretKeyRef).",
		"severity": "error",
		"path": array.concat(in_container, ["env"]),
	}}
	{f.severity | some f in found({})} == {"info"}
	every name in ["PGDATA", "TZ"] {
		{f.severity | some f in found(env(name))} == {"info"}
	}
	every name in ["PGPASSWORD", "PGUSER", "PGDATABASE"] {
		{f.severity | some f in found({"env": [{"name": name, "value": "/var/lib/postgresql/data"}]})} == {"error"}
	}
	{f.severity | some f in found({"env": [{"name": "POSTGRES_USER", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]})} == {"error"}
}

# A sketch has nobody who comes to it, and an emptyDir holds no database at first.
test_emptied_with_the_pod if {
	volumes := {"template": {"metadata": {"labels": {"app": "orders"}}, "spec": {
		"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [{"name": "data", "emptyDir": {}}],
	}}}
	object_of := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "orders", "namespace": "prod"}, "spec": volumes}
	service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "orders"}, "ports": [{"port": 5432}]}}
	{f.severity | some f in check.findings} == {"info"} with input as {"review": {"object": object_of}}
	{f.severity | some f in check.findings} == {"error"} with input as {"review": {"object": object_of}, "inventory": {"namespace": {"prod": {"v1": {"Service": {"db": service}}}}}}
	charted := json.patch(object_of, [{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": [{"name": "PATRONI_SCOPE", "value": "orders"}]}])
	{f.severity | some f in check.findings} == {"info"} with input as {"review": {"object": charted}, "inventory": {"namespace": {"prod": {"v1": {"Service": {"db": service}}}}}}
	filled := json.patch(object_of, [{"op": "add", "path": "/spec/template/spec/initContainers", "value": [{"name": "restore", "image": "postgres:17"}]}])
	check.findings == set() with input as {"review": {"object": filled}}
}

beside(secret) := given if {
	given := check.findings with input as object.union(
		server({"envFrom": [{"secretRef": {"name": "login"}}]}, templates),
		{"inventory": {"namespace": {"prod": {"v1": {"Secret": {"login": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "prod"}}, secret)}}}}}},
	)
}

# The keys of the Secret are variables of their own names.
test_names_of_a_secret if {
	{f.severity | some f in beside({"stringData": {"postgres-user": "x", "postgres-password": "x"}})} == {"error"}
	{f.severity | some f in beside({"stringData": {"user": "x"}})} == {"info"}
	beside({"stringData": {"POSTGRES_PASSWORD": "x"}}) == set()
	beside({"data": {"POSTGRES_PASSWORD_FILE": "x"}}) == set()
	beside({}) == set()
	beside({"metadata": {"annotations": {"replicator.v1.mittwald.de/replicate-from": "a/b"}}, "stringData": {"user": "x"}}) == set()
}

bitnami := {"image": "bitnami/postgresql:17.6.0", "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}

test_missing_of_bitnami if {
	found(bitnami) == {{
		"message": "POSTGRESQL_PASSWORD is not set: the image refuses to start without it, and the container restarts for ever. Take it from a Secret (valueFrom.secretKeyRef).",
		"severity": "info",
		"path": array.concat(in_container, ["env"]),
	}}
	found(object.union(bitnami, env("POSTGRESQL_PASSWORD"))) == set()
	found(object.union(bitnami, {"env": [{"name": "ALLOW_EMPTY_PASSWORD", "value": "yes"}]})) == set()
}

test_given if {
	every name in ["POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE"] {
		found(env(name)) == set()
	}
	found({"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]}) == set()
	found({"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"}]}) == set()
}

test_silent_when_unknown if {
	found({"envFrom": [{"secretRef": {"name": "orders"}}]}) == set()
	found({"envFrom": [{"configMapRef": {"name": "orders"}}]}) == set()
	found({"image": "registry.example.com/own/postgres:17"}) == set()
	found({"command": ["/start.sh"]}) == set()
	check.findings == set() with input as server({}, {"template": {"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "old"}}]}}})
	check.findings == set() with input as {"review": {"object": {"kind": "ConfigMap"}}}
}

crunchy(left_out, more) := object.union(
	{"image": "crunchydata/crunchy-postgres:ubi8-14.2-1", "env": [{"name": name, "value": "x"} |
		some name in ["PG_MODE", "PG_PRIMARY_USER", "PG_PRIMARY_PASSWORD", "PG_USER", "PG_PASSWORD", "PG_DATABASE", "PG_ROOT_PASSWORD", "PG_PRIMARY_PORT"]
		not name in left_out
	]},
	more,
)

test_crunchy if {
	found(crunchy({"PG_USER"}, {})) == {{
		"message": "PG_USER is not set: the image refuses to start without it, and the container restarts for ever. Set it.",
		"severity": "error",
		"path": array.concat(in_container, ["env"]),
	}}
	count(found(crunchy({"PG_ROOT_PASSWORD"}, {}))) == 1
}

# All is said, something out of sight may say it, files of Secrets do, or another command than the image's runs.
test_crunchy_silent if {
	found(crunchy(set(), {})) == set()
	found(crunchy({"PG_USER"}, {"envFrom": [{"secretRef": {"name": "out-of-sight"}}]})) == set()
	found(crunchy({"PG_USER"}, {"volumeMounts": [{"name": "user", "mountPath": "/pguser"}]})) == set()
	found(crunchy({"PG_USER"}, {"command": ["/opt/cpm/bin/own.sh"]})) == set()
}

# docker-library/postgres 681
test_images_that_let_everybody_in if {
	every tag in ["9.4.26", "9.5.19", "9.6.15-alpine", "10.4", "11.2", "12.0-alpine"] {
		found(object.union(env("POSTGRES_DB"), {"image": sprintf("postgres:%s", [tag])})) == set()
	}
	every tag in ["9.6.17", "9.6.20", "10.23", "11.10", "12.1", "12.22", "13.0"] {
		count(found(object.union(env("POSTGRES_DB"), {"image": sprintf("postgres:%s", [tag])}))) == 1
	}
}
