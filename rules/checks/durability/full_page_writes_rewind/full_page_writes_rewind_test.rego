package walguard.checks.durability.full_page_writes_rewind_test

import data.walguard.checks.durability.full_page_writes_rewind as check

cluster(instances, parameters) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": {"numberOfInstances": instances, "postgresql": {"version": "17", "parameters": parameters}},
}

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

test_two_instances if {
	findings(cluster(2, {"full_page_writes": "no"})) == {{
		"message": "Zalando Postgres Operator prod/acid-orders runs with full_page_writes=no on 2 instances: pg_rewind refuses such a primary as its source, and after an unclean failover the former primary does not come back until somebody reinitialises it with patronictl. Turn it on, or plan for that",
		"path": ["spec", "postgresql", "parameters", "full_page_writes"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/full_page_writes", "value": "on"}],
	}}
}

test_one_instance if findings(cluster(1, {"full_page_writes": "off"})) == set()

test_full_page_writes_on if {
	findings(cluster(2, {})) == set()
	findings(cluster(2, {"full_page_writes": "on"})) == set()
}

test_silent_when_instances_are_not_known if findings(cluster("some", {"full_page_writes": "off"})) == set()

test_silent_when_the_operator_does_not_rewind if {
	findings({
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "annotations": {"config.kubeblocks.io/init-parameters": `{"postgresql": {"assignments": {"full_page_writes": "off"}}}`}},
		"spec": {"clusterDef": "vanilla-postgresql", "componentSpecs": [{"name": "postgresql", "replicas": 2}]},
	}) == set()
}
