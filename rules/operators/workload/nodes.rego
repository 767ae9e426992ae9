package walguard.operators.workload

import data.walguard.lib.k8s
import data.walguard.lib.text

# Lists of the pods of a StatefulSet that somebody wrote for fewer pods than it has now, or for more, as "kubectl scale" leaves them.

# Pgpool-II connects to the backends of its list, and looks for the primary among them.
unlisted_backends := [{
	"reason": sprintf("%s names %d of the %d pods of StatefulSet %s: Pgpool-II sends no query to the others, and finds no primary while one of them is it", [variable, count(listed), instances.value, k8s.name]),
	"cure": sprintf("Name all %d pods in it", [instances.value]),
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	server.product.name == "postgresql-repmgr"
	some one in pooling
	variable := "PGPOOL_BACKEND_NODES"
	listed := pods_named(one.values[variable])
	some_of_them(listed)
]

# A name that no pod has is a server that does not answer: sessions wait for it until the health check has given it up, and Bitnami's probes end the pooler before that.
absent_backends := [{
	"reason": sprintf("%s names %d pods, and StatefulSet %s has %d: Pgpool-II asks for those that are not there, and fails its probes until it gives them up", [variable, count(listed), k8s.name, instances_of_set]),
	"cure": sprintf("Name the %d there are", [instances_of_set]),
	"level": "warning",
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	k8s.kind == "StatefulSet"
	some one in pooling
	[variable, list] := backends_of(one)
	listed := pods_named(list)
	count(listed) > instances_of_set
	instances_of_set > 0
]

backends_of(one) := ["PGPOOL_BACKEND_NODES", one.values.PGPOOL_BACKEND_NODES] if {
	server.product.name == "postgresql-repmgr"
	one.values.PGPOOL_BACKEND_NODES
}

# The image of Pgpool-II itself has a variable for each.
backends_of(one) := ["PGPOOL_PARAMS_BACKEND_HOSTNAME…", concat(",", [value | some name, value in one.values; regex.match(`^PGPOOL_PARAMS_BACKEND_HOSTNAME[0-9]+$`, name)])] if one.values.PGPOOL_PARAMS_BACKEND_HOSTNAME0

instances_of_set := object.get(k8s.object, ["spec", "replicas"], 1)

# A pod that starts asks its partners who the primary is, and takes REPMGR_PRIMARY_HOST for it where none of them says (librepmgr.sh, repmgr_get_upstream_node).
unlisted_partners := [object.union(
	{
		"reason": sprintf("REPMGR_PARTNER_NODES names %d of the %d pods: one that starts asks those alone who the primary is, and may become a second one while the primary is not among them", [count(listed), instances.value]),
		"cure": sprintf("Name all %d pods in it", [instances.value]),
		"level": "warning",
	},
	place(variables.REPMGR_PARTNER_NODES),
) |
	server.product.name == "postgresql-repmgr"
	listed := pods_named(variables.REPMGR_PARTNER_NODES.value)
	some_of_them(listed)
]

# A name of something else in the list may lead to all of them.
pods_named(list) := {name |
	some match in regex.find_all_string_submatch_n(sprintf(`(?:^|[,;:\s@/])(%s-[0-9]+)(?:[.,;:\s]|$)`, [text.literal(k8s.name)]), list, -1)
	name := match[1]
} if {
	count([1 | some part in regex.split(`[,;\s]+`, list); part != ""; not regex.match(sprintf(`(^|[:@/])%s-[0-9]+([.:]|$)`, [text.literal(k8s.name)]), part)]) == 0
}

some_of_them(listed) if {
	k8s.kind == "StatefulSet"
	count(listed) > 0
	count(listed) < instances.value
}
