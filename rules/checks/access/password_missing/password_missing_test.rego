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
