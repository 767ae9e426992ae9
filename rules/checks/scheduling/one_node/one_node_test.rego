package walguard.checks.scheduling.one_node_test

import data.walguard.checks.scheduling.one_node as check
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

affinity(section) := manifests.review({}, {"affinity": section})

test_switched_off if {
	check.findings == {{
		"message": "3 instances may all fail with one node: enablePodAntiAffinity: false, and nothing else spreads the instances. Let them run on different nodes.",
		"path": ["spec", "affinity", "enablePodAntiAffinity"],
	}} with input as affinity({"enablePodAntiAffinity": false})
}

test_pinned if {
	check.findings == {{
		"message": "3 instances may all fail with one node: every instance must run on node db-1. Let them run on different nodes.",
		"path": ["spec", "affinity", "nodeSelector", "kubernetes.io/hostname"],
	}} with input as affinity({"nodeSelector": {"kubernetes.io/hostname": "db-1"}})
}

hosts(values) := {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": values}]}]}}

test_pinned_by_affinity if {
	found := check.findings with input as zalando({"numberOfInstances": 2, "nodeAffinity": hosts(["db-1"])})
	{f.path | some f in found} == {["spec", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", 0, "matchExpressions", 0]}
	check.findings == set() with input as zalando({"numberOfInstances": 2, "nodeAffinity": hosts(["db-1", "db-2"])})
}

crunchy(spec) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders"},
	"spec": spec,
}}}

test_crunchy if {
	found := check.findings with input as crunchy({"disableDefaultPodScheduling": true, "instances": [{"replicas": 2}]})
	{f.path | some f in found} == {["spec", "disableDefaultPodScheduling"]}
	check.findings == set() with input as crunchy({"disableDefaultPodScheduling": true, "instances": [{"replicas": 2, "topologySpreadConstraints": [{}]}]})
	check.findings == set() with input as crunchy({"disableDefaultPodScheduling": true, "instances": [{"replicas": 2, "affinity": {"podAntiAffinity": {}}}]})
	check.findings == set() with input as crunchy({"disableDefaultPodScheduling": true, "instances": [{"replicas": 2, "affinity": {"nodeAffinity": {}}}]})
	pinned := check.findings with input as crunchy({"instances": [{"replicas": 2, "affinity": {"nodeAffinity": hosts(["db-1"])}}]})
	count(pinned) == 1
}

stackgres(spec) := {"review": {"object": {
	"apiVersion": "stackgres.io/v1",
	"kind": "SGCluster",
	"metadata": {"name": "orders"},
	"spec": object.union({"instances": 2}, spec),
}}}

test_stackgres if {
	found := check.findings with input as stackgres({"nonProductionOptions": {"disableClusterPodAntiAffinity": true}})
	{f.path | some f in found} == {["spec", "nonProductionOptions", "disableClusterPodAntiAffinity"]}
	pinned := check.findings with input as stackgres({"pods": {"scheduling": {"nodeSelector": {"kubernetes.io/hostname": "db-1"}}}})
	count(pinned) == 1
}

test_repmgr if {
	node := {"nodeName": "db-1"}
	found := check.findings with input as workload({"image": "docker.io/bitnami/postgresql-repmgr:17"}, {"replicas": 2}, node)
	{f.path | some f in found} == {["spec", "template", "spec", "nodeName"]}
	chosen := check.findings with input as workload({"image": "docker.io/bitnami/postgresql-repmgr:17"}, {"replicas": 2}, {"nodeSelector": {"kubernetes.io/hostname": "db-1"}})
	count(chosen) == 1
}

test_spread if {
	check.findings == set() with input as manifests.review({}, {})
	check.findings == set() with input as affinity({"enablePodAntiAffinity": false, "additionalPodAntiAffinity": {}})
	check.findings == set() with input as manifests.review({}, {"affinity": {"enablePodAntiAffinity": false}, "topologySpreadConstraints": [{}]})
	check.findings == set() with input as manifests.review({}, {"instances": 1, "affinity": {"enablePodAntiAffinity": false}})
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, {"instances": "some", "affinity": {"enablePodAntiAffinity": false}})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

by_operator(kubernetes, spec) := object.union(zalando(object.union({"numberOfInstances": 3}, spec)), {"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "o", "namespace": "ops"},
	"configuration": {"kubernetes": kubernetes},
}}}}}}})

test_default_of_zalandos_operator if {
	check.findings == {{
		"message": "3 instances may all fail with one node: enable_pod_antiaffinity is off in the operator's configuration. Let them run on different nodes.",
		"severity": "info",
		"path": ["spec", "numberOfInstances"],
	}} with input as by_operator({"enable_pod_antiaffinity": false}, {})
	count(check.findings) == 1 with input as by_operator({"pdb_name_format": "x"}, {})
}

test_zalandos_operator_spreads if {
	check.findings == set() with input as by_operator({"enable_pod_antiaffinity": true}, {})
	check.findings == set() with input as by_operator({}, {})
	check.findings == set() with input as by_operator({"enable_pod_antiaffinity": false}, {"topologySpreadConstraints": [{"topologyKey": "kubernetes.io/hostname"}]})
	{f.message | some f in check.findings} == {"3 instances may all fail with one node: every instance must run on node db-1. Let them run on different nodes."} with input as by_operator({"enable_pod_antiaffinity": false}, {"nodeAffinity": hosts(["db-1"])})
}

spread(affinity, storage, class) := {f.path | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3, "affinity": affinity, "storage": {"size": "1Gi", "storageClass": storage}}}},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {name: {"metadata": {"name": name}, "provisioner": provisioner} | some name, provisioner in class}}}},
	}
}

zones := {"topologyKey": "topology.kubernetes.io/zone"}

# Where there is one zone it says nothing.
test_zones_alone if {
	spread(zones, "longhorn", {}) == {["spec", "affinity", "topologyKey"]}
	count(spread(zones, "fast", {"fast": "driver.longhorn.io"})) == 1
	spread(zones, "longhorn", {"longhorn": "ebs.csi.aws.com"}) == set()
	spread(zones, "gp3", {}) == set()
	spread({"topologyKey": "kubernetes.io/hostname"}, "longhorn", {}) == set()
	spread({}, "longhorn", {}) == set()
	spread(object.union(zones, {"podAntiAffinityType": "required"}), "longhorn", {}) == set()
	spread(object.union(zones, {"additionalPodAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}), "longhorn", {}) == set()
}
