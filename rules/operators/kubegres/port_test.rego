package walguard.operators.kubegres_port_test

import data.walguard.checks.access.unreachable as check
import data.walguard.operators.kubegres as kubegres_adapter

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

test_file_without_addresses if {
	kubegres({"customConfig": "conf"}, {"conf": "max_connections = 200\n"}) == {{
		"message": "This postgresql.conf takes the place of the image's and has no listen_addresses, so the server listens on localhost only: no other pod can connect, though a Service leads here. Set listen_addresses = '*'.",
		"path": ["data", "postgres.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "conf", "namespace": "prod"},
		"severity": "error",
	}}
	{f.message | some f in kubegres({"customConfig": "conf"}, {"conf": "listen_addresses = 'localhost'\n"})} == {"listen_addresses=localhost: no other pod can connect, though a Service leads here. Set listen_addresses = '*'."}
	every file in ["listen_addresses = '*'\n", "LISTEN_ADDRESSES = '0.0.0.0'\n", "include_dir = 'conf.d'\n", "max_connections = ${MAX}\n"] {
		kubegres({"customConfig": "conf"}, {"conf": file}) == set()
	}
	kubegres({"customConfig": "conf"}, {}) == set()
}

misread(content) := object.get(found, "unresolved", []) if found := kubegres_adapter.cluster with input as {
	"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"image": "postgres:17", "replicas": 3, "customConfig": "conf"}}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": content}}}}}},
}

test_keys_that_nobody_reads if {
	misread({"postgresql.conf": "max_connections = 200\n"}) == [{
		"reason": "ConfigMap conf has postgresql.conf, which the operator does not look for: what is in it has no effect",
		"cure": "Call it postgres.conf",
		"level": "warning",
		"path": ["data", "postgresql.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "conf", "namespace": "prod"},
	}]
	misread({"postgresql.conf": "a = 1\n", "postgres.conf": "listen_addresses = '*'\n"}) == []
	misread({"pg_hba.conf": "host all all all md5\n"}) == []
}
