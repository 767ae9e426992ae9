package walguard.lib.affinity_test

import data.walguard.checks.parameters.operator_refuses as check
import data.walguard.lib.affinity

list(way) := {"preferred": "preferredDuringSchedulingIgnoredDuringExecution", "required": "requiredDuringSchedulingIgnoredDuringExecution"}[way]

reasons(field, way, value) := [fault.reason | some fault in affinity.faults({"a": {field: {list(way): value}}}, ["a", field])]

term := {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}

test_preferred_terms_of_pods if {
	reasons("podAntiAffinity", "preferred", [term]) == ["a preferred term stands without weight"]
	reasons("podAntiAffinity", "preferred", [object.union(term, {"weight": 100})]) == ["a preferred term stands without podAffinityTerm"]
	reasons("podAffinity", "preferred", [{"podAffinityTerm": term}]) == ["a preferred term stands without weight"]
	reasons("podAffinity", "preferred", [{"weight": 0, "podAffinityTerm": term}]) == ["weight is 0"]
	reasons("podAffinity", "preferred", [{"weight": 101, "podAffinityTerm": term}]) == ["weight is 101"]
	reasons("podAffinity", "preferred", [{"weight": 1, "podAffinityTerm": object.remove(term, ["topologyKey"])}]) == ["a term of podAffinityTerm stands without topologyKey"]
	reasons("podAffinity", "preferred", [{"weight": 1, "podAffinityTerm": {"${TERM}": null}}]) == [] with input as {"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}}}
	reasons("additionalPodAntiAffinity", "preferred", {"weight": 1, "podAffinityTerm": term}) == ["preferredDuringSchedulingIgnoredDuringExecution is a map"]
}

test_required_terms_of_pods if {
	reasons("podAntiAffinity", "required", [{"weight": 100, "podAffinityTerm": term}]) == ["a required term stands below podAffinityTerm, which preferred terms have"]
	reasons("podAntiAffinity", "required", [object.remove(term, ["topologyKey"])]) == ["a required term stands without topologyKey"]
}

test_terms_of_nodes if {
	reasons("nodeAffinity", "required", [{"matchExpressions": []}]) == ["requiredDuringSchedulingIgnoredDuringExecution is a list"]
	reasons("nodeAffinity", "required", {"matchExpressions": [{"key": "a", "operator": "Exists"}]}) == ["requiredDuringSchedulingIgnoredDuringExecution of nodeAffinity has no nodeSelectorTerms"]
	reasons("nodeAffinity", "preferred", [{"weight": 1, "matchExpressions": []}]) == ["a preferred term stands without preference"]
}

test_silent if {
	reasons("podAntiAffinity", "preferred", [{"weight": 100, "podAffinityTerm": term}]) == []
	reasons("podAntiAffinity", "preferred", [{"weight": "${WEIGHT}", "podAffinityTerm": term}]) == []
	reasons("podAntiAffinity", "preferred", [{"weight": 100, "podAffinityTerm": "${TERM}"}]) == []
	reasons("podAntiAffinity", "preferred", "${TERMS}") == []
	reasons("podAntiAffinity", "preferred", []) == []
	reasons("podAntiAffinity", "required", [term]) == []
	reasons("nodeAffinity", "required", {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}) == []
	reasons("nodeAffinity", "preferred", [{"weight": 1, "preference": {}}]) == []
	reasons("nodeAffinity", "required", []) == []
}

refused(object) := {f.path | some f in found} if {
	found := check.findings with input as {"review": {"object": object}}
}

wrong := {"podAntiAffinity": {list("preferred"): [term]}}

of(version, kind, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "b"}, "spec": spec}

# Wherever an operator has it.
test_places if {
	tail := ["podAntiAffinity", list("preferred"), 0]
	every one in [
		[of("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"postgresVersion": 17, "instances": [{"name": "i", "affinity": wrong}]}), ["spec", "instances", 0, "affinity"]],
		[of("pgv2.percona.com/v2", "PerconaPGCluster", {"postgresVersion": 17, "proxy": {"pgBouncer": {"affinity": wrong}}}), ["spec", "proxy", "pgBouncer", "affinity"]],
		[of("kubegres.reactive-tech.io/v1", "Kubegres", {"image": "postgres:17.6", "scheduler": {"affinity": wrong}}), ["spec", "scheduler", "affinity"]],
		[of("apps/v1", "StatefulSet", {"selector": {"matchLabels": {"app": "db"}}, "serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"affinity": wrong, "containers": [{"name": "db", "image": "postgres:17.6"}]}}}), ["spec", "template", "spec", "affinity"]],
		[of("stackgres.io/v1", "SGCluster", {"postgres": {"version": "17.6"}, "instances": 1, "pods": {"persistentVolume": {"size": "1Gi"}, "scheduling": wrong}}), ["spec", "pods", "scheduling"]],
		[of("apps.kubeblocks.io/v1", "Cluster", {"clusterDef": "postgresql", "terminationPolicy": "Delete", "componentSpecs": [{"name": "postgresql", "serviceVersion": "16.4.0", "schedulingPolicy": {"affinity": wrong}}]}), ["spec", "componentSpecs", 0, "schedulingPolicy", "affinity"]],
	] {
		array.concat(one[1], tail) in refused(one[0])
	}
	array.concat(["spec", "affinity", "additionalPodAntiAffinity"], [list("preferred"), 0]) in refused(of("postgresql.cnpg.io/v1", "Cluster", {"instances": 1, "affinity": {"additionalPodAntiAffinity": wrong.podAntiAffinity}}))
}

test_terms_that_are_filled_in if {
	refused(of("kubegres.reactive-tech.io/v1", "Kubegres", {"image": "postgres:17.6", "database": {"size": "1Gi"}, "scheduler": {"affinity": {"podAntiAffinity": {list("preferred"): [{"{{ term }}": "", "labelSelector": {}}]}}}})) == set()
}
