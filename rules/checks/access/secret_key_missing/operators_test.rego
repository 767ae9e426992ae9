package walguard.checks.access.secret_key_missing_operators_test

import data.walguard.checks.access.secret_key_missing as check

of(version, kind, spec, held) := {[f.message, f.path, object.get(f, "severity", "error")] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": {"v1": {held.kind: {held.metadata.name: held}}}}},
	}
	some f in found
}

secret(name, keys) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": {key: "x" | some key in keys}}

test_queries_of_metrics if {
	held := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "metrics", "namespace": "prod"}, "data": {"custom": "x"}}
	asked_map := {"monitoring": {"customQueriesConfigMap": [{"name": "metrics", "key": "queries"}]}}
	of("postgresql.cnpg.io/v1", "Cluster", asked_map, held) == {["ConfigMap metrics has no key queries (it has custom): its queries are left out, and their metrics are missing. Add the key, or name the right one.", ["spec", "monitoring", "customQueriesConfigMap", 0, "key"], "warning"]}
	asked_secret := {"monitoring": {"customQueriesSecret": [{"name": "metrics", "key": "queries"}]}}
	of("postgresql.cnpg.io/v1", "Cluster", asked_secret, secret("metrics", ["custom"])) == {["Secret metrics has no key queries (it has custom): its queries are left out, and their metrics are missing. Add the key, or name the right one.", ["spec", "monitoring", "customQueriesSecret", 0, "key"], "warning"]}
	of("postgresql.cnpg.io/v1", "Cluster", asked_secret, secret("metrics", ["queries"])) == set()
}

percona(spec, held) := of("pgv2.percona.com/v2", "PerconaPGCluster", object.union({"crVersion": "2.9.0", "postgresVersion": 17}, spec), held)

root(more) := {"secrets": {"customRootCATLSSecret": object.union({"name": "root"}, more)}}

lacking(key, there) := [sprintf("Secret root has no key %s (it has %s): the operator stops there, and creates and changes nothing. Add the key, or name the right one.", [key, there]), ["spec", "secrets", "customRootCATLSSecret", "name"], "error"]

test_root_of_percona if {
	percona(root({}), secret("root", ["tls.crt"])) == {[strings.replace_n({"no key ": "no keys ", "the key,": "the keys,", "right one": "right ones"}, lacking("root.crt and root.key", "tls.crt")[0]), lacking("", "")[1], "error"]}
	percona(root({"items": [{"key": "ca.crt", "path": "root.crt"}]}), secret("root", ["ca.crt"])) == {lacking("root.key", "ca.crt")}
	percona(root({"items": [{"key": "ca.crt", "path": "root.crt"}, {"key": "ca.key", "path": "root.key"}]}), secret("root", ["ca.crt"])) == {lacking("ca.key", "ca.crt")}
	percona(root({}), secret("root", ["root.crt", "root.key"])) == set()
	percona(root({"items": [{"key": "ca.crt", "path": "root.crt"}, {"key": "ca.key", "path": "root.key"}]}), secret("root", ["ca.crt", "ca.key"])) == set()
	percona(root({}), secret("other", ["tls.crt"])) == set()
}

test_token_of_pmm if {
	pmm := {"pmm": {"enabled": true, "secret": "pmm"}}
	percona(object.union(pmm, {"crVersion": "3.1.0"}), secret("pmm", ["PMM_SERVER_KEY"])) == {["Secret pmm has no key PMM_SERVER_TOKEN (it has PMM_SERVER_KEY): the pods get no PMM. Add the key, or name the right one.", ["spec", "pmm", "secret"], "warning"]}
	percona(pmm, secret("pmm", ["PMM_SERVER_TOKEN"])) == set()
	percona(pmm, secret("pmm", ["password"])) == {["Secret pmm has no key PMM_SERVER_TOKEN (it has password): the pods get no PMM. Add the key, or name the right one.", ["spec", "pmm", "secret"], "warning"]}
	every release in ["2.6.0", "2.7.0", "2.9.0", "3.0.0"] {
		percona(object.union(pmm, {"crVersion": release}), secret("pmm", ["PMM_SERVER_KEY"])) == set()
	}
	percona({"pmm": {"enabled": false, "secret": "pmm"}}, secret("pmm", ["PMM_SERVER_KEY"])) == set()
}
