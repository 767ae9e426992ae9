package walguard.operators.cnpg

import data.walguard.lib.barman
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# What it archives to, and what it is recovered from.
facts contains {"unusable_stores": unusable_stores} if count(unusable_stores) > 0

unusable_stores := array.concat(
	[fault |
		operator
		some path in array.concat([["spec", "backup"]], [["spec", "externalClusters", i] | some i, _ in get.list(spec, "externalClusters")])
		below := array.concat(path, ["barmanObjectStore"])
		some fault in barman.faults(get.map(k8s.object, below), below)
	],
	[object.union(fault, {"resource": k8s.reference(found)}) |
		some name in store_names
		found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
		some fault in barman.faults(get.map(found, ["spec", "configuration"]), ["spec", "configuration"])
	],
)

store_names := {name |
	some plugin in array.concat(
		[plugin | some plugin in get.list(spec, "plugins"); not disabled(plugin)],
		[get.map(one, "plugin") | some one in get.list(spec, "externalClusters")],
	)
	name := get.string(plugin, ["parameters", "barmanObjectName"])
}

# A store of the plugin is read with the cluster that names it.
facts contains {"misspelt_fields": misspelt} if count(misspelt) > 0

misspelt := array.concat(
	[found | operator; some found in fields.misspelt("cnpg", k8s.object)],
	[object.union(found, {"resource": k8s.reference(store)}) |
		some name in store_names
		store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
		some found in fields.misspelt("objectstore", store)
	],
)
