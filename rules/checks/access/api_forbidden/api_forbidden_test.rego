package walguard.checks.access.api_forbidden_test

import data.walguard.checks.access.api_forbidden as check

env(more) := array.concat(
	[
		{"name": "PATRONI_KUBERNETES_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
		{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/home/postgres/pgdata/data"},
	],
	more,
)

endpoints := [{"name": "PATRONI_KUBERNETES_USE_ENDPOINTS", "value": "true"}]

container(variables) := {"name": "patroni", "image": "registry.example/patroni:4", "ports": [{"containerPort": 5432}], "env": variables}

findings(one, objects) := findings_of(one, {"serviceAccountName": "orders"}, objects)

findings_of(one, pod, objects) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"spec": object.union(pod, {"containers": [one]})}},
		}},
		"inventory": objects,
	}
}

messages(one, objects) := {f.message | some f in findings(one, objects)}

role(name, rules) := {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name, "namespace": "prod"}, "rules": rules}

binding(name, kind, subject) := {
	"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
	"metadata": {"name": name, "namespace": "prod"},
	"roleRef": {"kind": kind, "name": name},
	"subjects": [subject],
}

account := {"kind": "ServiceAccount", "name": "orders", "namespace": "prod"}

bound(rules) := within({"orders": role("orders", rules)}, {"orders": binding("orders", "Role", account)})

within(roles, bindings) := {"namespace": {"prod": {"rbac.authorization.k8s.io/v1": {"Role": roles, "RoleBinding": bindings}}}}

rule(resource, verbs) := {"apiGroups": [""], "resources": [resource], "verbs": verbs}

usual := ["create", "get", "list", "patch", "update", "watch"]

test_without_pods if {
	findings(container(env([{"name": "PATRONI_KUBERNETES_USE_ENDPOINTS", "value": "false"}])), bound([rule("configmaps", usual)])) == {{
		"message": "Role orders does not let ServiceAccount orders list, patch or watch pods: Patroni cannot keep its state, and no server becomes primary. Add these verbs.",
		"path": ["rules"],
		"resource": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "name": "orders", "namespace": "prod"},
	}}
}

test_without_patching_pods if {
	messages(container(env(endpoints)), bound([rule("pods", ["list", "watch"]), rule("endpoints", usual)])) == {"Role orders does not let ServiceAccount orders patch pods: Patroni cannot write into a pod what it is, so that no standby finds the primary. Add these verbs."}
}

test_without_the_place_of_the_leader if {
	messages(container(env(endpoints)), bound([rule("pods", usual), rule("configmaps", usual), rule("endpoints", ["get", "patch", "update"])])) == {"Role orders does not let ServiceAccount orders create, list or watch endpoints: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
	messages(container(env([{"name": "PATRONI_KUBERNETES_LABELS", "value": "{a: b}"}])), bound([rule("pods", usual), rule("endpoints", ["list"])])) == {"Role orders does not let ServiceAccount orders create, patch or watch endpoints: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
	count(messages(container(env(endpoints)), bound([rule("configmaps", usual)]))) == 1
}

test_bound_otherwise if {
	every subject in [{"kind": "ServiceAccount", "name": "orders"}, {"kind": "User", "name": "system:serviceaccount:prod:orders"}] {
		count(findings(container(env(endpoints)), within({"orders": role("orders", [])}, {"orders": binding("orders", "Role", subject)}))) == 1
	}
}

test_bound_to_others if {
	every subject in [
		{"kind": "ServiceAccount", "name": "other"},
		{"kind": "ServiceAccount", "name": "orders", "namespace": "other"},
		{"kind": "User", "name": "orders"},
		{"kind": "Group", "name": "system:serviceaccounts:prod"},
		{"kind": "ServiceAccount", "name": "${ACCOUNT}", "namespace": "prod"},
		{"kind": "ServiceAccount", "name": "orders", "namespace": "${NAMESPACE}"},
		{},
		3,
	] {
		findings(container(env(endpoints)), within({"orders": role("orders", [])}, {"orders": binding("orders", "Role", subject)})) == set()
	}
}

# Whoever is meant by a placeholder may be the account, and a group may be allowed what the account is not.
test_bound_with_others if {
	every subject in [{"kind": "ServiceAccount", "name": "${ACCOUNT}"}, {"kind": "Group", "name": "system:serviceaccounts"}] {
		objects := within(
			{"orders": role("orders", []), "more": role("more", [{"apiGroups": [""], "resources": ["*"], "verbs": ["*"]}])},
			{"orders": binding("orders", "Role", account), "more": binding("more", "Role", subject)},
		)
		findings(container(env(endpoints)), objects) == set()
	}
}

# What allows it stands beside what does not.
test_several_bindings if {
	objects := within(
		{"orders": role("orders", [rule("pods", ["*"])]), "more": role("more", [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["${VERBS}"]}])},
		{"orders": binding("orders", "Role", account), "more": binding("more", "Role", account)},
	)
	findings(container(env(endpoints)), objects) == set()
}

narrow := {"cluster": {"rbac.authorization.k8s.io/v1": {
	"ClusterRole": {"orders": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "orders"}, "rules": [rule("endpoints", ["get"])]}},
	"ClusterRoleBinding": {"orders": binding("orders", "ClusterRole", account)},
}}}

