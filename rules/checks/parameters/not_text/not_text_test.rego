package walguard.checks.parameters.not_text_test

import data.walguard.checks.parameters.not_text as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

crunchy(section) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"postgresVersion": 17}, section),
	}}}
}

refused(name, kind, value, text) := {
	"message": sprintf("%s is the %s %s, but CloudNativePG accepts text only, so the API server refuses the resource. Quote it: \"%s\".", [name, kind, value, text]),
	"path": ["spec", "postgresql", "parameters", name],
	"fix": [{"op": "replace", "path": sprintf("/spec/postgresql/parameters/%s", [name]), "value": text}],
}

test_unquoted if {
	findings({"jit": false, "Max_connections": 200, "checkpoint_completion_target": 0.9, "work_mem": "4MB"}) == {
		refused("jit", "boolean", "false", "off"),
		refused("Max_connections", "integer", "200", "200"),
		refused("checkpoint_completion_target", "number", "0.9", "0.9"),
	}
}

nothing(name, noun) := {
	"message": sprintf("%s is %s, which is not a valid value. Write one, or remove the parameter.", [name, noun]),
	"path": ["spec", "postgresql", "parameters", name],
}

test_no_value if {
	findings({"a": null, "b": [], "c": {}}) == {nothing("a", "nothing"), nothing("b", "a list"), nothing("c", "a map")}
}

# Crunchy's schema takes whole numbers in spec.config, and anything in Patroni's section.
test_text_or_integer if {
	crunchy({"config": {"parameters": {"max_connections": 200, "work_mem": "4MB"}}}) == set()
	crunchy({"config": {"parameters": {"jit": true}}}) == {{
		"message": "jit is the boolean true, but Crunchy Postgres for Kubernetes accepts text or integer only, so the API server refuses the resource. Quote it: \"on\".",
		"path": ["spec", "config", "parameters", "jit"],
		"fix": [{"op": "replace", "path": "/spec/config/parameters/jit", "value": "on"}],
	}}
	crunchy({"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"jit": true, "work_mem": null, "shared_preload_libraries": ["pgaudit"]}}}}}) == set()
}

test_map_anywhere if {
	{f.path[5] | some f in crunchy({"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"work_mem": {}}}}}})} == {"work_mem"}
}

test_text_where_integers_are_taken_too if crunchy({"config": {"parameters": {"work_mem": "4MB", "max_connections": 200}}}) == set()
