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

graded(spec) := {[regex.find_n("keeps .* from (DNS|the API|the other)", f.message, 1)[0], object.get(f, "severity", "warning")] | some f in findings(object.union({"policyTypes": ["Egress"]}, spec), {})}

# Written for these pods, with a list, it is meant to be all.
test_list_for_the_instances if {
	ours := {"matchLabels": {"cnpg.io/cluster": "orders"}}
	["keeps the instances from the API", "error"] in graded({"podSelector": ours, "egress": [{"ports": [{"port": 53, "protocol": "UDP"}]}]})
	["keeps the instances from the API", "warning"] in graded({"podSelector": ours})
	["keeps the instances from the API", "warning"] in graded({"podSelector": {}, "egress": [{"ports": [{"port": 53, "protocol": "UDP"}]}]})
	["keeps the instances from DNS", "warning"] in graded({"podSelector": ours, "egress": [{"ports": [{"port": 5432}]}]})
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

# A namespace that has no API server, and one that may have it.
test_another_namespace_is_not_the_api_server if {
	"keeps the instances from the API" in {text | some [text, _] in graded(to_namespace("cnpg-system"))}
	going_out(to_namespace("kube-system")) == set()
	going_out(to_namespace("${OPERATOR}")) == set()
}

to_namespace(name) := {"egress": [
	{"to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}, {"podSelector": {}}]},
	{"ports": [{"port": 53, "protocol": "UDP"}]},
]}

# The address of the Service has become the server's own before most networks look at it.
test_service_of_the_api_server if {
	egress := [{"to": [{"podSelector": {}}]}, {"ports": [{"port": 53, "protocol": "UDP"}]}]
	found := findings({"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}, "policyTypes": ["Egress"], "egress": array.concat(egress, [{"to": [{"ipBlock": {"cidr": "10.96.0.1/32"}}], "ports": [{"port": 443}]}])}, {})
	{[f.message, object.get(f, "severity", "warning")] | some f in found} == {[
		"NetworkPolicy deny keeps the instances from the API server's own address (often port 6443): most networks compare that, not 10.96.0.1, and the pods get no answer from it. Allow egress to the API server's own address (often port 6443).",
		"warning",
	]}
	findings({"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}, "policyTypes": ["Egress"], "egress": array.concat(egress, [{"to": [{"ipBlock": {"cidr": "192.168.1.10/32"}}], "ports": [{"port": 6443}]}])}, {}) == set()
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

balanced(rules) := balanced_by({}, rules)

balanced_by(more, rules) := {f.message |
	some f in findings({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": array.concat([{"from": [{"namespaceSelector": {}}, {"podSelector": {}}]}], rules)}, {"v1": {"Service": {"open": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": {"name": "open", "namespace": "prod"},
		"spec": object.union({"type": "LoadBalancer", "selector": {"cnpg.io/cluster": "orders"}, "ports": [{"port": 5432}]}, more),
	}}}})
}

test_load_balancer if {
	balanced([]) == {"NetworkPolicy deny shuts out the clients of LoadBalancer open on port 5432: connections that come through it time out. Allow their addresses by an ipBlock."}
	balanced([{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]) == set()
	balanced([{"ports": [{"port": 5432}]}]) == set()
	count(balanced_by({"loadBalancerClass": "metallb"}, [])) == 1
}

# Its proxy is a pod.
test_balancer_of_tailscale if balanced_by({"loadBalancerClass": "tailscale"}, []) == set()

test_silent_when_unknown if {
	every case in [["projectcalico.org/v3", "NetworkPolicy"], ["crd.projectcalico.org/v1", "NetworkPolicy"]] {
		findings({"podSelector": {}}, {case[0]: {case[1]: {"allow": {"kind": case[1]}}}}) == set()
	}
	findings({"podSelector": {}}, {"cilium.io/v2": {"CiliumNetworkPolicy": {"allow": {"kind": "CiliumNetworkPolicy", "spec": {"endpointSelector": {}, "ingress": [{"fromEntities": ["world"]}], "enableDefaultDeny": {"ingress": false}}}}}}) == set()
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
	asking({"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"], "egress": [to_orders, {"ports": [{"port": 53}]}]}, by_uri) == set()
	asking({"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"], "egress": [to_orders]}, by_uri) == {without_names("Deployment web")}
}

to_orders := {"to": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}]}

without_names(client) := sprintf("NetworkPolicy deny keeps the pods of %s from DNS (port 53): the server's name is not found, and it does not connect. Allow egress to DNS (port 53).", [client])

# Many that one policy keeps away are said together.
job(name) := {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"job": name, "tier": "jobs"}}, "spec": {"containers": [{"name": "run", "image": "app:1", "env": by_uri}]}}}}

of_jobs(spec, names) := {f.message | some f in findings(spec, {"batch/v1": {"Job": {name: job(name) | some name in names}}}); contains(f.message, "Job a")}

