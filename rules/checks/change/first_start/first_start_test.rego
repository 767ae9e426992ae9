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

# A word for who fills in the file by hand: the server that was created from the file has it.
test_secret_filled_in_by_hand if {
	server := set_of("postgres:17.6", [reference("POSTGRES_PASSWORD", "word")])
	sight := {"inventory": {"namespace": {"prod": {"apps/v1": {"StatefulSet": {"db": server}}}}}}
	changed := [["stringData", "change-me", "Zk83cTJMbVhj"], ["stringData", "REPLACE_ME_PLEASE", "Zk83cTJMbVhj"], ["data", base64.encode("changeme"), base64.encode("Zk83cTJMbVhj")]]
	every case in changed {
		made := {place: object.union(object.remove(secret({}, {}), ["stringData"]), {case[0]: {"word": case[i]}}) | some place, i in {"object": 2, "oldObject": 1}}
		{f.path | some f in check.findings} == {[case[0], "word"]} with input as object.union({"review": made}, sight)
	}
	every case in [["Zk83cTJMbVhj", "change-me"], ["change-me", "change-me-too"], ["${WORD}", "Zk83cTJMbVhj"], ["<change-me>", "Zk83cTJMbVhj"]] {
		check.findings == set() with input as object.union({"review": {"oldObject": secret({}, {"word": case[0]}), "object": secret({}, {"word": case[1]})}}, sight)
	}
}

kubegres(env) := {
	"apiVersion": "kubegres.reactive-tech.io/v1",
	"kind": "Kubegres",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"replicas": 3, "image": "postgres:17.6", "database": {"size": "20Gi"}, "env": env},
}

test_kubegres if {
	every name in ["POSTGRES_PASSWORD", "POSTGRES_REPLICATION_PASSWORD"] {
		{[f.path, f.message] | some f in check.findings} == {[["stringData", "word"], sprintf("%s of Kubegres orders changes, which the image reads only when the data directory is empty: the server that exists keeps its password. Change it there too (ALTER ROLE … PASSWORD).", [name])]} with input as {
			"review": {"object": secret({}, {"word": "Zk83cTJMbVhj"}), "oldObject": secret({}, {"word": "Rk7vq2LmXcPs"})},
			"inventory": {"namespace": {"prod": {"kubegres.reactive-tech.io/v1": {"Kubegres": {"orders": kubegres([reference(name, "word")])}}}}},
		}
	}
	{f.path | some f in check.findings} == {["spec", "env", 0, "value"]} with input as updated(kubegres([{"name": "POSTGRES_PASSWORD", "value": "Rk7vq2LmXcPs"}]), kubegres([{"name": "POSTGRES_PASSWORD", "value": "Zk83cTJMbVhj"}]))
	check.findings == set() with input as {"review": {"oldObject": kubegres([{"name": "POSTGRES_PASSWORD", "value": "Rk7vq2LmXcPs"}]), "object": kubegres([{"name": "POSTGRES_PASSWORD", "value": "${WORD}"}])}}
	check.findings == set() with input as updated(kubegres([{"name": "ORDERS_PASSWORD", "value": "Rk7vq2LmXcPs"}]), kubegres([{"name": "ORDERS_PASSWORD", "value": "Zk83cTJMbVhj"}]))
	check.findings == set() with input as {
		"review": {"object": secret({}, {"word": "Zk83cTJMbVhj"}), "oldObject": secret({}, {"word": "Rk7vq2LmXcPs"})},
		"inventory": {"namespace": {"prod": {"kubegres.reactive-tech.io/v1": {"Kubegres": {"orders": kubegres([reference("ORDERS_PASSWORD", "word")])}}}}},
	}
}

credentials(name, word) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": {"username": "postgres", "password": word}}

superuser_changes(name, inventory) := found if {
	found := check.findings with input as {"review": {"object": credentials(name, "Zk83cTJMbVhj"), "oldObject": credentials(name, "Rk7vq2LmXcPs")}, "inventory": inventory}
}

test_superuser_of_zalandos_operator if {
	superuser_changes("postgres.acid-orders.credentials.postgresql.acid.zalan.do", {}) == {{
		"message": "The password of postgres changes, which the operator logs in with at once: the server keeps the old one, so that it can no longer manage the cluster (\"password authentication failed\"). Change it in the server first (ALTER ROLE postgres PASSWORD …).",
		"path": ["stringData", "password"],
	}}
	superuser_changes("app-owner.acid-orders.credentials.postgresql.acid.zalan.do", {}) == set()
	superuser_changes("postgres.acid-orders", {}) == set()
	encoded := json.patch(credentials("postgres.acid-orders.credentials.postgresql.acid.zalan.do", ""), [{"op": "remove", "path": "/stringData"}])
	{f.path | some f in check.findings} == {["data", "password"]} with input as {"review": {
		"object": object.union(encoded, {"data": {"password": base64.encode("Zk83cTJMbVhj")}}),
		"oldObject": object.union(encoded, {"data": {"password": base64.encode("Rk7vq2LmXcPs")}}),
	}}
	another := {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "o", "namespace": "ops"},
		"configuration": {"users": {"super_username": "db_admin"}},
	}}}}}}
	{f.path | some f in superuser_changes("db-admin.acid-orders.credentials.postgresql.acid.zalan.do", another)} == {["stringData", "password"]}
	superuser_changes("postgres.acid-orders.credentials.postgresql.acid.zalan.do", another) == set()
}

scripted(image, mounts) := json.patch(set_of(image, []), [{"op": "add", "path": "/spec/template/spec/containers/0/volumeMounts/1", "value": mount_of} | some mount_of in mounts])

scripts := [{"name": "scripts", "mountPath": "/docker-entrypoint-initdb.d"}]

test_scripts_that_are_new if {
	check.findings == {{
		"message": "The scripts in /docker-entrypoint-initdb.d are new, and the image runs them only when the data directory is empty: on the server that exists they never run. Run them there by hand (psql -f).",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts", 1],
	}} with input as updated(scripted("postgres:17.6", []), scripted("postgres:17.6", scripts))
	count(check.findings) == 1 with input as updated(scripted("bitnami/postgresql:16.6.0", []), scripted("bitnami/postgresql:16.6.0", [{"name": "scripts", "mountPath": "/docker-entrypoint-preinitdb.d/init.sql", "subPath": "init.sql"}]))
}

test_scripts_as_before if {
	check.findings == set() with input as updated(scripted("postgres:17.6", scripts), scripted("postgres:17.6", scripts))
	check.findings == set() with input as updated(scripted("postgres:17.6", scripts), scripted("postgres:17.6", []))
	check.findings == set() with input as updated(scripted("postgres:17.6", []), scripted("postgres:17.6", [{"name": "scripts", "mountPath": "/docker-entrypoint-startdb.d"}]))
	check.findings == set() with input as updated(scripted("registry.example.com/db:17.6", []), scripted("registry.example.com/db:17.6", scripts))
	check.findings == set() with input as {"review": {"object": scripted("postgres:17.6", scripts)}}
	lost := json.remove(scripted("postgres:17.6", []), ["/spec/volumeClaimTemplates"])
	check.findings == set() with input as updated(lost, scripted("postgres:17.6", scripts))
}
