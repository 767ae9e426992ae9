package walguard.checks.manifest.annotation_unread_test

import data.walguard.checks.manifest.annotation_unread as check
import data.walguard.lib.manifest_test as manifests

findings(annotations) := found if found := check.findings with input as manifests.annotated({}, {}, annotations)

test_unreadable_value if {
	findings({"walguard.dev/required-throughput": "900 megabytes"}) == {{
		"message": "The value \"900 megabytes\" cannot be read, so the annotation has no effect. Write bytes per second, such as 350MB/s, 350M or 1Gi.",
		"path": ["metadata", "annotations", "walguard.dev/required-throughput"],
	}}
}

test_unknown_name if {
	findings({"walguard.dev/throughput": "900MB/s"}) == {{
		"message": "walguard knows no annotation walguard.dev/throughput, so it has no effect. Known: walguard.dev/required-iops, walguard.dev/required-throughput, walguard.dev/rto, walguard.dev/workload.",
		"path": ["metadata", "annotations", "walguard.dev/throughput"],
	}}
}

test_readable if findings({"walguard.dev/required-throughput": "900MB/s", "example.com/x": "y"}) == set()

test_no_annotations if findings({}) == set()

test_not_a_cluster if {
	check.findings == set() with input as {"review": {"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "annotations": {"walguard.dev/x": "y"}}}}}
}