test_clients_together if {
	of_jobs(for_pods({"app": "api"}), ["a", "b"]) == {"NetworkPolicy deny shuts out Job a and Job b on port 5432: their connections time out. Allow the labels of their pods."}
	of_jobs(for_pods({"app": "api"}), ["a", "b", "c", "d", "e"]) == {"NetworkPolicy deny shuts out Job a, Job b and 3 others on port 5432: their connections time out. Allow the labels of their pods."}
	of_jobs({"podSelector": {"matchLabels": {"tier": "jobs"}}, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": 53}]}]}, ["a", "b", "c"]) == {"NetworkPolicy deny keeps the pods of Job a, Job b and Job c from the server (port 5432): their connections time out. Allow egress to the server (port 5432)."}
}

# Reachable standbys tell a primary that it is not cut off.
test_instances_among_themselves if {
	operators := {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "cnpg-system"}}}]}
	own := {"from": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}}], "ports": [{"port": 5432}]}
	findings({"podSelector": {}, "ingress": [operators, own]}, {}) == {{
		"message": "NetworkPolicy deny shuts out the other instances on port 8000: a primary that loses the API server takes itself for isolated and stops. Allow the pods of the cluster.",
		"path": ["spec"],
		"resource": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "deny", "namespace": "prod"},
		"severity": "warning",
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

# A list of clients is meant to be all of them, one for the whole namespace may be one of several.
test_clients_that_a_list_leaves_out if {
	levels(ours) == {"error"}
	levels({}) == {"usual"}
}

levels(selector) := {object.get(f, "severity", "usual") |
	some f in findings({"podSelector": selector, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "api"}}}]}]}, web(by_uri))
	contains(f.message, "Deployment web")
}

# A Job is a client for a while.
test_job_shut_out if {
	job := {"batch/v1": {"Job": {"migrate": {
		"apiVersion": "batch/v1",
		"kind": "Job",
		"metadata": {"name": "migrate", "namespace": "prod"},
		"spec": {"template": {"metadata": {"labels": {"job": "migrate"}}, "spec": {"containers": [{"name": "migrate", "image": "app:1", "env": [{"name": "DB_HOST", "value": "orders-rw"}]}]}}},
	}}}}
	{f.message | some f in findings(for_pods({"app": "web"}), job); contains(f.message, "migrate")} == {"NetworkPolicy deny shuts out Job migrate on port 5432: its connections time out. Allow the labels of its pods."}
	{f.message | some f in findings(for_pods({"job": "migrate"}), job); contains(f.message, "migrate")} == set()
}

# -------------------------------------------------------------------------------------------------------- monitors

scraped(kind, monitor, ingress) := {f.message |
	db := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [
			{"name": "postgres", "image": "postgres:17.6", "ports": [{"name": "pg", "containerPort": 5432}]},
			{"name": "exporter", "image": "exporter:1", "ports": [{"name": "http-metrics", "containerPort": 9187}]},
		]}}},
	}
	found := check.findings with input as {
		"review": {"object": db},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"StatefulSet": {"db": db}},
			"v1": {"Service": {"db-metrics": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db-metrics", "namespace": "prod", "labels": {"app": "metrics"}}, "spec": {"selector": {"app": "db"}, "ports": [{"name": "metrics", "port": 80, "targetPort": "http-metrics"}]}}}},
			"networking.k8s.io/v1": {"NetworkPolicy": {"db": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"podSelector": {"matchLabels": {"app": "db"}}, "ingress": ingress}}}},
			"monitoring.coreos.com/v1": {kind: {"db": {"apiVersion": "monitoring.coreos.com/v1", "kind": kind, "metadata": {"name": "db", "namespace": "prod"}, "spec": monitor}}},
		}}},
	}
	some f in found
}

by_service := {"selector": {"matchLabels": {"app": "metrics"}}, "endpoints": [{"port": "metrics"}]}

by_pod := {"selector": {"matchLabels": {"app": "db"}}, "podMetricsEndpoints": [{"port": "http-metrics"}]}

of_the_server := [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5432}]}]

unscraped(kind) := sprintf("NetworkPolicy db shuts out what %s db has scraped on port 9187: Prometheus gets no metrics of this server. Allow Prometheus there.", [kind])

test_monitor_shut_out if {
	scraped("ServiceMonitor", by_service, of_the_server) == {unscraped("ServiceMonitor")}
	scraped("PodMonitor", by_pod, of_the_server) == {unscraped("PodMonitor")}
	scraped("PodMonitor", by_pod, [{"ports": [{"port": "pg"}]}]) == {unscraped("PodMonitor")}
}

