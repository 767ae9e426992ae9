package walguard.checks.memory.effective_cache_size_test

import data.walguard.checks.memory.effective_cache_size as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, limits) := found if {
	found := check.findings with input as manifests.review(parameters, {"resources": {"limits": limits}})
}

test_more_than_the_limit if {
	findings({"effective_cache_size": "48GB"}, {"memory": "16Gi"}) == {{
		"message": "effective_cache_size=48GB is more than the memory limit of 16Gi: the planner counts on cache that cannot be there. Set it to about 12GB, 75 %.",
		"path": ["spec", "postgresql", "parameters", "effective_cache_size"],
		"facts": {"effective_cache_size_bytes": 51539607552, "memory_limit_bytes": 17179869184},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/effective_cache_size", "value": "12GB"}],
	}}
}

test_fits if {
	findings({"effective_cache_size": "16GB"}, {"memory": "16Gi"}) == set()
	findings({"effective_cache_size": "20GB"}, {"memory": "16Gi", "hugepages-2Mi": "4Gi"}) == set()
}

# The default of 4 GB in a small pod is nobody's choice.
test_default if findings({}, {"memory": "1Gi"}) == set()

test_silent_without_limit if findings({"effective_cache_size": "48GB"}, {}) == set()
