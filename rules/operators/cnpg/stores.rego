package walguard.operators.cnpg

import data.walguard.lib.barman
import data.walguard.lib.fact
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What it archives to, and what it is recovered from.
facts contains {"unusable_stores": unusable_stores} if count(unusable_stores) > 0

unusable_stores := array.concat(array.concat(array.concat(other_servers, nameless_servers), array.concat(lost_stores, array.concat(roleless, unexpanded))), array.concat(unreached_stores, stores_refused))

stores_refused := array.concat(
	[fault |
		operator
		some path in array.concat([["spec", "backup"]], [["spec", "externalClusters", i] | some i, _ in get.list(spec, "externalClusters")])
		below := array.concat(path, ["barmanObjectStore"])
		some fault in barman.faults(get.map(k8s.object, below), below)
	],
	[object.union(fault, {"resource": k8s.reference(found)}) |
		some name in store_names
		found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
		some fault in array.concat(barman.faults(get.map(found, ["spec", "configuration"]), ["spec", "configuration"]), refused_stores(found))
	],
)

# What the definition of an ObjectStore forbids (plugin-barman-cloud, api/v1/objectstore_types.go): the object is never there.
refused_stores(store) := array.concat(
	[{
		"path": ["spec", "configuration", "serverName"],
		"reason": "Kubernetes refuses serverName in an ObjectStore, so that there is no store to archive to",
		"cure": sprintf("Write serverName: %s among the plugin's parameters in the Cluster", [name]),
	} |
		get.present(store, ["spec", "configuration", "serverName"])
		name := get.text(store.spec.configuration.serverName)
	],
	[{
		"path": ["spec", "instanceSidecarConfiguration", "additionalContainerArgs", i],
		"reason": sprintf("Kubernetes refuses %s in additionalContainerArgs of an ObjectStore, so that there is no store to archive to", [argument]),
		"cure": "Write instanceSidecarConfiguration.logLevel",
	} |
		some i, argument in get.list(store, ["spec", "instanceSidecarConfiguration", "additionalContainerArgs"])
		is_string(argument)
		startswith(argument, "--log-level")
	],
)

# Where it archives to; what it is recovered from is only read.
facts contains {"store_refusals": sent_refusals} if count(sent_refusals) > 0

sent_refusals := array.concat(refusals_in_tree, refusals_of_plugins)

refusals_in_tree := [fault |
	in_tree_store
	count(get.list(spec, "envFrom")) == 0
	some fault in barman.refusals(get.map(spec, ["backup", "barmanObjectStore"]), ["spec", "backup", "barmanObjectStore"], array.concat(get.list(spec, "env"), without_checksums))
]

# An image with boto3 1.35.99, which cloudnative-pg/postgres-containers pinned for the two minor releases of February 2025, is as good as one that is told to send no checksums.
without_checksums := [{"name": "AWS_REQUEST_CHECKSUM_CALCULATION"} | regex.match(`^ghcr\.io/cloudnative-pg/postgresql:(17\.[34]|16\.[78]|15\.1[12]|14\.1[67]|13\.(19|20))([-.@]|$)`, get.string(spec, "imageName"))]

refusals_of_plugins := [object.union(fault, {"resource": k8s.reference(found)}) |
	some i in archiver_plugins
	found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", get.string(spec.plugins[i], ["parameters", "barmanObjectName"]))
	some fault in barman.refusals(get.map(found, ["spec", "configuration"]), ["spec", "configuration"], array.concat(get.list(found, ["spec", "instanceSidecarConfiguration", "env"]), get.list(spec, "env")))
]

store_names := {name |
	some plugin in array.concat(
		[plugin | some plugin in get.list(spec, "plugins"); not disabled(plugin)],
		[get.map(one, "plugin") | some one in get.list(spec, "externalClusters")],
	)
	name := get.string(plugin, ["parameters", "barmanObjectName"])
}

# What the plugin adds to the pods, with the resources of its ObjectStore.
facts contains {"backup_sidecars": backup_sidecars} if count(backup_sidecars) > 0