test_monitor_let_in if {
	scraped("ServiceMonitor", by_service, array.concat(of_the_server, [{"ports": [{"port": 9187}], "from": [{"namespaceSelector": {}}]}])) == set()
	scraped("ServiceMonitor", by_service, [{"from": [{"podSelector": {}}]}]) == set()
	scraped("PodMonitor", by_pod, [{"ports": [{"port": "http-metrics"}]}]) == set()
	scraped("PodMonitor", object.union(by_pod, {"selector": {"matchLabels": {"app": "web"}}}), of_the_server) == set()
	scraped("ServiceMonitor", object.union(by_service, {"selector": {"matchLabels": {"app": "web"}}}), of_the_server) == set()
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
	client_behind([{"port": 5432}, {"port": 15008}, {"port": 53}], {}, ambient) == set()
	client_behind([{"port": 5432}, {"port": 53}], {"istio.io/dataplane-mode": "none"}, ambient) == set()
	client_behind([{"port": 5432}, {"port": 53}], {}, linkerd) == set()
}

# Where a server listens elsewhere, its clients say so in ways of their own.
test_client_of_another_port if {
	shut := {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "api"}}}]}]}
	count(meshed(shut, {}, {}, web([{"name": "DB_HOST", "value": "db"}]))) == 1
	meshed(shut, {}, {"spec": {"containers": [{"image": "postgres:17.6", "args": ["-c", "port=5433"]}]}}, web([{"name": "DB_HOST", "value": "db"}])) == set()
}

# --------------------------------------------------------------------------------------------------- object stores

archiving(endpoint, spec, objects) := {f.message | some f in found; contains(f.message, "object store")} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union(
			{
				"instances": 1,
				"backup": {"barmanObjectStore": object.union({"destinationPath": "s3://backups/orders"}, {"endpointURL": endpoint | endpoint != ""})},
			},
			spec,
		)}},
		"inventory": {"namespace": {"prod": objects}},
	}
}

plain_policy(egress) := {"networking.k8s.io/v1": {"NetworkPolicy": {"out": {
	"apiVersion": "networking.k8s.io/v1",
	"kind": "NetworkPolicy",
	"metadata": {"name": "out", "namespace": "prod"},
	"spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": array.concat([{"to": [{"ipBlock": {"cidr": "10.0.0.1/32"}}], "ports": [{"port": 443}, {"port": 6443}]}], egress)},
}}}}

r2 := "https://0123.r2.cloudflarestorage.com"

test_store_out_of_reach if {
	archiving(r2, {}, plain_policy([])) == {"NetworkPolicy out keeps the instances from the object store 0123.r2.cloudflarestorage.com (port 443): nothing is archived, backed up or restored. Allow egress to the object store 0123.r2.cloudflarestorage.com (port 443)."}
	count(archiving(r2, {}, plain_policy([{"to": [{"namespaceSelector": {}}]}]))) == 1
	count(archiving(r2, {}, plain_policy([{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}], "ports": [{"port": 80}]}]))) == 1
	every case in [
		["", "s3.amazonaws.com (port 443)"],
		["http://s3.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com (port 80)"],
		["https://s3.eu-central-003.backblazeb2.com:8443/", "s3.eu-central-003.backblazeb2.com (port 8443)"],
		["https://fra1.digitaloceanspaces.com", "fra1.digitaloceanspaces.com (port 443)"],
		["https://s3.eu-central-1.wasabisys.com", "s3.eu-central-1.wasabisys.com (port 443)"],
		["https://fsn1.your-objectstorage.com", "fsn1.your-objectstorage.com (port 443)"],
		["https://eu-central-1.linodeobjects.com", "eu-central-1.linodeobjects.com (port 443)"],
		["https://s3.fr-par.scw.cloud", "s3.fr-par.scw.cloud (port 443)"],
		["https://s3.gra.io.cloud.ovh.net", "s3.gra.io.cloud.ovh.net (port 443)"],
		["https://s3.us-east-va.io.cloud.ovh.us", "s3.us-east-va.io.cloud.ovh.us (port 443)"],
		["https://storage.googleapis.com", "storage.googleapis.com (port 443)"],
		["https://a.blob.core.windows.net", "a.blob.core.windows.net (port 443)"],
		["https://sos-de-fra-1.exo.io", "sos-de-fra-1.exo.io (port 443)"],
		["https://x.fra.idrivee2.com", "x.fra.idrivee2.com (port 443)"],
		["https://ams1.vultrobjects.com", "ams1.vultrobjects.com (port 443)"],
		["https://oss-eu-central-1.aliyuncs.com", "oss-eu-central-1.aliyuncs.com (port 443)"],
	] {
		{trim_prefix(regex.find_n(`object store \S+ \(port [0-9]+\)`, message, 1)[0], "object store ") | some message in archiving(case[0], {}, plain_policy([]))} == {case[1]}
	}
}