beside(metadata) := object.union(narrow, {"namespace": {"default": {"rbac.authorization.k8s.io/v1": {"RoleBinding": {"orders": object.union(object.remove(binding("orders", "Role", {"kind": "ServiceAccount", "name": "orders"}), ["metadata"]), {"metadata": metadata})}}}}})

# A Role beside it that says no namespace may be applied into that of the pods.
test_namespace_by_kubectl if {
	count(messages(container(env(endpoints)), narrow)) == 1
	messages(container(env(endpoints)), beside({"name": "orders"})) == set()
	count(messages(container(env(endpoints)), beside({"name": "orders", "namespace": "default"}))) == 1
}

test_unknown if {
	objects := bound([rule("configmaps", usual)])
	plain := container(env(endpoints))

	# Nothing is bound to it.
	findings(plain, {}) == set()

	# A role that is not in sight may allow it, and so may one of other roles.
	findings(plain, within({"orders": role("orders", [])}, {"orders": binding("orders", "Role", account), "edit": binding("edit", "ClusterRole", account)})) == set()
	aggregated := {"rbac.authorization.k8s.io/v1": {"ClusterRole": {"edit": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "edit"}, "aggregationRule": {"clusterRoleSelectors": []}}}}}
	findings(plain, object.union({"cluster": aggregated}, within({}, {"edit": binding("edit", "ClusterRole", account)}))) == set()

	# Another store, another namespace, another account, or variables out of sight.
	findings(container(env([{"name": "PATRONI_ETCD3_HOSTS", "value": "etcd:2379"}])), objects) == set()
	findings(container([{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/data"}, {"name": "PATRONI_KUBERNETES_LABELS", "value": "{}"}]), objects) == set()
	findings(object.union(plain, {"envFrom": [{"configMapRef": {"name": "patroni"}}]}), objects) == set()
	findings_of(plain, {"serviceAccountName": "${ACCOUNT}"}, objects) == set()
	findings_of(plain, {"serviceAccountName": 3}, objects) == set()
	findings_of(plain, {}, objects) == set()
}

test_account_by_default if {
	objects := within({"orders": role("orders", [])}, {"orders": binding("orders", "Role", {"kind": "ServiceAccount", "name": "default"})})
	count(findings_of(container(env(endpoints)), {}, objects)) == 1
	count(findings_of(container(env(endpoints)), {"serviceAccount": "orders"}, bound([]))) == 1
}

test_cluster_role if {
	objects := {"cluster": {"rbac.authorization.k8s.io/v1": {
		"ClusterRole": {"orders": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "orders"}, "rules": [rule("pods", usual)]}},
		"ClusterRoleBinding": {"orders": object.union(binding("orders", "ClusterRole", account), {"kind": "ClusterRoleBinding"})},
	}}}
	messages(container(env(endpoints)), objects) == {"ClusterRole orders does not let ServiceAccount orders create, list, patch or watch endpoints: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
}

# ----------------------------------------------------------------------------------------------------------- Spilo

spilo(more) := {"name": "spilo", "image": "ghcr.io/zalando/spilo-17:4.0-p3", "env": array.concat(
	[
		{"name": "DCS_ENABLE_KUBERNETES_API", "value": "true"},
		{"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
	],
	more,
)}

test_spilo_uses_endpoints if {
	messages(spilo([]), bound([rule("pods", usual), rule("configmaps", usual)])) == {"Role orders does not let ServiceAccount orders create, list, patch or watch endpoints: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
	findings(spilo([]), bound([rule("pods", usual), rule("endpoints", usual)])) == set()
	findings(spilo([{"name": "KUBERNETES_USE_CONFIGMAPS", "value": "true"}]), bound([rule("pods", usual), rule("configmaps", usual)])) == set()
	count(findings(spilo([{"name": "KUBERNETES_USE_CONFIGMAPS", "value": ""}]), bound([rule("pods", usual), rule("configmaps", usual)]))) == 1
	findings(spilo([{"name": "KUBERNETES_USE_CONFIGMAPS", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]), bound([rule("pods", usual), rule("configmaps", usual)])) == set()
}

# ------------------------------------------------------------------------------------------------------------ file

# As the chart timescaledb-single starts it.
with_file(text, objects) := {f.message | some f in findings_of(
	{
		"name": "timescaledb", "image": "timescale/timescaledb-ha:pg17.6-ts2.22.0", "command": ["patroni", "/etc/patroni/patroni.yaml"],
		"env": [{"name": "PATRONI_KUBERNETES_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
		"volumeMounts": [{"name": "config", "mountPath": "/etc/patroni"}],
	},
	{"serviceAccountName": "orders", "volumes": [{"name": "config", "configMap": {"name": "patroni"}}]},
	object.union(objects, {"namespace": {"prod": {"v1": {"ConfigMap": {"patroni": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "patroni", "namespace": "prod"}, "data": {"patroni.yaml": text}}}}}}}),
)}

test_by_its_file if {
	with_file("kubernetes:\n  use_endpoints: true\nbootstrap:\n", bound([rule("pods", usual), rule("configmaps", usual)])) == {"Role orders does not let ServiceAccount orders create, list, patch or watch endpoints: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
	with_file("kubernetes:\n  role_label: role\nbootstrap:\n", bound([rule("pods", usual), rule("configmaps", usual)])) == set()
	with_file("etcd3:\n  host: etcd:2379\n", bound([])) == set()
}

test_other_namespace if {
	elsewhere := container([{"name": "PATRONI_KUBERNETES_NAMESPACE", "value": "default"}, {"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/home/postgres/pgdata/data"}])
	findings(elsewhere, {}) == {{
		"message": "Patroni looks for its pods in namespace default (PATRONI_KUBERNETES_NAMESPACE), and they run in prod: no server becomes primary. Take the variable from metadata.namespace.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
	}}
	same := container([{"name": "PATRONI_KUBERNETES_NAMESPACE", "value": "prod"}, {"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/home/postgres/pgdata/data"}])
	findings(same, {}) == set()
	later := container([{"name": "PATRONI_KUBERNETES_NAMESPACE", "value": "${NAMESPACE}"}, {"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/home/postgres/pgdata/data"}])
	findings(later, {}) == set()
}

labelled(labels, variables) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"replicas": 3, "template": {
		"metadata": {"labels": labels},
		"spec": {"containers": [{"name": "spilo", "image": "ghcr.io/zalando/spilo-17:4.0-p3", "env": array.concat(
			[{"name": "DCS_ENABLE_KUBERNETES_API", "value": "true"}, {"name": "SCOPE", "value": "orders"}],
			[{"name": name, "value": value} | some name, value in variables],
		)}]},
	}},
}}}

test_labels_of_spilo if {
	labelled({"app": "postgres"}, {}) == {{
		"message": "Patroni finds the members by labels that these pods do not have (application=spilo and version=orders): no standby finds the primary (\"failed to bootstrap from leader\"). Add them to the template.",
		"path": ["spec", "template", "metadata", "labels"],
	}}
	labelled({"application": "spilo", "version": "orders"}, {}) == set()
	labelled({"app": "postgres", "release": "orders"}, {"KUBERNETES_LABELS": `{"app": "postgres"}`, "KUBERNETES_SCOPE_LABEL": "release"}) == set()
}

# Of labels that cannot be read only the one of the scope is known.
test_labels_that_are_no_json if {
	{f.message | some f in labelled({"app": "postgres"}, {"KUBERNETES_LABELS": "app=postgres"})} == {"Patroni finds the members by labels that these pods do not have (version=orders): no standby finds the primary (\"failed to bootstrap from leader\"). Add them to the template."}
	labelled({"version": "orders"}, {"KUBERNETES_LABELS": "app=postgres"}) == set()
}

# The account that the operator of Zalando gives its pods, with a Role of one's own.
of_zalando(settings, verbs) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"numberOfInstances": 2}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"ConfigMap": {"operator": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "operator", "namespace": "prod"}, "data": settings}}},
			"rbac.authorization.k8s.io/v1": {
				"Role": {"pods": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "pods", "namespace": "prod"}, "rules": [
					{"apiGroups": [""], "resources": ["pods"], "verbs": ["*"]},
					{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs},
				]}},
				"RoleBinding": {"pods": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "pods", "namespace": "prod"}, "roleRef": {"kind": "Role", "name": "pods"}, "subjects": [{"kind": "ServiceAccount", "name": "pods"}]}},
			},
		}}},
	}
}

