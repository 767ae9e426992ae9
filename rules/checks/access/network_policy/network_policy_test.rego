package walguard.checks.access.network_policy_test

import data.walguard.checks.access.network_policy as check

findings(spec, others) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"prod": object.union(
			{"networking.k8s.io/v1": {"NetworkPolicy": {"deny": {
				"apiVersion": "networking.k8s.io/v1",
				"kind": "NetworkPolicy",
				"metadata": {"name": "deny", "namespace": "prod"},
				"spec": spec,
			}}}},
			others,
		)}},
	}
}

ports(spec) := {port | some f in findings(spec, {}); port := regex.find_n(`port [0-9]+`, f.message, 1)[0]}

test_operator_shut_out if {
	findings({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}, {}) == {{
		"message": "NetworkPolicy deny shuts out the operator on port 8000: it learns nothing of their state, starts no standby and does not fail over. Allow the operator's namespace.",
		"path": ["spec"],
		"resource": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "deny", "namespace": "prod"},
	}}
}

test_all_shut_out if {
	ports({"podSelector": {}}) == {"port 8000", "port 5432"}
	ports({"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5433}]}]}) == {"port 8000", "port 5432"}
	ports({"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "others"}}}]}, {"from": [{"namespaceSelector": {}}], "ports": [{"port": 8000}]}]}) == {"port 5432"}
}

test_let_in if {
	every spec in [
		{"podSelector": {}, "policyTypes": ["Egress"], "egress": [{}]},
		{"podSelector": {}, "ingress": [{}]},
		{"podSelector": {"matchLabels": {"cnpg.io/cluster": "others"}}},
		{"podSelector": {}, "ingress": [{"ports": [{"port": 5432}, {"port": 8000}]}]},
		{"podSelector": {}, "ingress": [{"ports": [{"port": 5000, "endPort": 9000}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}, {"ports": [{"port": "status"}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}, {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "cloudnative-pg"}}}]}]},
	] {
		findings(spec, {}) == set()
	}
}

# ---------------------------------------------------------------------------------------------------------- egress

going_out(spec) := {f.message | some f in findings(object.union({"podSelector": {}, "policyTypes": ["Egress"]}, spec), {})}

test_nothing_goes_out if {
	messages := going_out({})
	count(messages) == 3
	"NetworkPolicy deny keeps the instances from the API server (port 443, often 6443 behind it): the instance manager does not learn what to run, and no instance starts. Allow egress to the API server (port 443, often 6443 behind it)." in messages
}

test_goes_out if {
	every spec in [
		{"egress": [{}]},
		{"egress": [{"to": [{"podSelector": {}}]}, {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 6443}]}]},
		{"egress": [{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, {"to": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}]}]},
		{"egress": [{"to": [{"namespaceSelector": {}}]}]},
		{"policyTypes": ["Ingress"], "ingress": [{}]},
		{"podSelector": {"matchLabels": {"app": "web"}}},
	] {
		going_out(spec) == set()
	}
}

# The Jobs of the operator carry no role.
test_jobs_stay_in if {
	messages := {f.message |
		some f in findings({"podSelector": {}, "policyTypes": ["Egress"]}, {"networking.k8s.io/v1": {"NetworkPolicy": {"allow": {
			"apiVersion": "networking.k8s.io/v1",
			"kind": "NetworkPolicy",
			"metadata": {"name": "allow", "namespace": "prod"},
			"spec": {"podSelector": {"matchLabels": {"cnpg.io/podRole": "instance"}}, "policyTypes": ["Egress"], "egress": [{}]},
		}}}})
	}
	messages == {"NetworkPolicy deny keeps the Jobs that create and restore instances from the API server (port 443, often 6443 behind it): up to release 1.30 of the operator no instance is created. Allow egress to the API server (port 443, often 6443 behind it)."}
}

dumping(spec) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"networking.k8s.io/v1": {"NetworkPolicy": {"dump": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "dump", "namespace": "prod"}, "spec": spec}}},
			"batch/v1": {"CronJob": {"dump": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {
				"metadata": {"labels": {"app": "dump"}},
				"spec": {"containers": [{"image": "postgres:17", "command": ["pg_dump", "-h", "db"]}]},
			}}}}}}},
		}}},
	}
	some f in found
}

