package walguard.lib.mesh_test

import data.walguard.lib.mesh

pod := {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "prod"}}

among(annotations) := {"review": {"object": pod}, "inventory": {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "annotations": annotations}}}}}}}

meshed(annotations, namespace) if mesh.outlives(annotations) with input as among(namespace)

test_injected if {
	meshed({}, {"linkerd.io/inject": "enabled"})
	meshed({}, {"linkerd.io/inject": "ingress"})
	meshed({"linkerd.io/inject": "enabled"}, {})
	meshed({"linkerd.io/inject": "Enabled"}, {"linkerd.io/inject": "disabled"})
	meshed({"linkerd.io/inject": "enabled", "config.beta.linkerd.io/proxy-enable-native-sidecar": "false"}, {})
	mesh.outlives({}) with input as {"review": {"object": pod, "namespaceObject": {"metadata": {"annotations": {"linkerd.io/inject": "enabled"}}}}}
	mesh.outlives({"linkerd.io/inject": "enabled"}) with input as {"review": {"object": pod}}
}

test_not_injected if {
	not meshed({}, {})
	not meshed({"linkerd.io/inject": "disabled"}, {"linkerd.io/inject": "enabled"})
	not meshed({"linkerd.io/inject": "${INJECT}"}, {"linkerd.io/inject": "enabled"})
	not mesh.outlives({}) with input as {"review": {"object": pod}}
	not mesh.outlives({}) with input as object.union(among({"linkerd.io/inject": "enabled"}), {"review": {"namespaceObject": {"metadata": {"annotations": {}}}}})
}

test_native_sidecar if {
	every name in mesh.native {
		not meshed({name: "true"}, {"linkerd.io/inject": "enabled"})
		not meshed({name: true}, {"linkerd.io/inject": "enabled"})
		not meshed({}, {"linkerd.io/inject": "enabled", name: "true"})
		not meshed({name: "${NATIVE}"}, {"linkerd.io/inject": "enabled"})
		meshed({name: "false"}, {"linkerd.io/inject": "enabled", name: "true"})
	}
}
