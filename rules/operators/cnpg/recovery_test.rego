package walguard.operators.cnpg_recovery_test

import data.walguard.operators.cnpg

target(fields) := found if {
	cluster := cnpg.cluster with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "pg", "namespace": "db"},
		"spec": {"bootstrap": {"recovery": {"source": "other", "recoveryTarget": fields}}},
	}}}
	found := [f.path | some f in object.get(cluster, "ignored", [])]
}

test_backup_without_a_target if {
	target({"backupID": "20251124T141457"}) == [["spec", "bootstrap", "recovery", "recoveryTarget", "backupID"]]
	count(target({"backupID": "20251124T141457", "targetImmediate": false, "exclusive": true})) == 1
	every more in [{"targetImmediate": true}, {"targetTime": "2025-11-24T15:00:00Z"}, {"targetName": "x"}, {"targetLSN": "0/3000000"}] {
		target(object.union({"backupID": "20251124T141457"}, more)) == []
	}
	target({"targetTime": "2025-11-24T15:00:00Z"}) == []
}
