package walguard.checks.workload.probe_timeout_test

import data.walguard.checks.workload.probe_timeout as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

probed(probe, cpu) := workload({"livenessProbe": object.union({"exec": {"command": ["pg_isready", "-U", "postgres"]}}, probe), "resources": {"limits": {"cpu": cpu}}}, {}, {})

test_default_timeout_under_a_limit if {
	check.findings == {{
		"message": "The liveness probe must answer within 1 s (default), and 30 s of failures kill the server: load alone can do that. Set timeoutSeconds to 5 or more.",
		"path": array.concat(in_container, ["livenessProbe"]),
		"facts": {"timeout_seconds": 1, "window_seconds": 30},
		"fix": [{"op": "add", "path": "/spec/template/spec/containers/0/livenessProbe/timeoutSeconds", "value": 5}],
		"severity": "warning",
	}} with input as probed({}, "1")
}

test_written_timeout_without_a_limit if {
	check.findings == {{
		"message": "The liveness probe must answer within 1 s, and 15 s of failures kill the server: load alone can do that. Set timeoutSeconds to 5 or more.",
		"path": array.concat(in_container, ["livenessProbe", "timeoutSeconds"]),
		"facts": {"timeout_seconds": 1, "window_seconds": 15},
		"fix": [{"op": "replace", "path": "/spec/template/spec/containers/0/livenessProbe/timeoutSeconds", "value": 5}],
		"severity": "info",
	}} with input as probed({"timeoutSeconds": 1, "periodSeconds": 5}, "16")
}

test_kubegres if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"probe": {"livenessProbe": {"exec": {"command": ["sh", "-c", "exec pg_isready"]}, "periodSeconds": 5}}},
	}}}
	{f.path | some f in found} == {["spec", "probe", "livenessProbe"]}
}

test_patient if {
	check.findings == set() with input as probed({"timeoutSeconds": 5}, "1")
	check.findings == set() with input as probed({"failureThreshold": 12}, "1")
}

test_silent_when_unknown if {
	check.findings == set() with input as workload({"livenessProbe": {"tcpSocket": {"port": 5432}}}, {}, {})
	check.findings == set() with input as workload({"livenessProbe": {"exec": {"command": ["/healthcheck"]}}}, {}, {})
	check.findings == set() with input as workload({}, {}, {})
}

requesting(cpu, period) := workload({"livenessProbe": {"exec": {"command": ["pg_isready"]}, "periodSeconds": period}, "resources": {"requests": {"cpu": cpu}}}, {}, {})

test_small_share_of_a_node if {
	{f.severity | some f in check.findings} == {"warning"} with input as requesting("250m", 15)
	{f.severity | some f in check.findings} == {"info"} with input as requesting("2", 15)
	check.findings == set() with input as requesting("250m", 20)
}

ready(probe) := workload({"readinessProbe": probe}, {}, {})

test_readiness if {
	one := {"exec": {"command": ["/bin/sh", "-c", "pg_isready -U a -h 127.0.0.1"]}}
	check.findings == {{
		"message": "The readiness probe starts a program that must answer within 1 s (default): on a busy or slow node it does not, and after 30 s of failures no Service leads to the server. Set timeoutSeconds to 5 or more.",
		"path": array.concat(in_container, ["readinessProbe"]),
		"facts": {"timeout_seconds": 1, "window_seconds": 30},
		"fix": [{"op": "add", "path": "/spec/template/spec/containers/0/readinessProbe/timeoutSeconds", "value": 5}],
		"severity": "info",
	}} with input as ready(one)
	{[f.path, f.severity] | some f in check.findings} == {[array.concat(in_container, ["readinessProbe", "timeoutSeconds"]), "info"]} with input as ready(object.union(one, {"timeoutSeconds": 1}))
	every probe in [object.union(one, {"timeoutSeconds": 5}), object.union(one, {"failureThreshold": 6}), {"tcpSocket": {"port": 5432}}, {"exec": {"command": ["/ready.sh"]}}] {
		check.findings == set() with input as ready(probe)
	}
}
