package walguard.operators.percona_pmm_test

import data.walguard.operators.percona

faults(release, image, keys) := {fault.reason | some fault in object.get(found, "wrong_images", [])} if {
	found := percona.cluster with input as {
		"review": {"object": {
			"apiVersion": "pgv2.percona.com/v2",
			"kind": "PerconaPGCluster",
			"metadata": {"name": "cluster1", "namespace": "pg"},
			"spec": {"crVersion": release, "postgresVersion": 17, "instances": [{}], "pmm": {"enabled": true, "image": image, "secret": "pmm"}},
		}},
		"inventory": {"namespace": {"pg": {"v1": {"Secret": {"pmm": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pmm", "namespace": "pg"}, "stringData": {key: "x" | some key in keys}}}}}}},
	}
}

test_container_of_the_other if {
	faults("2.5.1", "percona/pmm-client:3.0.0", []) == {"pmm-client 3.0.0 is for PMM 3, and release 2.5.1 of the operator knows PMM 2 alone: its container ends at once, and the pods are never ready"}
	faults("2.9.0", "percona/pmm-client:3.5.0", ["PMM_SERVER_KEY"]) == {"pmm-client 3.5.0 is for PMM 3, and the key PMM_SERVER_KEY of its Secret asks for PMM 2: its container ends at once, and the pods are never ready"}
	faults("2.9.0", "docker.io/percona/pmm-client:2.44.0", ["PMM_SERVER_KEY", "PMM_SERVER_TOKEN"]) == {"pmm-client 2.44.0 is for PMM 2, and the key PMM_SERVER_TOKEN of its Secret asks for PMM 3: its container ends at once, and the pods are never ready"}
	faults("3.1.0", "percona/pmm-client:2.44.0", []) == {"pmm-client 2.44.0 is for PMM 2, and release 3.1.0 of the operator knows PMM 3 alone: its container ends at once, and the pods are never ready"}
}

test_container_of_its_own if {
	faults("2.5.1", "percona/pmm-client:2.44.0", []) == set()
	faults("2.9.0", "percona/pmm-client:2.44.0", ["PMM_SERVER_KEY"]) == set()
	faults("2.9.0", "percona/pmm-client:3.5.0", ["PMM_SERVER_TOKEN"]) == set()
	faults("3.1.0", "percona/pmm-client:3.7.1", []) == set()

	# A later operator with a resource of an earlier one, a Secret that is elsewhere, and what is not known.
	faults("2.5.1", "percona/pmm-client:3.5.0", ["PMM_SERVER_TOKEN"]) == set()
	faults("2.9.0", "percona/pmm-client:3.5.0", []) == set()
	faults("${RELEASE}", "percona/pmm-client:3.5.0", []) == set()
	faults("2.5.1", "registry.example.org/pmm-client:latest", []) == set()
}

test_without_its_secret if {
	found := percona.cluster with input as {"review": {"object": {
		"apiVersion": "pgv2.percona.com/v2",
		"kind": "PerconaPGCluster",
		"metadata": {"name": "cluster1", "namespace": "pg"},
		"spec": {"crVersion": "2.5.1", "postgresVersion": 17, "instances": [{}], "pmm": {"enabled": true, "image": "percona/pmm-client:3.0.0", "secret": "pmm"}},
	}}}
	count(found.wrong_images) == 1
}
