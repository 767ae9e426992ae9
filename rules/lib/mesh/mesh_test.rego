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

in_istio(annotations, labels, namespace) := found if {
	found := mesh.proxies(annotations, labels) with input as {"review": {"object": pod}, "inventory": {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "labels": namespace}}}}}}}
}

classic := {"sidecar.istio.io/nativeSidecar": "false"}

test_istio_known_to_outlive if {
	in_istio(classic, {}, {"istio-injection": "enabled"}) == [{"proxy": "Istio's proxy", "unless": "since nativeSidecar is \"false\"", "off": "sidecar.istio.io/inject: \"false\"", "native": "sidecar.istio.io/nativeSidecar: \"true\""}]
	count(in_istio(classic, {"sidecar.istio.io/inject": "true"}, {})) == 1
	count(in_istio(object.union(classic, {"sidecar.istio.io/inject": "true"}), {}, {})) == 1
	in_istio({}, {}, {"istio.io/rev": "1-24-2"}) == [{"proxy": "Istio's proxy", "unless": "unless native sidecars were turned on in revision 1-24-2, where their default is off", "off": "sidecar.istio.io/inject: \"false\""}]
	every revision in ["1-9", "1-18-0", "1-26-3", "asm-1-25"] {
		count(in_istio({}, {}, {"istio.io/rev": revision})) == 1
	}
	count(in_istio({}, {"sidecar.istio.io/inject": "true", "istio.io/rev": "1-20"}, {"istio.io/rev": "1-28"})) == 1
}

test_istio_that_ends_or_is_not_known if {
	in_istio({}, {}, {"istio-injection": "enabled"}) == []
	every revision in ["1-27-0", "1-28", "asm-1-29", "stable", "canary", "10-2"] {
		in_istio({}, {}, {"istio.io/rev": revision}) == []
	}
	in_istio(classic, {}, {}) == []
	in_istio(classic, {}, {"istio-injection": "disabled"}) == []
	in_istio({"sidecar.istio.io/nativeSidecar": "true"}, {}, {"istio.io/rev": "1-24"}) == []
	in_istio({"sidecar.istio.io/nativeSidecar": "${NATIVE}"}, {}, {"istio.io/rev": "1-24"}) == []
	in_istio({}, {"sidecar.istio.io/inject": "false"}, {"istio.io/rev": "1-24"}) == []
	in_istio({"sidecar.istio.io/inject": "false"}, {}, {"istio.io/rev": "1-24"}) == []
	in_istio({"sidecar.istio.io/inject": "true"}, {"sidecar.istio.io/inject": "false"}, {"istio.io/rev": "1-24"}) == []
	in_istio({"sidecar.istio.io/inject": "${INJECT}"}, {}, {"istio.io/rev": "1-24"}) == []
	in_istio({}, {}, {"istio.io/rev": "1-24", "istio-injection": "disabled"}) == []
	mesh.proxies(classic, {}) == [] with input as {"review": {"object": pod}}
}
