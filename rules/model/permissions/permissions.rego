# METADATA
# description: |
#   What the service account of a cluster's pods may not do at the API server, of what its program asks for ("api_needs" of walguard.model). Known
#   only where a binding of the account is in sight, and the roles of all its bindings; the API server adds up what they allow.
# related_resources:
#   - https://kubernetes.io/docs/reference/access-authn-authz/rbac/
# custom:
#   kinds:
#     - {group: rbac.authorization.k8s.io, versions: [v1], kind: Role, plural: roles, namespaced: true, role: support, served: false}
#     - {group: rbac.authorization.k8s.io, versions: [v1], kind: RoleBinding, plural: rolebindings, namespaced: true, role: support, served: false}
#     - {group: rbac.authorization.k8s.io, versions: [v1], kind: ClusterRole, plural: clusterroles, namespaced: false, role: support, served: false}
#     - {group: rbac.authorization.k8s.io, versions: [v1], kind: ClusterRoleBinding, plural: clusterrolebindings, namespaced: false, role: support, served: false}
package walguard.model.permissions

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model

rbac := "rbac.authorization.k8s.io/v1"

# METADATA
# description: |
#   What is forbidden, [{"resource": of the API, "verbs": that are missing}]. Of resources one of which is enough, the one that
#   lacks the least.
forbidden := [best |
	known
	some need in get.list(model.cluster, ["api_needs", "needs"])
	lacking := [{"resource": resource, "verbs": [verb | some verb in need.verbs; not allowed(resource, verb)]} | some resource in need.resources]
	least := min([count(one.verbs) | some one in lacking])
	least > 0
	best := [one | some one in lacking; count(one.verbs) == least][0]
	not bound_elsewhere
]

# METADATA
# description: The object to add to, a Role where there is one.
role := k8s.reference(found[0]) if {
	found := array.concat([o | some o in roles; o.kind == "Role"], roles)
}

known if {
	count(bindings("own")) > 0
	count(bindings("unknown")) == 0
	count(roles) == count(bindings("own")) + count(bindings("group"))
	every o in roles {
		not get.present(o, "aggregationRule")
	}
}

# Of manifests that do not all say their namespace it is not known whether they are applied into one: a binding in what looks like another may be the account's.
bound_elsewhere if {
	some binding in inventory.everywhere(rbac, "RoleBinding")
	object.get(binding, ["metadata", "namespace"], "default") != k8s.namespace
	without_namespace(binding)
	names_account(binding)
}

without_namespace(binding) if not get.string(binding, ["metadata", "namespace"])

without_namespace(_) if {
	k8s.namespace == "default"
	not get.string(k8s.object, ["metadata", "namespace"])
}

names_account(binding) if {
	some subject in get.list(binding, "subjects")
	[get.string(subject, "kind"), get.string(subject, "name")] == ["ServiceAccount", model.cluster.api_needs.account]
}

# The bindings in sight of the account itself, of a group that it is in, or of whoever is filled in later.
bindings(means) := [binding |
	is_object(model.cluster.api_needs)
	some binding in array.concat(inventory.list(k8s.namespace, rbac, "RoleBinding"), inventory.cluster_objects(rbac, "ClusterRoleBinding"))
	means in {subject_is(subject, get.string(subject, "name")) | some subject in get.list(binding, "subjects")}
]

subject_is(subject, name) := "unknown" if {
	placeholder.unknown(name)
} else := "unknown" if {
	placeholder.unknown(object.get(subject, "namespace", ""))
} else := "own" if {
	[get.string(subject, "kind"), name] == ["User", sprintf("system:serviceaccount:%s:%s", [k8s.namespace, model.cluster.api_needs.account])]
} else := "own" if {
	[get.string(subject, "kind"), name] == ["ServiceAccount", model.cluster.api_needs.account]
	object.get(subject, "namespace", k8s.namespace) == k8s.namespace
} else := "group" if {
	get.string(subject, "kind") == "Group"
	name in {"system:serviceaccounts", "system:authenticated", sprintf("system:serviceaccounts:%s", [k8s.namespace])}
}

roles := [found |
	some means in ["own", "group"]
	some binding in bindings(means)
	found := named(get.string(binding, ["roleRef", "kind"]), get.string(binding, ["roleRef", "name"]))
]

named("Role", name) := inventory.namespaced_object(k8s.namespace, rbac, "Role", name)

named("ClusterRole", name) := inventory.cluster_object(rbac, "ClusterRole", name)

# A rule for objects of some names is taken for one for all: which objects are meant is the program's business.
allowed(resource, verb) if {
	some o in roles
	some rule in get.list(o, "rules")
	names(rule, "apiGroups", "")
	names(rule, "resources", resource)
	names(rule, "verbs", verb)
}

names(rule, field, wanted) if {
	some one in get.list(rule, field)
	said(one, wanted)
}

said(one, wanted) if one == wanted

said("*", _)

said(one, _) if placeholder.unknown(one)

# METADATA
# description: |
#   The account that the files bind to a Role with what the program needs, {"account", "role"}, where the pods run as "default", which nothing in sight binds, and no pod in sight runs as the other one.
stranded := found[0] if {
	model.cluster.api_needs.account == "default"
	k8s.namespace == get.string(k8s.object, ["metadata", "namespace"])
	count([1 | some means in ["own", "unknown", "group"]; some _ in bindings(means)]) == 0
	found := [{"account": account, "role": get.string(role_of, ["metadata", "name"])} |
		some binding in inventory.list(k8s.namespace, rbac, "RoleBinding")
		role_of := named(get.string(binding, ["roleRef", "kind"]), get.string(binding, ["roleRef", "name"]))
		some subject in get.list(binding, "subjects")
		subject.kind == "ServiceAccount"
		object.get(subject, "namespace", k8s.namespace) == k8s.namespace
		account := get.string(subject, "name")
		count([1 | some made in workloads.all; get.string(made.pod, "serviceAccountName") == account]) == 0
		every need in model.cluster.api_needs.needs {
			count([1 | some resource in need.resources; gives(role_of, resource)]) > 0
		}
	]
	count({one.account | some one in found}) == 1
}

gives(role_of, resource) if {
	some rule in get.list(role_of, "rules")
	names(rule, "apiGroups", "")
	names(rule, "resources", resource)
	names(rule, "verbs", "patch")
}