test_dump_without_names if {
	dumping({"podSelector": {"matchLabels": {"app": "dump"}}, "egress": [{"ports": [{"port": 5432}]}]}) == {"NetworkPolicy dump keeps the pods of CronJob dump from DNS (port 53): the server's name is not found, and nothing is dumped. Allow egress to DNS (port 53)."}
	dumping({"podSelector": {"matchLabels": {"app": "dump"}}, "egress": [{"ports": [{"port": 5432}, {"port": 53}]}]}) == set()
	dumping({"podSelector": {"matchLabels": {"app": "web"}}, "egress": []}) == set()
}

balanced(rules) := {f.message |
	some f in findings({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": array.concat([{"from": [{"namespaceSelector": {}}, {"podSelector": {}}]}], rules)}, {"v1": {"Service": {"open": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": {"name": "open", "namespace": "prod"},
		"spec": {"type": "LoadBalancer", "selector": {"cnpg.io/cluster": "orders"}, "ports": [{"port": 5432}]},
	}}}})
}

test_load_balancer if {
	balanced([]) == {"NetworkPolicy deny shuts out the clients of LoadBalancer open on port 5432: connections that come through it time out. Allow their addresses by an ipBlock."}
	balanced([{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]) == set()
	balanced([{"ports": [{"port": 5432}]}]) == set()
}

test_silent_when_unknown if {
	findings({"podSelector": {}}, {"cilium.io/v2": {"CiliumNetworkPolicy": {"allow": {"kind": "CiliumNetworkPolicy"}}}}) == set()
	findings({"podSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}, {}) == set()
	findings({"podSelector": {"matchLabels": {"app": "web"}}}, {}) == set()
}

# --------------------------------------------------------------------------------------------------------- clients

web(env) := {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:1", "env": env}]}}},
}}}}

asking(spec, env) := {f.message | some f in findings(spec, web(env)); contains(f.message, "web")}

by_uri := [{"name": "DATABASE_URL", "value": "postgres://app@orders-rw:5432/shop"}]

for_pods(labels) := {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": labels}}]}]}

test_client_shut_out if {
	asking(for_pods({"app": "api"}), by_uri) == {"NetworkPolicy deny shuts out Deployment web on port 5432: its connections time out. Allow the labels of its pods."}
	count(asking(for_pods({"app": "web", "tier": "front"}), [{"name": "DB_HOST", "value": "orders-rw.prod.svc"}])) == 1
}

test_client_let_in if {
	asking(for_pods({"app": "web"}), by_uri) == set()
	asking(for_pods({}), by_uri) == set()
	asking({"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}}]}]}, by_uri) == set()
	asking(for_pods({"app": "api"}), [{"name": "DB_HOST", "value": "orders-rw.test.svc"}]) == set()
	asking(for_pods({"app": "api"}), [{"name": "POSTGRES_DB", "value": "orders-rw"}]) == set()
}

test_client_kept_in if {
	asking({"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"], "egress": [{"to": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "stock"}}}]}]}, by_uri) == {"NetworkPolicy deny keeps the pods of Deployment web from the server (port 5432): its connections time out. Allow egress to the server (port 5432)."}
	asking({"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"], "egress": [{"to": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}]}]}, by_uri) == set()
}

# Reachable standbys tell a primary that it is not cut off.
test_instances_among_themselves if {
	operators := {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "cnpg-system"}}}]}
	own := {"from": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}], "ports": [{"port": 5432}]}
	findings({"podSelector": {}, "ingress": [operators, own]}, {}) == {{
		"message": "NetworkPolicy deny shuts out the other instances on port 8000: a primary that loses the API server takes itself for isolated and stops. Allow the pods of the cluster.",
		"path": ["spec"],
		"resource": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "deny", "namespace": "prod"},
		"severity": "info",
	}}
	findings({"podSelector": {}, "ingress": [operators, {"from": own.from}]}, {}) == set()
	findings({"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "prod"}}}, operators.from[0]]}]}, {}) == set()
}

dumper(command) := {"batch/v1": {"CronJob": {"nightly": {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "nightly", "namespace": "prod"},
	"spec": {"jobTemplate": {"spec": {"template": {"metadata": {"labels": {"job": "nightly"}}, "spec": {"containers": [{"name": "dump", "image": "postgres:17.6", "command": command}]}}}}},
}}}}

dumped(spec, command) := {f.message | some f in findings(spec, dumper(command)); contains(f.message, "nightly")}

