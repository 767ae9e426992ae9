package walguard.checks.access.unreachable_test

import data.walguard.checks.access.unreachable as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

configured(text) := object.union(
	workload(
		{"args": ["-c", "config_file=/etc/pg/postgresql.conf"], "volumeMounts": [{"name": "conf", "mountPath": "/etc/pg"}]},
		{"serviceName": "orders"},
		{"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]},
	),
	{"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "conf", "namespace": "prod"},
		"data": {"postgresql.conf": text},
	}}}}}}},
)

reference := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "conf"}

test_replaced_file if {
	check.findings == {{
		"message": "This postgresql.conf takes the place of the image's and has no listen_addresses, so the server listens on localhost only: no other pod can connect, though a Service leads here. Set listen_addresses = '*'.",
		"path": ["data", "postgresql.conf"],
		"resource": reference,
	}} with input as configured("shared_buffers = 1GB")
}

test_written if {
	check.findings == {{
		"message": "listen_addresses=localhost: no other pod can connect, though a Service leads here. Set listen_addresses = '*'.",
		"path": ["data", "postgresql.conf"],
		"resource": reference,
		"line": 1,
	}} with input as configured("listen_addresses = 'localhost'")
	found := check.findings with input as workload({"args": ["-c", "listen_addresses=127.0.0.1, ::1"]}, {"serviceName": "orders"}, {})
	count(found) == 1
}

test_wildcard_behind_the_loopback if {
	every text, said in {"127.0.0.1,*": 1, "localhost, 0.0.0.0": 1, "*": 0, "localhost": 0, "0.0.0.0, localhost": 0, "localhost, 10.0.0.5": 0} {
		found := check.findings with input as {"review": {"object": {"apiVersion": "walguard.dev/v1alpha1", "kind": "PostgresServer", "metadata": {"name": "db"}, "spec": {"version": "17", "configuration": [{"text": sprintf("listen_addresses = '%s'", [text])}]}}}}
		count(found) == said
		count([1 | some f in found; f.severity == "error"]) == said
	}
}

test_service_in_sight if {
	labelled := {"template": {"metadata": {"labels": {"app": "orders", "tier": "db"}}}}
	reviewed := object.union(
		workload({"args": ["-c", "listen_addresses=localhost"]}, labelled, {}),
		{"inventory": {"namespace": {"prod": {"v1": {"Service": {"orders": {"metadata": {"name": "orders"}, "spec": {"selector": {"app": "orders"}}}}}}}}},
	)
	spec := {"review": {"object": {"spec": {"template": {"spec": {"containers": [{"image": "postgres:17", "args": ["-c", "listen_addresses=localhost"]}]}}}}}}
	found := check.findings with input as object.union(reviewed, spec)
	count(found) == 1
}

test_reachable if {
	check.findings == set() with input as configured("listen_addresses = '*'")

	# By its socket alone, on purpose.
	check.findings == set() with input as configured("listen_addresses = ''")
	check.findings == set() with input as workload({}, {"serviceName": "orders"}, {})
	check.findings == set() with input as workload({"args": ["-c", "listen_addresses=localhost"]}, {}, {})
}

# It may be written in what is not in sight.
test_silent_when_unknown if {
	check.findings == set() with input as configured("include_dir = 'conf.d'")
	check.findings == set() with input as object.remove(configured(""), ["inventory"])
}

routed(container, ports) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {
			"metadata": {"labels": {"app": "orders"}},
			"spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17"}, container)]},
		}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"Service": {"orders": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"selector": {"app": "orders"}, "ports": ports},
	}}}}}},
}

test_another_port if {
	check.findings == {{
		"message": "Service orders leads to port 2345 of the pods, and the server listens on 5432. Write targetPort: 5432.",
		"path": ["spec", "ports", 0, "targetPort"],
		"resource": {"apiVersion": "v1", "kind": "Service", "namespace": "prod", "name": "orders"},
		"severity": "error",
	}} with input as routed({}, [{"port": 5432, "targetPort": 2345}])
	beside := check.findings with input as routed({}, [{"port": 5432, "targetPort": 2345}, {"port": 5433, "targetPort": 5432}])
	{f.severity | some f in beside} == {"warning"}
	both := check.findings with input as routed({}, [{"port": 5432, "targetPort": 2345}, {"port": 5433, "targetPort": "pg"}])
	{f.severity | some f in both} == {"error"}
	of_name := check.findings with input as routed({"ports": [{"name": "pg", "containerPort": 5432}]}, [{"port": 5432, "targetPort": "postgres"}])
	{contains(f.message, "port postgres of") | some f in of_name} == {true}
	of_bitnami := check.findings with input as routed({"image": "bitnami/postgresql:17", "env": [{"name": "POSTGRESQL_PORT_NUMBER", "value": "2345"}]}, [{"port": 5432}])
	{contains(f.message, "listens on 2345") | some f in of_bitnami} == {true}
	of_args := check.findings with input as routed({"args": ["-p", "5433"]}, [{"port": 5432}])
	{contains(f.message, "listens on 5433") | some f in of_args} == {true}
}

