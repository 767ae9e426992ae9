package walguard.operators.workload_nameless_test

import data.walguard.checks.access.client_mismatch as check

waits(image, more, of_pod, call) := found if {
	found := {[f.severity, f.message] | some f in check.findings; contains(f.message, "waits in init")} with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"shop": {
			"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}},
			"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": object.union({"containers": [{"name": "web", "image": "web:1"}], "initContainers": [object.union({"name": "wait", "image": image, "command": ["sh", "-c", sprintf("until %s; do sleep 2; done", [call])]}, more)]}, of_pod)}}}}},
		}}},
	}
}

as_user(number) := {"securityContext": {"runAsUser": number}}

plain := "pg_isready -h db -p 5432"

test_waits_without_a_name if {
	waits("postgres:16", {}, as_user(10001), plain) == {["error", "Deployment web waits in init container wait with pg_isready, which takes the name of user 10001 for the role, and the image has none (\"no attempt\"): it waits for ever. Add -U and a role to pg_isready."]}
	count(waits("postgres:16", as_user(1000), {}, plain)) == 1
	count(waits("bitnamilegacy/postgresql:16", {}, {}, plain)) == 1
}

test_waits_with_one if {
	waits("postgres:16", {}, {}, plain) == set()
	waits("postgres:16", {}, as_user(999), plain) == set()
	waits("postgres:16", as_user(0), as_user(10001), plain) == set()
	waits("bitnamilegacy/postgresql:16", as_user(0), {}, plain) == set()
	waits("example.com/tools:1", {}, as_user(10001), plain) == set()
	waits("postgres:16", {}, as_user(10001), "pg_isready -h db -U shop") == set()
	waits("postgres:16", {}, as_user(10001), "pg_isready -d postgres://shop@db/shop -h db") == set()
	waits("postgres:16", {"env": [{"name": "PGUSER", "value": "shop"}]}, as_user(10001), plain) == set()
	waits("postgres:16", {}, as_user(10001), "pg_isready -h elsewhere") == set()
}
