# METADATA
# description: |
#   Pods that a service mesh gives a proxy which outlives their containers, so that a Job never finishes. Linkerd's does unless it is a native sidecar, which an annotation of the pod or the
#   namespace, or a value of its own chart, asks for. Istio's is one since 1.27 where Kubernetes is 1.33 or newer: it is known not to be where an annotation of the pod says so (since 1.24), or
#   the label istio.io/rev names an older release, whose default it is not.
# related_resources:
#   - https://linkerd.io/2/features/native-sidecars
#   - https://linkerd.io/2/features/proxy-injection
#   - https://istio.io/latest/docs/reference/config/annotations/#SidecarNativeSidecar
#   - https://learn.microsoft.com/azure/aks/istio-native-sidecar
#   - https://istio.io/latest/docs/setup/upgrade/canary/
package walguard.lib.mesh

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder

# METADATA
# description: |
#   The proxies that pods with these annotations and labels get and that do not end: {"proxy": in words, "unless": clause, "off": the annotation that leaves the proxy out, "native"?: one that
#   makes it end}.
proxies(annotations, labels) := array.concat(
	[{"proxy": "Linkerd's proxy", "unless": "unless it is a native sidecar", "off": sprintf("%s: disabled", [inject]), "native": sprintf("%s: \"true\"", [native[0]])} |
		outlives(annotations)
	],
	[object.union(istio, {"proxy": "Istio's proxy", "off": "sidecar.istio.io/inject: \"false\""}) |
		by_istio(annotations, labels)
		istio := classic(annotations, labels)
	],
)

# A pod's own goes before its namespace's, and a label before an annotation (pkg/kube/inject/inject.go, injectRequired).
by_istio(annotations, labels) if asked_of_istio(annotations, labels) == "true"

by_istio(annotations, labels) if {
	not asked_of_istio(annotations, labels)
	object.get(namespace_labels, "istio-injection", "") == "enabled"
}

by_istio(annotations, labels) if {
	not asked_of_istio(annotations, labels)
	not namespace_labels["istio-injection"]
	namespace_labels["istio.io/rev"]
}

asked_of_istio(annotations, labels) := get.lower_case(get.text(array.concat([said | said := labels["sidecar.istio.io/inject"]], [said | said := annotations["sidecar.istio.io/inject"]])[0]))

classic(annotations, _) := {"unless": "since nativeSidecar is \"false\"", "native": "sidecar.istio.io/nativeSidecar: \"true\""} if {
	get.lower_case(get.text(annotations["sidecar.istio.io/nativeSidecar"])) == "false"
}

classic(annotations, labels) := {"unless": sprintf("unless native sidecars were turned on in revision %s, where their default is off", [revision])} if {
	not annotations["sidecar.istio.io/nativeSidecar"]
	revision := get.text(array.concat([said | said := labels["istio.io/rev"]], [said | said := namespace_labels["istio.io/rev"]])[0])
	regex.match(`^(asm-)?1-(\d|1\d|2[0-6])(-|$)`, revision)
}

namespace_labels := get.map(inventory.own_namespace, ["metadata", "labels"])

namespace_labels := {} if not inventory.own_namespace

# METADATA
# description: True where pods with these annotations get a proxy of Linkerd's that does not end.
outlives(annotations) if {
	effective(annotations, inject) in {"enabled", "ingress"}
	count([1 | some name in native; effective(annotations, name) != "false"]) == 0
	not placeholder.holds(effective(annotations, inject))
}

inject := "linkerd.io/inject"

native := ["config.beta.linkerd.io/proxy-enable-native-sidecar", "config.alpha.linkerd.io/proxy-enable-native-sidecar"]

# A pod's own goes before its namespace's.
effective(annotations, name) := get.lower_case(get.text(object.get(annotations, name, object.get(namespace_annotations, name, "false"))))

namespace_annotations := get.map(inventory.own_namespace, ["metadata", "annotations"])

namespace_annotations := {} if not inventory.own_namespace
