package walguard.checks.workload.container_without_image_test

import data.walguard.checks.workload.container_without_image as check

cluster(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-db", "namespace": "prod"},
	"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17"}}, spec),
}}}

test_sidecar if {
	check.findings == {{
		"message": "Container exporter has no image: a pod that goes cannot be created again, since the API server refuses it. Write its image.",
		"path": ["spec", "sidecars", 0],
	}} with input as cluster({"sidecars": [{"name": "exporter"}, {"name": "shipper", "image": "vector:0.49"}]})
}

test_not_reported if check.findings == set() with input as cluster({"sidecars": [{"name": "exporter", "image": "postgres-exporter:0.17"}]})

test_silent_when_unknown if {
	check.findings == set() with input as cluster({})
	check.findings == set() with input as cluster({"sidecars": [{"name": "exporter", "image": "${IMAGE}"}]})
}
