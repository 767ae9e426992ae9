package walguard.checks.access.network_policy_poolers_test

import data.walguard.checks.access.network_policy as check

pooler(labels, port) := {
	"v1": {"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432, "targetPort": port}]}}}},
	"apps/v1": {"Deployment": {"pool": workload_of("pool", labels, {"name": "pool", "image": "bitnami/pgbouncer:1.24.1"})}},
}

workload_of(name, labels, container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}},
}

policy(selected, egress) := {"networking.k8s.io/v1": {"NetworkPolicy": {"web": {
	"apiVersion": "networking.k8s.io/v1",
	"kind": "NetworkPolicy",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"podSelector": {"matchLabels": selected}, "policyTypes": ["Egress"], "egress": egress},
}}}}

found(surroundings, labels) := {[object.get(f, "severity", "warning"), f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": workload_of("web", labels, {"name": "web", "image": "shop/web:1", "env": [{"name": "DATABASE_URL", "value": "postgres://shop:x@pool.shop:6432/shop"}]})},
		"inventory": {"namespace": {"shop": surroundings}},
	}
}

to(labels, port) := {"to": [{"podSelector": {"matchLabels": labels}}], "ports": [{"port": port}]}

names := {"to": [{"namespaceSelector": {}}], "ports": [{"port": 53}]}

said := "NetworkPolicy web keeps the pods of Deployment web from pooler pool (port 6432): its connections time out. Allow egress to pooler pool (port 6432)."

under(selected, egress) := found(object.union(pooler({"app": "pool"}, 6432), policy(selected, egress)), {"app": "web"})

test_client_kept_from_its_pooler if {
	under({"app": "web"}, [names]) == {["error", said]}
	under({"app": "web"}, [names, to({"app": "api"}, 6432)]) == {["error", said]}
	under({"app": "web"}, [names, to({"app": "pool"}, 5432)]) == {["error", said]}
	under({}, []) == {["warning", said]}
}

test_client_let_out_to_its_pooler if {
	under({"app": "web"}, [names, to({"app": "pool"}, 6432)]) == set()
	under({"app": "web"}, [names, to({"app": "${POOL}"}, 6432)]) == set()
	under({"app": "web"}, [names, {"to": [{"podSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}]}]) == set()
	under({"app": "web"}, [names, {"to": [{"namespaceSelector": {}}], "ports": [{"port": 6432}]}]) == set()
	under({"app": "web"}, [names, {"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]) == set()
	under({"app": "web"}, [{"ports": [{"port": 6432}]}]) == set()
	under({"app": "other"}, [names]) == set()
}

test_silent_where_the_pooler_or_the_client_is_unknown if {
	kept := policy({"app": "web"}, [names])
	found(object.union(pooler({"app": "pool"}, "pool"), kept), {"app": "web"}) == set()
	found(object.union(pooler({"app": "elsewhere"}, 6432), kept), {"app": "web"}) == set()
	found(object.union(pooler({"app": "pool"}, 6432), kept), {"app": "web", "part-of": "${SHOP}"}) == set()

	# A server in sight has its own clients.
	server := {"apps/v1": {"StatefulSet": {"db": object.union(workload_of("db", {"app": "db"}, {"name": "postgres", "image": "postgres:17.6"}), {"kind": "StatefulSet"})}}}
	found(object.union(object.union(pooler({"app": "pool"}, 6432), kept), server), {"app": "web"}) == set()
}

elsewhere(value, egress) := {[object.get(f, "severity", "warning"), f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": workload_of("web", {"app": "web"}, {"name": "web", "image": "shop/web:1", "env": value})},
		"inventory": {"namespace": {"shop": policy({"app": "web"}, egress)}},
	}
}

url(value) := [{"name": "DATABASE_URL", "value": value}]

kept_from(port) := {["error", sprintf("NetworkPolicy web keeps the pods of Deployment web from its server (port %d): its connections time out. Allow egress to its server (port %d).", [port, port])]}

test_client_kept_from_a_server_elsewhere if {
	web := {"ports": [{"port": 443}]}
	elsewhere(url("postgres://shop:x@pg.example.com/shop"), [names, web]) == kept_from(5432)
	elsewhere(url("postgres://shop:x@pg.example.com:25060/shop"), [names, {"ports": [{"port": 5432}]}]) == kept_from(25060)
	elsewhere([{"name": "DB_HOST", "value": "pg.example.com"}, {"name": "DB_PORT", "value": "5433"}, {"name": "DB_KIND", "value": "postgres"}], [names, web]) == kept_from(5433)
	elsewhere(url("postgres://shop:x@pool.data:5432/shop"), [names, web]) == kept_from(5432)
	every egress in [[names, {"ports": [{"port": 6432}]}], [names, {"to": [{"podSelector": {"matchLabels": {"app": "pool"}}}]}], [{}]] {
		elsewhere(url("postgres://shop:x@pool.data:5432/shop"), egress) == set()
	}
	elsewhere(url("postgres://shop:x@pg.example.com:25060/shop"), [names, {"ports": [{"port": 25060}]}]) == set()
	elsewhere(url("mysql://shop:x@pg.example.com:3306/shop"), [names, web]) == set()
}

# What has a name of the world is no pod.
test_client_let_out_to_pods_alone if {
	pods := {"to": [{"podSelector": {}}]}
	elsewhere(url("postgres://shop:x@pg.example.com:25060/shop"), [names, pods]) == kept_from(25060)
	elsewhere(url("postgres://shop:x@pool.data.svc.cluster.local:5432/shop"), [names, pods]) == set()
	elsewhere(url("postgres://shop:x@pg.example.com:25060/shop"), [names, {"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]) == set()
}

# A Pooler of CloudNativePG, whose Service and pods the operator makes.
of_operator(container, egress) := {[object.get(f, "severity", "warning"), f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"instances": 2}}},
		"inventory": {"namespace": {"shop": object.union(policy({"app": "web"}, array.concat([names], egress)), {
			"apps/v1": {"Deployment": {"web": workload_of("web", {"app": "web"}, container)}},
			"postgresql.cnpg.io/v1": {"Pooler": {"pg-pooler": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "pg-pooler", "namespace": "shop"}, "spec": {"cluster": {"name": "pg"}, "pgbouncer": {"poolMode": "session"}}}}},
		})}},
	}
}

calling(host) := {"name": "web", "image": "shop/web:1", "env": [{"name": "PGHOST", "value": host}]}

test_pooler_of_an_operator if {
	kept := {["error", "NetworkPolicy web keeps the pods of Deployment web from pooler pg-pooler (port 5432): its connections time out. Allow egress to pooler pg-pooler (port 5432)."]}
	of_operator(calling("pg-pooler"), [to({"cnpg.io/poolerName": "former-pooler"}, 5432)]) == kept
	of_operator(calling("pg-pooler.shop.svc"), []) == kept
	of_operator({"name": "web", "image": "shop/web:1", "command": ["psql", "-h", "pg-pooler", "app"]}, [to({"cnpg.io/poolerName": "pg-pooler"}, 6432)]) == kept
	every egress in [[to({"cnpg.io/poolerName": "pg-pooler"}, 5432)], [to({"cnpg.io/cluster": "pg"}, 5432)], [to({"cnpg.io/poolerName": "${POOLER}"}, 5432)], [{"to": [{"namespaceSelector": {}}]}]] {
		of_operator(calling("pg-pooler"), egress) == set()
	}
	of_operator(calling("elsewhere"), []) == set()
}
