package walguard.checks.access.plain_password_test

import data.walguard.checks.access.plain_password as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

container(value) := workload({"env": [{"name": "POSTGRES_PASSWORD", "value": value}]}, {}, {})

test_environment if {
	check.findings == {{
		"message": "POSTGRES_PASSWORD stands in the manifest as plain text. Take it from a Secret (valueFrom.secretKeyRef) and change it.",
		"path": array.concat(in_container, ["env", 0, "value"]),
	}} with input as container("hunter2")
}

test_other_operators if {
	path := ["spec", "externalClusters", 0, "connectionParameters", "password"]
	{f.path | some f in check.findings} == {path} with input as manifests.review({}, {"externalClusters": [{"name": "old", "connectionParameters": {"host": "old", "password": "hunter2"}}]})
	{f.path | some f in check.findings} == {["spec", "env", 0, "value"]} with input as zalando({"env": [{"name": "PGPASSWORD", "value": "hunter2"}]})
	{f.path | some f in check.findings} == {["spec", "env", 0, "value"]} with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"env": [{"name": "POSTGRES_REPLICATION_PASSWORD", "value": "hunter2"}]},
	}}}
}

test_placeholders if {
	every value in ["${PASSWORD}", "$(PASSWORD)", "{{ .Values.password }}", "<password>", "REPLACE_ME", "xxxxx", "$DB_PASSWORD", "***", ""] {
		check.findings == set() with input as container(value)
	}
}

test_silent_when_unknown if {
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]}, {}, {})
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_PASSWORD_FILE", "value": "/run/secrets/password"}]}, {}, {})
	check.findings == set() with input as manifests.review({}, {})
}
