package walguard.checks.workload.fs_group_policy_test

import data.walguard.checks.workload.fs_group_policy as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

server(size, context) := workload(
	{"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
	{"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": size}}}}]},
	{"securityContext": context},
)

test_always if {
	check.findings == {{
		"message": "fsGroup without fsGroupChangePolicy: OnRootMismatch: before each start every file of the 2Ti volume gets its owner again. Set the policy.",
		"path": ["spec", "template", "spec", "securityContext", "fsGroupChangePolicy"],
	}} with input as server("2Ti", {"fsGroup": 999})
	found := check.findings with input as server("2Ti", {"fsGroup": 999, "fsGroupChangePolicy": "Always"})
	count(found) == 1
}

test_not_reported if {
	check.findings == set() with input as server("2Ti", {"fsGroup": 999, "fsGroupChangePolicy": "OnRootMismatch"})
	check.findings == set() with input as server("10Gi", {"fsGroup": 999})
	check.findings == set() with input as server("2Ti", {})
}

test_silent_when_unknown if check.findings == set() with input as server("much", {"fsGroup": 999})