test_account_of_the_pods_of_an_operator if {
	of_zalando({"pod_service_account_name": "pods", "kubernetes_use_configmaps": "true"}, ["get"]) == {"Role pods does not let ServiceAccount pods create, list, patch or watch configmaps: Patroni cannot keep its state, and no server becomes primary. Add these verbs."}
	count(of_zalando({"pod_service_account_name": "pods"}, ["*"])) == 1
	of_zalando({"pod_service_account_name": "pods", "kubernetes_use_configmaps": "true"}, ["*"]) == set()
	of_zalando({"pod_service_account_name": "others", "kubernetes_use_configmaps": "true"}, ["get"]) == set()
	of_zalando({"kubernetes_use_configmaps": "true"}, ["get"]) == set()
}

enough := [rule("pods", usual), rule("endpoints", usual)]

nameless(objects) := {f.message | some f in findings_of(container(env(endpoints)), {}, objects)}

test_account_that_no_pod_names if {
	nameless(bound(enough)) == {"The pods run as ServiceAccount default, and Role orders is bound to orders: Patroni may not ask the API server for anything, and no server becomes primary. Set serviceAccountName: orders."}
	nameless(bound([rule("pods", usual)])) == set()
	nameless(object.union(bound(enough), {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"spec": {"serviceAccountName": "orders"}}}}}}}}})) == set()
	every name in ["default", "${ACCOUNT}"] {
		nameless(within({"orders": role("orders", enough)}, {"orders": binding("orders", "Role", account), "other": binding("other", "Role", object.union(account, {"name": name}))})) == set()
	}
	nameless(within({"orders": role("orders", enough)}, {"orders": binding("orders", "Role", object.union(account, {"namespace": "other"}))})) == set()
}
