package walguard.checks.workload.deployment_strategy_test

import data.walguard.checks.workload.deployment_strategy as check

findings(kind, spec) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union(
			{"template": {"spec": {
				"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "orders"}}],
			}}},
			spec,
		),
	}}}
}

test_rolling_update if {
	findings("Deployment", {"strategy": {"type": "RollingUpdate"}}) == {{
		"message": "A rolling update starts the new server on claim orders while the old one still runs: the update hangs, or both write one data directory. Set spec.strategy.type to Recreate, or use a StatefulSet.",
		"path": ["spec", "strategy"],
		"fix": [{"op": "replace", "path": "/spec/strategy", "value": {"type": "Recreate"}}],
	}}
}

test_rolling_update_by_default if {
	{[f.path, f.fix] | some f in findings("Deployment", {})} == {[["spec"], [{"op": "add", "path": "/spec/strategy", "value": {"type": "Recreate"}}]]}
}

on_host(strategy) := findings("Deployment", object.union(
	{"template": {"spec": {
		"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [{"name": "data", "hostPath": {"path": "/srv/orders"}}],
	}}},
	strategy,
))

test_rolling_update_in_a_directory_of_the_node if {
	on_host({"strategy": {"type": "RollingUpdate"}}) == {{
		"message": "A rolling update starts the new server in /srv/orders of the node while the old one still runs: both write one data directory and destroy it. Set spec.strategy.type to Recreate, or use a StatefulSet.",
		"path": ["spec", "strategy"],
		"fix": [{"op": "replace", "path": "/spec/strategy", "value": {"type": "Recreate"}}],
	}}
	{f.path | some f in on_host({})} == {["spec"]}
	on_host({"strategy": {"type": "Recreate"}}) == set()
	on_host({"replicas": 0}) == set()
}

test_replicas if {
	findings("StatefulSet", {"replicas": 2}) == {{
		"message": "Several replicas share claim orders: each is a server of its own, and together they destroy the data directory. Run one replica, or use a StatefulSet with volumeClaimTemplates and replication.",
		"path": ["spec", "replicas"],
	}}
}

test_recreate if findings("Deployment", {"strategy": {"type": "Recreate"}}) == set()

test_stateful_set if findings("StatefulSet", {"replicas": 1}) == set()

server(name, claim, subpath, env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "prod"}, "spec": {"strategy": {"type": "Recreate"}, "template": {"spec": {
	"containers": [{"name": "postgres", "image": "postgres:17.6", "env": env, "volumeMounts": [object.union({"name": "data", "mountPath": "/var/lib/postgresql/data"}, subpath)]}],
	"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}],
}}}}

beside(one, other) := found if {
	found := check.findings with input as {"review": {"object": one}, "inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {one.metadata.name: one, other.metadata.name: other}}}}}}
}

# Of the two one is reported.
test_claim_of_another if {
	first := server("first", "data", {}, [])
	second := server("second", "data", {}, [])
	beside(second, first) == {{
		"message": "Deployment first keeps its data in the same directory of claim data: two servers write one data directory and destroy it. Give each a claim of its own, or another subPath.",
		"path": ["spec", "template", "spec", "volumes", 0],
	}}
	beside(first, second) == set()
}

test_claims_apart if {
	second := server("second", "data", {}, [])
	beside(second, server("first", "other", {}, [])) == set()
	beside(second, server("first", "data", {"subPath": "first"}, [])) == set()
	beside(second, server("first", "data", {}, [{"name": "PGDATA", "value": "/var/lib/postgresql/data/first"}])) == set()
	beside(second, json.patch(server("first", "data", {}, []), [{"op": "add", "path": "/spec/replicas", "value": 0}])) == set()
	beside(second, json.patch(server("first", "data", {}, []), [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "busybox"}])) == set()
}

scaled(kind, by) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": kind,
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"strategy": {"type": "Recreate"}, "template": {"spec": {
				"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "orders"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {by.apiVersion: {by.kind: {"grow": object.union(by, {"metadata": {"name": "grow", "namespace": "prod"}})}}}}},
	}
}

autoscaler(kind, most) := {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {"scaleTargetRef": {"kind": kind, "name": "orders"}, "maxReplicas": most}}

keda(spec) := {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "spec": spec}

test_autoscaler if {
	scaled("Deployment", autoscaler("Deployment", 3)) == {{
		"message": "HorizontalPodAutoscaler grow may start up to 3 pods on claim orders: each is a server of its own, and together they destroy the data directory or wait for the volume. Remove it, since a server grows by its resources.",
		"path": ["spec", "maxReplicas"],
		"resource": {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "name": "grow", "namespace": "prod"},
	}}
	count(scaled("StatefulSet", autoscaler("StatefulSet", 2))) == 1
	scaled("Deployment", autoscaler("Deployment", 1)) == set()
	scaled("Deployment", autoscaler("StatefulSet", 3)) == set()
	scaled("Deployment", autoscaler("Deployment", "${MOST}")) == set()
}

test_keda if {
	{[f.path, contains(f.message, "100 pods")] | some f in scaled("Deployment", keda({"scaleTargetRef": {"name": "orders"}}))} == {[["spec"], true]}
	{[f.path, contains(f.message, "4 pods")] | some f in scaled("StatefulSet", keda({"scaleTargetRef": {"kind": "StatefulSet", "name": "orders"}, "maxReplicaCount": 4}))} == {[["spec", "maxReplicaCount"], true]}
	scaled("Deployment", keda({"scaleTargetRef": {"name": "orders"}, "maxReplicaCount": 1})) == set()
	scaled("Deployment", keda({"scaleTargetRef": {"name": "web"}})) == set()
	scaled("Deployment", keda({"scaleTargetRef": {"kind": "StatefulSet", "name": "orders"}})) == set()
}