test_store_within_reach if {
	every egress in [
		[{}],
		[{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}],
		[{"to": [{"ipBlock": {"cidr": "162.158.0.0/15"}}], "ports": [{"port": 443}]}],
		[{"ports": [{"port": 443}]}],
	] {
		archiving(r2, {}, plain_policy(egress)) == set()
	}
	archiving("http://minio.storage:9000", {}, plain_policy([])) == set()
	archiving("https://s3.example.com", {}, plain_policy([])) == set()
	archiving("https://r2.cloudflarestorage.com.example.com", {}, plain_policy([])) == set()
	archiving("https://${ACCOUNT}.r2.cloudflarestorage.com", {}, plain_policy([])) == set()
	every name in ["HTTPS_PROXY", "http_proxy", "ALL_PROXY"] {
		archiving(r2, {"env": [{"name": name, "value": "http://proxy:3128"}]}, plain_policy([])) == set()
	}
	archiving("", {"backup": {"barmanObjectStore": {"destinationPath": "gs://backups"}}}, plain_policy([])) == set()
}

plugged_store(variables) := {
	"apiVersion": "barmancloud.cnpg.io/v1",
	"kind": "ObjectStore",
	"metadata": {"name": "s", "namespace": "prod"},
	"spec": {"configuration": {"destinationPath": "s3://backups", "endpointURL": r2}, "instanceSidecarConfiguration": {"env": variables}},
}

by_plugin(variables) := count(archiving("https://s3.example.com", {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "parameters": {"barmanObjectName": "s"}}]}, object.union(
	plain_policy([]),
	{"barmancloud.cnpg.io/v1": {"ObjectStore": {"s": plugged_store(variables)}}},
)))

test_store_of_the_plugin if {
	by_plugin([]) == 1
	by_plugin([{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}]) == 0
}

test_store_that_it_is_recovered_from if {
	count(archiving("https://s3.example.com", {"externalClusters": [{"name": "old", "barmanObjectStore": {"destinationPath": "s3://b", "endpointURL": r2}}]}, plain_policy([]))) == 1
}

# ---------------------------------------------------------------------------------------------------------- Cilium

cilium(spec) := {"cilium.io/v2": {"CiliumNetworkPolicy": {"out": {
	"apiVersion": "cilium.io/v2",
	"kind": "CiliumNetworkPolicy",
	"metadata": {"name": "out", "namespace": "prod"},
	"spec": object.union({"endpointSelector": {}}, spec),
}}}}

behind_cilium(egress) := archiving(r2, {}, cilium({"egress": array.concat([{"toEntities": ["kube-apiserver"]}], egress)}))

test_cilium_does_not_lead_to_the_store if {
	behind_cilium([]) == {"CiliumNetworkPolicy out keeps the instances from the object store 0123.r2.cloudflarestorage.com (port 443): nothing is archived, backed up or restored. Allow egress to the object store 0123.r2.cloudflarestorage.com (port 443)."}
	every rule in [
		{},
		{"toEndpoints": [{}]},
		{"toEntities": ["cluster"]},
		{"toCIDR": ["10.0.0.1/32"]},
		{"toCIDRSet": [{"cidr": "10.0.0.1/32"}]},
		{"toFQDNs": [{"matchPattern": "*.github.com"}]},
		{"toFQDNs": [{"matchName": "s3.amazonaws.com"}]},
		{"toEntities": ["world"], "toPorts": [{"ports": [{"port": "80"}]}]},
		{"toPorts": [{"ports": [{"port": "400", "endPort": 442}]}]},
		{"toGroups": []},
	] {
		count(behind_cilium([rule])) == 1
	}
	count(archiving(r2, {}, cilium({"endpointSelector": {"matchLabels": {"k8s:cnpg.io/cluster": "orders"}}, "egress": [{}]}))) == 1
	count(archiving(r2, {}, {"cilium.io/v2": {"CiliumNetworkPolicy": {"out": {"kind": "CiliumNetworkPolicy", "metadata": {"name": "out"}, "specs": [{"endpointSelector": {}, "egress": [{}]}]}}}})) == 1
}

