package walguard.checks.memory.request_below_buffers_test

import data.walguard.checks.memory.request_below_buffers as check
import data.walguard.lib.manifest_test as manifests

findings(buffers, resources) := found if found := check.findings with input as manifests.review({"shared_buffers": buffers}, {"resources": resources})

test_refused_by_the_operator if {
	findings("4GB", {"requests": {"memory": "2Gi"}, "limits": {"memory": "16Gi"}}) == {{
		"message": "shared_buffers=4GB, and the pods request 2Gi of memory: the operator refuses the cluster. Request 16Gi or more.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
		"facts": {"memory_request_bytes": 2147483648, "shared_buffers_bytes": 4294967296},
	}}
}

test_other_operators if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"shared_buffers": "4GB"}}, "resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "16Gi"}}},
	}}}
	{[f.severity, f.message] | some f in found} == {["warning", "shared_buffers=4GB, and the pods request 2Gi of memory: on a full node they are evicted first. Request 16Gi or more."]}
}

test_enough if {
	findings("4GB", {"requests": {"memory": "4Gi"}}) == set()
	findings("4GB", {"requests": {"memory": "2Gi", "hugepages-2Mi": "5Gi"}, "limits": {"hugepages-2Mi": "5Gi"}}) == set()
}

test_left_to_the_check_of_limits if findings("4GB", {"requests": {"memory": "2Gi"}, "limits": {"memory": "2Gi"}}) == set()

test_silent_when_unknown if {
	findings("4GB", {}) == set()
	findings("four gigabytes", {"requests": {"memory": "2Gi"}}) == set()
	check.findings == set() with input as manifests.change({"shared_buffers": "64GB"})
}

test_default_fills_the_request if {
	found := check.findings with input as manifests.review({}, {"resources": {"requests": {"memory": "128Mi"}, "limits": {"memory": "1Gi"}}})
	found == {{
		"message": "The pods request 128Mi of memory, which shared_buffers=128MB (the default) alone can fill: on a full node they are evicted first. Request 512Mi or more.",
		"path": ["spec", "resources", "requests", "memory"],
		"severity": "info",
	}}
	check.findings == set() with input as manifests.review({}, {"resources": {"requests": {"memory": "256Mi"}}})
	check.findings == set() with input as manifests.review({}, {})
}
