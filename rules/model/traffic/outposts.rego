package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# METADATA
# description: |
#   What no policy lets pods do that work for the cluster in a namespace of their own ("outposts" of walguard.model), with "policy", a reference of one that selects them. Known of a namespace
#   with a policy that names their labels, or with their Deployment.
cut_off := [object.union(post, {"policy": k8s.reference(naming[0])}) |
	posts := get.list(model.cluster, "outposts")
	count(posts) > 0
	plain := [o | some o in inventory.everywhere("networking.k8s.io/v1", "NetworkPolicy"); is_object(o)]
	spaces := {get.string(o, ["metadata", "namespace"]) | some o in inventory.everywhere("cilium.io/v2", "CiliumNetworkPolicy")}
	all_policies := array.concat(plain, [o | some space in spaces; some o in of_cilium(space)])
	count(all_policies) > 0
	some post in posts
	count([1 | some made in deployments(post); get.boolean(made, ["spec", "template", "spec", "hostNetwork"])]) == 0
	homes := {get.string(o, ["metadata", "namespace"]) | some o in all_policies; names_labels(o, post)} | homes_of(post)
	some home in homes
	here := [o |
		some o in all_policies
		get.string(o, ["metadata", "namespace"]) == home
		post.way in types_of(o)
	]
	naming := [o | some o in array.concat([o | some o in here; names_labels(o, post)], here); selects(get.map(o, ["spec", "podSelector"]), post.labels)]
	count(naming) > 0
	only_policies(home)
	count([1 | some o in here; may_pass(o, post)]) == 0
]

names_labels(o, post) if {
	wanted := get.map(o, ["spec", "podSelector", "matchLabels"])
	every label, value in post.labels {
		wanted[label] == value
	}
}

# Where it is installed, as far as a file shows that.
homes_of(post) := {get.string(made, ["metadata", "namespace"]) | some made in deployments(post)}

deployments(post) := [made |
	some made in inventory.in_all_files("apps/v1", "Deployment")
	object.subset(get.map(made, ["spec", "template", "metadata", "labels"]), post.labels)
]

types_of(o) := object.get(o, ["spec", "policyTypes"], array.concat(["Ingress"], ["Egress" | get.present(o, ["spec", "egress"])]))

only_policies(home) if {
	count([1 | some [api_version, kind] in deciding; some _ in inventory.list(home, api_version, kind)]) == 0
	count([1 | some [api_version, kind] in deciding_everywhere; some _ in inventory.cluster_objects(api_version, kind)]) == 0
	not mixed(home)
}

# Whom a rule means is not compared, but for the ports.
may_pass(o, post) if {
	every label, value in object.filter(get.map(o, ["spec", "podSelector", "matchLabels"]), object.keys(post.labels)) {
		may_equal(value, post.labels[label])
	}
	some rule in get.list(o, ["spec", get.lower_case(post.way)])
	is_object(rule)
	opens(get.list(rule, "ports"), post)
}

may_equal(value, wanted) if value == wanted

may_equal(value, _) if placeholder.unknown(value)
