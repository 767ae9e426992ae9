package walguard.lib.keys_test

import data.walguard.lib.keys

secrets(objects) := {"review": {"object": {"metadata": {"name": "db", "namespace": "prod"}}}, "inventory": {"namespace": {"prod": {"v1": {"Secret": objects}}}}}

test_lacking if {
	keys.lacking("Secret", "db", "password") == {"kind": "Secret", "name": "db", "key": "password", "keys": ["a", "b"]} with input as secrets({"db": {"data": {"b": "eA=="}, "stringData": {"a": "x"}}})
	not keys.lacking("Secret", "db", "b") with input as secrets({"db": {"data": {"b": "eA=="}}})
}

test_unknown if {
	not keys.lacking("Secret", "db", "password") with input as secrets({})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"data": {}}})
	not keys.lacking("Secret", "db", "${KEY}") with input as secrets({"db": {"data": {"b": "eA=="}}})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"metadata": {"annotations": {"secret-generator.v1.mittwald.de/autogenerate": "password"}}, "data": {"b": "eA=="}}})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"stringData": {"${KEY}": "x"}}})
}

asking(object_, metadata, data_) := {"review": {"object": object.union({"metadata": {"name": "db", "namespace": "prod"}}, object_)}, "inventory": {"namespace": {"prod": {"v1": {
	"Secret": {"s": {"metadata": metadata, "data": data_}},
	"ConfigMap": {"s": {"metadata": metadata, "data": data_}},
}}}}}

# A controller that fills it in shows by an annotation or a label.
test_controllers_that_fill_in if {
	keys.lacking("Secret", "s", "b") == {"kind": "Secret", "name": "s", "key": "b", "keys": ["a"]} with input as asking({}, {"annotations": {"note": "x"}, "labels": {"app": "x"}}, {"a": "x"})
	every mark in ["replicator.v1.mittwald.de/replicate-from", "reflector.v1/reflects", "secret-generator/type", "sealedsecrets.bitnami.com/patch", "vault.io/inject", "external-secrets.io/x", "mirror"] {
		every field in ["annotations", "labels"] {
			not keys.lacking("Secret", "s", "b") with input as asking({}, {field: {mark: "x"}}, {"a": "x"})
		}
	}
	not keys.lacking("Secret", "s", "b") with input as asking({}, {}, {})
	not keys.lacking("Secret", "s", "a") with input as asking({}, {}, {"a": "x"})
}

test_environment if {
	every field, kind in {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"} {
		every optional, count_ in {true: 0, false: 1} {
			found := keys.of_environment(["c"], {"env": [{"name": "A", "valueFrom": {field: {"name": "s", "key": "b", "optional": optional}}}]}) with input as asking({}, {}, {"a": "x"})
			count(found) == count_
		}
		found := keys.of_environment(["c"], {"env": [{"name": "A", "valueFrom": {field: {"name": "s", "key": "b"}}}]}) with input as asking({}, {}, {"a": "x"})
		found == [{"kind": kind, "name": "s", "key": "b", "keys": ["a"], "path": ["c", "env", 0, "valueFrom", field], "consequence": "the container is not created"}]
	}
}

test_volumes if {
	every field, name in {"secret": "secretName", "configMap": "name"} {
		every optional, count_ in {true: 0, false: 1} {
			found := keys.of_volumes(["spec"]) with input as asking({"spec": {"volumes": [{"name": "v", field: {name: "s", "optional": optional, "items": [{"key": "a"}, {"key": "b"}]}}]}}, {}, {"a": "x"})
			count(found) == count_
		}
		found := keys.of_volumes(["spec"]) with input as asking({"spec": {"volumes": [{"name": "v", field: {name: "s", "items": [{"key": "a"}, {"key": "b"}]}}]}}, {}, {"a": "x"})
		[[one.path, one.consequence] | some one in found] == [[["spec", "volumes", 0, field, "items", 1, "key"], "the pod does not start"]]
	}
}