test_cilium_leads_to_the_store if {
	every rule in [
		{"toPorts": [{"ports": [{"port": "443", "protocol": "TCP"}]}]},
		{"toPorts": [{"ports": [{"port": "0"}]}]},
		{"toPorts": [{"ports": [{"port": "https"}]}]},
		{"toPorts": [{"ports": [{"port": "400", "endPort": 443}]}]},
		{"toPorts": [{"rules": {}}], "toEntities": ["world"]},
		{"toEntities": ["all"]},
		{"toEntities": ["world"]},
		{"toEntities": ["world-ipv4"]},
		{"toEntities": ["world-ipv6"]},
		{"toCIDR": ["0.0.0.0/0"]},
		{"toCIDRSet": [{"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}]},
		{"toGroups": [{"aws": {}}]},
		{"toServices": [{"k8sService": {"serviceName": "s3"}}]},
		{"toFQDNs": [{"matchName": "0123.r2.cloudflarestorage.com"}]},
		{"toFQDNs": [{"matchName": "backups.0123.r2.cloudflarestorage.com"}]},
		{"toFQDNs": [{"matchPattern": "*.R2.cloudflarestorage.com."}]},
		{"toFQDNs": [{"matchPattern": "${STORE}"}]},
	] {
		behind_cilium([rule]) == set()
	}
	archiving(r2, {}, cilium({"ingress": [{}]})) == set()
	archiving(r2, {}, cilium({"egress": [{}], "enableDefaultDeny": {"egress": false}})) == set()
	archiving(r2, {}, cilium({"endpointSelector": {"matchLabels": {"any:cnpg.io/cluster": "others"}}, "egress": [{}]})) == set()
	archiving("https://s3.example.com", {}, cilium({"egress": [{}]})) == set()
}

test_cilium_and_others if {
	deny := cilium({"egress": [{}]})
	archiving(r2, {}, object.union(deny, {"projectcalico.org/v3": {"NetworkPolicy": {"x": {}}}})) == set()
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1, "backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}}},
		"inventory": {"namespace": {"prod": deny}, "cluster": {"cilium.io/v2": {"CiliumClusterwideNetworkPolicy": {"all": {}}}}},
	}
	found == set()
}

# ------------------------------------------------------------------------------------------------ pods elsewhere

elsewhere(plugins, policies, others) := {[f.resource.name, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1, "plugins": plugins}}},
		"inventory": {"namespace": {"cnpg-system": object.union(
			{"networking.k8s.io/v1": {"NetworkPolicy": {name: {
				"apiVersion": "networking.k8s.io/v1",
				"kind": "NetworkPolicy",
				"metadata": {"name": name, "namespace": "cnpg-system"},
				"spec": spec,
			} |
				some name, spec in policies
			}}},
			others,
		)}},
	}
	some f in found
}

barman := [{"name": "barman-cloud.cloudnative-pg.io", "parameters": {"barmanObjectName": "s"}}]

of_operator := {"matchLabels": {"app.kubernetes.io/name": "cloudnative-pg"}}

going(ports) := {"podSelector": of_operator, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": port} | some port in ports]}]}

test_operator_does_not_reach_the_plugin if {
	elsewhere(barman, {"allow": going([8000, 443])}, {}) == {["allow", "NetworkPolicy allow keeps the operator from the Barman Cloud plugin (port 9090): clusters that name it are not reconciled, and nothing is archived. Allow egress to it."]}
	elsewhere([], {"allow": going([8000, 443])}, {}) == set()
	elsewhere([{"name": "barman-cloud.cloudnative-pg.io", "enabled": false}], {"allow": going([8000, 443])}, {}) == set()
	elsewhere([{"name": "other.example.com"}], {"allow": going([8000, 443])}, {}) == set()
	elsewhere(barman, {"allow": going([8000, 443, 9090])}, {}) == set()
	elsewhere(barman, {"allow": going([8000, 443]), "more": {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"to": [{"podSelector": {}}]}]}}, {}) == set()
	elsewhere(barman, {"allow": going([8000, 443]), "more": {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "${NAME}"}}, "egress": [{}]}}, {}) == set()
	count(elsewhere(barman, {"allow": going([8000, 443]), "more": {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "other"}}, "egress": [{}]}}, {})) == 1
}

test_operator_does_not_reach_the_instances if {
	elsewhere([], {"allow": going([6443])}, {}) == {["allow", "NetworkPolicy allow keeps the operator from the instances (port 8000): it learns nothing of their state, starts no standby and does not fail over. Allow egress to it."]}
	elsewhere([], {"allow": going([8000])}, {}) == {["allow", "NetworkPolicy allow keeps the operator from the API server (port 443, often 6443 behind it): it does nothing. Allow egress to it."]}
	ingress := {"podSelector": of_operator, "ingress": [{"ports": [{"port": 9443}]}]}
	{name | some [name, _] in elsewhere([], {"allow": ingress, "deny": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}}, {})} == {"deny"}
	elsewhere([], {"allow": ingress}, {}) == set()
}

running(pod) := {"apps/v1": {"Deployment": {"cnpg-controller-manager": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "cnpg-controller-manager", "namespace": "cnpg-system"},
	"spec": {"template": {"metadata": {"labels": of_operator.matchLabels}, "spec": pod}},
}}}}

opening(port) := {"podSelector": of_operator, "ingress": [{"from": [{"namespaceSelector": {}}], "ports": [{"port": port}]}]}

test_webhook_shut_out if {
	deny := {"podSelector": {}, "policyTypes": ["Ingress"]}
	elsewhere([], {"metrics": opening(8080)}, {}) == {["metrics", "NetworkPolicy metrics keeps the API server (webhooks, port 9443) from the operator: no Cluster can be created or changed (\"context deadline exceeded\"), but by an API server on its own node. Allow ingress from it."]}
	{name | some [name, _] in elsewhere([], {"deny": deny}, running({}))} == {"deny"}
	elsewhere([], {"deny": deny}, {}) == set()
	elsewhere([], {"deny": deny}, running({"hostNetwork": true})) == set()
	every port in [9443, 10250, "webhook-server"] {
		elsewhere([], {"deny": deny, "metrics": opening(8080), "webhook": opening(port)}, running({})) == set()
	}
}

