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
} |
	some visit in get.list(model.cluster, "visits")
	count(mutual_only) > 0
	count(authentications) == count(mutual_only)
	mesh.by_istio({}, {})
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
