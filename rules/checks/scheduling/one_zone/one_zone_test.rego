package walguard.checks.scheduling.one_zone_test

import data.walguard.checks.scheduling.one_zone as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_zone(zone) := {"nodeSelector": {"topology.kubernetes.io/zone": zone}}

test_one_zone if {
	check.findings == {{
		"message": "All 3 instances must run in zone eu-1a: the cluster is down while that zone is. Allow a second zone, or keep a replica elsewhere.",
		"path": ["spec", "affinity", "nodeSelector", "topology.kubernetes.io/zone"],
	}} with input as manifests.review({}, {"affinity": in_zone("eu-1a")})
}

crunchy(zones) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders"},
	"spec": {"instances": [{"name": zone, "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}]}}}} | some zone in zones]},
}}}

test_sets if {
	found := check.findings with input as crunchy(["a", "a"])
	count(found) == 1
	check.findings == set() with input as crunchy(["a", "b"])
}

test_other_operators if {
	stackgres := check.findings with input as {"review": {"object": {
		"apiVersion": "stackgres.io/v1",
		"kind": "SGCluster",
		"metadata": {"name": "orders"},
		"spec": {"instances": 2, "pods": {"scheduling": in_zone("a")}},
	}}}
	count(stackgres) == 1
	plain := check.findings with input as workload({"image": "docker.io/bitnami/postgresql-repmgr:17"}, {"replicas": 2}, in_zone("a"))
	count(plain) == 1
	zalando_pods := check.findings with input as zalando(object.union({"numberOfInstances": 2}, in_zone("a")))
	count(zalando_pods) == 1
}

test_one_instance if check.findings == set() with input as manifests.review({}, {"instances": 1, "affinity": in_zone("eu-1a")})

test_silent_when_unknown if check.findings == set() with input as manifests.review({}, {"instances": "some", "affinity": in_zone("eu-1a")})
