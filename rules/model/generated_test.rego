# What is made from a resource that is judged is not judged a second time; whoever says so has to be able to show what from.
package walguard.model_generated_test

import data.walguard.model

container := {"name": "postgres", "image": "postgres:17.5"}

workload(kind, metadata, image) := {
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": object.union({"name": "orders-1", "namespace": "shop"}, metadata),
	"spec": {"template": {"metadata": object.filter(metadata, ["labels"]), "spec": {"containers": [object.union(container, {"image": image})]}}},
}

pod(metadata, image) := {
	"apiVersion": "v1",
	"kind": "Pod",
	"metadata": object.union({"name": "orders-0", "namespace": "shop"}, metadata),
	"spec": {"containers": [object.union(container, {"image": image})]},
}

custom(api_version, kind, name, metadata) := {
	"apiVersion": api_version,
	"kind": kind,
	"metadata": object.union({"name": name, "namespace": "shop"}, metadata),
	"spec": {
		"instances": [{"name": "a"}],
		"numberOfInstances": 2,
		"shards": {"clusters": 11},
		"componentSpecs": [{"name": "postgresql"}],
	},
}

owned(api_version, kind, name) := {"ownerReferences": [{"apiVersion": api_version, "kind": kind, "name": name, "uid": "1"}]}

uid(text) := {"uid": text}

spilo := "ghcr.io/zalando/spilo-17:4.0-p2"

# What was made, and what from.
families := {
	"Percona": {
		"child": custom("upstream.pgv2.percona.com/v1beta1", "PostgresCluster", "orders", owned("pgv2.percona.com/v2", "PerconaPGCluster", "orders")),
		"parent": custom("pgv2.percona.com/v2", "PerconaPGCluster", "orders", uid("1")),
	},
	"Percona, before 3.0": {
		"child": custom("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", "orders", owned("pgv2.percona.com/v2", "PerconaPGCluster", "orders")),
		"parent": custom("pgv2.percona.com/v2", "PerconaPGCluster", "orders", uid("1")),
	},
	"StackGres, coordinator": {
		"child": custom("stackgres.io/v1", "SGCluster", "orders-coord", owned("stackgres.io/v1alpha1", "SGShardedCluster", "orders")),
		"parent": custom("stackgres.io/v1alpha1", "SGShardedCluster", "orders", uid("1")),
	},
	"StackGres, shard": {
		"child": custom("stackgres.io/v1", "SGCluster", "orders-shard10", owned("stackgres.io/v1alpha1", "SGShardedCluster", "orders")),
		"parent": custom("stackgres.io/v1alpha1", "SGShardedCluster", "orders", uid("1")),
	},
	"Kubegres": {
		"child": workload("StatefulSet", owned("kubegres.reactive-tech.io/v1", "Kubegres", "orders"), "postgres:17"),
		"parent": custom("kubegres.reactive-tech.io/v1", "Kubegres", "orders", uid("1")),
	},
	"Zalando": {
		"child": workload("StatefulSet", {"labels": {"application": "spilo", "cluster-name": "orders-1"}}, spilo),
		"parent": custom("acid.zalan.do/v1", "postgresql", "orders-1", uid("1")),
	},
	"Zalando, Pod": {
		"child": pod({"labels": {"application": "spilo", "cluster-name": "orders"}}, spilo),
		"parent": custom("acid.zalan.do/v1", "postgresql", "orders", uid("1")),
	},
	"KubeBlocks": {
		"child": pod(object.union(owned("workloads.kubeblocks.io/v1", "InstanceSet", "orders-postgresql"), {"name": "orders-postgresql-0", "labels": {"app.kubernetes.io/instance": "orders"}}), "postgres:17"),
		"parent": custom("apps.kubeblocks.io/v1", "Cluster", "orders", uid("1")),
	},
	"KubeBlocks, instances that differ": {
		"child": pod(object.union(owned("workloads.kubeblocks.io/v1", "InstanceSet", "orders-postgresql"), {"name": "orders-postgresql-large-0", "labels": {"app.kubernetes.io/instance": "orders"}}), "postgres:17"),
		"parent": object.union(custom("apps.kubeblocks.io/v1", "Cluster", "orders", uid("1")), {"spec": {"componentSpecs": [{"name": "postgresql", "instances": [{"name": "large"}]}]}}),
	},
	"KubeBlocks, a shard": {
		"child": pod(object.union(owned("workloads.kubeblocks.io/v1", "InstanceSet", "orders-s-x1y"), {"name": "orders-s-x1y-0", "labels": {"app.kubernetes.io/instance": "orders"}}), "postgres:17"),
		"parent": object.union(custom("apps.kubeblocks.io/v1", "Cluster", "orders", uid("1")), {"spec": {"componentSpecs": [], "shardings": [{"name": "s", "template": {}}]}}),
	},
	"KubeBlocks, an InstanceSet": {
		"child": object.union(workload("InstanceSet", owned("apps.kubeblocks.io/v1", "Component", "orders-1"), "postgres:17"), {"apiVersion": "workloads.kubeblocks.io/v1"}),
		"parent": custom("apps.kubeblocks.io/v1", "Component", "orders-1", uid("1")),
	},
	"a StatefulSet's": {
		"child": pod(owned("apps/v1", "StatefulSet", "orders-1"), "postgres:17"),
		"parent": workload("StatefulSet", uid("1"), "postgres:17"),
	},
	"a ReplicaSet's": {
		"child": pod(owned("apps/v1", "ReplicaSet", "orders-1"), "postgres:17"),
		"parent": workload("ReplicaSet", uid("1"), "postgres:17"),
	},
}

