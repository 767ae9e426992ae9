package walguard.checks.access.client_mismatch_logins_test

import data.walguard.checks.access.client_mismatch as check

# A Deployment that takes the password of the owner, beside a cluster whose database and owner are shop.
found(env) := result if result := {[object.get(f, "severity", "as usual"), f.message] | some f in check.findings} with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"instances": 3, "bootstrap": {"initdb": {"database": "shop", "owner": "shop"}}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "web", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{
			"name": "web",
			"image": "registry.example.org/web:1.2",
			"env": array.concat(env, [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-app", "key": "password"}}}]),
		}]}}},
	}}}}}},
}

test_another_role if {
	found([{"name": "DB_USER", "value": "web"}]) == {["error", "Deployment web logs in as web with the password of role shop (Secret db-app): password authentication failed. Write shop, or take the name from that Secret too."]}
}

test_another_database if {
	found([{"name": "DB_USER", "value": "shop"}, {"name": "DB_NAME", "value": "orders"}]) == {["as usual", "Deployment web asks for database orders as shop, and the cluster makes shop: it does not exist. Write shop, or make a Database for it."]}
}

test_the_same_names if {
	found([{"name": "DB_USER", "value": "shop"}, {"name": "DB_NAME", "value": "shop"}]) == set()
}

test_a_name_without_its_namespace if {
	cluster := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "crm-db", "namespace": "data"}, "spec": {"instances": 3}}
	web := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "crm"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "PGHOST", "value": "crm-db-rw"}]}]}}}}
	findings := check.findings with input as {"review": {"object": cluster}, "inventory": {"namespace": {"crm": {"apps/v1": {"Deployment": {"web": web}}}}}}
	{f.severity | some f in findings} == {"error"}
	{f.message | some f in findings} == {"Deployment web looks for crm-db-rw, which without a namespace is a Service of its own, crm, and there is none: the name is not found. Write crm-db-rw.data."}
}
