package walguard.checks.manifest.not_text_test

import data.walguard.checks.manifest.not_text as check

workload(container, labels) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": labels}, "spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6"}, container)]}}},
}}}

in_container := ["spec", "template", "spec", "containers", 0]

test_variable if {
	check.findings == {{
		"message": "The value of variable POSTGRES_DB of container postgres is the number 12345, and only text is taken there: the API server refuses the object. Put it in quotes.",
		"path": array.concat(in_container, ["env", 0, "value"]),
	}} with input as workload({"env": [{"name": "POSTGRES_DB", "value": 12345}, {"name": "POSTGRES_USER", "value": "12345"}]}, {})
}

test_word if {
	check.findings == {{
		"message": "The value of a word of args of container postgres is the number 5433, and only text is taken there: the API server refuses the object. Put it in quotes.",
		"path": array.concat(in_container, ["args", 1]),
	}} with input as workload({"args": ["-p", 5433]}, {})
}

test_label if {
	check.findings == {{
		"message": "The value of label version is the number 17, and only text is taken there: the API server refuses the object. Put it in quotes.",
		"path": ["spec", "template", "metadata", "labels", "version"],
	}} with input as workload({}, {"app": "orders", "version": 17})
}

config(data_) := object.union(workload({"envFrom": [{"configMapRef": {"name": "orders"}}]}, {}), {"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {
	"orders": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orders", "namespace": "prod"}, "data": data_},
	"others": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "others", "namespace": "prod"}, "data": {"PORT": 8080}},
}}}}}})

test_config_map if {
	check.findings == {{
		"message": "The value of key POSTGRES_PORT of ConfigMap orders is the number 5432, and only text is taken there: the API server refuses the object. Put it in quotes.",
		"path": ["data", "POSTGRES_PORT"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "orders", "namespace": "prod"},
	}} with input as config({"POSTGRES_PORT": 5432, "POSTGRES_DB": "orders"})
	check.findings == set() with input as config({"POSTGRES_PORT": "5432"})
}

test_not_reported if check.findings == set() with input as workload({"env": [{"name": "POSTGRES_DB", "value": "1"}, {"name": "A", "value": null}], "args": ["-c", "port=5433"]}, {"version": "17"})

test_silent_when_unknown if check.findings == set() with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"v": 1}}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx"}]}}}}}}

# What operators take over into pods.
test_resources_of_operators if {
	of_operator({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": {"instances": 1, "env": [{"name": "TZ", "value": 1}], "inheritedMetadata": {"annotations": {"prometheus.io/port": 9187}}}}) == {["spec", "env", 0, "value"], ["spec", "inheritedMetadata", "annotations", "prometheus.io/port"]}
	of_operator({"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "spec": {"instances": [{"metadata": {"labels": {"version": 17, "name": "${NAME}"}}}]}}) == {["spec", "instances", 0, "metadata", "labels", "version"]}
	of_operator({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "spec": {"env": [{"name": "A", "value": true}, {"name": "B", "value": "true"}]}}) == {["spec", "env", 0, "value"]}
}

of_operator(object_) := {f.path | some f in found} if {
	found := check.findings with input as {"review": {"object": object.union({"metadata": {"name": "orders", "namespace": "prod"}}, object_)}}
}
