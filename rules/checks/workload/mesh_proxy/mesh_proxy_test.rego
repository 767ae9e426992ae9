package walguard.checks.workload.mesh_proxy_test

import data.walguard.checks.workload.mesh_proxy as check

findings(metadata, spec, annotations) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": object.union({"name": "orders", "namespace": "prod"}, metadata),
		"spec": object.union({"instances": 3}, spec),
	}},
	"inventory": {"cluster": {"v1": {"Namespace": {"prod": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prod", "annotations": annotations}}}}}},
}

inherited(annotations) := {"inheritedMetadata": {"annotations": annotations}}

injected := {"linkerd.io/inject": "enabled"}

shutdown := {"config.linkerd.io/proxy-admin-shutdown": "enabled"}

test_proxy_of_the_namespace if {
	findings({}, {}, injected) == {{
		"message": "Linkerd's proxy in the jobs that make instances does not end with them unless it is a native sidecar: the operator waits, and no instance comes up. Set config.linkerd.io/proxy-admin-shutdown: enabled in spec.inheritedMetadata.annotations.",
		"path": ["spec"],
	}}
	findings({}, inherited(shutdown), injected) == set()
	findings({}, {}, object.union(injected, shutdown)) == set()
	findings({}, inherited({"linkerd.io/inject": "disabled"}), injected) == set()
	findings({}, inherited({"config.beta.linkerd.io/proxy-enable-native-sidecar": "true"}), injected) == set()
	findings({}, {}, {}) == set()

	# The operator may be told to hand these on.
	findings({"annotations": {"linkerd.io/inject": "disabled"}}, {}, injected) == set()
}

test_proxy_of_the_cluster if {
	{f.path | some f in findings({}, inherited(injected), {})} == {["spec", "inheritedMetadata", "annotations", "linkerd.io/inject"]}
	findings({}, inherited({"linkerd.io/inject": "${MESH}"}), {}) == set()
	findings({"annotations": injected}, {}, {}) == set()
	findings({}, {"inheritedMetadata": "${METADATA}"}, injected) == set()
	findings({}, inherited({"sidecar.istio.io/inject": "true", "sidecar.istio.io/nativeSidecar": "false"}), {}) == set()
}
