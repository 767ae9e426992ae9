package walguard.operators.workload_services_test

import data.walguard.operators.workload

# The ports of a Service on which nothing listens, where the server reads its own from a file.
dead(port, file) := [one.target | some one in object.get(found, "dead_ports", [])] if {
	found := workload.cluster with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {
				"metadata": {"labels": {"app": "db"}},
				"spec": {
					"containers": [{"name": "db", "image": "postgres:17.6", "args": ["-c", "config_file=/etc/pg/postgresql.conf"], "volumeMounts": [{"name": "conf", "mountPath": "/etc/pg"}]}],
					"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
				},
			}},
		}},
		"inventory": {"namespace": {"shop": {"v1": {
			"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "data": {"postgresql.conf": file}}},
			"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432, "targetPort": port}]}}},
		}}}},
	}
}

test_the_port_of_a_file if {
	dead(5433, "listen_addresses = '*'\nport = 5433\n") == []
	count(dead(5432, "listen_addresses = '*'\nport = 5433\n")) == 1
	dead(5432, "listen_addresses = '*'\nport = five\n") == []
	dead(5432, "listen_addresses = '*'\n") == []
	count(dead(5433, "listen_addresses = '*'\n")) == 1
}