test_the_port_of_the_server if {
	check.findings == set() with input as routed({}, [{"port": 2345, "targetPort": 5432}])
	check.findings == set() with input as routed({"env": [{"name": "PGPORT", "value": "2345"}]}, [{"port": 5432, "targetPort": 2345}])
	check.findings == set() with input as routed({"ports": [{"name": "pg", "containerPort": 5432}]}, [{"port": 5432, "targetPort": "pg"}])
	check.findings == set() with input as routed({"command": ["/start.sh"]}, [{"port": 2345}])
	check.findings == set() with input as routed({"envFrom": [{"configMapRef": {"name": "elsewhere"}}]}, [{"port": 2345}])
}

# A sidecar may listen there, unless the Service has this port alone.
test_beside_a_sidecar if {
	two := object.union(routed({}, [{"port": 2345}]), {"review": {"object": {"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17"}, {"name": "other", "image": "other:1"}]}}}}}})
	found := check.findings with input as two
	count(found) == 1
	more := object.union(two, {"inventory": {"namespace": {"prod": {"v1": {"Service": {"orders": {"spec": {"ports": [{"port": 5432}, {"port": 2345}]}}}}}}}})
	check.findings == set() with input as more
}

mounted_in(image, ports, text) := {[f.severity, f.resource.name] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"serviceName": "orders-hl", "template": {
				"metadata": {"labels": {"app": "orders"}},
				"spec": {
					"containers": [{"name": "postgresql", "image": image, "ports": [{"name": "pg", "containerPort": 5432}], "volumeMounts": [{"name": "conf", "mountPath": "/bitnami/postgresql/conf"}]}],
					"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
				},
			}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {
			"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"postgresql.conf": text}}},
			"Service": {"orders": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"selector": {"app": "orders"}, "ports": ports}}},
		}}}},
	}
}

test_whole_file_of_bitnami if {
	mounted_in("bitnami/postgresql:17.6.0", [{"port": 5432, "targetPort": "pg"}], "shared_buffers = 1GB") == {["error", "conf"]}
	mounted_in("bitnami/postgresql:17.6.0", [{"port": 5432}], "shared_buffers = 1GB") == {["error", "conf"]}
	mounted_in("bitnami/postgresql:17.6.0", [{"port": 5432}], "listen_addresses = '*'") == set()

	# That of repmgr opens the server for the standbys.
	mounted_in("bitnami/postgresql-repmgr:17.6.0", [{"port": 5432}], "shared_buffers = 1GB") == set()
}

# ------------------------------------------------------------------------------------------------- another label

stray(wanted, others) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": object.union({"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": wanted, "ports": [{"port": 5432}]}}}}}, others)}},
	}
	some f in found
	contains(f.message, "selects")
}

test_stray if stray({"app": "bd"}, {}) == {"Service db selects app=bd, and the pods carry app=db: it leads to no pod, and nobody reaches the server by its name. Write db."}

test_not_stray if {
	stray({"app": "db"}, {}) == set()
	stray({"app": "db", "role": "primary"}, {}) == set()
	stray({"role": "primary"}, {}) == set()
	stray({}, {}) == set()
	stray({"app": "bd"}, {"apps/v1": {"Deployment": {"pool": {"spec": {"template": {"metadata": {"labels": {"app": "bd"}}}}}}}}) == set()
}

# A label beside those of the pods.
selected_with(wanted, fields, more, others) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "db", "namespace": "prod"}, "spec": object.union({"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union({"containers": [{"image": "postgres:17.6"}]}, more)}}, fields)}},
		"inventory": {"namespace": {"prod": object.union({"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": wanted, "ports": [{"port": 5432}]}}}}}, others)}},
	}
	some f in found
	contains(f.message, "selects")
}

