package walguard.checks.workload.pod_security_test

import data.walguard.checks.workload.pod_security as check

server(pod, container) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": object.union(pod, {"containers": [object.union({"name": "postgres", "image": "postgres:17"}, container)]})}},
}

enforced(standard, object) := {
	"review": {"object": object},
	"inventory": {"cluster": {"v1": {"Namespace": {"prod": {
		"apiVersion": "v1",
		"kind": "Namespace",
		"metadata": {"name": "prod", "labels": {"pod-security.kubernetes.io/enforce": standard}},
	}}}}},
}

tight := {"securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}

unprivileged := {"securityContext": {"runAsNonRoot": true, "runAsUser": 999, "seccompProfile": {"type": "RuntimeDefault"}}}

test_restricted if {
	check.findings == {{
		"message": "Namespace prod enforces Pod Security \"restricted\" and refuses the pods: container postgres does not set runAsNonRoot and container postgres has no seccompProfile. Write what the standard asks for, or take another namespace.",
		"path": ["spec", "template", "spec", "containers", 0],
	}} with input as enforced("restricted", server({}, tight))
	found := check.findings with input as enforced("restricted", server({}, {}))
	{contains(f.message, "and 3 more.") | some f in found} == {true}
}

test_baseline if {
	reviewed := server({"hostNetwork": true, "volumes": [{"name": "data", "hostPath": {"path": "/srv"}}]}, {"securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}})
	check.findings == {{
		"message": "Namespace prod enforces Pod Security \"baseline\" and refuses the pods: hostNetwork is true and 2 more. Write what the standard asks for, or take another namespace.",
		"path": ["spec", "template", "spec", "hostNetwork"],
	}} with input as enforced("baseline", reviewed)
	found := check.findings with input as enforced("baseline", server({}, {"securityContext": {"privileged": true}}))
	count(found) == 1
}

test_zalando if {
	found := check.findings with input as enforced("restricted", {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"numberOfInstances": 1}})
	{[f.path, endswith(f.message, "Take a namespace that enforces baseline or privileged.")] | some f in found} == {[["spec"], true]}
}

test_root_in_an_init_container if {
	reviewed := server(object.union(unprivileged, {"initContainers": [object.union(tight, {"name": "own", "securityContext": {"runAsUser": 0}})]}), tight)
	found := check.findings with input as enforced("restricted", reviewed)
	{f.path | some f in found} == {["spec", "template", "spec", "initContainers", 0, "securityContext", "runAsUser"]}
	again := check.findings with input as enforced("restricted", server({"securityContext": {"runAsUser": 0, "runAsNonRoot": true, "seccompProfile": {}}}, tight))
	{f.path | some f in again} == {["spec", "template", "spec", "securityContext", "runAsUser"]}
}

test_as_it_should_be if {
	check.findings == set() with input as enforced("restricted", server(unprivileged, tight))
	check.findings == set() with input as enforced("restricted", server({}, {"securityContext": object.union(tight.securityContext, unprivileged.securityContext)}))
	check.findings == set() with input as enforced("baseline", server({}, {}))
	check.findings == set() with input as enforced("privileged", server({"hostPID": true}, {}))
}

test_silent_when_unknown if {
	check.findings == set() with input as {"review": {"object": server({"hostIPC": true}, {})}}
}

kubegres(spec) := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"replicas": 2, "image": "postgres:17.6"}, spec)}

test_kubegres if {
	check.findings == {{
		"message": "Namespace prod enforces Pod Security \"restricted\" and refuses the pods: the pods do not set runAsNonRoot and 3 more. Set securityContext.runAsNonRoot: true with runAsUser: 999, containerSecurityContext.allowPrivilegeEscalation: false, containerSecurityContext.capabilities.drop: [ALL], securityContext.seccompProfile.type: RuntimeDefault.",
		"path": ["spec"],
	}} with input as enforced("restricted", kubegres({}))
	check.findings == set() with input as enforced("restricted", kubegres({"securityContext": unprivileged.securityContext, "containerSecurityContext": tight.securityContext}))
	check.findings == set() with input as enforced("restricted", kubegres({"containerSecurityContext": object.union(tight.securityContext, unprivileged.securityContext)}))
	check.findings == set() with input as enforced("baseline", kubegres({}))
	privileged := check.findings with input as enforced("baseline", kubegres({"containerSecurityContext": {"privileged": true}}))
	{f.path | some f in privileged} == {["spec", "containerSecurityContext"]}
}

