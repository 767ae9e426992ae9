package walguard.operators.workload_test

import data.walguard.operators.workload

lone_pooler(image, container, more, objects) := {[fault.level, fault.reason, fault.cure] |
	found := workload.unmatched_ports with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"template": {
				"metadata": {"labels": {"app": "pool"}},
				"spec": {"containers": array.concat([object.union({"name": "pool", "image": image}, container)], more), "volumes": [{"name": "ini", "configMap": {"name": "ini"}}]},
			}},
		}},
		"inventory": {"namespace": {"shop": {"v1": objects}}},
	}
	some fault in found
}

leading_to(ports) := {"Service": {"pooler": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pooler", "namespace": "shop"}, "spec": {"selector": {"app": "pool"}, "ports": ports}}}}

of_edoburu := "edoburu/pgbouncer:v1.24.1-p1"

url_unseen := {"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "elsewhere", "key": "url"}}}

refused_at(by, listens, wanted, variable) := {["error", sprintf("PgBouncer listens on %d (%s), and Service pooler leads to %d: every connection is refused", [listens, by, wanted]), sprintf("Set %s to \"%d\"", [variable, wanted])]}

test_port_of_edoburus if {
	said := refused_at("LISTEN_PORT is not set", 5432, 6432, "LISTEN_PORT")
	lone_pooler(of_edoburu, {"env": [url_unseen]}, [], leading_to([{"port": 6432}])) == said
	lone_pooler(of_edoburu, {"env": [url_unseen]}, [], leading_to([{"port": 5432, "targetPort": 6432}])) == said
	lone_pooler(of_edoburu, {"env": [url_unseen]}, [], leading_to([{"port": 5432, "targetPort": "6432"}])) == said
	lone_pooler(of_edoburu, {"env": [url_unseen], "ports": [{"name": "sql", "containerPort": 6432}]}, [], leading_to([{"port": 5432, "targetPort": "sql"}])) == said
	lone_pooler(of_edoburu, {"env": [url_unseen, {"name": "LISTEN_PORT", "value": "5433"}]}, [], leading_to([{"port": 6432}])) == refused_at("LISTEN_PORT", 5433, 6432, "LISTEN_PORT")
}

test_matching_or_unknown_ports if {
	every ports in [[{"port": 5432}], [{"port": 6432, "targetPort": 5432}], [{"port": 6432, "targetPort": "sql"}], [{"name": "a", "port": 6432}, {"name": "b", "port": 5432}], []] {
		lone_pooler(of_edoburu, {"env": [url_unseen]}, [], leading_to(ports)) == set()
	}
	to_another := leading_to([{"port": 6432}])
	lone_pooler(of_edoburu, {"env": [url_unseen]}, [], {}) == set()
	lone_pooler("example.com/pgbouncer:1", {"env": [url_unseen]}, [], to_another) == set()
	every container in [
		{"env": [{"name": "LISTEN_PORT", "value": "6432"}]}, {"env": [{"name": "LISTEN_PORT", "value": "${PORT}"}]}, {"env": [{"name": "LISTEN_PORT", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]},
		{"envFrom": [{"secretRef": {"name": "elsewhere"}}]}, {"command": ["pgbouncer"]}, {"args": ["pgbouncer", "/a.ini"]}, {"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]},
	] {
		lone_pooler(of_edoburu, container, [], to_another) == set()
	}
}

# Another container may listen there.
test_ports_of_other_containers if {
	beside_it := [{"name": "exporter", "image": "exporter:1", "ports": [{"containerPort": 6432}]}]
	lone_pooler(of_edoburu, {}, beside_it, leading_to([{"port": 6432}])) == set()
	lone_pooler(of_edoburu, {"ports": [{"containerPort": 6432}]}, [{"name": "exporter", "image": "exporter:1"}], leading_to([{"port": 6432}])) == refused_at("LISTEN_PORT is not set", 5432, 6432, "LISTEN_PORT")
}

test_port_of_bitnamis if {
	said := refused_at("PGBOUNCER_PORT is not set", 6432, 5432, "PGBOUNCER_PORT")
	lone_pooler("docker.io/bitnamilegacy/pgbouncer:1.24", {}, [], leading_to([{"port": 5432}])) == said
	lone_pooler("bitnami/pgbouncer:1.24", {"env": [{"name": "PGBOUNCER_PORT", "value": "5432"}]}, [], leading_to([{"port": 5432}])) == set()
	lone_pooler("bitnami/pgbouncer:1.24", {"env": [{"name": "PGBOUNCER_PORT_FILE", "value": "/p"}]}, [], leading_to([{"port": 5432}])) == set()
	lone_pooler("bitnami/pgbouncer:1.24", {"volumeMounts": [{"name": "ini", "mountPath": "/bitnami/pgbouncer/conf"}]}, [], leading_to([{"port": 5432}])) == set()

	# Which is no port where there is a Service of this name, and reported as such.
	linked_service := {"Service": {"pgbouncer": object.union(leading_to([{"port": 5432}]).Service.pooler, {"metadata": {"name": "pgbouncer"}})}}
	lone_pooler("bitnami/pgbouncer:1.24", {}, [], linked_service) == set()
}

killed_at(word, by, listens, wanted, cure) := {["error", sprintf("PgBouncer listens on %d (%s), and its %s probe asks for %d: the kubelet kills it again and again", [listens, by, word, wanted]), cure]}

test_probes_at_another_port if {
	every word in ["liveness", "startup"] {
		lone_pooler(of_edoburu, {sprintf("%sProbe", [word]): {"tcpSocket": {"port": 6432}}}, [], {}) == killed_at(word, "LISTEN_PORT is not set", 5432, 6432, "Set LISTEN_PORT to \"6432\"")
		lone_pooler(of_edoburu, {sprintf("%sProbe", [word]): {"tcpSocket": {"port": 5432}}}, [], {}) == set()
	}
	lone_pooler(of_edoburu, {"livenessProbe": {"tcpSocket": {"port": "sql"}}, "ports": [{"name": "sql", "containerPort": 6432}]}, [], {}) == killed_at("liveness", "LISTEN_PORT is not set", 5432, 6432, "Set LISTEN_PORT to \"6432\"")
	lone_pooler(of_edoburu, {"livenessProbe": {"exec": {"command": ["true"]}}, "readinessProbe": {"tcpSocket": {"port": 6432}}}, [], {}) == set()
}

by_its_file(lines, ports) := lone_pooler(of_edoburu, {"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}, [], object.union(leading_to(ports), {"ConfigMap": {"ini": {
	"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ini", "namespace": "shop"},
	"data": {"pgbouncer.ini": concat("\n", array.concat(["[databases]", "* = host=db.example.com", "[pgbouncer]"], lines)), "userlist.txt": ""},
}}}))

heard_elsewhere(port) := {["error", sprintf("PgBouncer listens on %d (listen_port), and Service pooler leads to 5432: every connection is refused", [port]), "Set listen_port = 5432"]}

test_port_of_a_file if {
	by_its_file(["listen_addr = *"], [{"port": 5432}]) == heard_elsewhere(6432)
	by_its_file(["listen_addr = *", "listen_port = 6000"], [{"port": 5432}]) == heard_elsewhere(6000)
	by_its_file(["listen_addr = *", "listen_port = 5432"], [{"port": 5432}]) == set()
	by_its_file(["listen_addr = *", "listen_port = ${PORT}"], [{"port": 5432}]) == set()
	by_its_file(["listen_addr = *", "%include /etc/more.ini"], [{"port": 5432}]) == set()
	by_its_file(["pool_mode = session"], [{"port": 5432}]) == set()
}

# Beside a server, too.
test_port_of_a_pooler_beside_its_server if {
	made := deployed("edoburu/pgbouncer:v1.24.1-p1", 1, {"DB_HOST": "orders"})
	bare := object.union(made, {"spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [object.remove(made.spec.template.spec.containers[0], ["volumeMounts"])]}}}})
	found := workload.unmatched_ports with input as {
		"review": {"object": with_parts("StatefulSet", "postgres:17.6", {}, {}, {"serviceName": "orders"})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"pool": bare, "other": object.union(bare, {"metadata": {"name": "other"}, "spec": {"template": {"spec": {"containers": [{"name": "pool", "image": "edoburu/pgbouncer", "env": [{"name": "DB_HOST", "value": "elsewhere"}]}]}}}})}}, "v1": leading_to([{"port": 6432}])}}},
	}
	[[fault.path, fault.resource.name] | some fault in found] == [[["spec", "template", "spec", "containers", 0, "env"], "pool"]]
}