test_a_label_too_many if {
	selected_with({"app": "db", "tier": "backend"}, {}, {}, {}) == {"Service db selects tier=backend, a label that the pods do not carry: it leads to no pod, and nobody reaches the server by its name. Take it out of the selector, or give it to the pods."}
	count(selected_with({"app": "db", "tier": "backend", "part": "x"}, {"replicas": 1}, {}, {})) == 1
}

# Its value under another name.
test_a_label_of_another_name if {
	selected_with({"name": "db"}, {}, {}, {}) == {"Service db selects name=db, and the pods carry app=db: it leads to no pod, and nobody reaches the server by its name. Write app: db."}
	stray({"name": "db"}, {}) == {"Service db selects name=db, and the pods carry app=db: it leads to no pod, and nobody reaches the server by its name. Write app: db."}
}

test_no_label_of_the_pods_in_the_service_that_a_stateful_set_names if {
	selected_with({"name": "pg"}, {"serviceName": "db"}, {}, {}) == {"Service db selects name=pg, and the pods carry app=db: it leads to no pod, and nobody reaches the server by its name. Write app: db."}
	selected_with({"name": "pg"}, {"serviceName": "other"}, {}, {}) == set()
}

test_labels_of_other_names_that_may_be_meant if {
	selected_with({"name": "pg"}, {}, {}, {}) == set()
	selected_with({"role": "db"}, {}, {}, {}) == set()
	selected_with({"name": "db", "tier": "db"}, {}, {}, {}) == set()
	selected_with({"name": "${APP}"}, {}, {}, {}) == set()
	selected_with({"name": "db"}, {}, {"containers": [{"image": "bitnami/spilo:1"}]}, {}) == set()
	selected_with({"name": "db"}, {}, {}, {"apps/v1": {"Deployment": {"other": {"spec": {"template": {"metadata": {"labels": {"name": "db"}}}}}}}}) == set()
	selected_with({"name": "db"}, {}, {}, {"v1": {"Service": {"pg": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}}}) == set()
}

test_labels_that_others_set if {
	every label in ["role", "statefulset.kubernetes.io/pod-name", "pod-template-hash", "spilo-role"] {
		selected_with({"app": "db", label: "x"}, {}, {}, {}) == set()
	}
	selected_with({"tier": "backend"}, {}, {}, {}) == set()
	selected_with({"app": "other", "tier": "backend"}, {}, {}, {}) == set()
	selected_with({"app": "db", "tier": "${TIER}"}, {}, {}, {}) == set()
	selected_with({"app": "db", "tier": "backend"}, {"replicas": 2}, {}, {}) == set()
	selected_with({"app": "db", "tier": "backend"}, {}, {"containers": [{"image": "postgres:17.6"}, {"name": "labeler", "image": "labeler:1"}]}, {}) == set()
	selected_with({"app": "db", "tier": "backend"}, {}, {"containers": [{"image": "bitnami/postgresql:17.6.0"}]}, {}) == set()
	selected_with({"app": "db", "tier": "backend"}, {}, {}, {"apps/v1": {"Deployment": {"pool": {"spec": {"template": {"metadata": {"labels": {"app": "db", "tier": "backend"}}}}}}}}) == set()
	selected_with({"app": "db", "tier": "backend"}, {}, {}, {"v1": {"Service": {"pg": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}}}) == set()
}

# A Service that clients name, of another name than the workload's.
named(service, host, more) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pgvector-db", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pgvector-db"}}, "spec": {"containers": [{"image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": object.union({"postgresql": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "postgresql", "namespace": "prod"}, "spec": service}}, more)},
			"apps/v1": {"Deployment": {"app": {"metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "app"}}, "spec": {"containers": [{"name": "app", "image": "app:1.0", "env": [{"name": "PGHOST", "value": host}]}]}}}}}},
		}}},
	}
	some f in found
	contains(f.message, "selects")
}

