package walguard.model.disruption_test

import data.walguard.lib.inventory
import data.walguard.model
import data.walguard.model.disruption

labels := {"app": "db", "tier": "data"}

cluster := {
	"selection": {"labels": labels, "own": {"app": "db"}, "count": 3},
	"poolers_beside": [{"name": "pooler", "labels": {"app": "pool", "tier": "data"}, "own": {"app": "pool"}, "count": 2}],
}

budget(spec, owners) := {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "ownerReferences": owners}, "spec": spec}

for_labels(wanted, fields) := budget(object.union({"selector": {"matchLabels": wanted}}, fields), [])

listed(_, _, _) := [input.budget]

reviewed(one) := {"budget": one, "review": {"object": {"metadata": {"namespace": "shop"}}}}

never(one) := [found.demand | some found in all] if {
	all := disruption.never with model.cluster as cluster with inventory.list as listed with input as reviewed(one)
}

companions(one) := [[found.demand, found.pods, found.count] | some found in all] if {
	all := disruption.companions_never with model.cluster as cluster with inventory.list as listed with input as reviewed(one)
}

test_budgets_at_their_bounds if {
	every row in [
		[{"maxUnavailable": 0}, ["maxUnavailable 0"]], [{"maxUnavailable": "0%"}, ["maxUnavailable 0%"]], [{"maxUnavailable": 1}, []], [{"minAvailable": 3}, ["minAvailable 3"]], [{"minAvailable": 4}, ["minAvailable 4"]],
		[{"minAvailable": 2}, []], [{"minAvailable": "100%"}, ["minAvailable 100%"]], [{"minAvailable": "99%"}, []], [{}, []],
	] {
		never(for_labels({"app": "db"}, row[0])) == row[1]
	}
	never(for_labels({"tier": "data"}, {"minAvailable": 3})) == []
	never(for_labels({"tier": "data"}, {"maxUnavailable": 0})) == ["maxUnavailable 0"]
	never(for_labels({"app": "other"}, {"maxUnavailable": 0})) == []
	never(for_labels({"app": "db", "tier": "other"}, {"maxUnavailable": 0})) == []
	never(for_labels({}, {"maxUnavailable": 0})) == []
	never(budget({"selector": {"matchLabels": labels}, "maxUnavailable": 0}, [{"name": "operator"}])) == []
	never(budget({"selector": {"matchLabels": labels, "matchExpressions": [{"key": "a"}]}, "maxUnavailable": 0}, [])) == []
}

test_a_part_of_one_pod if {
	single := object.union(cluster, {"selection": {"count": 1}})
	every text, all in {"1%": true, "0%": false, "50%": true} {
		count([1 | disruption.all_of_them(for_labels({"app": "db"}, {}), text)]) == count([1 | all]) with model.cluster as single
	}
	not disruption.all_of_them(for_labels({"app": "db"}, {}), "50%") with model.cluster as cluster
	not disruption.all_of_them(for_labels({"tier": "data"}, {}), "50%") with model.cluster as single
	not disruption.instances with model.cluster as {"selection": {"count": "x"}}
}

test_budgets_of_poolers if {
	every row in [
		[{"maxUnavailable": 0}, [["maxUnavailable 0", "pooler", 2]]], [{"maxUnavailable": "0%"}, [["maxUnavailable 0%", "pooler", 2]]], [{"maxUnavailable": 1}, []], [{"minAvailable": 2}, [["minAvailable 2", "pooler", 2]]],
		[{"minAvailable": 1}, []], [{"minAvailable": "100%"}, [["minAvailable 100%", "pooler", 2]]],
	] {
		companions(for_labels({"app": "pool"}, row[0])) == row[1]
	}
	companions(for_labels({"tier": "data"}, {"minAvailable": 2})) == []
	companions(for_labels({"app": "db"}, {"maxUnavailable": 0})) == []
	companions(budget({"selector": {"matchLabels": {"app": "pool"}}, "maxUnavailable": 0}, [{"name": "operator"}])) == []
	companions(budget({"selector": {"matchLabels": {"app": "pool"}, "matchExpressions": [{"key": "a"}]}, "maxUnavailable": 0}, [])) == []
}
