package walguard.checks.workload.liveness_kills_recovery_test

import data.walguard.checks.workload.liveness_kills_recovery as check
import data.walguard.lib.manifest_test as manifests

findings(probes, args) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"image": "postgres:17", "args": args}, probes)]}}},
	}}}
}

ready(window) := object.union({"exec": {"command": ["pg_isready", "-U", "postgres"]}}, window)

container := ["spec", "template", "spec", "containers", 0]

test_short_window if {
	findings({"livenessProbe": ready({"initialDelaySeconds": 5, "periodSeconds": 5})}, []) == {{
		"message": "StatefulSet prod/orders gives a starting server 20 s before its livenessProbe kills it, but recovery after a crash may take 30 s (the least that walguard reckons with), in which it takes no connections; killed, it begins anew. Give it a startup probe with more time",
		"path": array.concat(container, ["livenessProbe"]),
		"facts": {"patience_seconds": 20, "least_seconds": 30, "needed_seconds": 30, "max_wal_size_bytes": 1073741824, "replay_bytes_per_second": 100000000},
	}}
}

test_much_to_replay if {
	findings({"startupProbe": ready({"failureThreshold": 30})}, ["-c", "max_wal_size=64GB"]) == {{
		"message": "StatefulSet prod/orders gives a starting server 300 s before its startupProbe kills it, but recovery after a crash may take 688 s (max_wal_size=64Gi replayed at 100 MB/s), in which it takes no connections; killed, it begins anew. Give it a startup probe with more time",
		"path": array.concat(container, ["startupProbe"]),
		"facts": {"patience_seconds": 300, "least_seconds": 30, "needed_seconds": 688, "max_wal_size_bytes": 68719476736, "replay_bytes_per_second": 100000000},
	}}
}

test_operators if {
	{f.path | some f in check.findings} == {["spec", "startDelay"]} with input as manifests.review({}, {"startDelay": 20})
	{f.facts.patience_seconds | some f in check.findings} == {12} with input as manifests.review({}, {"probes": {"startup": {"failureThreshold": 2, "periodSeconds": 5, "initialDelaySeconds": 2}}})
	check.findings == set() with input as manifests.review({"max_wal_size": "64GB"}, {})
}

# Without its configuration in sight nobody knows how much there is to replay.
test_operators_with_probes_of_ones_own if {
	probe := ready({"periodSeconds": 4})
	{f.facts.needed_seconds | some f in check.findings} == {30} with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"customConfig": "elsewhere", "probe": {"livenessProbe": probe}},
	}}}
	{f.path | some f in check.findings} == {["spec", "livenessProbe"]} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"livenessProbe": probe},
	}}}
}

test_time_enough if {
	findings({"livenessProbe": ready({})}, []) == set()
	findings({"livenessProbe": ready({"periodSeconds": 1}), "startupProbe": ready({"failureThreshold": 60})}, []) == set()
}

test_silent_when_unknown if {
	findings({}, []) == set()
	findings({"livenessProbe": {"tcpSocket": {"port": 5432}, "periodSeconds": 1}}, []) == set()
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
