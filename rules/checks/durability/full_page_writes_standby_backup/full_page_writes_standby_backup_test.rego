package walguard.checks.durability.full_page_writes_standby_backup_test

import data.walguard.checks.durability.full_page_writes_standby_backup as check

store := {"barmanObjectStore": {"destinationPath": "s3://backups"}}

cluster(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": spec,
}

without_pages(spec) := cluster(object.union({"instances": 3, "storage": {"size": "100Gi", "storageClass": "zfs"}, "postgresql": {"parameters": {"full_page_writes": "off"}}}, spec))

zfs := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "zfs"}, "provisioner": "zfs.csi.openebs.io", "parameters": {"fstype": "zfs", "recordsize": "8k"}}

inventory := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs}}}}

findings(object) := found if found := check.findings with input as {"review": {"object": object}, "inventory": inventory}

path := ["spec", "postgresql", "parameters", "full_page_writes"]

test_default_target if {
	findings(without_pages({"backup": store})) == {{
		"message": "full_page_writes=off with base backups from a standby (spec.backup.target, the operator's default): PostgreSQL refuses all of them, so there is no backup to restore. Take them from the primary, or set full_page_writes to on.",
		"path": path,
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/full_page_writes", "value": "on"}],
	}}
}

test_written_target if {
	{f.message | some f in findings(without_pages({"backup": object.union(store, {"target": "prefer-standby"})}))} == {"full_page_writes=off with base backups from a standby (spec.backup.target): PostgreSQL refuses all of them, so there is no backup to restore. Take them from the primary, or set full_page_writes to on."}
}

test_backups_of_the_primary if {
	findings(without_pages({"backup": object.union(store, {"target": "primary"})})) == set()
	findings(without_pages({"backup": store, "instances": 1})) == set()
}

test_full_page_writes_on if findings(cluster({"instances": 3, "backup": store})) == set()

test_silent_when_nothing_tells_of_backups if findings(without_pages({})) == set()

# There durability/full_page_writes says it.
test_told_once if {
	check.findings == set() with input as {"review": {"object": without_pages({"backup": store})}}
}
