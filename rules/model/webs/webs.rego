# METADATA
# description: |
#   What sends requests of HTTP to the server, which takes its own protocol alone: an Ingress, an HTTPRoute of the Gateway API, or the http part of a VirtualService of Istio.
# related_resources:
#   - https://kubernetes.io/docs/concepts/services-networking/ingress/
#   - https://kubernetes.github.io/ingress-nginx/user-guide/exposing-tcp-udp-services/
#   - https://gateway-api.sigs.k8s.io/guides/tcp/
#   - https://istio.io/latest/docs/reference/config/networking/virtual-service/
# custom:
#   kinds:
#     - {group: networking.k8s.io, versions: [v1], kind: Ingress, plural: ingresses, namespaced: true, role: support, served: false}
#     - {group: gateway.networking.k8s.io, versions: [v1], kind: HTTPRoute, plural: httproutes, namespaced: true, role: support, served: false}
#     - {group: networking.istio.io, versions: [v1, v1beta1, v1alpha3], kind: VirtualService, plural: virtualservices, namespaced: true, role: support, served: false}
package walguard.model.webs

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model

# METADATA
# description: '[{"service", "cure", "resource", "path"}]'
over_http := [{"service": one.service, "cure": one.cure, "path": one.path, "resource": k8s.reference(one.object)} |
	not model.cluster.client
	count(hosts_of_server) > 0
	some one in array.concat(by_ingress, array.concat(by_route, by_virtual_service))
	one.service in hosts_of_server
	for_postgres(one.service, one.port)
]

hosts_of_server := {host | some host in get.list(model.cluster, "hosts"); host != ""}

# Some controllers pass on what is encrypted as it is, or all of it, where an annotation says so.
by_ingress := [{
	"service": get.string(path, ["backend", "service", "name"]),
	"port": object.get(path, ["backend", "service", "port", "number"], object.get(path, ["backend", "service", "port", "name"], "")),
	"cure": "Give it a Service of type LoadBalancer or NodePort, or a TCP port of the controller",
	"path": ["spec", "rules", i, "http", "paths", j],
	"object": o,
} |
	some o in inventory.list(k8s.namespace, "networking.k8s.io/v1", "Ingress")
	not regex.match(`(?i)passthrough|tcp|backend-protocol`, json.marshal(get.map(o, ["metadata", "annotations"])))
	some i, rule in get.list(o, ["spec", "rules"])
	some j, path in get.list(rule, ["http", "paths"])
]

by_route := [{
	"service": get.string(backend, "name"),
	"port": object.get(backend, "port", ""),
	"cure": "Write a TCPRoute, or give it a Service of type LoadBalancer",
	"path": ["spec", "rules", i, "backendRefs", j],
	"object": o,
} |
	some o in inventory.list(k8s.namespace, "gateway.networking.k8s.io/v1", "HTTPRoute")
	some i, rule in get.list(o, ["spec", "rules"])
	some j, backend in get.list(rule, "backendRefs")
	object.get(backend, "kind", "Service") == "Service"
	object.get(backend, "namespace", k8s.namespace) == k8s.namespace
]

by_virtual_service := [{
	"service": parts[0],
	"port": object.get(destination, ["port", "number"], ""),
	"cure": "Write tcp for http there",
	"path": ["spec", "http", i],
	"object": o,
} |
	some version in ["v1", "v1beta1", "v1alpha3"]
	some o in inventory.list(k8s.namespace, sprintf("networking.istio.io/%s", [version]), "VirtualService")
	some i, rule in get.list(o, ["spec", "http"])
	some route in get.list(rule, "route")
	destination := get.map(route, "destination")
	parts := split(get.string(destination, "host"), ".")
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
]

# By its number, or the name that it has there.
for_postgres(_, 5432)

for_postgres(service, port) if {
	is_string(port)
	some entry in get.list(inventory.namespaced_object(k8s.namespace, "v1", "Service", service), ["spec", "ports"])
	of_that_name(entry, port)
	5432 in {object.get(entry, "port", 0), object.get(entry, "targetPort", 0)}
}

of_that_name(_, "")

of_that_name(entry, port) if {
	port != ""
	get.string(entry, "name") == port
}
