package walguard.checks.workload.cpu_throttle_test

import data.walguard.checks.workload.cpu_throttle as check
import data.walguard.lib.manifest_test as manifests

findings(resources) := found if found := check.findings with input as manifests.review({}, {"resources": resources})

said(amount) := {{
	"message": sprintf("A CPU limit of %dm stops a busy backend for part of every 100 ms, while it holds its locks. Remove the limit and keep the request, or set more than 1000m.", [amount]),
	"path": ["spec", "resources"],
	"facts": {"cores_thousandths": amount},
}}

test_below_a_core if {
	findings({"limits": {"cpu": "500m"}}) == said(500)
	findings({"limits": {"cpu": 0.25}, "requests": {"cpu": "100m"}}) == said(250)
}

test_one_core_asked_for if findings({"limits": {"cpu": 1}, "requests": {"cpu": "1"}}) == said(1000)

test_room if {
	findings({"limits": {"cpu": 1}, "requests": {"cpu": "500m"}}) == set()
	findings({"limits": {"cpu": 2}, "requests": {"cpu": 2}}) == set()
	findings({"requests": {"cpu": "100m"}}) == set()
}

test_silent_when_unknown if {
	findings({}) == set()
	findings({"limits": {"cpu": "much"}}) == set()
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
