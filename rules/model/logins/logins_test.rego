package walguard.model.logins_test

import data.walguard.model.logins

# A Deployment whose container has these variables, beside a cluster.
beside(cluster, env) := {"review": {"object": cluster}, "inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "registry.example.org/web:1.2", "env": env}]}}},
}}}}}}}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": object.union({"instances": 3}, spec)}

zalando(spec) := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": object.union({"teamId": "acid", "numberOfInstances": 2}, spec)}

crunchy(spec) := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "prod"}, "spec": object.union({"postgresVersion": 16}, spec)}

password(name, secret) := {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}

set_to(name, value) := {"name": name, "value": value}

roles(cluster, env) := {[one.asked, one.role, one.path[count(one.path) - 1]] | some one in found} if found := logins.foreign_roles with input as beside(cluster, env)

databases(cluster, env) := {[one.asked, one.role] | some one in found} if found := logins.foreign_databases with input as beside(cluster, env)

shop := cnpg({"bootstrap": {"initdb": {"database": "shop", "owner": "shop"}}})

test_another_role if {
	roles(shop, [set_to("DB_USER", "shopuser"), password("DB_PASSWORD", "db-app")]) == {["shopuser", "shop", 0]}
	every pair in [["PGUSER", "PGPASSWORD"], ["KC_DB_USERNAME", "KC_DB_PASSWORD"], ["DB_USER", "DB_USER_PASSWORD"], ["SPRING_DATASOURCE_USERNAME", "SPRING_DATASOURCE_PASSWORD"], ["DB_USERNAME", "DB_PASS"]] {
		roles(shop, [password(pair[1], "db-app"), set_to(pair[0], "postgres")]) == {["postgres", "shop", 1]}
	}
	roles(cnpg({}), [set_to("DB_USER", "shop"), password("DB_PASSWORD", "db-app")]) == {["shop", "app", 0]}
	roles(cnpg({"bootstrap": {"recovery": {"source": "a"}}}), [set_to("DB_USER", "shop"), password("DB_PASSWORD", "db-app")]) == {["shop", "app", 0]}
	roles(cnpg({"enableSuperuserAccess": true}), [set_to("DB_USER", "app"), password("DB_PASSWORD", "db-superuser")]) == {["app", "postgres", 0]}
	roles(cnpg({"managed": {"roles": [{"name": "report", "passwordSecret": {"name": "report-login"}}]}}), [set_to("DB_USER", "app"), password("DB_PASSWORD", "report-login")]) == {["app", "report", 0]}
	roles(zalando({"users": {"shop": []}}), [set_to("DB_USER", "postgres"), password("DB_PASSWORD", "shop.acid-db.credentials.postgresql.acid.zalan.do")]) == {["postgres", "shop", 0]}
	roles(crunchy({"users": [{"name": "shop"}]}), [set_to("DB_USER", "postgres"), password("DB_PASSWORD", "hippo-pguser-shop")]) == {["postgres", "shop", 0]}
	roles(shop, [password("DB_PASSWORD", "db-app"), set_to("DATABASE_URL", "postgresql://web:$(DB_PASSWORD)@db-rw:5432/shop")]) == {["web", "shop", 1]}
}

