# METADATA
# description: The schedules of base backups of a CloudNativePG cluster (see walguard.model.schedules).
package walguard.operators.cnpg.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.operators.cnpg

# The operator's parser (robfig/cron of the first release) takes six fields, and of five the first one for the seconds.
schedules := [schedule |
	some o in inventory.list(k8s.namespace, k8s.api_version, "ScheduledBackup")
	get.string(o, ["spec", "cluster", "name"]) == k8s.name
	schedule := object.union_n([
		{
			"method": "full",
			"seconds": true,
			"path": ["spec", "schedule"],
			"resource": k8s.reference(o),
			"needs_wal": count([1 | cnpg.cold(o)]) == 0,
		},
		{"text": text | text := get.string(o, ["spec", "schedule"])},
		{"suspended": true | get.boolean(o, ["spec", "suspend"])},
		{"snapshot": true | get.string(o, ["spec", "method"]) == "volumeSnapshot"},
		{"unconfigured": method |
			method := object.get(o, ["spec", "method"], "barmanObjectStore")
			not configured(method, o)
		},
	])
]

# What a schedule's method takes from the cluster.
configured("barmanObjectStore", _) if cnpg.in_tree_store

configured("volumeSnapshot", _) if is_object(object.get(cnpg.spec, ["backup", "volumeSnapshot"], null))

configured("plugin", o) if {
	some plugin in get.list(cnpg.spec, "plugins")
	is_object(plugin)
	get.string(plugin, "name") == get.string(o, ["spec", "pluginConfiguration", "name"])
	not cnpg.disabled(plugin)
}
