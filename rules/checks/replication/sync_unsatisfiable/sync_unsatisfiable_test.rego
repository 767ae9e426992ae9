package walguard.checks.replication.sync_unsatisfiable_test

import data.walguard.checks.replication.sync_unsatisfiable as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

quorum(number, spec) := manifests.review({}, object.union({"postgresql": {"synchronous": {"method": "any", "number": number}}}, spec))

test_more_than_there_are if {
	check.findings == {{
		"message": "synchronous.number=3 with 3 instances, of which at most 2 are standbys: the operator refuses the cluster. Set it to 2 or less, or add instances.",
		"path": ["spec", "postgresql", "synchronous", "number"],
	}} with input as quorum(3, {})
}

test_both_kinds if {
	check.findings == {{
		"message": "Both spec.postgresql.synchronous and the older minSyncReplicas or maxSyncReplicas are set: the operator refuses the cluster. Remove the older pair.",
		"path": ["spec", "postgresql", "synchronous"],
	}} with input as quorum(1, {"minSyncReplicas": 1, "maxSyncReplicas": 1})
}

test_older_pair if {
	check.findings == {{
		"message": "maxSyncReplicas=3 with 3 instances, of which at most 2 are standbys: the operator refuses the cluster. Set it to 2 or less, or add instances.",
		"path": ["spec", "maxSyncReplicas"],
	}} with input as manifests.review({}, {"minSyncReplicas": 1, "maxSyncReplicas": 3})
	check.findings == {{
		"message": "minSyncReplicas=2 is more than maxSyncReplicas=1: the operator refuses the cluster. Raise maxSyncReplicas or lower minSyncReplicas.",
		"path": ["spec", "minSyncReplicas"],
	}} with input as manifests.review({}, {"minSyncReplicas": 2, "maxSyncReplicas": 1})
}

test_strict_and_alone if {
	check.findings == {{
		"message": "Every commit waits for 1 standby, and 1 instance has none: no write ever returns. Run 3 instances or more, or set synchronous_mode_strict: false.",
		"path": ["spec", "patroni", "synchronous_mode_strict"],
		"facts": {"required_standbys": 1, "standbys": 0},
	}} with input as zalando({"numberOfInstances": 1, "patroni": {"synchronous_mode": true, "synchronous_mode_strict": true}})
}

kubegres(replicas, text) := {
	"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"replicas": replicas, "image": "postgres:16", "customConfig": "tuned"},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"tuned": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "tuned", "namespace": "prod"},
		"data": {"postgres.conf": text},
	}}}}}},
}

test_named_and_alone if {
	found := check.findings with input as kubegres(1, "synchronous_standby_names = '*'")
	{[f.message, f.path, f.line] | some f in found} == {[
		"synchronous_standby_names=* and one instance: every commit waits for a standby that does not exist. Remove the parameter.",
		["data", "postgres.conf"],
		1,
	]}
	check.findings == set() with input as kubegres(1, "synchronous_standby_names = '*'\nsynchronous_commit = local")
	check.findings == set() with input as kubegres(1, "synchronous_standby_names = ''")
	check.findings == set() with input as kubegres(2, "synchronous_standby_names = '*'")
}

capped(synchronous) := manifests.review({}, {"postgresql": {"synchronous": object.union({"method": "any"}, synchronous)}})

# The webhook does not look at how many are named.
test_fewer_are_named if {
	check.findings == {{
		"message": "synchronous.number=2, but 1 standbys are named (maxStandbyNamesFromCluster=1): no write ever returns. Set maxStandbyNamesFromCluster to 2 or more, or leave it out.",
		"path": ["spec", "postgresql", "synchronous", "maxStandbyNamesFromCluster"],
	}} with input as capped({"number": 2, "maxStandbyNamesFromCluster": 1})
	count(check.findings) == 1 with input as capped({"number": 1, "maxStandbyNamesFromCluster": 0})
	count(check.findings) == 1 with input as capped({"number": 2, "maxStandbyNamesFromCluster": 0, "standbyNamesPre": ["x"]})
	check.findings == set() with input as capped({"number": 1, "maxStandbyNamesFromCluster": 1})
	check.findings == set() with input as capped({"number": 2, "maxStandbyNamesFromCluster": 0, "standbyNamesPre": ["x", "y"]})
	check.findings == set() with input as capped({"number": 2, "maxStandbyNamesFromCluster": 1, "dataDurability": "preferred"})
}

test_more_than_instances_and_others if {
	{f.message | some f in check.findings} == {"synchronous.number=5 with 3 instances and 1 other standbys: the operator refuses the cluster. Set it to 3 or less, or add instances."} with input as capped({"number": 5, "standbyNamesPost": ["x"]})
}

test_a_list_that_is_too_short if {
	{f.message | some f in check.findings} == {"synchronous_standby_names=ANY 3 (a, b): 3 standbys have to confirm, and 2 are named, so that no write ever returns. Name more, or lower the number."} with input as kubegres(3, "synchronous_standby_names = 'ANY 3 (a, b)'")
	count(check.findings) == 1 with input as kubegres(3, "synchronous_standby_names = '2 (a)'")
	check.findings == set() with input as kubegres(3, "synchronous_standby_names = 'FIRST 2 (a, b)'")
	check.findings == set() with input as kubegres(3, "synchronous_standby_names = 'FIRST 5 (*)'")
	check.findings == set() with input as kubegres(3, "synchronous_standby_names = 'ANY 3 (a, b)'\nsynchronous_commit = local")
}

test_satisfiable if {
	check.findings == set() with input as quorum(2, {})
	check.findings == set() with input as quorum(1, {"maxSyncReplicas": 0})
	check.findings == set() with input as manifests.review({}, {"minSyncReplicas": 1, "maxSyncReplicas": 2})
	check.findings == set() with input as manifests.review({}, {"postgresql": {"synchronous": {"method": "any", "number": 3, "standbyNamesPre": ["elsewhere"]}}})
}

test_silent_when_unknown if {
	check.findings == set() with input as quorum(3, {"instances": "some"})
	check.findings == set() with input as manifests.review({"synchronous_standby_names": "*"}, {"instances": 1})
	check.findings == set() with input as manifests.change({"synchronous_standby_names": "*"})
}

crunchy(replicas, dynamic) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"postgresVersion": 17,
		"instances": [{"name": "a", "replicas": replicas}],
		"patroni": {"dynamicConfiguration": object.union({"postgresql": {"parameters": {"synchronous_standby_names": "*"}}}, dynamic)},
	},
}}}

# Patroni passes the parameter on unless it decides of standbys itself.
test_by_hand_under_patroni if {
	found := check.findings with input as crunchy(1, {})
	{f.message | some f in found} == {"synchronous_standby_names=* and one instance: every commit waits for a standby that does not exist. Remove the parameter."}
	check.findings == set() with input as crunchy(1, {"synchronous_mode": true})
	check.findings == set() with input as crunchy(2, {})
}
