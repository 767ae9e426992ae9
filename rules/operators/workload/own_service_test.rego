package walguard.operators.workload_own_service_test

import data.walguard.checks.access.client_mismatch

server(spec, pod) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": object.union(
		{
			"serviceName": "db",
			"selector": {"matchLabels": {"app": "db"}},
			"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(pod, {"containers": array.concat(
				[{"name": "postgres", "image": "postgres:17.6", "env": [{"name": "POSTGRES_PASSWORD", "value": "x"}]}],
				object.get(pod, "containers", []),
			)})},
		},
		spec,
	),
}

service(spec) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": object.union({"selector": {"app": "db"}, "ports": [{"port": 5432}]}, spec)}

found(made, behind, others) := {f.message: [object.get(f, "severity", "warning"), array.slice(f.path, 3, 9)] | some f in all; contains(f.message, "Service db")} if {
	all := client_mismatch.findings with input as {
		"review": {"object": made},
		"inventory": {"namespace": {"shop": object.union({"v1": {"Service": {"db": behind}, "Secret": {"exporter": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "exporter"}, "stringData": {"DSN": "postgresql://shop:change-me@db:5432/shop"}}}}}, others)}},
	}
}

asking_for_metrics := {"exec": {"command": ["sh", "-c", "wget -qO- http://127.0.0.1:9187/metrics | grep -q '^pg_up 1'"]}}

beside(container) := {"containers": [container]}

exporter(name, value) := beside({"name": "metrics", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.18.1", "env": [{"name": name, "value": value}], "readinessProbe": asking_for_metrics})

of_exporter := "Container metrics asks for the server of its own pod by Service db, which leads to ready pods alone, and its readinessProbe asks for the database: neither becomes ready. Write 127.0.0.1."

test_exporter_by_its_own_service if {
	every address in ["postgresql://shop:x@db:5432/shop", "postgresql://shop:x@db.shop.svc.cluster.local/shop", "host=db user=shop dbname=shop"] {
		found(server({}, exporter("DATA_SOURCE_NAME", address)), service({}), {}) == {of_exporter: ["error", ["containers", 1, "env", 0, "value"]]}
	}
	found(server({}, exporter("DATA_SOURCE_URI", "db:5432/shop?sslmode=disable")), service({}), {})[of_exporter][0] == "error"
	of_secret := beside({"name": "metrics", "image": "exporter:1", "env": [{"name": "DSN", "valueFrom": {"secretKeyRef": {"name": "exporter", "key": "DSN"}}}], "startupProbe": {"exec": {"command": ["pg_isready", "-h", "db"]}}})
	[one | some one in found(server({}, of_secret), service({}), {})] == [["error", ["containers", 1, "env", 0, "valueFrom"]]]
}

test_exporter_that_gets_there if {
	bad := exporter("DATA_SOURCE_NAME", "postgresql://shop:x@db:5432/shop")
	found(server({"replicas": 2}, bad), service({}), {}) == {}
	found(server({}, bad), service({"publishNotReadyAddresses": true}), {}) == {}
	another := {"apps/v1": {"Deployment": {"more": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "more", "namespace": "shop"}, "spec": {"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "x", "image": "x"}]}}}}}}}
	count([1 | some message, _ in found(server({}, bad), service({}), another); contains(message, "neither")]) == 0
	every address in ["postgresql://shop:x@127.0.0.1:5432/shop", "postgresql://shop:x@localhost/shop", "postgresql://shop:x@db.other.svc/shop"] {
		found(server({}, exporter("DATA_SOURCE_NAME", address)), service({}), {}) == {}
	}
	every probe in [{}, {"readinessProbe": {"httpGet": {"path": "/", "port": 9187}}}, {"readinessProbe": {"exec": {"command": ["pg_isready", "-h", "127.0.0.1"]}}}, {"readinessProbe": {"exec": {"command": ["true"]}}}] {
		found(server({}, beside(object.union({"name": "metrics", "image": "postgres-exporter:v0.18.1", "env": [{"name": "DATA_SOURCE_NAME", "value": "postgresql://x@db/shop"}]}, probe))), service({}), {}) == {}
	}
}

test_program_in_the_same_pod if {
	web := {"name": "web", "image": "shop/web:1", "env": [{"name": "DB_HOST", "value": "db"}], "readinessProbe": {"httpGet": {"path": "/", "port": 80}}}
	found(server({}, beside(web)), service({}), {}) == {"Container web asks for the server of its own pod by Service db, which leads to ready pods alone, and its readinessProbe may wait for the database: neither becomes ready. Write 127.0.0.1.": ["warning", ["containers", 1, "env", 0, "value"]]}
	found(server({}, beside(object.remove(web, ["readinessProbe"]))), service({}), {}) == {}
}

waits(command, more) := {"initContainers": [object.union({"name": "wait", "image": "postgres:17.6", "command": ["sh", "-c", command]}, more)]}

test_init_container_that_waits_for_its_own_server if {
	message := "Init container wait waits for Service db, behind which nothing but the server of this pod is, and that starts after it: the pod never starts. Remove the init container."
	every command in ["until pg_isready -h db -p 5432; do sleep 2; done", "until nc -z db 5432; do sleep 1; done", "while ! pg_isready -h db.shop.svc -q; do sleep 1; done"] {
		found(server({}, waits(command, {})), service({}), {}) == {message: ["error", ["initContainers", 0, "command"]]}
	}
	every command in ["until pg_isready -h other; do sleep 2; done", "until pg_isready -h db; do sleep 2; i=$((i+1)); [ $i -gt 9 ] && break; done", "until nc -z db 6379; do sleep 1; done", "pg_isready -h db"] {
		found(server({}, waits(command, {})), service({}), {}) == {}
	}
	found(server({}, waits("until pg_isready -h db; do sleep 2; done", {"restartPolicy": "Always"})), service({}), {}) == {}
	found(server({"replicas": 3}, waits("until pg_isready -h db; do sleep 2; done", {})), service({}), {}) == {}
}
