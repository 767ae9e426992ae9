package walguard.checks.durability.full_page_writes_rewind_test

import data.walguard.checks.durability.full_page_writes_rewind as check

cluster(instances, parameters) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": {"numberOfInstances": instances, "volume": {"size": "100Gi", "storageClass": "zfs"}, "postgresql": {"version": "17", "parameters": parameters}},
}

zfs := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "zfs"}, "provisioner": "zfs.csi.openebs.io", "parameters": {"fstype": "zfs", "recordsize": "8k"}}

inventory := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs}}}}

findings(object) := found if found := check.findings with input as {"review": {"object": object}, "inventory": inventory}

test_two_instances if {
	findings(cluster(2, {"full_page_writes": "no"})) == {{
		"message": "full_page_writes=no with 2 instances: pg_rewind refuses it, and after an unclean failover the former primary does not come back until somebody reinitialises it with patronictl. Set it to on.",
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

# There durability/full_page_writes says it.
test_told_once if {
	check.findings == set() with input as {"review": {"object": cluster(2, {"full_page_writes": "off"})}}
}