ranged(workload, more) := {
	"review": {"object": workload},
	"inventory": {"cluster": object.union(
		{"v1": {"Namespace": {"prod": {
			"apiVersion": "v1",
			"kind": "Namespace",
			"metadata": {"name": "prod", "annotations": {"openshift.io/sa.scc.uid-range": "1000680000/10000", "openshift.io/sa.scc.supplemental-groups": "1000680000/10000"}},
		}}}},
		more,
	)},
}

test_ids_of_openshift if {
	check.findings == {{
		"message": "OpenShift gives namespace prod the users and groups 1000680000/10000, and refuses pods of the account \"default\" with fsGroup 999. Leave the ids out, so that it assigns them.",
		"path": ["spec", "template", "spec", "securityContext", "fsGroup"],
	}} with input as ranged(server({"securityContext": {"fsGroup": 999}}, {}), {})
	count(check.findings) == 1 with input as ranged(server({}, {"securityContext": {"runAsUser": 999}}), {})
	count(check.findings) == 1 with input as ranged(server({"securityContext": {"runAsUser": 1000690000}}, {}), {})
}

# Of the range, of an account of its own, or where something may admit others; in a cluster the bindings are not read.
test_ids_of_openshift_silent if {
	check.findings == set() with input as ranged(server({"securityContext": {"fsGroup": 1000680000, "runAsUser": 1000689999}}, {}), {})
	check.findings == set() with input as ranged(server({"serviceAccountName": "db", "securityContext": {"fsGroup": 999}}, {}), {})
	check.findings == set() with input as ranged(server({"securityContext": {"fsGroup": 999}}, {}), {"rbac.authorization.k8s.io/v1": {"ClusterRoleBinding": {"anyuid": {"subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "prod"}]}}}})
	check.findings == set() with input as ranged(server({"securityContext": {"fsGroup": 999}}, {}), {"security.openshift.io/v1": {"SecurityContextConstraints": {"postgres": {"users": []}}}})
	check.findings == set() with input as object.union(ranged(server({"securityContext": {"fsGroup": 999}}, {}), {}), {"inventory": {"live": true}})
	check.findings == set() with input as {"review": {"object": server({"securityContext": {"fsGroup": 999}}, {})}}
}

routed(workload, cluster) := {
	"review": {"object": workload},
	"inventory": {
		"namespace": {"prod": {"route.openshift.io/v1": {"Route": {"shop": {"apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": {"name": "shop", "namespace": "prod"}}}}}},
		"cluster": cluster,
	},
}

test_route_of_openshift if {
	check.findings == {{
		"message": "OpenShift (Route shop) has users and groups from 1000000000 on, and refuses pods of the account \"default\" with fsGroup 1001 unless somebody gave it nonroot-v2 or anyuid. Leave the ids out, so that it assigns them.",
		"path": ["spec", "template", "spec", "securityContext", "fsGroup"],
		"severity": "warning",
	}} with input as routed(server({"securityContext": {"fsGroup": 1001}}, {}), {})
	check.findings == set() with input as routed(server({"securityContext": {"fsGroup": 1000680000}}, {}), {})
	check.findings == set() with input as routed(server({}, {}), {})
	check.findings == set() with input as routed(server({"serviceAccountName": "db", "securityContext": {"fsGroup": 1001}}, {}), {})
	check.findings == set() with input as routed(server({"securityContext": {"fsGroup": 1001}}, {}), {"security.openshift.io/v1": {"SecurityContextConstraints": {"postgres": {"users": []}}}})
}

dump_job(pod) := {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": object.union({"containers": [object.union({"name": "dump", "image": "postgres:17", "command": ["sh", "-c", "pg_dump -h orders shop > /b/d.sql"]}, tight)]}, pod)}}}}}

beside(made) := object.union(enforced("restricted", object.union(server(unprivileged, tight), {"spec": {"serviceName": "orders"}})), {"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": made}}, "v1": {"Service": {"orders": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"ports": [{"port": 5432}]}}}}}}}})

# A dump beside it, and a program that waits for it.
test_tools_beside_it if {
	found := check.findings with input as beside(dump_job({}))
	{[f.message, f.resource.name, f.path] | some f in found} == {["Namespace prod enforces Pod Security \"restricted\" and refuses the pods of CronJob dump, which dumps the database: container dump does not set runAsNonRoot and container dump has no seccompProfile. Write what the standard asks for, or take another namespace.", "dump", ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0]]}
	check.findings == set() with input as beside(dump_job(unprivileged))
	check.findings == set() with input as beside(object.union(dump_job({}), {"metadata": {"ownerReferences": [{"kind": "Backup"}]}}))
}
