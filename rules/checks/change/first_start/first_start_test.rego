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

secret(labels, fields) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod", "labels": labels}, "stringData": fields}

reference(name, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}}

# The Secret as an update, with the server that takes its password from it and whatever else is in sight.
regenerated(labels, server, others) := {
	"review": {"object": secret(labels, {"word": "Zk83cTJMbVhj"}), "oldObject": secret(labels, {"word": "Rk7vq2LmXcPs"})},
	"inventory": {"namespace": {"prod": object.union({"apps/v1": {"StatefulSet": {"db": server}}}, others)}},
}

test_secret if {
	check.findings == {{
		"message": "POSTGRES_PASSWORD of StatefulSet db changes, which the image reads only when the data directory is empty: the server that exists keeps its password. Change it there too (ALTER ROLE … PASSWORD).",
		"path": ["stringData", "word"],
	}} with input as regenerated({}, set_of("postgres:17.6", [reference("POSTGRES_PASSWORD", "word")]), {})
	some f in check.findings with input as regenerated({}, set_of("bitnami/postgresql-repmgr:16.6.0", [reference("REPMGR_PASSWORD", "word")]), {})
	startswith(f.message, "REPMGR_PASSWORD of StatefulSet db changes")
}

test_secret_by_file if {
	env := [{"name": "POSTGRES_PASSWORD_FILE", "value": "/run/secrets/db/word"}]
	server := json.patch(set_of("postgres:17.6", env), [
		{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "word", "secret": {"secretName": "db"}}]},
		{"op": "add", "path": "/spec/template/spec/containers/0/volumeMounts/-", "value": {"name": "word", "mountPath": "/run/secrets/db"}},
	])
	count(check.findings) == 1 with input as regenerated({}, server, {})
}

test_another_secret if {
	old := set_of("postgres:17.6", [{"name": "POSTGRES_PASSWORD", "value": "Rk7vq2LmXcPs"}])
	new := set_of("postgres:17.6", [reference("POSTGRES_PASSWORD", "word")])
	sight := {"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": secret({}, {"word": "Zk83cTJMbVhj"})}}}}}}
	count(check.findings) == 1 with input as object.union(updated(old, new), sight)
}

# A chart keeps what its release has, Red Hat's image sets the password at every start, somebody changes it in the server, and a client reads it only.
test_secret_silent if {
	taken := set_of("postgres:17.6", [reference("POSTGRES_PASSWORD", "word")])
	check.findings == set() with input as regenerated({"helm.sh/chart": "db-1.0.0"}, taken, {})
	check.findings == set() with input as regenerated({}, set_of("quay.io/sclorg/postgresql-15-c9s", [reference("POSTGRESQL_PASSWORD", "word")]), {})
	check.findings == set() with input as regenerated({}, set_of("postgres:17.6", [reference("PGPASSWORD", "word")]), {})
	check.findings == set() with input as regenerated({}, taken, {"batch/v1": {"Job": {"rotate": {"metadata": {"name": "rotate"}, "spec": {"template": {"spec": {"containers": [{"args": ["psql", "-c", "ALTER ROLE postgres PASSWORD 'x'"]}]}}}}}}})
	client := json.patch(taken, [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "ghcr.io/acme/orders:1.2"}])
	check.findings == set() with input as regenerated({}, client, {})
	check.findings == set() with input as {"review": {"object": secret({}, {"word": "Zk83cTJMbVhj"})}}
}

test_silent if {
	same := official("POSTGRES_USER", "orders")
	check.findings == set() with input as updated(same, same)
	check.findings == set() with input as same
	check.findings == set() with input as updated(set_of("postgres:17.6", []), same)
}