test_stray_that_clients_name if {
	wrong := {"selector": {"app": "postgresql"}, "ports": [{"port": 5432}]}
	count(named(wrong, "postgresql", {})) == 1
	count(named(wrong, "postgresql.prod.svc.cluster.local:5432", {})) == 1
	elsewhere := object.union(wrong, {"ports": [{"port": 5432, "targetPort": 6432}]})
	count(named(elsewhere, "postgresql", {})) == 1
	named(elsewhere, "elsewhere", {}) == set()
	named({"selector": {"app": "pgvector-db"}, "ports": [{"port": 5432}]}, "postgresql", {}) == set()
	named({"selector": {"app": "postgresql"}, "ports": [{"port": 3306}]}, "postgresql", {}) == set()

	# Another Service leads to the server: this one may be another's.
	named(wrong, "postgresql", {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "pgvector-db"}, "ports": [{"port": 5432}]}}}) == set()
}

# One for PostgreSQL beside the only server, though no client is in sight.
alone(service, versions, live) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pgvector", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pgvector"}}, "spec": {"containers": [{"image": "postgres:17.6", "ports": [{"name": "sql", "containerPort": 5432}]}]}}}}},
		"inventory": {"live": live, "namespace": {"prod": object.union(
			{"v1": {"Service": {service.name: {"apiVersion": "v1", "kind": "Service", "metadata": {"name": service.name, "namespace": "prod"}, "spec": {"selector": service.selector, "ports": [service.port]}}}}},
			versions,
		)}},
	}
	some f in found
	contains(f.message, "selects")
}

wrong_alone := {"name": "postgresql", "selector": {"app": "postgresql"}, "port": {"port": 5432, "targetPort": 5432}}

running(kind, image, ports) := {"apps/v1": {kind: {"other": {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "other", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "other"}}, "spec": {"containers": [{"image": image, "ports": ports}]}}}}}}}

test_stray_beside_the_only_server if {
	alone(wrong_alone, {}, false) == {"Service postgresql selects app=postgresql, and the pods carry app=pgvector: it leads to no pod, and nobody reaches the server by its name. Write pgvector."}
	every change in [{"name": "shop-db"}, {"port": {"port": 5432}}, {"port": {"port": 5432, "targetPort": "sql"}}] {
		count(alone(object.union(wrong_alone, change), {}, false)) == 1
	}
	count(alone(wrong_alone, running("Deployment", "shop:1.0", [{"containerPort": 8080}]), false)) == 1
	count(alone(wrong_alone, {"monitoring.coreos.com/v1": {"ServiceMonitor": {"db": {}}}}, false)) == 1
}

test_not_stray_beside_the_only_server if {
	alone(wrong_alone, {}, true) == set()
	every change in [
		{"name": "pgbouncer"},
		{"name": "db-pooler"},
		{"name": "shop"},
		{"port": {"port": 5432, "targetPort": 6432}},
		{"port": {"port": 5432, "targetPort": "pooler"}},
		{"port": {"port": 3306, "targetPort": 5432}},
	] {
		alone(object.union(wrong_alone, change), {}, false) == set()
	}
	every selector in [{"app": "pgvector"}, {"app": "${APP}"}, {"component": "db"}, {"app": "pgvector", "app.kubernetes.io/instance": "other"}] {
		alone({"name": "postgresql", "selector": selector, "port": {"port": 5432}}, {}, false) == set()
	}
	every others in [
		running("StatefulSet", "bitnami/postgresql:17.6.0", []),
		running("DaemonSet", "corp.example/db:1", [{"containerPort": 5432}]),
		running("Deployment", "edoburu/pgbouncer:v1.24.1-p1", []),
		{"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"db": {}}}},
		{"postgresql.cnpg.io/v1": {"Cluster": {"db": {}}}},
	] {
		alone(wrong_alone, others, false) == set()
	}
}

# -------------------------------------------------------------------------------------------------- load balancers

zalando(spec, configuration) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a", "namespace": "prod"}, "spec": spec}},
	"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"metadata": {"name": "main", "namespace": "ops"}, "configuration": {"load_balancer": configuration}}}}}}},
}

test_balancer_without_clients if {
	zalando({"enableMasterLoadBalancer": true, "allowedSourceRanges": ["127.0.0.1/32"]}, {}) == {{
		"message": "The load balancer of the primary lets in 127.0.0.1/32 only, from where nobody comes: every connection through it times out. Write the addresses of the clients into spec.allowedSourceRanges.",
		"path": ["spec", "allowedSourceRanges"],
	}}
	zalando({"enableReplicaLoadBalancer": true}, {}) == {{
		"message": "The load balancer of the replicas lets in 127.0.0.1/32 only, from where nobody comes: every connection through it times out. Write the addresses of the clients into spec.allowedSourceRanges.",
		"path": ["spec"],
	}}
	zalando({"enableConnectionPooler": true, "enableMasterPoolerLoadBalancer": true, "allowedSourceRanges": []}, {}) == {{
		"message": "The load balancer of the pooler lets in 127.0.0.1/32 only, from where nobody comes: every connection through it times out. Write the addresses of the clients into spec.allowedSourceRanges.",
		"path": ["spec"],
	}}
	{split(f.message, " lets")[0] | some f in zalando({"enableReplicaConnectionPooler": true, "enableReplicaPoolerLoadBalancer": true}, {})} == {"The load balancer of the replicas' pooler"}
}