test_plugin_shut_out if {
	plugin := {"podSelector": {"matchLabels": {"app": "barman-cloud"}}, "ingress": [{"ports": [{"port": 9443}]}]}
	elsewhere(barman, {"plugin": plugin}, {}) == {["plugin", "NetworkPolicy plugin keeps the operator (port 9090) from the Barman Cloud plugin: clusters that name the plugin are not reconciled, and nothing is archived. Allow ingress from it."]}
	elsewhere(barman, {"plugin": object.union(plugin, {"ingress": [{"ports": [{"port": 9000, "endPort": 9100}]}]})}, {}) == set()
	elsewhere([], {"plugin": plugin}, {}) == set()
}

test_pods_elsewhere_unknown if {
	elsewhere(barman, {"deny": {"podSelector": {}, "policyTypes": ["Egress"]}}, {}) == set()
	elsewhere(barman, {"allow": going([1])}, {"projectcalico.org/v3": {"NetworkPolicy": {"x": {}}}}) == set()
	elsewhere(barman, {"allow": going([1])}, {"cilium.io/v2": {"CiliumNetworkPolicy": {"x": {"spec": {"endpointSelector": {}, "enableDefaultDeny": {"egress": false}}}}}}) == set()
}

# What Cilium's policies alone leave of a cluster of three.
by_cilium(specs) := {[f.resource.name, regex.replace(f.message, `(: .*|\.$)`, "")] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"prod": {"cilium.io/v2": {"CiliumNetworkPolicy": {name: {
			"apiVersion": "cilium.io/v2",
			"kind": "CiliumNetworkPolicy",
			"metadata": {"name": name, "namespace": "prod"},
			"spec": object.union({"endpointSelector": {}}, spec),
		} |
			some name, spec in specs
		}}}}},
	}
	some f in found
}

among_themselves := {"fromEndpoints": [{}]}

from_operator(labels, ports) := {"fromEndpoints": [{"matchLabels": labels}], "toPorts": [{"ports": [{"port": port, "protocol": "TCP"} | some port in ports]}]}

shut_operator := ["deny", "CiliumNetworkPolicy deny shuts out the operator on port 8000"]

shut_instances := ["deny", "CiliumNetworkPolicy deny shuts out the other instances on port 5432"]

test_cilium_shuts_out if {
	{shut_operator, shut_instances} - by_cilium({"deny": {"ingress": [{}]}}) == set()
	by_cilium({"deny": {"ingress": [among_themselves]}}) == {shut_operator}
	every rule in [
		from_operator({"k8s:io.kubernetes.pod.namespace": "cnpg-system"}, ["5432"]),
		from_operator({"k8s:io.kubernetes.pod.namespace": "monitoring"}, ["8000"]),
		from_operator({"k8s:app": "web"}, ["8000"]),
		{"fromFQDNs": []},
		{"toPorts": [{"ports": [{"port": "7000", "endPort": 7999}]}]},
		{"fromEntities": ["cluster"], "toPorts": [{"ports": [{"port": "metrics"}]}]},
		{"icmps": [{"fields": [{"type": 8}]}]},
	] {
		by_cilium({"deny": {"ingress": [among_themselves, rule]}}) == {shut_operator}
	}
	by_cilium({"deny": {"ingress": [from_operator({"io.kubernetes.pod.namespace": "cnpg-system"}, ["8000"])]}}) & {shut_operator, shut_instances} == {shut_instances}
}

test_cilium_lets_in if {
	every rule in [
		from_operator({"k8s:io.kubernetes.pod.namespace": "cnpg-system"}, ["8000"]),
		from_operator({"any.io.kubernetes.pod.namespace": "cnpg-system"}, ["0"]),
		from_operator({"io.kubernetes.pod.namespace": "cnpg-system", "k8s:app.kubernetes.io/name": "cloudnative-pg"}, ["8000"]),
		from_operator({"k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name": "cnpg-system"}, ["8000"]),
		from_operator({"app.kubernetes.io/name": "cloudnative-pg"}, ["8000"]),
		from_operator({"reserved:host": ""}, ["8000"]),
		{"fromEndpoints": [{"matchExpressions": [{"key": "io.kubernetes.pod.namespace", "operator": "Exists"}]}]},
		{"fromEntities": ["cluster"]},
		{"fromEntities": ["all"]},
		{"fromCIDR": ["10.0.0.0/8"]},
		{"fromCIDRSet": [{"cidr": "10.0.0.0/8"}]},
		{"fromCIDRSet": [{"cidrGroupRef": "nodes"}]},
		{"fromNodes": [{"matchLabels": {}}]},
		{"toPorts": [{"ports": [{"port": "8000"}]}]},
		{"toPorts": [{"ports": [{"port": "7000", "endPort": 9000}]}]},
		{"toPorts": [{"ports": [{"port": 8000}]}]},
		{"toPorts": [{"ports": [{"port": 5432}]}, {"ports": [{"port": 8000}]}]},
		{"fromEntities": ["cluster"], "toPorts": [{"ports": [{"port": 0}]}]},
		{"fromEntities": ["cluster"], "toPorts": [{"ports": [{"port": "5432"}]}, {"ports": []}]},
		{"fromEntities": ["cluster"], "toPorts": [{"ports": [{"port": "status"}]}]},
		from_operator({"k8s.io.kubernetes.pod.namespace": "cnpg-system"}, ["8000"]),
		from_operator({"any:app.kubernetes.io/name": "cloudnative-pg"}, ["8000"]),
	] {
		by_cilium({"deny": {"ingress": [among_themselves, rule]}}) == set()
	}
	by_cilium({"deny": {"ingress": [among_themselves]}, "allow": {"endpointSelector": {"matchLabels": {"k8s:cnpg.io/cluster": "orders"}}, "ingress": [{"fromEntities": ["cluster"]}]}}) == set()
	by_cilium({"deny": {"endpointSelector": {"matchLabels": {"app": "web"}}, "ingress": [{}]}}) == set()
}

