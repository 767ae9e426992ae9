package walguard.checks.workload.pdb_blocks_drain_test

import data.walguard.checks.workload.pdb_blocks_drain as check
import data.walguard.lib.manifest_test as manifests

pods := {"cnpg.io/cluster": "orders", "cnpg.io/podRole": "instance"}

budget(labels, spec) := {
	"apiVersion": "policy/v1",
	"kind": "PodDisruptionBudget",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": object.union({"selector": {"matchLabels": labels}}, spec),
}

reviewed(review, budgets) := object.union(review, {"inventory": {"namespace": {"prod": {"policy/v1": {"PodDisruptionBudget": {sprintf("%d", [i]): b |
	some i, b in budgets
}}}}}})

findings(b) := found if found := check.findings with input as reviewed(manifests.review({}, {}), [b])

said(field, demand) := {{
	"message": sprintf("PodDisruptionBudget db never allows an eviction: %s for 3 instances, so draining a node hangs. Set maxUnavailable to 1.", [demand]),
	"path": ["spec", field],
	"resource": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "namespace": "prod", "name": "db"},
}}

test_never if {
	findings(budget(pods, {"minAvailable": 3})) == said("minAvailable", "minAvailable 3")
	findings(budget({"cnpg.io/cluster": "orders"}, {"minAvailable": "100%"})) == said("minAvailable", "minAvailable 100%")
	findings(budget({"cnpg.io/cluster": "orders"}, {"maxUnavailable": 0})) == said("maxUnavailable", "maxUnavailable 0")
	findings(budget(pods, {"maxUnavailable": "0%"})) == said("maxUnavailable", "maxUnavailable 0%")
}

test_one_may_go if {
	findings(budget(pods, {"minAvailable": 2})) == set()
	findings(budget(pods, {"maxUnavailable": 1})) == set()
	findings(budget(pods, {"minAvailable": "50%"})) == set()
}

test_of_others if {
	findings(budget({"cnpg.io/cluster": "other"}, {"maxUnavailable": 0})) == set()
	findings(budget({}, {"maxUnavailable": 0})) == set()
	findings(budget(object.union(pods, {"role": "primary"}), {"maxUnavailable": 0})) == set()
	findings(object.union(budget(pods, {"minAvailable": 3}), {"metadata": {"ownerReferences": [{"kind": "Cluster", "name": "orders"}]}})) == set()
}

# Poolers carry the label too, so that their number is not known.
test_silent_when_unknown if {
	findings(budget({"cnpg.io/cluster": "orders"}, {"minAvailable": 3})) == set()
	findings(budget(pods, {"selector": {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, "maxUnavailable": 0})) == set()
	findings("x") == set()
	check.findings == set() with input as manifests.review({}, {})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

test_stateful_set if {
	reviewable := {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": {
			"metadata": {"labels": {"app": "db", "tier": "x"}},
			"spec": {"containers": [{"image": "postgres:17"}]},
		}},
	}}}
	{f.path | some f in check.findings} == {["spec", "minAvailable"]} with input as reviewed(reviewable, [budget({"app": "db"}, {"minAvailable": 2})])
	check.findings == set() with input as reviewed(reviewable, [budget({"tier": "x"}, {"minAvailable": 2})])
}

test_other_operators if {
	spec := {"numberOfInstances": 2, "instances": 2, "replicas": 2}
	pgo := object.union(spec, {"instances": [{"replicas": 2}]})
	postgres := {"postgres-operator.crunchydata.com/cluster": "orders", "postgres-operator.crunchydata.com/data": "postgres"}
	blocks := object.union(spec, {"componentSpecs": [{"name": "pg", "componentDef": "postgresql-16-1.0.0", "replicas": 2}]})
	every case in [
		["acid.zalan.do/v1", "postgresql", spec, {"cluster-name": "orders"}],
		["stackgres.io/v1", "SGCluster", spec, {"stackgres.io/cluster-name": "orders"}],
		["kubegres.reactive-tech.io/v1", "Kubegres", spec, {"app": "orders"}],
		["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", pgo, postgres],
		["pgv2.percona.com/v2", "PerconaPGCluster", pgo, postgres],
		["apps.kubeblocks.io/v1", "Cluster", blocks, {"app.kubernetes.io/instance": "orders"}],
	] {
		[version, kind, fields, labels] := case
		reviewable := {"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": fields}}}
		count(check.findings) == 1 with input as reviewed(reviewable, [budget(labels, {"maxUnavailable": 0})])
	}
}

pooler(replicas, budget) := {f.message |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"Deployment": {"pgpool": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pgpool", "namespace": "prod"},
				"spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "pgpool"}}, "template": {"metadata": {"labels": {"app": "pgpool"}}, "spec": {"containers": [{"name": "pgpool", "image": "bitnami/pgpool:4.6.0", "env": [{"name": "PGPOOL_BACKEND_NODES", "value": "0:db-0.db:5432"}]}]}}},
			}}},
			"policy/v1": {"PodDisruptionBudget": {"pgpool": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "pgpool", "namespace": "prod"}, "spec": object.union({"selector": {"matchLabels": {"app": "pgpool"}}}, budget)}}},
		}}},
	}
	some f in found
}

test_pooler if {
	pooler(1, {"minAvailable": 1}) == {"PodDisruptionBudget pgpool never allows an eviction: minAvailable 1 for 1 of Deployment pgpool, so draining a node hangs. Set maxUnavailable to 1."}
	pooler(2, {"minAvailable": 1}) == set()
	pooler(1, {"maxUnavailable": 1}) == set()
}
