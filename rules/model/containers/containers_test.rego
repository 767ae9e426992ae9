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