test_balancer_of_the_configuration if {
	every field in ["enable_master_load_balancer", "enable_replica_load_balancer"] {
		count(zalando({}, {field: true})) == 1
	}
	count(zalando({"enableConnectionPooler": true}, {"enable_master_pooler_load_balancer": true})) == 1
	count(zalando({"enableReplicaConnectionPooler": true}, {"enable_replica_pooler_load_balancer": true})) == 1
	zalando({"enableMasterLoadBalancer": false}, {"enable_master_load_balancer": true}) == set()
	zalando({}, {"enable_master_load_balancer": false}) == set()
	zalando({}, {"enable_master_pooler_load_balancer": true}) == set()
}

test_balancer_for_somebody if {
	zalando({"enableMasterLoadBalancer": true, "allowedSourceRanges": ["127.0.0.1/32", "192.168.0.0/24"]}, {}) == set()
	zalando({"enableMasterLoadBalancer": true, "allowedSourceRanges": "${RANGES}"}, {}) == set()
	zalando({"enableMasterLoadBalancer": true, "allowedSourceRanges": ["${RANGE}"]}, {}) == set()
	zalando({"enableMasterLoadBalancer": false, "allowedSourceRanges": ["127.0.0.1/32"]}, {}) == set()
	zalando({"allowedSourceRanges": ["127.0.0.1/32"]}, {}) == set()
	zalando({"enableMasterPoolerLoadBalancer": true}, {}) == set()
}

# Of a Service in sight, by the field and by the annotation.
balanced(service) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
	"inventory": {"namespace": {"prod": {"v1": {"Service": {"open": object.union(
		{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "open", "namespace": "prod"}, "spec": {"type": "LoadBalancer", "selector": {"cnpg.io/cluster": "orders"}}},
		service,
	)}}}}},
}

within(ranges) := balanced({"spec": {"loadBalancerSourceRanges": ranges}})

test_service_for_nobody if {
	within(["127.0.0.0/8", "::1/128"]) == {{
		"message": "Service open lets in 127.0.0.0/8, ::1/128 only, from where nobody comes: every connection through it times out. Write the addresses of the clients.",
		"path": ["spec", "loadBalancerSourceRanges"],
		"resource": {"apiVersion": "v1", "kind": "Service", "namespace": "prod", "name": "open"},
	}}
	{f.path | some f in balanced({"metadata": {"annotations": {"service.beta.kubernetes.io/load-balancer-source-ranges": "127.0.0.1/32, 127.0.0.2/32"}}})} == {["metadata", "annotations", "service.beta.kubernetes.io/load-balancer-source-ranges"]}
	every range in ["127.0.0.1/9", "127.1.2.3/10", "127.0.0.1/32", "0.0.0.0/32", "::1/128"] {
		count(within([range])) == 1
	}
	every ranges in [[], ["10.0.0.0/8"], ["127.0.0.1/32", "10.0.0.0/8"], ["0.0.0.0/0"], ["127.0.0.1/0"], ["127.0.0.1/7"], ["::1/0"], ["128.0.0.1/32"], [3]] {
		within(ranges) == set()
	}
	balanced({"spec": {"type": "ClusterIP", "loadBalancerSourceRanges": ["127.0.0.1/32"]}}) == set()
	balanced({"spec": {"selector": {"app": "web"}, "loadBalancerSourceRanges": ["127.0.0.1/32"]}}) == set()
	balanced({"metadata": {"annotations": {"service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8"}}}) == set()
}