test_dump_shut_out if {
	every command in [["sh", "-c", "pg_dump -h orders-rw -U app -f /dump/a app"], ["pg_dump", "--host=orders-rw.prod.svc", "app"], ["sh", "-c", "pg_dump postgresql://app@orders-rw:5432/app > /dump/a"], ["pg_dump", "-h", "orders-rw"]] {
		dumped(for_pods({"app": "web"}), command) == {"NetworkPolicy deny shuts out CronJob nightly on port 5432: its connections time out. Allow the labels of its pods."}
	}
	every command in [["sh", "-c", "pg_dump -h orders-rw -p 6432 app"], ["sh", "-c", "pg_dump -h orders-rw.test.svc app"], ["sh", "-c", "echo -h orders-rw"]] {
		dumped(for_pods({"app": "web"}), command) == set()
	}
	dumped(for_pods({"job": "nightly"}), ["pg_dump", "-h", "orders-rw"]) == set()
}

by_operator(peers) := {[object.get(f, "severity", ""), regex.find_n(`port 8000: (unless [^,]*)?`, f.message, 1)[0]] |
	some f in findings({"podSelector": {}, "ingress": [{"from": array.concat(peers, [{"podSelector": {}}])}]}, {})
}

test_namespaces_of_others if {
	by_operator([{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]) == {["", "port 8000: "]}
	by_operator([{"namespaceSelector": {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["monitoring", "traefik"]}]}}]) == {["", "port 8000: "]}
	by_operator([{"namespaceSelector": {}, "podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}]) == {["", "port 8000: "]}
	by_operator([{"namespaceSelector": {"matchLabels": {"organization": "shop"}}}]) == {["info", "port 8000: unless its namespace has the label organization=shop"]}
}

test_namespaces_that_may_be_the_operators if {
	by_operator([{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "databases"}}}]) == set()
	by_operator([{"namespaceSelector": {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["monitoring", "cnpg-system"]}]}}]) == set()
	by_operator([{"namespaceSelector": {"matchLabels": {"organization": "shop"}}}, {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "cnpg-system"}}}]) == set()
	by_operator([{"namespaceSelector": {"matchLabels": {"app.kubernetes.io/name": "cloudnative-pg"}}}]) == set()
	by_operator([{"namespaceSelector": {"matchLabels": {"team": "${TEAM}"}}}]) == set()
}

# ---------------------------------------------------------------------------------------------------------- meshes

meshed(ingress, metadata, template, object_of_pods) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": object.union_n([{"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"image": "postgres:17.6"}]}}, template])}}},
		"inventory": {
			"cluster": {"v1": {"Namespace": {"prod": {"apiVersion": "v1", "kind": "Namespace", "metadata": object.union({"name": "prod"}, metadata)}}}},
			"namespace": {"prod": object.union(object_of_pods, {"networking.k8s.io/v1": {"NetworkPolicy": {"db": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "db", "namespace": "prod"}, "spec": ingress}}}})},
		},
	}
	some f in found
}

ambient := {"labels": {"istio.io/dataplane-mode": "ambient"}}

linkerd := {"annotations": {"linkerd.io/inject": "enabled"}}

only(ports) := {"podSelector": {"matchLabels": {"app": "db"}}, "ingress": [{"ports": ports}]}

