package walguard.checks.access.client_mismatch_collation_test

import data.walguard.checks.access.client_mismatch as check

settings(text) := sprintf("database:\n  name: psycopg2\n  args:\n    user: synapse\n    dbname: synapse\n    host: db\n%s", [text])

found(container, image, text) := {[f.severity, f.message] | some f in check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "chat"},
		"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6", "env": [{"name": "POSTGRES_DB", "value": "synapse"}]}, container)]}}},
	}},
	"inventory": {"namespace": {"chat": {
		"v1": {
			"Secret": {"synapse": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "synapse", "namespace": "chat"}, "stringData": {"homeserver.yaml": settings(text)}}},
			"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "chat"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}},
		},
		"apps/v1": {"Deployment": {"synapse": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "synapse", "namespace": "chat"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "synapse", "image": image, "volumeMounts": [{"name": "settings", "mountPath": "/config"}]}],
				"volumes": [{"name": "settings", "secret": {"secretName": "synapse"}}],
			}}},
		}}},
	}}},
}}

synapse := "matrixdotorg/synapse:v1.140.0"

test_collation_of_the_image if {
	every image in [synapse, "ghcr.io/element-hq/synapse:v1.140.0"] {
		found({}, image, "") == {["error", "Deployment synapse runs Synapse, which takes a database with the collation C alone, and the image makes synapse with en_US.utf8: it does not start. Set POSTGRES_INITDB_ARGS to --locale=C before the first start."]}
	}
}

with_env(more) := {"env": array.concat([{"name": "POSTGRES_DB", "value": "synapse"}], more)}

test_another_collation if {
	every args in ["--locale=C", "--lc-collate=C --lc-ctype=C", "--no-locale"] {
		found(with_env([{"name": "POSTGRES_INITDB_ARGS", "value": args}]), synapse, "") == set()
	}
	found(with_env([{"name": "LANG", "value": "C"}]), synapse, "") == set()
	found(with_env([{"name": "LANG", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "y"}}}]), synapse, "") == set()
	found({"env": [{"name": "POSTGRES_DB", "value": "other"}]}, synapse, "") == set()
	found({"volumeMounts": [{"name": "more", "mountPath": "/docker-entrypoint-initdb.d"}]}, synapse, "") == set()
	found({}, synapse, "  allow_unsafe_locale: true\n") == set()
	found({}, "registry.example.com/chat:1", "") == set()
}
