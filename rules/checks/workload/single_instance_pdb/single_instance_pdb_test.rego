package walguard.checks.workload.single_instance_pdb_test

import data.walguard.checks.workload.single_instance_pdb as check
import data.walguard.lib.manifest_test as manifests

pod(labels) := {"review": {"object": {
	"apiVersion": "v1",
	"kind": "Pod",
	"metadata": {"name": "orders", "namespace": "prod", "labels": labels},
	"spec": {"containers": [{"image": "postgres:17"}]},
}}}

findings(spec) := found if {
	budget := {
		"apiVersion": "policy/v1",
		"kind": "PodDisruptionBudget",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": object.union({"selector": {"matchLabels": {"app": "db"}}}, spec),
	}
	reviewed := object.union(pod({"app": "db"}), {"inventory": {"namespace": {"prod": {"policy/v1": {"PodDisruptionBudget": {"db": budget}}}}}})
	found := check.findings with input as reviewed
}

said(field, demand) := {{
	"message": sprintf("PodDisruptionBudget db never allows the only instance to be evicted (%s), so draining its node hangs. Remove the budget, or run a second instance.", [demand]),
	"path": ["spec", field],
	"resource": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "namespace": "prod", "name": "db"},
}}

test_one_of_one if {
	findings({"minAvailable": 1}) == said("minAvailable", "minAvailable 1")
	findings({"minAvailable": "50%"}) == said("minAvailable", "minAvailable 50%")
	findings({"maxUnavailable": 0}) == said("maxUnavailable", "maxUnavailable 0")
}

test_it_may_go if {
	findings({"minAvailable": 0}) == set()
	findings({"maxUnavailable": 1}) == set()
}

test_of_the_operator if {
	check.findings == {{
		"message": "The operator's PodDisruptionBudget forbids evicting the only instance, so draining its node hangs. Set spec.enablePDB to false, or run a second instance.",
		"path": ["spec", "enablePDB"],
		"severity": "info",
	}} with input as manifests.review({}, {"instances": 1})
	check.findings == set() with input as manifests.review({}, {"instances": 1, "enablePDB": false})
	check.findings == set() with input as manifests.review({}, {})
}

test_asked_of_the_operator if {
	asked := manifests.review({}, {"instances": 1, "enablePDB": true})
	{f.severity | some f in check.findings} == {"warning"} with input as asked
	{f.severity | some f in check.findings} == {"info"} with input as json.patch(asked, [{"op": "add", "path": "/review/object/metadata/labels", "value": {"helm.sh/chart": "cluster-0.5.0"}}])
}

running(kind, name, image) := {"kube-system": {"apps/v1": {kind: {name: {
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": {"name": name, "namespace": "kube-system"},
	"spec": {"template": {"spec": {"containers": [{"image": image}]}}},
}}}}}

test_something_drains if {
	every case in [
		["DaemonSet", "kured", "ghcr.io/kubereboot/kured:1.17.1", "kured (DaemonSet kube-system/kured)"],
		["Deployment", "karpenter", "public.ecr.aws/karpenter/controller:1.5.0@sha256:339aef3f5ecdf6f94d1c7cc9d0e1d359c281b4f9b842877bdbf2acd3fa360521", "Karpenter (Deployment kube-system/karpenter)"],
		["Deployment", "ca", "registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0", "the cluster autoscaler (Deployment kube-system/ca)"],
		["Deployment", "ca", "registry.k8s.io/autoscaling/cluster-autoscaler-arm64:v1.33.0", "the cluster autoscaler (Deployment kube-system/ca)"],
	] {
		inventory := {"namespace": running(case[0], case[1], case[2])}
		check.findings == {{
			"message": sprintf("The operator's PodDisruptionBudget forbids evicting the only instance, so %s, which drains nodes by itself, hangs at this node. Set spec.enablePDB to false, or run a second instance.", [case[3]]),
			"path": ["spec", "enablePDB"],
		}} with input as object.union(manifests.review({}, {"instances": 1}), {"inventory": inventory})
		check.findings == set() with input as object.union(manifests.review({}, {"instances": 2}), {"inventory": inventory})
	}
	{f.severity | some f in check.findings} == {"info"} with input as object.union(manifests.review({}, {"instances": 1}), {"inventory": {"namespace": running("Deployment", "x", "ghcr.io/x/kured-exporter:1")}})
}

zalando(instances, kubernetes) := {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": instances},
	}},
	"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "o", "namespace": "ops"},
		"configuration": {"kubernetes": kubernetes},
	}}}}}},
}

test_of_zalandos_operator if {
	check.findings == {{
		"message": "The operator's PodDisruptionBudget forbids evicting the only instance, so draining its node hangs. Set enable_pod_disruption_budget of the operator to false, or run a second instance.",
		"path": ["spec", "numberOfInstances"],
		"severity": "info",
	}} with input as zalando(1, {})
	check.findings == set() with input as zalando(1, {"enable_pod_disruption_budget": false})
	check.findings == set() with input as zalando(2, {})
}

test_silent_when_unknown if {
	check.findings == set() with input as pod({"app": "db"})
	check.findings == set() with input as pod({})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