inventory(o) := {"namespace": {"shop": {o.apiVersion: {o.kind: {o.metadata.name: o}}}}}

test_children_are_not_judged if {
	every family in families {
		input_ := {"review": {"object": family.child}, "inventory": inventory(family.parent)}
		not model.cluster with input as input_
	}
}

# The pod of a StatefulSet with the volumes of its owner, and with one that does not last in the place of another.
test_volumes_of_a_pod if {
	claimed := {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
	parent := object.union(workload("StatefulSet", uid("1"), "postgres:17.5"), {"spec": {"template": {"spec": on(claimed)}}})
	child := pod(owned("apps/v1", "StatefulSet", "orders-1"), "postgres:17.5")
	not model.cluster with input as {"review": {"object": object.union(child, {"spec": on(claimed)})}, "inventory": inventory(parent)}
	passing := {"name": "data", "emptyDir": {}}
	model.cluster with input as {"review": {"object": object.union(child, {"spec": on(passing)})}, "inventory": inventory(parent)}
}

on(volume) := {"containers": [object.union(container, {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]})], "volumes": [volume]}

# A file has no uid.
test_in_files if {
	every family in families {
		parent := object.union(object.remove(family.parent, ["metadata"]), {"metadata": object.remove(family.parent.metadata, ["uid"])})
		input_ := {"review": {"object": family.child}, "inventory": inventory(parent)}
		not model.cluster with input as input_
	}
}

# What has such a name, and is none of those that the operator writes anew.
test_beside_the_children if {
	every pair in [
		["StackGres, shard", {"metadata": {"name": "orders-shard11"}}],
		["Zalando, Pod", {"metadata": {"name": "orders-2"}}],
		["Zalando", {"metadata": {"name": "orders-1-0"}}],
		["KubeBlocks", {"metadata": {"name": "orders-0"}}],
		["KubeBlocks", {"metadata": {"name": "orders-postgresql-more-0"}}],
		["KubeBlocks", {"kind": "StatefulSet", "apiVersion": "apps/v1", "spec": {"template": {"spec": {"containers": [container]}}}}],
		["Kubegres", {"spec": {"template": {"spec": {"containers": [object.union(container, {"args": ["-c", "fsync=off"]})]}}}}],
	] {
		[family, change] := pair
		found := families[family]
		input_ := {"review": {"object": object.union(found.child, change)}, "inventory": inventory(found.parent)}
		model.cluster with input as input_
	}
}

