package walguard.operators.workload.oversized_test

import data.walguard.checks.parameters.operator_refuses as check

application(source, spec) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "operator", "namespace": "argocd"}, "spec": object.union({"source": source}, spec)}

cnpg := {"chart": "cloudnative-pg", "repoURL": "https://cloudnative-pg.github.io/charts", "targetRevision": "0.26.1"}

found(o) := all if {
	all := {[f.path, f.message] | some f in check.findings} with input as {"review": {"object": o}}
}

refused(crd) := sprintf("The API server refuses CRD %s: Argo CD applies it with an annotation that holds the whole of it, and 262144 bytes are the most (\"metadata.annotations: Too long\"). Add ServerSideApply=true to syncPolicy.syncOptions.", [crd])

of(path, crd) := {[path, refused(crd)]}

test_longer_than_an_annotation if {
	found(application(cnpg, {})) == of(["spec", "syncPolicy"], "poolers.postgresql.cnpg.io")
	found(application(cnpg, {"syncPolicy": {"syncOptions": ["CreateNamespace=true"]}})) == of(["spec", "syncPolicy"], "poolers.postgresql.cnpg.io")
	found(application({"repoURL": "x", "ref": "values"}, {"sources": [cnpg]})) == of(["spec", "syncPolicy"], "poolers.postgresql.cnpg.io")
	every source, crd in {
		{"chart": "kubeblocks", "targetRevision": "v0.9.5"}: "clusterdefinitions.apps.kubeblocks.io",
		{"chart": "pg-operator", "targetRevision": "2.8.2", "helm": {"valueFiles": ["values.yaml"]}}: "perconapgclusters.pgv2.percona.com",
		{"repoURL": "oci://registry.developers.crunchydata.com/crunchydata/pgo", "targetRevision": "5.8.5", "path": "."}: "postgresclusters.postgres-operator.crunchydata.com",
		{"chart": "edb-postgres-for-kubernetes", "targetRevision": "0.20.2"}: "poolers.postgresql.k8s.enterprisedb.io",
	} {
		found(application(source, {})) == of(["spec", "syncPolicy"], crd)
	}
}

test_several if {
	set := {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "operator"}, "spec": {"generators": [{"clusters": {}}], "template": {"spec": {"source": cnpg}}}}
	found(set) == of(["spec", "template", "spec", "syncPolicy"], "poolers.postgresql.cnpg.io")
	every more in [{"templatePatch": "spec: {}"}, {"generators": [{"list": {"template": {}}}]}] {
		found(object.union(set, {"spec": more})) == set()
	}
}

test_not_longer if {
	every spec in [{"syncOptions": ["ServerSideApply=true"]}, {"syncOptions": ["Replace=true"]}, {"syncOptions": ["{{options}}"]}] {
		found(application(cnpg, {"syncPolicy": spec})) == set()
	}
	every more in [
		{"targetRevision": "0.20.1"}, {"targetRevision": "*"}, {"targetRevision": "0.30.0"}, {"targetRevision": ">=0.21.0"}, {"chart": "cluster"}, {"chart": 1}, {"plugin": {"name": "x"}},
		{"helm": {"valuesObject": {"crds": {"create": false}}}}, {"helm": {"values": "crds:\n  create: false\n"}}, {"helm": {"valueFiles": ["a.yaml"]}},
	] {
		found(application(object.union(cnpg, more), {})) == set()
	}
	found(application({"chart": "pg-operator", "targetRevision": "2.9.0"}, {})) == set()
	found(application({"chart": "pgo", "targetRevision": "5.8.5", "helm": {"skipCrds": true}}, {})) == set()
	found(application({"repoURL": "https://github.com/x/pgo", "path": "pgo", "targetRevision": "5.8.5"}, {})) == set()
	found(object.union(application(cnpg, {}), {"apiVersion": "app.k8s.io/v1beta1"})) == set()
}
