package walguard.model.containers_test

import data.walguard.model
import data.walguard.model.containers

cluster := {"pods": [{"sysctls": ["spec", "sysctls"]}, {"containers": [["spec", "initContainers"], ["spec", "sidecars"]]}]}

imageless(spec) := found if {
	found := containers.imageless with model.cluster as cluster
		with input as {"review": {"object": {"kind": "postgresql", "spec": spec}}}
}

test_without_image if {
	imageless({
		"initContainers": [{"name": "prepare", "image": null}],
		"sidecars": [{"name": "exporter", "image": "postgres-exporter:0.17"}, {"name": "shipper"}, {"image": ""}],
	}) == [
		{"name": "prepare", "path": ["spec", "initContainers", 0]},
		{"name": "shipper", "path": ["spec", "sidecars", 1]},
		{"name": "2", "path": ["spec", "sidecars", 2]},
	]
}

test_with_image if {
	imageless({}) == []
	imageless({"sidecars": "none", "initContainers": [{"name": "a", "image": "${IMAGE}"}, "b"]}) == []
}

# openshift/origin: oc set triggers deployment/db --from-image=exporter:latest -c exporter
test_image_trigger if {
	imageless_by({"image.openshift.io/triggers": `[{"from": {"kind": "ImageStreamTag", "name": "exporter:latest"}, "fieldPath": "spec.sidecars[?(@.name==\"exporter\")].image"}, {"fieldPath": "spec.initContainers[0].image"}]`}) == [{"name": "shipper", "path": ["spec", "sidecars", 1]}]
	count(imageless_by({"image.openshift.io/triggers": "none"})) == 3
	count(imageless_by({"image.openshift.io/triggers": "{}"})) == 3
}

test_injected if imageless({"sidecars": [{"name": "istio-proxy"}]}) == []

imageless_by(annotations) := found if {
	found := containers.imageless with model.cluster as cluster
		with input as {"review": {"object": {"kind": "postgresql", "metadata": {"annotations": annotations}, "spec": {
			"initContainers": [{"name": "prepare"}],
			"sidecars": [{"name": "exporter", "image": ""}, {"name": "shipper"}],
		}}}}
}
