package walguard.checks.access.secret_key_missing_crunchy_test

import data.walguard.checks.access.secret_key_missing as check

# {path: message up to the cure} of a PostgresCluster, or of a PerconaPGCluster.
of_crunchy(spec, keys) := of("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", spec, keys)

of_percona(spec, keys) := of("pgv2.percona.com/v2", "PerconaPGCluster", spec, keys)

of(version, kind, spec, keys) := {f.path: split(f.message, ": ")[1] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "hippo", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": {"v1": {
			"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "prod"}, "stringData": keys}},
			"ConfigMap": {"s": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "prod"}, "data": keys}},
		}}}},
	}
	some f in found
}

told(clause) := sprintf("%s. Add the key, or name the right one.", [clause])

certificate := {"tls.crt": "x", "tls.key": "y", "ca.crt": "z"}

without(key) := object.remove(certificate, [key])

test_certificates if {
	every key in ["tls.crt", "tls.key", "ca.crt"] {
		of_crunchy({"customTLSSecret": {"name": "s"}}, without(key)) == {["spec", "customTLSSecret", "name"]: told("the server finds no such file and does not start")}
		of_crunchy({"customReplicationTLSSecret": {"name": "s"}}, without(key)) == {["spec", "customReplicationTLSSecret", "name"]: told("the pod does not start")}
		of_crunchy({"proxy": {"pgBouncer": {"customTLSSecret": {"name": "s"}}}}, without(key)) == {["spec", "proxy", "pgBouncer", "customTLSSecret", "name"]: told("the pod of PgBouncer does not start")}
		of_percona({"secrets": {"customTLSSecret": {"name": "s"}}}, without(key)) == {["spec", "secrets", "customTLSSecret", "name"]: told("the server finds no such file and does not start")}
	}
	every field in ["customTLSSecret", "customReplicationTLSSecret"] {
		of_crunchy({field: {"name": "s"}}, certificate) == {}
		of_crunchy({field: {"name": "elsewhere"}}, {"a": "x"}) == {}

		# Percona's has them elsewhere.
		of_percona({field: {"name": "s"}}, {"a": "x"}) == {}
		of_percona({"secrets": {field: {"name": "s"}, "customRootCATLSSecret": {"name": "root"}}}, without("ca.crt")) == {}
	}
}

test_items_of_certificates if {
	items := [{"key": "a", "path": "tls.crt"}, {"key": "b", "path": "tls.key"}, {"key": "c", "path": "ca.crt"}]
	of_crunchy({"customTLSSecret": {"name": "s", "items": items}}, {"a": "x", "b": "y", "c": "z"}) == {}
	of_crunchy({"customTLSSecret": {"name": "s", "items": items}}, {"a": "x", "b": "y"}) == {["spec", "customTLSSecret", "name"]: told("the server finds no such file and does not start")}
}

test_projected if {
	every path in [["config", "files"], ["backups", "pgbackrest", "configuration"], ["dataSource", "pgbackrest", "configuration"], ["proxy", "pgBouncer", "config", "files"], ["monitoring", "pgmonitor", "exporter", "configuration"]] {
		every field in ["secret", "configMap"] {
			source := {field: {"name": "s", "items": [{"key": "a"}, {"key": "b"}]}}
			of_crunchy(nested(path, [source]), {"a": "x"}) == {array.concat(array.concat(["spec"], path), [0, field, "items", 1, "key"]): told("the pod does not start")}
			of_crunchy(nested(path, [source]), {"a": "x", "b": "y"}) == {}
			of_crunchy(nested(path, [{field: object.union(source[field], {"optional": true})}]), {"a": "x"}) == {}
		}
	}
}

nested(path, value) := json.patch({}, array.concat(
	[{"op": "add", "path": array.slice(path, 0, i + 1), "value": {}} | some i, _ in path],
	[{"op": "add", "path": path, "value": value}],
))

test_environment if {
	variable := {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "b"}}}]}
	of_percona({"instances": [variable]}, {"a": "x"}) == {["spec", "instances", 0, "env", 0, "valueFrom", "secretKeyRef"]: told("the container is not created")}
	of_percona({"instances": [variable]}, {"b": "x"}) == {}
	every field in ["containers", "sidecars"] {
		of_percona({"instances": [{field: [variable]}]}, {"a": "x"}) == {["spec", "instances", 0, field, 0, "env", 0, "valueFrom", "secretKeyRef"]: told("the container is not created")}
	}
}

test_sql if {
	of_crunchy({"databaseInitSQL": {"name": "s", "key": "init.sql"}}, {"other.sql": "x"}) == {["spec", "databaseInitSQL", "key"]: told("the operator never runs the SQL")}
	of_crunchy({"databaseInitSQL": {"name": "s", "key": "init.sql"}}, {"init.sql": "x"}) == {}
}