test_cilium_keeps_in if {
	count(by_cilium({"deny": {"egress": [{}]}})) == 3
	by_cilium({"deny": {"egress": [
		{"toEntities": ["kube-apiserver"]},
		{"toEndpoints": [{"matchLabels": {"cnpg.io/cluster": "orders"}}]},
		{"toEndpoints": [{"matchLabels": {"k8s:io.kubernetes.pod.namespace": "kube-system", "k8s-app": "kube-dns"}}], "toPorts": [{"ports": [{"port": "53", "protocol": "ANY"}], "rules": {"dns": [{"matchPattern": "*"}]}}]},
	]}}) == set()
	by_cilium({"deny": {"egress": [
		{"toEntities": ["kube-apiserver"], "toPorts": [{"ports": [{"port": "6443"}]}]},
		{"toEntities": ["cluster"]},
	]}}) == set()
	{message | some [_, message] in by_cilium({"deny": {"egress": [
		{"toEntities": ["kube-apiserver"], "toPorts": [{"ports": [{"port": "6443"}]}]},
		{"toEndpoints": [{}], "toPorts": [{"ports": [{"port": "5432"}]}]},
	]}})} == {"CiliumNetworkPolicy deny keeps the instances from DNS (port 53)"}
}

of_others(version, kind, spec) := {regex.find_n(`object store \S+ \(port [0-9]+\)`, f.message, 1)[0] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": plain_policy([])}},
	}
	some f in found
	contains(f.message, "object store")
}

test_stores_of_other_operators if {
	every case in [["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"], ["pgv2.percona.com/v2", "PerconaPGCluster"]] {
		backups := {"instances": [{"name": "a", "replicas": 2}], "backups": {"pgbackrest": {"repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.eu-central-1.amazonaws.com", "region": "eu-central-1"}}, {"name": "repo2", "gcs": {"bucket": "b"}}]}}}
		of_others(case[0], case[1], backups) == {"object store s3.eu-central-1.amazonaws.com (port 443)", "object store storage.googleapis.com (port 443)"}
		of_others(case[0], case[1], object.union(backups, {"backups": {"pgbackrest": {"global": {"repo1-storage-host": "10.0.0.1", "repo2-gcs-endpoint": "gcs.local"}}}})) == set()
		of_others(case[0], case[1], object.union(backups, {"backups": {"pgbackrest": {"global": {"repo1-s3-host": "10.0.0.1", "repo2-gcs-endpoint": "gcs.local"}}}})) == set()
	}
	every name in ["WAL_S3_BUCKET", "WALG_S3_PREFIX", "WALE_S3_PREFIX"] {
		of_others("acid.zalan.do/v1", "postgresql", {"numberOfInstances": 2, "env": [{"name": name, "value": "b"}, {"name": "AWS_ENDPOINT", "value": "https://fsn1.your-objectstorage.com"}]}) == {"object store fsn1.your-objectstorage.com (port 443)"}
	}
	of_others("acid.zalan.do/v1", "postgresql", {"numberOfInstances": 2, "env": [{"name": "WAL_S3_BUCKET", "value": "b"}]}) == set()
	of_others("acid.zalan.do/v1", "postgresql", {"numberOfInstances": 2, "env": [{"name": "AWS_ENDPOINT", "value": "https://fsn1.your-objectstorage.com"}]}) == set()
	every name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] {
		of_others("acid.zalan.do/v1", "postgresql", {"numberOfInstances": 2, "env": [{"name": "WAL_S3_BUCKET", "value": "b"}, {"name": "AWS_ENDPOINT", "value": "https://fsn1.your-objectstorage.com"}, {"name": name, "value": "http://p"}]}) == set()
	}
}

# --------------------------------------------------------------------------------------- copies of plain workloads

copied(image, labels) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"replicas": 3, "serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"image": image}]}}}}},
		"inventory": {"namespace": {"prod": {"networking.k8s.io/v1": {"NetworkPolicy": {"db": {
			"apiVersion": "networking.k8s.io/v1",
			"kind": "NetworkPolicy",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"podSelector": {"matchLabels": {"app": "db"}}, "ingress": [{"from": [{"podSelector": {"matchLabels": labels}}]}]},
		}}}}}},
	}
	some f in found
}

