package walguard.checks.durability.unreplicated_replicas_test

import data.walguard.checks.durability.unreplicated_replicas as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

claim := {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}]}

mounts := {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}

servers(replicas, container, pod) := workload(object.union(mounts, container), object.union({"replicas": replicas}, claim), pod)

test_three_databases if {
	check.findings == {{
		"message": "3 replicas are 3 unrelated databases: the image does not replicate, and a Service spreads writes over them. Set replicas to 1, or use an operator.",
		"path": ["spec", "replicas"],
		"facts": {"servers": 3},
	}} with input as servers(3, {"args": ["postgres", "-c", "max_connections=200"]}, {})
	found := check.findings with input as servers(2, {"command": ["docker-entrypoint.sh", "postgres"]}, {})
	count(found) == 1
	watched := check.findings with input as servers(2, {"name": "db"}, {"containers": [
		object.union(mounts, {"name": "db", "image": "postgres:17"}),
		{"name": "metrics", "image": "quay.io/prometheuscommunity/postgres-exporter:v0.15"},
	]})
	count(watched) == 1

	# Bitnami's names, which the official image does not read.
	wished := check.findings with input as servers(2, {"env": [{"name": "POSTGRES_REPLICATION_USER", "value": "replicator"}, {"name": "POSTGRES_REPLICATION_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "replication"}}}]}, {})
	count(wished) == 1
}

test_one if check.findings == set() with input as servers(1, {}, {})

test_somebody_replicates if {
	every case in [
		[{}, {"initContainers": [{"name": "clone"}]}],
		[{"env": [{"name": "PRIMARY_HOST", "value": "orders-0"}]}, {}],
		[{"env": [{"name": "REPLICATION_USER", "valueFrom": {}}]}, {}],
		[{"envFrom": [{"configMapRef": {"name": "elsewhere"}}]}, {}],
		[{"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}, {}],
		[{"args": ["-c", "primary_conninfo=host=orders-0"]}, {}],
		[{"args": ["-c", "shared_preload_libraries=repmgr"]}, {}],
		[{"lifecycle": {"postStart": {}}}, {}],
		[{"name": "db"}, {"containers": [object.union(mounts, {"name": "db", "image": "postgres:17"}), {"name": "agent", "image": "example/replicator"}]}],
		[{"image": "registry.example.com/postgres:17"}, {}],
		[{"image": "docker.io/bitnami/postgresql-repmgr:17"}, {}],
	] {
		check.findings == set() with input as servers(3, case[0], case[1])
	}
}

test_silent_when_unknown if {
	check.findings == set() with input as servers("some", {}, {})
	check.findings == set() with input as workload({}, {"replicas": 3}, {})
}

# An emptyDir is each pod's own as well, in a Deployment too.
deployed(volume) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "db", "namespace": "vote"},
	"spec": {"replicas": 2, "template": {"spec": {
		"containers": [object.union({"image": "postgres:17"}, mounts)],
		"volumes": [object.union({"name": "data"}, volume)],
	}}},
}}}

test_an_empty_dir if {
	count(check.findings) == 1 with input as deployed({"emptyDir": {}})
	check.findings == set() with input as deployed({"persistentVolumeClaim": {"claimName": "db"}})
}

test_autoscaler if {
	server := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {
		"template": {"spec": {"containers": [{"image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
	}}
	scaler := {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"scaleTargetRef": {"kind": "StatefulSet", "name": "db"}, "maxReplicas": 5}}
	sight := {"namespace": {"prod": {"autoscaling/v2": {"HorizontalPodAutoscaler": {"db": scaler}}}}}
	{f.message | some f in check.findings} == {"5 replicas are 5 unrelated databases: the image does not replicate, and a Service spreads writes over them. Remove the autoscaler, or use an operator."} with input as {"review": {"object": server}, "inventory": sight}
	one := {"namespace": {"prod": {"autoscaling/v2": {"HorizontalPodAutoscaler": {"db": json.patch(scaler, [{"op": "replace", "path": "/spec/maxReplicas", "value": 1}])}}}}}
	check.findings == set() with input as {"review": {"object": server}, "inventory": one}
}