test_the_same_role if {
	roles(shop, [set_to("DB_USER", "shop"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [set_to("ADMIN_USER", "root"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [set_to("DB_USER", "shop"), set_to("DB_USERNAME", "other"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [set_to("DB_USER", "root"), password("DB_PASSWORD", "another")]) == set()
	roles(shop, [set_to("DB_USER", "$(NAME)"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [set_to("DB_USER", "shop.tenant"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [set_to("DB_USER", "web"), password("DB_PASSWORD", "db-app"), {"name": "DB_URL", "valueFrom": {"secretKeyRef": {"name": "db-app", "key": "uri"}}}]) == set()
	roles(cnpg({"bootstrap": {"initdb": {"owner": "${OWNER}"}}}), [set_to("DB_USER", "web"), password("DB_PASSWORD", "db-app")]) == set()
	roles(cnpg({"replica": {"enabled": true, "source": "a"}, "bootstrap": {"recovery": {"source": "a"}}}), [set_to("DB_USER", "web"), password("DB_PASSWORD", "db-app")]) == set()
	roles(shop, [password("DB_PASSWORD", "db-app"), set_to("DATABASE_URL", "postgresql://shop:$(DB_PASSWORD)@db-rw:5432/shop")]) == set()
}

test_another_database if {
	databases(shop, [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "db-app")]) == {["orders", "shop"]}
	databases(shop, [password("DB_PASSWORD", "db-app"), set_to("JDBC_URL", "jdbc:postgresql://db-rw:5432/orders")]) == {["orders", "shop"]}
	databases(crunchy({}), [set_to("PGDATABASE", "shop"), password("PGPASSWORD", "hippo-pguser-hippo")]) == {["shop", "hippo"]}
	databases(zalando({"users": {"shop": []}, "databases": {"shop": "shop"}}), [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "shop.acid-db.credentials.postgresql.acid.zalan.do")]) == {["orders", "shop"]}
	databases(cnpg({"bootstrap": {"recovery": {"source": "a"}}}), [set_to("DB_NAME", "shop"), password("DB_PASSWORD", "db-app")]) == {["shop", "app"]}
}

test_the_database_that_is_made if {
	databases(shop, [set_to("DB_NAME", "shop"), password("DB_PASSWORD", "db-app")]) == set()
	databases(shop, [set_to("DB_NAME", "postgres"), password("DB_PASSWORD", "db-app")]) == set()
	databases(shop, [password("DB_PASSWORD", "db-app"), set_to("JDBC_URL", "jdbc:postgresql://elsewhere:5432/orders")]) == set()
	databases(cnpg({"bootstrap": {"initdb": {"database": "shop", "owner": "shop", "postInitSQL": ["CREATE DATABASE orders"]}}}), [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "db-app")]) == set()
	databases(cnpg({"bootstrap": {"initdb": {"import": {"type": "monolith"}}}}), [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "db-app")]) == set()
	databases(cnpg({"bootstrap": {"recovery": {"source": "a", "database": "shop", "owner": "shop"}}}), [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "db-app")]) == set()
	databases(crunchy({"dataSource": {"postgresCluster": {"clusterName": "a"}}}), [set_to("PGDATABASE", "shop"), password("PGPASSWORD", "hippo-pguser-hippo")]) == set()
	databases(zalando({"users": {"shop": ["createdb"]}, "databases": {"shop": "shop"}}), [set_to("DB_NAME", "orders"), password("DB_PASSWORD", "shop.acid-db.credentials.postgresql.acid.zalan.do")]) == set()
}

hosts(cluster, env) := {[one.asked, one.own, object.get(one, "level", "warning"), array.slice(one.path, 5, 8)] | some one in found} if found := logins.foreign_hosts with input as beside(cluster, env)

test_a_host_that_no_service_has if {
	every value in ["pg-rw", "pg-rw:5432", "pg-rw.prod", "pg-rw.prod.svc.cluster.local"] {
		hosts(shop, [set_to("DB_HOST", value), password("DB_PASSWORD", "db-app")]) == {["pg-rw", "db-rw", "error", ["env", 0, "value"]]}
	}
	hosts(shop, [password("PGPASSWORD", "db-app"), set_to("URL", "postgres://shop:$(PGPASSWORD)@pg-rw/shop")]) == {["pg-rw", "db-rw", "error", ["env", 1, "value"]]}
	hosts(shop, [password("PASSWORD", "db-app"), set_to("URL", "postgres://shop:$(PASSWORD)@pg-rw/shop")]) == {["pg-rw", "db-rw", "error", ["env", 1, "value"]]}
	count(hosts(zalando({"users": {"shop": []}}), [set_to("DB_HOST", "pg"), password("DB_PASSWORD", "shop.acid-db.credentials.postgresql.acid.zalan.do")])) == 1
}

test_a_host_that_may_be_there if {
	every value in ["db-rw", "db-ro.prod.svc", "db", "pg-rw.other", "pg-rw.other.svc", "pg.example.com", "localhost", "pg-pooler-rw", "$(HOST)", "10.0.0.1"] {
		hosts(shop, [set_to("DB_HOST", value), password("DB_PASSWORD", "db-app")]) == set()
	}
	hosts(shop, [set_to("REDIS_HOST", "redis"), password("DB_PASSWORD", "db-app")]) == set()
	hosts(shop, [set_to("DB_HOST", "pg-rw"), password("DB_PASSWORD", "another")]) == set()
	named := object.union(beside(shop, [set_to("DB_HOST", "pg-rw"), password("DB_PASSWORD", "db-app")]), {})
	every more in [{"v1": {"Service": {"pg-rw": {"kind": "Service", "metadata": {"name": "pg-rw"}}}}}, {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"pg": {}}}}, {"postgresql.cnpg.io/v1": {"Cluster": {"pg": {}}}}] {
		logins.foreign_hosts == [] with input as object.union(named, {"inventory": {"namespace": {"prod": more}}})
	}
	{object.get(one, "level", "warning") | some one in logins.foreign_hosts} == {"warning"} with input as object.union(named, {"inventory": {"namespace": {"prod": {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"web": {}}}}}}})
}