# Its operator no longer writes anything anew.
test_owner_that_lets_go if {
	found := families.Percona
	every change in [{"metadata": {"deletionTimestamp": "2026-06-15T00:00:00Z"}}, {"spec": {"unmanaged": true}}] {
		input_ := {"review": {"object": found.child}, "inventory": inventory(object.union(found.parent, change))}
		model.cluster with input as input_
	}
}

# Neither does one that another controller, or a pause, keeps away from it.
test_owners_left_alone if {
	every pair in [
		["Zalando", {"acid.zalan.do/controller": "nobody"}],
		["Zalando, Pod", {"acid.zalan.do/controller": "nobody"}],
		["StackGres, shard", {"stackgres.io/reconciliation-pause": "true"}],
		["KubeBlocks", {"kubeblocks.io/crd-api-version": "apps.kubeblocks.io/v9"}],
		["KubeBlocks, an InstanceSet", {"kubeblocks.io/crd-api-version": "apps.kubeblocks.io/v9"}],
	] {
		found := families[pair[0]]
		parent := object.union(found.parent, {"metadata": {"annotations": pair[1]}})
		input_ := {"review": {"object": found.child}, "inventory": inventory(parent)}
		model.cluster with input as input_
	}
}

of_kubegres(child, parent, spec) := {"review": {"object": object.union(child, {"spec": {"template": {"spec": spec}}})}, "inventory": inventory(parent)}

