package walguard.operators.cnpg_test

import data.walguard.operators.cnpg

asking(variable, value, spec, objects) := found if {
	seen := cnpg.cluster with input as {
		"review": {"object": resource(spec)},
		"inventory": {"namespace": {"shop": object.union({"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": variable, "value": value}]}]}}}}}}}, objects)}},
	}
	found := object.get(seen, "lost_clients", [])
}

test_cluster_that_is_taken_for_a_service if {
	asking("DB_HOST", "orders", {}, {}) == [{
		"client": "Deployment web",
		"reason": "asks for the host orders, and the Services of the cluster are orders-rw, orders-ro and orders-r",
		"cure": "Write orders-rw",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
	}]
	every value in ["orders:5432", "orders.shop", "orders.shop.svc.cluster.local"] {
		count(asking("KC_DB_URL_HOST", value, {}, {})) == 1
	}
	every value in ["postgres://orders/app", "postgresql+asyncpg://app:$(PASSWORD)@orders.shop.svc:5432/app", "jdbc:postgresql://orders:5432/app"] {
		count(asking("URL", value, {}, {})) == 1
	}
}

test_other_hosts if {
	every value in ["orders-rw", "orders-rw.shop.svc", "my-orders", "orders.other", "orders.example.com", "postgres://orders-rw/orders", "http://orders/"] {
		asking("DB_HOST", value, {}, {}) == []
	}
	asking("DB_NAME", "orders", {}, {}) == []
	asking("REDIS_HOST", "orders", {}, {}) == []
}

named(version, kind) := {version: {kind: {"orders": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "shop"}, "spec": {}}}}}

# Something else may have the name.
test_hosts_that_are_served if {
	asking("DB_HOST", "orders", {}, named("v1", "Service")) == []
	asking("DB_HOST", "orders", {}, named("postgresql.cnpg.io/v1", "Pooler")) == []
	asking("DB_HOST", "orders", {}, named("apps/v1", "StatefulSet")) == []
	asking("DB_HOST", "orders", {"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": "orders"}}}]}}}, {}) == []
}