# All labels of its pods stand in the template, but for what others add.
test_copies_shut_out if {
	copied("bitnami/postgresql-repmgr:17", {"db-client": "true"}) == {"NetworkPolicy db shuts out the other instances on port 5432: standbys cannot stream. Allow the pods of the cluster."}
	copied("bitnami/postgresql-repmgr:17", {"app.kubernetes.io/name": "web"}) == copied("bitnami/postgresql-repmgr:17", {"app": "web"})
	every labels in [{}, {"app": "db"}, {"role": "replica"}, {"spilo-role": "replica"}, {"apps.kubernetes.io/pod-index": "1"}, {"security.istio.io/tlsMode": "istio"}, {"{{ client }}": "{{ value }}"}] {
		copied("bitnami/postgresql-repmgr:17", labels) == set()
	}
	copied("postgres:17.6", {"db-client": "true"}) == set()
}

standing_by(kind, labels, init) := {[f.message, f.severity] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"networking.k8s.io/v1": {"NetworkPolicy": {"db": {
				"apiVersion": "networking.k8s.io/v1",
				"kind": "NetworkPolicy",
				"metadata": {"name": "db", "namespace": "prod"},
				"spec": {"podSelector": {"matchLabels": {"app": "db"}}, "ingress": [{"from": [{"podSelector": {"matchLabels": labels}}]}]},
			}}},
			"apps/v1": {kind: {"copy": {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "copy", "namespace": "prod"}, "spec": {"template": {
				"metadata": {"labels": {"app": "db", "role": "standby"}},
				"spec": {"initContainers": [{"name": "copy", "image": "postgres:17.6", "command": ["sh", "-c", init]}], "containers": [{"name": "db", "image": "postgres:17.6"}]},
			}}}}},
		}}},
	}
	some f in found
}

test_copying_before_the_start if {
	standing_by("StatefulSet", {"client": "true"}, "pg_basebackup -h db -D $PGDATA -R") == {["NetworkPolicy db shuts out StatefulSet copy on port 5432: it cannot copy the primary, so no standby starts. Allow the labels of its pods.", "error"]}
	standing_by("StatefulSet", {"app": "db"}, "pg_basebackup -h db -D $PGDATA -R") == set()
	standing_by("StatefulSet", {"client": "true"}, "pg_basebackup -h elsewhere -D $PGDATA -R") == set()
}

# One that only waits is a client like others.
test_waiting_before_the_start if {
	standing_by("StatefulSet", {"client": "true"}, "until pg_isready -h db; do sleep 1; done") == {["NetworkPolicy db shuts out StatefulSet copy on port 5432: its connections time out. Allow the labels of its pods.", "error"]}
}

# One without a namespace and without a label of the cluster's own is for the namespace that somebody puts it into.
test_policies_of_no_namespace if {
	unplaced({}) == 0
	unplaced({"matchLabels": {"cnpg.io/podRole": "instance"}}) == 0
	unplaced({"matchLabels": {"cnpg.io/podRole": "instance", "cnpg.io/cluster": "orders"}}) > 0
}

unplaced(selector) := count(found) if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"default": {"networking.k8s.io/v1": {"NetworkPolicy": {"deny": {
			"apiVersion": "networking.k8s.io/v1",
			"kind": "NetworkPolicy",
			"metadata": {"name": "deny"},
			"spec": {"podSelector": selector, "policyTypes": ["Ingress", "Egress"]},
		}}}}}},
	}
}

# A policy for these pods that lists who may come is meant to be all of it; one that denies by default waits for others.
test_vital if {
	severities(ours, [another_port]) == {["the operator", "8000", "error"], ["the other instances", "5432", "error"], ["the other instances", "8000", "warning"]}
	severities(ours, []) == {["the operator", "8000", "usual"], ["the other instances", "5432", "usual"], ["the other instances", "8000", "warning"]}
	severities({}, [another_port]) == {["the operator", "8000", "usual"], ["the other instances", "5432", "usual"], ["the other instances", "8000", "warning"]}
}

ours := {"matchLabels": {"cnpg.io/cluster": "orders"}}

another_port := {"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5433}]}

severities(selector, ingress) := {[parts[1], parts[2], object.get(f, "severity", "usual")] |
	some f in findings({"podSelector": selector, "policyTypes": ["Ingress"], "ingress": ingress}, {})
	parts := regex.find_all_string_submatch_n(`shuts out (.*) on port ([0-9]+)`, f.message, 1)[0]
}

# One that is for the operator alone stands beside others.
test_policy_for_one_purpose if {
	for_operator := {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "cnpg-system"}}}]}
	severities(ours, [for_operator]) == {["the other instances", "5432", "usual"], ["the other instances", "8000", "warning"]}
}
