# What operators make of the resources that are judged is not judged a second time.
package walguard.model_generated_test

import data.walguard.model

container := {"name": "postgres", "image": "ghcr.io/cloudnative-pg/postgres:17.5"}

pod(metadata) := {"apiVersion": "v1", "kind": "Pod", "metadata": object.union({"name": "x", "namespace": "shop"}, metadata), "spec": {"containers": [container]}}

set(metadata) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "x", "namespace": "shop"},
	"spec": {"template": {"metadata": metadata, "spec": {"containers": [container]}}},
}

owned(kind, made) := object.union(made, {"metadata": {"ownerReferences": [{"apiVersion": "example.com/v1", "kind": kind, "name": "x"}]}})

labelled(key, value) := {"labels": {key: value}}

custom(api_version, kind) := {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": "shop"}, "spec": {"instances": [{"name": "a"}]}}

children := {
	"CloudNativePG": pod(labelled("cnpg.io/cluster", "orders")),
	"CloudNativePG, by its owner": owned("Cluster", pod({})),
	"EDB": pod(labelled("k8s.enterprisedb.io/cluster", "orders")),
	"Zalando, StatefulSet": set(labelled("application", "spilo")),
	"Zalando, Pod": pod(labelled("application", "spilo")),
	"Crunchy": set(labelled("postgres-operator.crunchydata.com/cluster", "hippo")),
	"StackGres, StatefulSet": set(labelled("stackgres.io/cluster-name", "orders")),
	"StackGres, of shards": owned("SGShardedCluster", custom("stackgres.io/v1", "SGCluster")),
	"Percona": owned("PerconaPGCluster", custom("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster")),
	"Percona, since 3.0": owned("PerconaPGCluster", custom("upstream.pgv2.percona.com/v1beta1", "PostgresCluster")),
	"Kubegres": owned("Kubegres", set({})),
	"KubeBlocks, InstanceSet": custom("workloads.kubeblocks.io/v1", "InstanceSet"),
	"KubeBlocks, Component": custom("apps.kubeblocks.io/v1", "Component"),
	"KubeBlocks, Pod": owned("InstanceSet", pod(labelled("app.kubernetes.io/managed-by", "kubeblocks"))),
	"a Deployment's": owned("ReplicaSet", pod({})),
}

test_children_are_not_judged if {
	every child in children {
		review := {"review": {"object": child}}
		not model.cluster with input as review
	}
}

# The same without a sign of an operator.
test_what_nobody_made_is_judged if {
	every made in [
		pod({}),
		set({}),
		custom("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"),
		custom("stackgres.io/v1", "SGCluster"),
	] {
		review := {"review": {"object": made}}
		model.cluster.name == "x" with input as review
	}
}
