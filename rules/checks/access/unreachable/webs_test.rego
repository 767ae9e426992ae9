package walguard.checks.access.unreachable_webs_test

import data.walguard.checks.access.unreachable as check

server := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
}

service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"name": "postgres", "port": 5432}, {"name": "metrics", "port": 9187}]}}

found(objects) := {[f.severity, f.message, f.path] | some f in findings} if {
	findings := check.findings with input as {"review": {"object": server}, "inventory": {"namespace": {"shop": object.union({"v1": {"Service": {"db": service}}}, objects)}}}
}

ingress(annotations, backend) := {"networking.k8s.io/v1": {"Ingress": {"web": {
	"apiVersion": "networking.k8s.io/v1",
	"kind": "Ingress",
	"metadata": {"name": "web", "namespace": "shop", "annotations": annotations},
	"spec": {"rules": [{"host": "db.example.com", "http": {"paths": [{"path": "/", "backend": {"service": backend}}]}}]},
}}}}

told(kind, cure) := sprintf("%s web sends requests of HTTP to Service db, where PostgreSQL listens, which speaks another protocol: no client connects this way. %s.", [kind, cure])

test_ingress_to_the_server if {
	message := told("Ingress", "Give it a Service of type LoadBalancer or NodePort, or a TCP port of the controller")
	path := ["spec", "rules", 0, "http", "paths", 0]
	found(ingress({}, {"name": "db", "port": {"number": 5432}})) == {["error", message, path]}
	found(ingress({"cert-manager.io/cluster-issuer": "le"}, {"name": "db", "port": {"name": "postgres"}})) == {["error", message, path]}
}

test_ingress_to_something_else if {
	found(ingress({"nginx.ingress.kubernetes.io/ssl-passthrough": "true"}, {"name": "db", "port": {"number": 5432}})) == set()
	found(ingress({}, {"name": "db", "port": {"number": 9187}})) == set()
	found(ingress({}, {"name": "db", "port": {"name": "metrics"}})) == set()
	found(ingress({}, {"name": "pgadmin", "port": {"number": 80}})) == set()
	found(ingress({}, {"name": "${DB}", "port": {"number": 5432}})) == set()
}

route(version, kind, spec) := {version: {kind: {"web": {"apiVersion": version, "kind": kind, "metadata": {"name": "web", "namespace": "shop"}, "spec": spec}}}}

test_other_routes_of_http if {
	found(route("gateway.networking.k8s.io/v1", "HTTPRoute", {"rules": [{"backendRefs": [{"name": "db", "port": 5432}]}]})) == {["error", told("HTTPRoute", "Write a TCPRoute, or give it a Service of type LoadBalancer"), ["spec", "rules", 0, "backendRefs", 0]]}
	found(route("gateway.networking.k8s.io/v1", "HTTPRoute", {"rules": [{"backendRefs": [{"name": "db", "namespace": "other", "port": 5432}]}]})) == set()
	found(route("networking.istio.io/v1beta1", "VirtualService", {"http": [{"route": [{"destination": {"host": "db.shop.svc.cluster.local", "port": {"number": 5432}}}]}]})) == {["error", told("VirtualService", "Write tcp for http there"), ["spec", "http", 0]]}
	found(route("networking.istio.io/v1", "VirtualService", {"tcp": [{"route": [{"destination": {"host": "db", "port": {"number": 5432}}}]}]})) == set()
	found(route("networking.istio.io/v1", "VirtualService", {"http": [{"route": [{"destination": {"host": "db.other", "port": {"number": 5432}}}]}]})) == set()
}