backup_sidecars := [sidecar |
	some i in archiver_plugins
	get.string(spec.plugins[i], "name") == "barman-cloud.cloudnative-pg.io"
	found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", get.string(spec.plugins[i], ["parameters", "barmanObjectName"]))
	every path in [sidecar_path, array.concat(sidecar_path, ["resources"]), array.concat(sidecar_path, ["resources", "limits"])] {
		not get.unknown(found, path)
	}
	sidecar := object.union(
		{"what": "the Barman plugin's container", "field": "instanceSidecarConfiguration.resources.limits.memory", "resource": k8s.reference(found), "path": sidecar_path},
		limit_of_sidecar(found),
	)
]

limit_of_sidecar(store) := {"path": path, "limit": limit} if {
	path := array.concat(sidecar_path, ["resources", "limits", "memory"])
	limit := object.get(store, path, null)
	limit != null
} else := {}

sidecar_path := ["spec", "instanceSidecarConfiguration"]

# docs/src/postgres_upgrades.md, "Backup and WAL Archive Considerations".
facts contains {"archive_name": object.union(
	fact.written(sprintf("ObjectStore %s as server %s", [store, server]), ["spec", "plugins", archiver_plugins[0], "parameters"]),
	{"cure": concat("", ["set serverName to ", name_without_major(server), "-%d"])},
)} if {
	count(archiver_plugins) == 1
	plugin := spec.plugins[archiver_plugins[0]]
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	store := get.string(plugin, ["parameters", "barmanObjectName"])
	server := server_name(get.map(plugin, "parameters"), k8s.name)
	not skips_archiving
	not placeholder.holds(concat("", [store, server]))
}

facts contains {"archive_name": object.union(
	fact.written(sprintf("%s as server %s", [trim_right(path, "/"), server]), ["spec", "backup", "barmanObjectStore"]),
	{"cure": concat("", ["set serverName to ", name_without_major(server), "-%d"])},
)} if {
	count(archiver_plugins) == 0
	in_tree_store
	store := get.map(spec, ["backup", "barmanObjectStore"])
	path := get.string(store, "destinationPath")
	server := server_name(store, k8s.name)
	not skips_archiving
	not placeholder.holds(concat("", [path, server]))
}

# What is a format afterwards must not hold a verb.
name_without_major(server) := replace(regex.replace(server, `-?(v|pg)?1[0-9]$`, ""), "%", "%%")

# A store of the plugin is read with the cluster that names it.
facts contains {"misspelt_fields": misspelt} if count(misspelt) > 0

misspelt := array.concat(
	array.concat([found | operator; some found in fields.misspelt("cnpg", k8s.object)], misspelt_beside),
	[object.union(found, {"resource": k8s.reference(store)}) |
		some name in store_names
		store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
		some found in fields.misspelt("objectstore", store)
	],
)

# What belongs to the cluster is read with it.
misspelt_beside := [object.union(found, {"resource": k8s.reference(beside)}) |
	operator
	some kind, fields_of in {"Pooler": "pooler", "ScheduledBackup": "scheduledbackup"}
	some beside in inventory.list(k8s.namespace, k8s.api_version, kind)
	get.string(beside, ["spec", "cluster", "name"]) == k8s.name
	some found in fields.misspelt(fields_of, beside)
]

# The plugin reads the store and the name of the server from the Cluster alone (internal/cnpgi/instance/backup.go).
facts contains {"ignored": ignored} if count(ignored) > 0

ignored := array.concat(unread_parameters, backups_alone)

unread_parameters := [{
	"name": name,
	"value": value,
	"path": ["spec", "pluginConfiguration", "parameters", name],
	"resource": k8s.reference(asked),
	"reason": sprintf("the plugin reads %s in spec.plugins of the Cluster only, and backs up to %s %s", [name, stores_words[name], own]),
} |
	some plugin in get.list(spec, "plugins")
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	some asked in array.concat(own_schedules, own_backups)
	get.string(asked, ["spec", "method"]) == "plugin"
	get.string(asked, ["spec", "pluginConfiguration", "name"]) == "barman-cloud.cloudnative-pg.io"
	some name, otherwise in {"barmanObjectName": "", "serverName": k8s.name}
	value := get.string(asked, ["spec", "pluginConfiguration", "parameters", name])
	own := object.get(plugin, ["parameters", name], otherwise)
	is_string(own)
	own != ""
	value != own
	count([1 | some text in [value, own]; placeholder.unknown(text)]) == 0
]

stores_words := {"barmanObjectName": "ObjectStore", "serverName": "server"}