test_balancers_of_operators if {
	closed := {"type": "LoadBalancer", "loadBalancerSourceRanges": ["127.0.0.1/32"]}
	paths({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"postgresVersion": 17, "expose": closed, "exposeReplicas": closed, "proxy": {"pgBouncer": {"expose": closed}}}}) == {
		["spec", "expose", "loadBalancerSourceRanges"],
		["spec", "exposeReplicas", "loadBalancerSourceRanges"],
		["spec", "proxy", "pgBouncer", "expose", "loadBalancerSourceRanges"],
	}
	paths({"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"postgresServices": {"primary": closed, "replicas": closed}}}) == {
		["spec", "postgresServices", "primary", "loadBalancerSourceRanges"],
		["spec", "postgresServices", "replicas", "loadBalancerSourceRanges"],
	}
	paths({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"spec": closed}}]}}}}) == {["spec", "managed", "services", "additional", 0, "serviceTemplate", "spec", "loadBalancerSourceRanges"]}
	paths({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"postgresVersion": 17, "expose": object.union(closed, {"type": "ClusterIP"}), "exposeReplicas": object.union(closed, {"loadBalancerSourceRanges": ["10.0.0.0/8"]})}}) == set()
}

paths(object) := {f.path | some f in found} if found := check.findings with input as {"review": {"object": object}}

# ------------------------------------------------------------------------------------------------ shared selectors

made(kind, name, template) := {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": {"template": object.union({"metadata": {"labels": {"app": "env", "service": "db"}}}, template)}}

database := {"spec": {"containers": [{"name": "postgres", "image": "postgres:16.10", "ports": [{"name": "postgres", "containerPort": 5432}]}]}}

beside(own, port, selector, others) := {[f.message, f.severity] |
	found := check.findings with input as {
		"review": {"object": own},
		"inventory": {"namespace": {"prod": object.union({"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": selector, "ports": [{"port": 5432, "targetPort": port}]}}}}}, others)}},
	}
	some f in found
}

