package walguard.checks.change.first_start_test

import data.walguard.checks.change.first_start as check

set_of(image, env) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{
			"name": "postgres",
			"image": image,
			"env": env,
			"volumeMounts": [{"name": "data", "mountPath": directory(image), "subPath": "pgdata"}],
		}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}}],
	},
}

directory(image) := "/bitnami/postgresql" if startswith(image, "bitnami")

directory(image) := "/var/lib/postgresql/data" if not startswith(image, "bitnami")

updated(old, new) := {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}

official(name, value) := set_of("postgres:17.6", [{"name": name, "value": value}])

test_another_user if {
	check.findings == {{
		"message": "POSTGRES_USER changes, which the image reads only when the data directory is empty: the server that exists keeps the roles and databases it has. Create the new one there first, or write the old name.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
	}} with input as updated(official("POSTGRES_USER", "orders"), official("POSTGRES_USER", "billing"))
}

test_another_password if {
	some f in check.findings with input as updated(official("POSTGRES_PASSWORD", "Rk7vq2LmXcPs"), official("POSTGRES_PASSWORD", "Zk83cTJMbVhj"))
	contains(f.message, "keeps its password")
}

test_bitnami if {
	old := set_of("bitnami/postgresql:16.6.0", [{"name": "POSTGRESQL_DATABASE", "value": "orders"}])
	new := set_of("bitnami/postgresql:16.6.0", [{"name": "POSTGRESQL_DATABASE", "value": "billing"}])
	count(check.findings) == 1 with input as updated(old, new)
}

test_silent if {
	same := official("POSTGRES_USER", "orders")
	check.findings == set() with input as updated(same, same)
	check.findings == set() with input as same
	check.findings == set() with input as updated(set_of("postgres:17.6", []), same)
}
