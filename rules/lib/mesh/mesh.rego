# METADATA
# description: |
#   Pods that a service mesh gives a proxy which outlives their containers, so that a Job never finishes. Linkerd's does unless it is a native sidecar, which an annotation of the pod or the
#   namespace, or a value of its own chart, asks for; Istio's is one since 1.27, and nothing in a manifest tells the release.
# related_resources:
#   - https://linkerd.io/2/features/native-sidecars
#   - https://linkerd.io/2/features/proxy-injection
package walguard.lib.mesh

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder

# METADATA
# description: True where pods with these annotations get a proxy that does not end.
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
