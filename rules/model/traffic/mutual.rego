package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mesh
import data.walguard.lib.watch
import data.walguard.model

# Istio's proxy takes nothing but mutual TLS of its own where a PeerAuthentication is STRICT, also of what is encrypted otherwise, and an operator without a proxy has none
# (docs/reference/config/security/peer_authentication). Any exception that the pods, or another policy, name leaves it open.
unmeshed := [{
	"policy": k8s.reference(mutual_only[0]),
	"port": visit.port,
	"from": "unmeshed",
	"level": "error",
	"consequence": visit.consequence,
	"allowed": allowance(visit),
} |
	some visit in get.list(model.cluster, "visits")
	count(mutual_only) > 0
	count(authentications) == count(mutual_only)
	in_istio
	not excepted
	running := watch.in_sight(visit.by)
	homes := {one.home | some one in running} - {"?"}
	count(homes) == 1
	some home in homes
	home != k8s.namespace
	every one in running {
		without_proxy(one.template, home)
	}
]

in_istio if mesh.by_istio({}, {})

in_istio if {
	ambient
	not kept_out
}

allowance(visit) := sprintf("it by the annotation traffic.sidecar.istio.io/excludeInboundPorts: \"%d\" of the pods", [visit.port]) if not ambient

allowance(_) := "it by the label istio.io/dataplane-mode: none of the pods" if ambient

# METADATA
# description: |
#   What the operator asks the pods for by their addresses, where those are in Istio's ambient mesh and the operator is not known to be: {"port", "consequence", "labels": where labels of the pods are written, "path"}. ztunnel
#   takes such connections or resets them, by what else is set up (siutsin/otaru 2703 and 2732, istio/istio 61453).
enrolled := [{"port": visit.port, "consequence": visit.consequence, "labels": visit.labels, "path": visit.path} |
	ambient
	not kept_out
	not excepted
	count(unmeshed) == 0
	some visit in get.list(model.cluster, "visits")
	visit.labels
	count([1 | some one in watch.in_sight(visit.by); in_ambient(one.home)]) == 0
]

in_ambient(home) if get.string(inventory.cluster_object("v1", "Namespace", home), ["metadata", "labels", "istio.io/dataplane-mode"]) == "ambient"

authentications := array.concat(authentications_in(k8s.namespace), [o | some o in authentications_in("istio-system"); not get.present(o, ["spec", "selector"])])

authentications_in(namespace) := [o |
	some api_version in ["security.istio.io/v1", "security.istio.io/v1beta1"]
	some o in inventory.list(namespace, api_version, "PeerAuthentication")
]

mutual_only := [o |
	some o in authentications
	get.string(o, ["spec", "mtls", "mode"]) == "STRICT"
	not get.present(o, ["spec", "selector"])
	not get.present(o, ["spec", "portLevelMtls"])
]

excepted if regex.match(`"(traffic\.)?sidecar\.istio\.io/`, json.marshal(k8s.object))

# A pod's own goes before its namespace's.
without_proxy(metadata, home) if {
	not regex.match(`"sidecar\.istio\.io/inject":"|"istio\.io/`, json.marshal(metadata))
	labels := get.map(inventory.cluster_object("v1", "Namespace", home), ["metadata", "labels"])
	object.get(labels, "istio-injection", "disabled") == "disabled"
	not labels["istio.io/rev"]
	not labels["istio.io/dataplane-mode"]
}

without_proxy(metadata, _) if regex.match(`"sidecar\.istio\.io/inject":"false"`, json.marshal(metadata))
