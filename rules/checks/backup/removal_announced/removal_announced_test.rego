package walguard.checks.backup.removal_announced_test

import data.walguard.checks.backup.removal_announced as check
import data.walguard.lib.manifest_test as manifests

findings(spec) := found if found := check.findings with input as manifests.review({}, spec)

test_in_tree if {
	findings({"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/orders"}}}) == {{
		"message": "spec.backup.barmanObjectStore ends with CloudNativePG 1.31.0: after that update there are no backups and no WAL archive. Move to the Barman Cloud plugin (spec.plugins and an ObjectStore) first.",
		"path": ["spec", "backup", "barmanObjectStore"],
	}}
}

test_others if {
	findings({}) == set()
	findings({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true}]}) == set()
	findings({"backup": {"volumeSnapshot": {"className": "csi"}}}) == set()
}

# EDB announced nothing of the kind.
test_another_vendor if {
	review := manifests.review({}, {"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/orders"}}})
	edb := json.patch(review, [{"op": "replace", "path": "/review/object/apiVersion", "value": "postgresql.k8s.enterprisedb.io/v1"}])
	found := check.findings with input as edb
	found == set()
}

test_unknown if {
	found := check.findings with input as manifests.change({"work_mem": "64MB"})
	found == set()
}