# The operator gives the container no other variables, volumes and programs, and takes none away.
test_what_kubegres_does_not_make if {
	child := families.Kubegres.child
	parent := object.union(families.Kubegres.parent, {"spec": {"env": [{"name": "LANG", "value": "C"}], "customConfig": "own"}})
	honest := object.union(container, {"env": [{"name": "POD_IP", "valueFrom": {}}, {"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}, {"name": "LANG", "value": "C"}]})
	pod_spec := {
		"containers": [honest],
		"initContainers": [{"name": "setup-replica-data-directory", "command": ["sh", "-c", "/tmp/copy_primary_data_to_replica.sh"], "env": [{"name": "PGDATA", "value": "x"}]}],
		"volumes": [{"name": "custom-config", "configMap": {"name": "own"}}],
	}
	not model.cluster with input as of_kubegres(child, parent, pod_spec)
	every spec in [
		{"containers": [object.union(container, {"env": [{"name": "LD_PRELOAD", "value": "libeatmydata.so"}]})]},
		{"containers": [object.union(container, {"env": [{"name": "PGDATA", "value": "/dev/shm"}]})]},
		{"containers": [object.union(container, {"envFrom": [{"configMapRef": {"name": "x"}}]})]},
		{"containers": [honest, {"name": "other"}]},
		{"initContainers": [{"name": "setup-replica-data-directory", "command": ["sh", "-c", "echo fsync=off"]}]},
		{"volumes": [{"name": "postgres-db", "emptyDir": {}}]},
	] {
		model.cluster with input as of_kubegres(child, parent, object.union(pod_spec, spec))
	}
}

test_without_the_owner if {
	every family in families {
		input_ := {"review": {"object": family.child}}
		model.cluster with input as input_
	}
}

# A former one of the name.
test_another_uid if {
	every family in {f | some f in families; f.child.metadata.ownerReferences; not startswith(f.child.metadata.ownerReferences[0].apiVersion, "workloads")} {
		parent := object.union(family.parent, {"metadata": {"uid": "2"}})
		input_ := {"review": {"object": family.child}, "inventory": inventory(parent)}
		model.cluster with input as input_
	}
}

test_another_group if {
	forged := custom("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", "orders", owned("nope.example/v1", "PerconaPGCluster", "orders"))
	input_ := {"review": {"object": forged}, "inventory": inventory(families.Percona.parent)}
	model.cluster.name == "orders" with input as input_
}

# An honest cluster of one's own is no excuse for another one.
test_names_that_the_operator_does_not_give if {
	forged := [
		[custom("upstream.pgv2.percona.com/v1beta1", "PostgresCluster", "other", owned("pgv2.percona.com/v2", "PerconaPGCluster", "orders")), families.Percona.parent],
		[custom("stackgres.io/v1", "SGCluster", "orders-mine", owned("stackgres.io/v1alpha1", "SGShardedCluster", "orders")), families["StackGres, shard"].parent],
		[workload("StatefulSet", object.union({"name": "mine"}, owned("kubegres.reactive-tech.io/v1", "Kubegres", "orders")), "postgres:17"), families.Kubegres.parent],
		[workload("StatefulSet", {"name": "mine", "labels": {"application": "spilo", "cluster-name": "orders-1"}}, spilo), families.Zalando.parent],
	]
	every pair in forged {
		input_ := {"review": {"object": pair[0]}, "inventory": inventory(pair[1])}
		model.cluster with input as input_
	}
}

# What the owner does not start is not what was judged.
test_another_command if {
	child := pod(owned("apps/v1", "StatefulSet", "orders-1"), "postgres:17")
	forged := object.union(child, {"spec": {"containers": [object.union(child.spec.containers[0], {"args": ["-c", "fsync=off"]})]}})
	input_ := {"review": {"object": forged}, "inventory": inventory(workload("StatefulSet", uid("1"), "postgres:17"))}
	model.cluster with input as input_
}

# A server is no operator's for its labels.
test_labels_alone if {
	every labels in [{"cnpg.io/cluster": "orders"}, {"application": "spilo"}, {"app.kubernetes.io/managed-by": "kubeblocks"}] {
		input_ := {"review": {"object": pod({"labels": labels}, "postgres:17")}}
		model.cluster with input as input_
	}
}

review(child, user) := {"review": {"object": child, "operation": "CREATE", "userInfo": {"username": user}}}

# Who asks is known then: the controllers of Kubernetes make pods from what was judged.
test_admission if {
	child := pod(owned("apps/v1", "ReplicaSet", "orders-1"), "postgres:17")
	by_controller := review(child, "system:serviceaccount:kube-system:replicaset-controller")
	not model.cluster with input as by_controller
	manager := review(child, "system:kube-controller-manager")
	not model.cluster with input as manager
	every user in ["jane", "system:serviceaccount:shop:deployer"] {
		by_somebody := review(child, user)
		model.cluster with input as by_somebody
	}
}

# What a controller of Kubernetes makes from an object that is not judged is judged itself.
test_controllers_of_what_is_not_judged if {
	every owner in [["v1", "ReplicationController"], ["batch/v1", "Job"], ["apps.example/v1", "StatefulSet"]] {
		made := review(pod(owned(owner[0], owner[1], "orders-1"), "postgres:17"), "system:kube-controller-manager")
		model.cluster with input as made
	}
	every owner in [["apps/v1", "Deployment"], ["apps/v1", "StatefulSet"], ["apps/v1", "DaemonSet"], ["v1", "Node"]] {
		made := review(pod(owned(owner[0], owner[1], "orders-1"), "postgres:17"), "system:kube-controller-manager")
		not model.cluster with input as made
	}
}

# Their pods run the operator's program, which is no plain server, whoever labels them.
test_operators_pods_are_no_plain_servers if {
	every command in [["/controller/manager", "instance", "run"], ["patroni", "/etc/patroni"]] {
		made := {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orders-1", "namespace": "shop"}, "spec": {"containers": [object.union(container, {"command": command})]}}
		not model.cluster with input as {"review": {"object": made}}
	}
}
