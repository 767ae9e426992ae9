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

test_openshift_fills_it_in if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod", "annotations": {"image.openshift.io/triggers": `[{"from":{"kind":"ImageStreamTag","name":"exporter:latest"},"fieldPath":"spec.template.spec.containers[?(@.name==\"exporter\")].image"}]`}},
		"spec": {"template": {"spec": {"containers": [
			{"name": "postgres", "image": "postgres:17.6"},
			{"name": "exporter", "image": ""},
		]}}},
	}}}
}
