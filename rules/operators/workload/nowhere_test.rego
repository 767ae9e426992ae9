package walguard.operators.workload_nowhere_test

import data.walguard.checks.access.client_mismatch

server := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "postgres", "namespace": "shop"},
	"spec": {
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "envFrom": [{"secretRef": {"name": "db"}}]}]}},
	},
}

kubernetes(kind, name, fields) := {name: object.union({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}}, fields)}

service(name, selector) := kubernetes("Service", name, {"spec": {"selector": {"app": selector}, "ports": [{"port": 5432}]}})

login := kubernetes("Secret", "db", {"stringData": {"POSTGRES_USER": "shop", "POSTGRES_PASSWORD": "change-me-please", "POSTGRES_DB": "orders"}})

web(container) := {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [object.union({"name": "web", "image": "shop/web:1"}, container)]}}},
}}}}

found(container, others) := {{"reason": substring(f.message, 0, indexof(f.message, ":")), "severity": object.get(f, "severity", "warning"), "path": array.slice(f.path, 5, 9)} | some f in all} if {
	all := client_mismatch.findings with input as beside(container, others)
}

beside(container, others) := {
	"review": {"object": server},
	"inventory": {"namespace": {"shop": object.union_n([{"v1": {"Service": service("db", "db"), "Secret": login}}, web(container), others])}},
}

