package walguard.checks.manifest.removal_announced_test

import data.walguard.checks.manifest.removal_announced as check
import data.walguard.lib.manifest_test as manifests

findings(spec) := found if found := check.findings with input as manifests.review({}, spec)

test_pod_monitor if {
	findings({"monitoring": {"enablePodMonitor": true}}) == {{
		"message": "spec.monitoring.enablePodMonitor will be removed in a coming release of CloudNativePG, and metrics of this cluster are no longer collected then. Create a PodMonitor of your own first.",
		"path": ["spec", "monitoring", "enablePodMonitor"],
	}}
}

test_others if {
	findings({}) == set()
	findings({"monitoring": {"enablePodMonitor": false}}) == set()
	findings({"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/orders"}}}) == set()
}

test_unknown if {
	findings({"monitoring": {"enablePodMonitor": "${MONITORED}"}}) == set()
	found := check.findings with input as manifests.change({"work_mem": "64MB"})
	found == set()
}
