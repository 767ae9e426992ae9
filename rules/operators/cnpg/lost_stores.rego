package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference

object_stores := "barmancloud.cnpg.io/v1"

# An ObjectStore of another name or namespace: the plugin finds none, and the operator waits for its hook before it does anything with the cluster. One that is not in sight may be made elsewhere; it is
# reported where there is one that no cluster names instead.
lost_stores := [{
	"path": array.concat(path, ["barmanObjectName"]),
	"reason": sprintf("There is no ObjectStore %s in the namespace, %s: the plugin stops the operator at this cluster, and nothing is created or archived", [name, found.words]),
	"cure": found.cure,
} |
	operator
	some [name, path] in named_stores
	not placeholder.unknown(name)
	not inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)

	# A slip of the pen is said of the name.
	count([1 | some other, _ in inventory.by_name(k8s.namespace, object_stores, "ObjectStore"); reference.slip(name, other)]) == 0
	found := instead_of(name)
]

named_stores := array.concat(
	[[name, ["spec", "plugins", i, "parameters"]] |
		some i, plugin in get.list(spec, "plugins")
		get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
		not disabled(plugin)
		name := get.string(plugin, ["parameters", "barmanObjectName"])
	],
	[[name, ["spec", "externalClusters", i, "plugin", "parameters"]] |
		some i, one in get.list(spec, "externalClusters")
		name := get.string(one, ["plugin", "parameters", "barmanObjectName"])
		used_external(get.string(one, "name"))
	],
)

used_external(name) if {
	name in {get.string(spec, path) | some path in [["bootstrap", "recovery", "source"], ["replica", "source"]]}
}

instead_of(name) := {"words": sprintf("and %s, which is there, is used by no cluster", [orphan]), "cure": sprintf("Write %s", [orphan])} if {
	orphan := [other | some other in orphans(k8s.namespace); not of_another(name, other)][0]
} else := {"words": sprintf("only in %s, and it is looked for beside the cluster", [place]), "cure": sprintf("Create it in %s too", [k8s.namespace])} if {
	get.string(k8s.object, ["metadata", "namespace"])
	place := [namespace |
		some store in inventory.everywhere(object_stores, "ObjectStore")
		get.string(store, ["metadata", "name"]) == name
		namespace := get.string(store, ["metadata", "namespace"])
		not placeholder.holds(namespace)
		name in orphans(namespace)
	][0]
}

# "orders-store" is named after cluster orders, and "catalog-store" is not: that one is for a cluster which is not in sight.
of_another(wanted, other) if {
	own := words_of_name(wanted) & words_of_name(k8s.name)
	count(own) > 0
	count(own & words_of_name(other)) == 0
}

words_of_name(name) := {word | some word in split(get.lower_case(name), "-")}

orphans(namespace) := [name |
	stores := inventory.by_name(namespace, object_stores, "ObjectStore")
	count(stores) > 0
	named := {name |
		some one in inventory.list(namespace, k8s.api_version, "Cluster")
		some plugin in array.concat(get.list(one, ["spec", "plugins"]), [get.map(external, "plugin") | some external in get.list(one, ["spec", "externalClusters"])])
		name := get.string(plugin, ["parameters", "barmanObjectName"])
	}
	some name, _ in stores
	not name in named
	not placeholder.holds(name)
	count([1 | some one in named; placeholder.holds(one)]) == 0
]