key(name, secret, field) := {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": field}}}

password := key("DB_PASSWORD", "db", "POSTGRES_PASSWORD")

lost(host) := sprintf("Deployment web has the password of this server and looks for it at %s, and no Service of this namespace has the name", [host])

at(address) := {"env": [password, {"name": "DATABASE_URL", "value": address}]}

test_address_with_the_password if {
	every address in ["postgres://shop:$(DB_PASSWORD)@pg.shop.svc.cluster.local/orders", "jdbc:postgresql://pg:5432/orders", "host=pg user=shop dbname=orders", "Host=pg.shop.svc;Port=5432;Database=orders;Username=shop", "postgresql+psycopg2://shop@pg.shop:5432"] {
		found(at(address), {}) == {{"reason": lost("pg"), "severity": "error", "path": ["env", 1, "value"]}}
	}
	every address in ["postgres://db.shop.svc.cluster.local/orders", "postgres://pg.example.com/orders", "postgres://pg.other.svc/orders", "postgres://pg-0.db.shop.svc/orders", "postgres://pg-0.db/orders", "host=pg", "postgres://localhost/orders", "postgres://PG_HOST/orders", "http://pg/orders"] {
		count([1 | some one in found(at(address), {}); contains(one.reason, "no Service")]) == 0
	}
}

# A pod behind a Service that has the name of the namespace.
test_pod_behind_a_service if {
	named := {"v1": {"Service": service("shop", "db")}}
	count([1 | some one in found(at("postgres://pg.shop/orders"), named); contains(one.reason, "no Service")]) == 0
}

test_the_cure_has_the_same_form if {
	{substring(f.message, indexof(f.message, "Write"), -1) | some f in client_mismatch.findings} == {"Write db.shop.svc."} with input as beside(at("postgres://pg.shop.svc/orders"), {})
}

test_address_in_a_secret_or_a_map if {
	url := kubernetes("Secret", "web", {"stringData": {"URL": "postgres://shop:change-me-please@pg:5432/x"}})
	found({"env": [key("DATABASE_URL", "web", "URL")]}, {"v1": {"Secret": object.union(url, login)}}) == {{"reason": lost("pg"), "severity": "error", "path": ["env", 0, "valueFrom"]}}
	found({"envFrom": [{"secretRef": {"name": "web"}}]}, {"v1": {"Secret": object.union(url, login)}}) == {{"reason": lost("pg"), "severity": "error", "path": ["envFrom", 0]}}
	of_another := kubernetes("Secret", "web", {"stringData": {"URL": "postgres://web:change-me-please@pg:5432/x"}})
	found({"env": [key("DATABASE_URL", "web", "URL")]}, {"v1": {"Secret": object.union(of_another, login)}}) == set()
	hosts := {"v1": {"ConfigMap": kubernetes("ConfigMap", "web", {"data": {"POSTGRES_HOST": "pg", "POSTGRES_PORT": "5432"}})}}
	found({"envFrom": [{"configMapRef": {"name": "web"}}, {"secretRef": {"name": "db"}}]}, hosts) == {{"reason": lost("pg"), "severity": "error", "path": ["envFrom", 0]}}
	found({"envFrom": [{"configMapRef": {"name": "web"}}], "env": [password]}, hosts) == {{"reason": lost("pg"), "severity": "error", "path": ["envFrom", 0]}}
	found({"envFrom": [{"configMapRef": {"name": "web"}}], "env": [password, {"name": "POSTGRES_HOST", "value": "db"}]}, hosts) == set()
	found({"envFrom": [{"configMapRef": {"name": "web"}}]}, hosts) == set()
}

# One that has all of a Secret may mean another server.
test_host_of_something_else if {
	found({"envFrom": [{"secretRef": {"name": "db"}}], "env": [{"name": "DB_HOST", "value": "mysql"}]}, {}) == set()
}

test_role_and_database if {
	asks := {{"reason": "Deployment web asks for the role and the database of this server at pg, and no Service of this namespace has the name", "severity": "error", "path": ["env", 0, "value"]}}
	found({"env": [{"name": "DATABASE_URL", "value": "postgres://shop:$(PASSWORD)@pg/orders"}]}, {}) == asks
	found({"env": [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_USER", "value": "shop"}, {"name": "DB_NAME", "value": "orders"}]}, {}) == asks
	found({"env": [{"name": "DATABASE_URL", "value": "postgres://shop@pg/other"}]}, {}) == set()
	found({"env": [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_USER", "value": "shop"}]}, {}) == set()
	found({"env": [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_USER", "value": "shop"}, {"name": "DB_NAME", "value": "orders"}, {"name": "URL", "value": "postgres://db/orders"}]}, {}) == set()
}

test_name_of_the_workload if {
	found({"env": [{"name": "DB_HOST", "value": "postgres:5432"}]}, {}) == {{"reason": "Deployment web looks for this server by the name of its Deployment, at postgres, and no Service of this namespace has the name", "severity": "error", "path": ["env", 0, "value"]}}
	found({"env": [{"name": "DB_HOST", "value": "postgres"}]}, {"v1": {"Service": service("postgres", "other")}}) == set()
}

# Whose role and name may be meant as well.
test_another_server if {
	another := {"postgresql.cnpg.io/v1": {"Cluster": {"main": {}}}}
	found({"env": [{"name": "DATABASE_URL", "value": "postgres://shop:$(PASSWORD)@pg/orders"}]}, another) == set()
	found({"env": [{"name": "DB_HOST", "value": "postgres"}]}, another) == set()
	beside_it := {"apps/v1": {"StatefulSet": {"other": object.union(server, {"kind": "StatefulSet", "metadata": {"name": "other", "namespace": "shop"}})}}}
	found({"env": [{"name": "DB_HOST", "value": "postgres"}]}, beside_it) == set()
}

# Whose Service may stand elsewhere.
test_what_brings_services if {
	every version in ["helm.toolkit.fluxcd.io/v2", "postgresql.cnpg.io/v1"] {
		found(at("postgres://pg/orders"), {version: {"Kind": {"other": {}}}}) == {{"reason": lost("pg"), "severity": "warning", "path": ["env", 1, "value"]}}
		found(at("postgres://pg-main/orders"), {version: {"Kind": {"pg": {}}}}) == set()
	}
	found(at("postgres://pg-pooler/orders"), {}) == {{"reason": lost("pg-pooler"), "severity": "warning", "path": ["env", 1, "value"]}}
	found({"env": [{"name": "DATABASE_URL", "value": "postgres://shop@pg-pooler/orders"}]}, {}) == set()
}