next_to(template) := beside(made("Deployment", "stock", database), 5432, {"service": "db", "app": "env"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", template), "stock": made("Deployment", "stock", database)}}})

two := {["Service db leads to the pods of Deployment catalog and Deployment stock, which are two databases: connections reach one or the other in turns. Add a label to the selector that only the right pods carry.", "error"]}

test_two_databases if {
	next_to(database) == two
	beside(made("Deployment", "stock", database), "postgres", {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", database)}}}) == two
	count(beside(made("StatefulSet", "stock", database), 5432, {"service": "db"}, {"apps/v1": {"StatefulSet": {"catalog": made("StatefulSet", "catalog", database)}}})) == 1
}

test_two_databases_of_other_images if {
	every image in ["docker.io/bitnamilegacy/postgresql:17", "quay.io/sclorg/postgresql-16-c9s:20250814"] {
		own := {"spec": {"containers": [{"name": "postgres", "image": image, "ports": [{"containerPort": 5432}]}]}}
		beside(made("Deployment", "stock", own), 5432, {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", own)}}}) == two
	}
}

test_service_of_a_program if {
	beside(made("Deployment", "stock", database), 3001, {"service": "db"}, {"apps/v1": {"Deployment": {"web": made("Deployment", "web", web([{"name": "http", "containerPort": 3001}]))}}}) == {["Service db is that of Deployment web and leads to the pods of the server as well, where nothing listens on port 3001: a part of its requests fails. Add a label to the selector that only the right pods carry.", "warning"]}
	beside(made("Deployment", "stock", database), "http", {"service": "db"}, {"apps/v1": {"Deployment": {"web": made("Deployment", "web", web([{"name": "http", "containerPort": 3001}]))}}}) == set()
	beside(made("Deployment", "stock", {"spec": {"containers": array.concat(database.spec.containers, [{"name": "b", "image": "b:1", "ports": [{"containerPort": 3001}]}])}}), 3001, {"service": "db"}, {"apps/v1": {"Deployment": {"web": made("Deployment", "web", web([{"name": "http", "containerPort": 3001}]))}}}) == set()
	{level | some [_, level] in beside(made("Deployment", "stock", database), 3001, {"service": "db"}, {"apps/v1": {"Deployment": {"web": made("Deployment", "web", web([{"containerPort": 8080}]))}}})} == {"error"}
}

test_one_database if {
	beside(made("Deployment", "stock", database), 5432, {"service": "db", "pod": "stock"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", database)}}}) == set()
	next_to(object.union(database, {"metadata": {"labels": {"app": "env"}}})) == two
	next_to({"metadata": {"labels": {"service": "other"}}, "spec": database.spec}) == set()
	beside(made("Deployment", "stock", database), 5432, {"service": "db", "app": "${ENV}"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", object.union(database, {"metadata": {"labels": {"app": "${ENV}"}}}))}}}) == set()
	beside(made("Deployment", "stock", database), "postgres", {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", {"spec": {"containers": [{"image": "postgres:16"}]}})}}}) == set()
	beside(made("Deployment", "stock", database), 5432, {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": object.union(made("Deployment", "catalog", database), {"spec": {"replicas": 0}})}}}) == set()
}

# Who is another's copy answers for it.
test_copies if {
	every word in ["replica", "standby", "slave", "pg_basebackup", "primary_conninfo", "patroni", "repmgr", "pg_autoctl", "PRIMARY_HOST", "master_service", "LEADER_URL"] {
		next_to({"spec": {"containers": [{"name": "postgres", "image": "postgres:16.10", "args": [word]}]}}) == set()
		beside(made("Deployment", "stock", {"spec": {"containers": [{"name": "postgres", "image": "postgres:16.10", "env": [{"name": "NOTE", "value": word}]}]}}), 5432, {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", database)}}}) == set()
	}
	next_to({"spec": {"containers": [{"name": "postgres", "image": "postgres:16.10", "command": ["/start.sh"]}]}}) == set()
	next_to({"spec": {"containers": [{"name": "postgres", "image": "docker.io/bitnamilegacy/postgresql-repmgr:17"}]}}) == set()
	next_to({"spec": {"containers": [{"name": "postgres", "image": "ghcr.io/zalando/spilo-17:4.0-p2"}]}}) == set()
	beside(made("Deployment", "stock", object.union(database, {"spec": {"initContainers": [{"image": "postgres:16"}]}})), 5432, {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", database)}}}) == set()
	beside(made("Deployment", "stock", {"spec": {"containers": [{"name": "postgres", "image": "example.com/postgres:16.10"}]}}), 5432, {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", database)}}}) == set()
}

web(ports) := {"spec": {"containers": [{"name": "web", "image": "web:1", "ports": ports}]}}

test_programs_that_do_not_listen if {
	next_to(web([{"containerPort": 8080}])) == {["Service db leads to the pods of Deployment catalog as well, where nothing listens on port 5432: a part of the connections is refused. Add a label to the selector that only the right pods carry.", "warning"]}
	next_to(web([{"containerPort": 5432}])) == set()
	next_to(web([])) == set()
	next_to({"spec": {"containers": [{"image": "web:1", "ports": [{"containerPort": 8080}]}, {"image": "proxy:1"}]}}) == set()
	next_to({"spec": {"containers": []}}) == set()
	beside(made("Deployment", "stock", database), "postgres", {"service": "db"}, {"apps/v1": {"Deployment": {"catalog": made("Deployment", "catalog", web([{"containerPort": 8080}]))}}}) == set()
	count(beside(made("Deployment", "stock", database), 5432, {"service": "db"}, {"apps/v1": {"DaemonSet": {"agent": made("DaemonSet", "agent", web([{"containerPort": 8080}]))}}})) == 1
}

test_jobs if {
	job := {"metadata": {"name": "dump", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"service": "db"}}, "spec": {"containers": [{"image": "dump:1"}]}}}}
	beside(made("Deployment", "stock", database), 5432, {"service": "db"}, {"batch/v1": {"Job": {"dump": job}}}) == {["Service db leads to the pods of Job dump as well, where nothing listens on port 5432: a part of the connections is refused while they run. Add a label to the selector that only the right pods carry.", "warning"]}
	count(beside(made("Deployment", "stock", database), 5432, {"service": "db"}, {"batch/v1": {"CronJob": {"dump": {"metadata": {"name": "dump", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": job.spec}}}}}})) == 1
}

# ------------------------------------------------------------------------------------------------------- operators

chosen_by(selector, api_version, kind, names, service) := {[f.message, f.severity, f.path] |
	clusters := {name: {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": {}} | some name in names}
	found := check.findings with input as {
		"review": {"object": clusters[names[0]]},
		"inventory": {"namespace": {"prod": {
			api_version: {kind: clusters},
			"v1": {"Service": {"db": object.union({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": selector, "ports": [{"port": 5432}]}}, service)}},
		}}},
	}
	some f in found
}

of_cloudnativepg(selector, names) := chosen_by(selector, "postgresql.cnpg.io/v1", "Cluster", names, {})

test_service_of_no_cluster if {
	of_cloudnativepg({"cnpg.io/instanceRole": "primary", "cnpg.io/podRole": "instance"}, ["shop", "orders"]) == {[
		"Service db chooses by cnpg.io/instanceRole=primary and cnpg.io/podRole=instance alone and leads to the pods of orders and shop, two databases: connections reach one or the other. Add a label to the selector that only the right pods carry.",
		"error",
		["spec", "selector"],
	]}
	count(of_cloudnativepg({"cnpg.io/instanceRole": "primary", "role": "primary"}, ["shop", "orders"])) == 1
	every label, value in {"application": "spilo", "spilo-role": "master"} {
		count(chosen_by({label: value}, "acid.zalan.do/v1", "postgresql", ["acid-a", "acid-b"], {})) == 1
	}
	every label, value in {"postgres-operator.crunchydata.com/data": "postgres", "postgres-operator.crunchydata.com/role": "master"} {
		count(chosen_by({label: value}, "postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", ["a", "b"], {})) == 1
		count(chosen_by({label: value}, "pgv2.percona.com/v2", "PerconaPGCluster", ["a", "b"], {})) == 1
	}
}

test_service_of_one_cluster if {
	chosen_by({"application": "postgres-operator-ui"}, "acid.zalan.do/v1", "postgresql", ["acid-a", "acid-b"], {}) == set()
	of_cloudnativepg({"cnpg.io/instanceRole": "primary"}, ["shop"]) == set()
	of_cloudnativepg({"cnpg.io/instanceRole": "primary", "cnpg.io/cluster": "shop"}, ["shop", "orders"]) == set()
	of_cloudnativepg({"cnpg.io/instanceRole": "primary", "team": "a"}, ["shop", "orders"]) == set()
	of_cloudnativepg({"cnpg.io/instanceRole": "${ROLE}"}, ["shop", "orders"]) == set()
	of_cloudnativepg({"role": "primary"}, ["shop", "orders"]) == set()
	of_cloudnativepg({}, ["shop", "orders"]) == set()
	chosen_by({"cnpg.io/instanceRole": "primary"}, "postgresql.cnpg.io/v1", "Cluster", ["shop", "orders"], {"spec": {"clusterIP": "None"}}) == set()
	chosen_by({"cnpg.io/instanceRole": "primary"}, "postgresql.cnpg.io/v1", "Cluster", ["shop", "orders"], {"metadata": {"ownerReferences": [{"kind": "Cluster"}]}}) == set()
}

# ----------------------------------------------------------------------------------------------------------- ready

copies_of(image, replicas, changes, port) := {[f.message, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "read", "namespace": "prod"}, "spec": {"replicas": replicas, "template": {"metadata": {"labels": {"app": "read"}}, "spec": {"containers": [object.union({"name": "postgresql", "image": image, "ports": [{"name": "pg", "containerPort": 5432}]}, changes)]}}}}},
		"inventory": {"namespace": {"prod": {"v1": {"Service": {"read": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "read", "namespace": "prod"}, "spec": {"selector": {"app": "read"}, "ports": [{"port": 5432, "targetPort": port}]}}}}}}},
	}
}

bitnami := "registry.example.com/bitnami/postgresql:17.6.0"

test_ready_at_once if {
	copies_of(bitnami, 3, {}, 5432) == {[
		"Service read leads to all 3 pods as soon as their containers run, since nothing asks whether they are ready: while one copies the primary or recovers, a part of the connections is refused. Add a readinessProbe that runs pg_isready.",
		["spec", "template", "spec", "containers", 0],
	]}
	count(copies_of(bitnami, 2, {}, "pg")) == 1
	count(copies_of("quay.io/sclorg/postgresql-16-c9s:20250814", 2, {}, 5432)) == 1
}

test_asked_whether_ready if {
	copies_of(bitnami, 1, {}, 5432) == set()
	copies_of(bitnami, 3, {"readinessProbe": {"exec": {"command": ["pg_isready"]}}}, 5432) == set()
	copies_of(bitnami, 3, {"startupProbe": {"exec": {"command": ["pg_isready"]}}}, 5432) == set()
	copies_of(bitnami, "${REPLICAS}", {}, 5432) == set()
	copies_of("example.com/own/database:1", 3, {}, 5432) == set()
	copies_of("postgres:17", 3, {}, 5432) == set()
}
