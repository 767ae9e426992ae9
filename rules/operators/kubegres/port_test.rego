package walguard.operators.kubegres_port_test

import data.walguard.checks.access.unreachable as check

kubegres(spec, maps) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"image": "postgres:17", "replicas": 3}, spec)}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "prod"}, "data": {"postgres.conf": text}} | some name, text in maps}}}}},
}

test_port_that_the_server_does_not_hear_of if {
	kubegres({"port": 5433}, {}) == {{
		"message": "Service orders leads to port 5433 of the pods, and the server listens on 5432. Write port = 5433 into postgres.conf of customConfig, or leave spec.port out.",
		"path": ["spec", "port"],
		"severity": "error",
	}}
	count(kubegres({"port": 5433, "customConfig": "conf"}, {"conf": "listen_addresses = '*'\n"})) == 1
	count(kubegres({"port": 5432, "customConfig": "conf"}, {"conf": "listen_addresses = '*'\nport = 5433\n"})) == 1
	kubegres({"port": 5433, "customConfig": "conf"}, {"conf": "listen_addresses = '*'\nport = 5433\n"}) == set()
	kubegres({"port": 5432}, {}) == set()
	kubegres({"port": 0}, {}) == set()
	kubegres({}, {}) == set()

	# It may be written in what is not in sight.
	kubegres({"port": 5433, "customConfig": "conf"}, {}) == set()
	kubegres({"port": 5433, "customConfig": "conf"}, {"conf": "listen_addresses = '*'\ninclude_dir = 'conf.d'\n"}) == set()
	kubegres({"port": 5433, "env": [{"name": "PGPORT", "value": "5433"}]}, {}) == set()
}
