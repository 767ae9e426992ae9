package walguard.operators.kubegres_line_breaks_test

import data.walguard.checks.access.secret_line_break as check
import data.walguard.checks.parameters.operator_refuses
import data.walguard.checks.workload.data_on_mount_root

cluster(name, spec) := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": name, "namespace": "shop"}, "spec": object.union({"image": "postgres:17.6", "replicas": 2}, spec)}

seen(name, spec, secret) := {
	"review": {"object": cluster(name, spec)},
	"inventory": {"namespace": {"shop": {"v1": {"Secret": {"login": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "shop"}, "stringData": secret}}}}}},
}

passwords := {"env": [{"name": name, "valueFrom": {"secretKeyRef": {"name": "login", "key": key}}} | some name, key in {"POSTGRES_PASSWORD": "super", "POSTGRES_REPLICATION_PASSWORD": "copy"}]}

broken(secret) := {[f.severity, f.path, regex.replace(f.message, `^.*: |, and.*`, "")] | some f in found} if found := check.findings with input as seen("stock", passwords, secret)

test_passwords if {
	broken({"super": "a\n", "copy": "b\n"}) == {
		["error", ["spec", "env", 0, "valueFrom", "secretKeyRef"], "what reads the Secret sends another password than the one that is set"],
		["error", ["spec", "env", 1, "valueFrom", "secretKeyRef"], "it comes into postgresql.auto.conf of the replicas, where it is a syntax error"],
	}
	broken({"super": "a", "copy": "b"}) == set()
	broken({"super": "${A}\n", "other": "b\n"}) == set()
}

on_root(database, env, status) := {object.get(f, "severity", "error") | some f in found} if {
	found := data_on_mount_root.findings with input as {"review": {"object": object.union(cluster("stock", {"database": database, "env": env}), status)}}
}

pgdata(value) := [{"name": "PGDATA", "value": value}]

test_data_on_the_root_of_a_volume if {
	on_root({"size": "5Gi", "storageClassName": "csi-cinder-high-speed"}, pgdata("/var/lib/postgresql/data/"), {}) == {"error"}
	on_root({"size": "5Gi", "storageClassName": "gp3", "volumeMount": "/data"}, pgdata("/data"), {}) == {"error"}
	on_root({"size": "5Gi"}, pgdata("/var/lib/postgresql/data"), {}) == {"info"}
}

test_data_elsewhere_or_there_already if {
	on_root({"size": "5Gi", "storageClassName": "gp3"}, [], {}) == set()
	on_root({"size": "5Gi", "storageClassName": "gp3"}, pgdata("/var/lib/postgresql/data/pgdata"), {}) == set()
	on_root({"size": "5Gi", "storageClassName": "fast"}, pgdata("/var/lib/postgresql/data"), {}) == set()
	on_root({"size": "5Gi", "storageClassName": "gp3"}, pgdata("/var/lib/postgresql/data"), {"status": {"lastCreatedInstanceIndex": 2}}) == set()
}

refused(name) := {f.message | some f in found; contains(f.message, "Services")} if found := operator_refuses.findings with input as {"review": {"object": cluster(name, {})}}

test_names_of_services if {
	refused("9db") == {"The API server refuses the Services: that of 9db would have a name that begins with a digit, so that no instance can be reached. Write a name of small letters, digits and \"-\" that begins with a letter."}
	refused("my.db") == {"The API server refuses the Services: that of my.db would have a name that has a dot, so that no instance can be reached. Write a name of small letters, digits and \"-\" that begins with a letter."}
	refused("stock-9") == set()
	refused("9${NAME}") == set()
}
