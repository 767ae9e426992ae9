package walguard.checks.access.client_mismatch_hosts_test

import data.walguard.checks.access.client_mismatch as check

# A program with the password of an operator's role that asks for a host, beside the cluster.
said(host) := {[object.get(f, "severity", "warning"), f.message] | some f in found; contains(f.message, "Service")} if {
	found := check.findings with input as {
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
			"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "registry.example.org/web:1.2", "env": [
				{"name": "DB_HOST", "value": host},
				{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-app", "key": "password"}}},
			]}]}}},
		}}}}}},
	}
}

test_a_host_that_no_service_has if {
	said("pg-rw") == {["error", "Deployment web has the password of role shop (Secret db-app) and looks for it at pg-rw, and no Service of this namespace has the name: it finds no database. Write db-rw."]}
	said("db-rw") == set()
}
