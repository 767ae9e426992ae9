package walguard.operators.kubeblocks.changes_arithmetic_test

import data.walguard.operators.kubeblocks.changes

test_changes_of_replicas if {
	every number, replicas in {0: 0, 1: 1, 3: 3} { changes.replica_changes({"scaleOut": {"replicaChanges": number}}, "scaleOut") == replicas }
	changes.replica_changes({"scaleOut": {"replicaChanges": 1.5}}, "scaleOut") == 0
	changes.replica_changes({"scaleOut": {"replicaChanges": 1}}, "scaleIn") == 0
	changes.replica_changes({}, "scaleOut") == 0
}