test_port_of_the_mesh if {
	meshed(only([{"port": 5432}]), ambient, {}, {}) == {"NetworkPolicy db shuts out the pods of Istio's ambient mesh on port 15008: connections to port 5432 come by it, and time out. Allow port 15008 beside 5432."}
	meshed(only([{"port": 5432}]), linkerd, {}, {}) == {"NetworkPolicy db shuts out the pods of the Linkerd mesh on port 4143: connections to port 5432 come by it, and time out. Allow port 4143 beside 5432."}
	count(meshed(only([{"port": 5432}]), {"annotations": {"linkerd.io/inject": "ingress"}}, {}, {})) == 1
	count(meshed(only([{"port": 5432}]), object.union(ambient, linkerd), {}, {})) == 1
	every name in ["postgres", "tcp-postgresql", "pgsql", "pg", "db", "database", "sql"] {
		count(meshed(only([{"port": name}]), ambient, {}, {})) == 1
	}
	count(meshed({"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5432}]}]}, ambient, {}, {})) == 1
	count(meshed(only([{"port": 5432}, {"port": 15007}]), ambient, {}, {})) == 1
	count(meshed(only([{"port": 5432}, {"port": 15008}]), linkerd, {}, {})) == 1
}

test_let_in_to_the_mesh if {
	every ingress in [
		only([{"port": 5432}, {"port": 15008}]),
		only([{"port": 5432, "endPort": 16000}]),
		only([{"port": 5432}, {"port": "hbone"}]),
		{"podSelector": {}, "ingress": [{"ports": [{"port": 5432}]}, {"from": [{"namespaceSelector": {}}], "ports": [{"port": 15008}]}]},
		{"podSelector": {}, "ingress": [{}]},
		{"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}]},
		{"podSelector": {"matchLabels": {"app": "web"}}, "ingress": [{"ports": [{"port": 5432}]}]},
		{"podSelector": {}},
	] {
		meshed(ingress, ambient, {}, {}) == set()
	}
	every name in ["mesh", "istio-hbone", "linkerd-proxy"] {
		meshed(only([{"port": 5432}, {"port": name}]), ambient, {}, {}) == set()
	}
	meshed(only([{"port": 5432}, {"port": 4143}]), linkerd, {}, {}) == set()
}

# Who comes from elsewhere is not known to be in the mesh.
test_others_than_pods_of_the_namespace if {
	every peer in [{"namespaceSelector": {"matchLabels": {"team": "a"}}}, {"namespaceSelector": {}, "podSelector": {}}, {"ipBlock": {"cidr": "10.0.0.0/8"}}] {
		meshed({"podSelector": {}, "ingress": [{"from": [peer], "ports": [{"port": 5432}]}]}, ambient, {}, {}) == set()
	}
	meshed(only([{"port": 9187}]), ambient, {}, {}) == set()
	meshed(only([{"port": "metrics"}]), ambient, {}, {}) == set()
}

test_not_in_the_mesh if {
	meshed(only([{"port": 5432}]), {}, {}, {}) == set()
	meshed(only([{"port": 5432}]), {"labels": {"istio.io/dataplane-mode": "none"}}, {}, {}) == set()
	meshed(only([{"port": 5432}]), {"labels": {"istio-injection": "enabled"}}, {}, {}) == set()
	meshed(only([{"port": 5432}]), {"annotations": {"linkerd.io/inject": "disabled"}}, {}, {}) == set()
	meshed(only([{"port": 5432}]), ambient, {"metadata": {"labels": {"app": "db", "istio.io/dataplane-mode": "none"}}}, {}) == set()
	meshed(only([{"port": 5432}]), ambient, {"metadata": {"labels": {"app": "db"}, "annotations": {"ambient.istio.io/bypass-inbound-capture": "true"}}}, {}) == set()
	meshed(only([{"port": 5432}]), linkerd, {"metadata": {"labels": {"app": "db"}, "annotations": {"linkerd.io/inject": "disabled"}}}, {}) == set()
	meshed(only([{"port": 5432}]), linkerd, {"metadata": {"labels": {"app": "db"}, "annotations": {"config.linkerd.io/skip-inbound-ports": "5432"}}}, {}) == set()
	meshed(only([{"port": 5432}]), object.union({"annotations": {"linkerd.io/inject": "enabled", "config.linkerd.io/skip-outbound-ports": "5432"}}, {}), {}, {}) == set()
	meshed(only([{"port": 5432}]), ambient, {"spec": {"containers": [{"image": "postgres:17.6", "args": ["-c", "port=5433"]}]}}, {}) == set()
}

client_behind(ports, labels, metadata) := meshed({"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"], "egress": [{"ports": ports}]}, metadata, {}, {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": object.union({"app": "web"}, labels)}, "spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "DB_HOST", "value": "db"}]}]}}},
}}}})

test_client_in_the_mesh if {
	client_behind([{"port": 5432}, {"port": 53}], {}, ambient) == {"NetworkPolicy db keeps the pods of Deployment web from the server (by port 15008 of Istio's ambient mesh): its connections time out. Allow egress to the server (by port 15008 of Istio's ambient mesh)."}
	client_behind([{"port": 5432}, {"port": 15008}], {}, ambient) == set()
	client_behind([{"port": 5432}], {"istio.io/dataplane-mode": "none"}, ambient) == set()
	client_behind([{"port": 5432}], {}, linkerd) == set()
	client_behind([{"port": 5432}], {}, {}) == set()
}

# Where a server listens elsewhere, its clients say so in ways of their own.
test_client_of_another_port if {
	shut := {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "api"}}}]}]}
	count(meshed(shut, {}, {}, web([{"name": "DB_HOST", "value": "db"}]))) == 1
	meshed(shut, {}, {"spec": {"containers": [{"image": "postgres:17.6", "args": ["-c", "port=5433"]}]}}, web([{"name": "DB_HOST", "value": "db"}])) == set()
}
