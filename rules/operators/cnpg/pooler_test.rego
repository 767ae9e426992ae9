package walguard.operators.cnpg_test

import data.walguard.operators.cnpg

sent_through(address, parameters) := [[fault.reason, fault.resource.kind] | some fault in object.get(found, "pooler_faults", [])] if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({})},
		"inventory": {"namespace": {"shop": {
			"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
				"apiVersion": "postgresql.cnpg.io/v1",
				"kind": "Pooler",
				"metadata": {"name": "pool", "namespace": "shop"},
				"spec": {"cluster": {"name": "orders"}, "pgbouncer": {"poolMode": "transaction", "parameters": parameters}},
			}}},
			"apps/v1": {"Deployment": {"web": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "web", "namespace": "shop"},
				"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "URL", "value": address}]}]}}},
			}}},
		}}},
	}
}

test_startup_parameters_through_a_pooler if {
	of_java := "jdbc:postgresql://pool:5432/orders?currentSchema=web"
	said := [["PgBouncer refuses Deployment web with \"unsupported startup parameter: search_path\", for its URL says ?currentSchema=web", "Deployment"]]
	sent_through(of_java, {}) == said
	sent_through(of_java, {"ignore_startup_parameters": "statement_timeout"}) == said
	sent_through(of_java, {"ignore_startup_parameters": "statement_timeout, search_path"}) == []
	sent_through(of_java, {"track_extra_parameters": "search_path"}) == []
	sent_through(of_java, {"ignore_startup_parameters": "${PASSED}"}) == []
	sent_through("jdbc:postgresql://orders-rw:5432/orders?currentSchema=web", {}) == []
	sent_through("postgres://pool:5432/orders?options=-c%20search_path%3Dweb", {}) == []
}

test_pooler_of_standbys_that_are_not_there if {
	of_type("ro", 1) == ["Pooler pool of type ro connects to Service orders-ro, which leads to standbys alone, and 1 instance has none: nobody gets in through it"]
	of_type("ro", 2) == []
	of_type("r", 1) == []
}

of_type(type, count_of) := [fault.reason | some fault in object.get(found, "pooler_faults", [])] if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({"instances": count_of})},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Pooler",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"cluster": {"name": "orders"}, "type": type, "pgbouncer": {"poolMode": "session"}},
		}}}}}},
	}
}

started_by(words, files) := [[one.source | some one in object.get(found, "hba_unread", [])], [one.text | some one in object.get(found, "open_poolers", [])]] if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({})},
		"inventory": {"namespace": {"shop": {
			"v1": {"ConfigMap": {"f": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "f", "namespace": "shop"}, "data": files}}},
			"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
				"apiVersion": "postgresql.cnpg.io/v1",
				"kind": "Pooler",
				"metadata": {"name": "pool", "namespace": "shop"},
				"spec": {"cluster": {"name": "orders"}, "pgbouncer": {"poolMode": "session"}, "template": {"spec": {
					"containers": [object.union({"name": "pgbouncer", "volumeMounts": [{"name": "x", "mountPath": "/x"}]}, words)],
					"volumes": [{"name": "x", "configMap": {"name": "f"}}],
				}}},
			}}},
		}}},
	}
}

test_pooler_started_otherwise if {
	not_read := ["what container pgbouncer of Pooler pool runs"]
	started_by({"command": ["pgbouncer", "/x/p.ini"]}, {"p.ini": "[pgbouncer]\nauth_type = any\n"}) == [[], ["auth_type any"]]
	started_by({"command": ["pgbouncer", "/x/p.ini"]}, {"p.ini": "[pgbouncer]\nauth_type = scram-sha-256\n"}) == [[], []]
	started_by({"command": ["pgbouncer"], "args": ["/x/p.ini"]}, {}) == [not_read, []]
	started_by({"command": ["sh", "-c", "sed -i s/scram-sha-256/trust/ /controller/configs/pg_hba.conf; exec pgbouncer"]}, {}) == [not_read, []]
	started_by({"resources": {}}, {}) == [[], []]
}

queried(parameters) := [[one.source, one.severity, one.path, one.resource.name] | some one in object.get(found, "unread", [])] if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({})},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Pooler",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"cluster": {"name": "orders"}, "pgbouncer": {"parameters": parameters}},
		}}}}}},
	}
}

test_sql_that_a_pooler_runs if {
	path := ["spec", "pgbouncer", "parameters", "server_reset_query"]
	queried({"server_reset_query": "ALTER SYSTEM SET fsync = off"}) == [["the server_reset_query of Pooler pool", "warning", path, "pool"]]
	queried({"server_reset_query": "ALTER SYSTEM SET jit = off"}) == [["the server_reset_query of Pooler pool", "info", path, "pool"]]
	queried({"server_check_query": "SET zero_damaged_pages = on"})[0][0] == "the server_check_query of Pooler pool"
	queried({"server_reset_query": "DISCARD ALL", "server_check_query": "SELECT 1"}) == []
}
