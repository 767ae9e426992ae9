package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder
import data.walguard.lib.reference
import data.walguard.lib.text
import data.walguard.lib.watch
import data.walguard.lib.workloads

# Objects that the cluster names, and those that name the cluster; see walguard.model.
facts contains {"unresolved": unresolved} if count(unresolved) > 0

unresolved := array.concat(array.concat(array.concat(lost_objects, unwatched), array.concat(array.concat(lost_secrets, lost_queries), array.concat(array.concat(absent_secrets, absent_superuser), absent_stores))), array.concat(array.concat(misspelt_clusters, absent_clusters), strayed_objects))

unwatched := [fault | operator; some fault in watch.elsewhere(`^cloudnative-pg$`, {"WATCH_NAMESPACE"})]

# None that is nearly called so, and no other that nobody uses. Files may leave a store to somebody else, and one apply may bring it after the cluster.
absent_stores := [{
	"reason": sprintf("%s names ObjectStore %s, which was not found beside %s: while it is missing, the plugin stops the operator at this cluster", [asked.what, asked.name, text.list(array.slice(there, 0, 3), "and")]),
	"cure": "Create it in the namespace, or write the name of one that is there",
	"level": {true: "error", false: "info"}[seen_in_cluster],
	"path": asked.path,
} |
	operator
	some asked in named_objects
	asked.kind == "ObjectStore"
	not placeholder.unknown(asked.name)
	not asked.name in there
	not asked.path in {fault.path | some fault in array.concat(lost_objects, lost_stores)}
]

there := sort([name | some name, _ in inventory.by_name(k8s.namespace, store_version, "ObjectStore"); not placeholder.holds(name)]) if {
	count(inventory.by_name(k8s.namespace, store_version, "ObjectStore")) > 0
}

default seen_in_cluster := false

seen_in_cluster if {
	inventory.complete
	not k8s.operation
}

lost_objects := [object.union(found, {"path": asked.path}) |
	some asked in named_objects
	found := reference.lost(asked, {other.name | some other in named_objects; other.path != asked.path})

	# A store that is somewhere else is said of the backups.
	not asked.path in {store.path | some store in lost_stores}
	not said_of_catalogues(asked, found)
]

# A catalogue that is somewhere else, or of the other kind, the operator refuses by name (see webhook).
said_of_catalogues(asked, found) if {
	asked.kind == "ImageCatalog"
	found.level
}

said_of_catalogues(asked, _) if {
	asked.kind == "ImageCatalog"
	inventory.cluster_object(k8s.api_version, "ClusterImageCatalog", asked.name)
}

named_objects := array.concat(
	[{"what": "The plugin", "version": store_version, "kind": "ObjectStore", "name": name, "consequence": "the operator does nothing with the cluster while it is missing", "path": ["spec", "plugins", i, "parameters", "barmanObjectName"]} |
		some i, plugin in get.list(spec, "plugins")
		not disabled(plugin)
		name := get.string(plugin, ["parameters", "barmanObjectName"])
	],
	array.concat(
		[{"what": sprintf("External cluster %s", [get.string(external, "name")]), "version": store_version, "kind": "ObjectStore", "name": name, "consequence": "nothing is restored from there", "path": ["spec", "externalClusters", i, "plugin", "parameters", "barmanObjectName"]} |
			some i, external in get.list(spec, "externalClusters")
			get.string(external, "name") in sources_in_use
			name := get.string(external, ["plugin", "parameters", "barmanObjectName"])
		],
		array.concat(
			[{"what": "imageCatalogRef", "version": k8s.api_version, "kind": "ImageCatalog", "name": name, "consequence": "no instance is created", "path": ["spec", "imageCatalogRef", "name"]} |
				get.string(spec, ["imageCatalogRef", "kind"]) == "ImageCatalog"
				name := get.string(spec, ["imageCatalogRef", "name"])
			],
			[{"what": "bootstrap.recovery", "version": k8s.api_version, "kind": "Backup", "name": name, "consequence": "nothing is restored", "path": ["spec", "bootstrap", "recovery", "backup", "name"]} |
				# A cluster that runs has read it.
				not get.present(k8s.object, ["status", "phase"])
				name := get.string(spec, ["bootstrap", "recovery", "backup", "name"])
			],
		),
	),
)

store_version := "barmancloud.cnpg.io/v1"

lost_secrets := [object.union(found, object.filter(asked, ["path", "resource"])) |
	some asked in named_secrets
	not asked.name in own_names
	found := reference.lost(object.union(asked, {"version": "v1", "kind": "Secret"}), {other.name | some other in named_secrets; other.name != asked.name})
]

# Of the users of one cluster some have their Secrets among the files, and this one has none there. The operator makes none that is named (it makes those of its own names).
absent_secrets := [{
	"reason": sprintf("%s names Secret %s, which was not found beside %s: unless somebody else creates it, %s", [what, name, text.list(array.slice(sort(found), 0, 3), "and"), consequence]),
	"cure": "Create it in the namespace, or write the name of one that is there",
	"level": "info",
	"path": path,
} |
	operator
	inventory.versions(k8s.namespace)
	found := {name | some [_, path, _] in of_users; name := get.string(k8s.object, path); has_secret(name)}
	count(found) > 0
	some [what, path, consequence] in of_users
	name := get.string(k8s.object, path)
	not has_secret(name)
	not name in own_names
	not placeholder.holds(name)
	not path in {fault.path | some fault in lost_secrets}
]

# The operator makes CLUSTER-superuser only where the field is empty (reconcileSuperuserSecret), which is often read otherwise. Whoever takes it is in sight, and the Secret is not.
absent_superuser := [{
	"reason": sprintf("superuserSecret names %s, which was not found, and the operator makes no Secret that is named: without it postgres has no password, and programs that ask for it do not start", [name]),
	"cure": sprintf("Create it, or take the field out and ask for %s", [superuser_secret]),
	"level": "info",
	"path": ["spec", "superuserSecret", "name"],
} |
	operator
	inventory.versions(k8s.namespace)
	get.boolean(spec, "enableSuperuserAccess")
	name := get.string(spec, ["superuserSecret", "name"])
	not placeholder.holds(name)
	not has_secret(name)
	count([1 | some one in workloads.containers; name in secrets_of(one.container)]) > 0
	not name in {get.string(k8s.object, fault.path) | some fault in array.concat(lost_secrets, absent_secrets)}
]

of_users := array.concat([one | some one in single_secrets; one[1][1] != "certificates"], secrets_of_roles)

has_secret(name) if inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)

has_secret(name) if keys.made_by_another(name)

# "Unable to get configMap containing custom monitoring queries", in the log of the instance.
lost_queries := [object.union(found, {"path": ["spec", "monitoring", field, i, "name"], "level": "warning"}) |
	operator
	some field, kind in {"customQueriesConfigMap": "ConfigMap", "customQueriesSecret": "Secret"}
	names := [name | some one in get.list(spec, ["monitoring", field]); name := get.string(one, "name")]
	some i, name in names
	asked := {"what": "monitoring", "version": "v1", "kind": kind, "name": name, "consequence": "its queries are left out, and their metrics are missing"}
	found := reference.lost(asked, {other | some other in names; other != name})
]

# What the operator makes itself where nobody else does.
own_names := {sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["app", "ca", "replication", "server", "superuser"]}

named_secrets := array.concat(
	[{"what": what, "name": name, "consequence": consequence, "path": path} |
		operator
		some [what, path, consequence] in array.concat(single_secrets, secrets_of_roles)
		name := get.string(k8s.object, path)
	],
	array.concat(
		[object.union(asked, {"consequence": "nothing is archived or backed up"}) | some asked in secrets_in_store(k8s.object, ["spec", "backup", "barmanObjectStore"])],
		[object.union(asked, {"consequence": consequence, "resource": k8s.reference(store)}) |
			some name, consequence in stores_in_use
			store := inventory.namespaced_object(k8s.namespace, store_version, "ObjectStore", name)
			some asked in secrets_in_store(store, ["spec", "configuration"])
		],
	),
)

single_secrets := array.concat(
	[["superuserSecret", ["spec", "superuserSecret", "name"], "postgres gets no password"] | get.boolean(spec, "enableSuperuserAccess")],
	array.concat(
		[[sprintf("bootstrap.%s", [way]), ["spec", "bootstrap", way, "secret", "name"], "the owner of the database gets no password, and initdb waits for it"] | some way in ["initdb", "recovery", "pg_basebackup"]],
		[[sprintf("certificates.%s", [field]), ["spec", "certificates", field], "no instance is created"] | some field in ["serverCASecret", "serverTLSSecret", "clientCASecret", "replicationTLSSecret"]],
	),
)

secrets_of_roles := [[sprintf("Role %s", [get.string(role, "name")]), ["spec", "managed", "roles", i, "passwordSecret", "name"], "the operator does not create it or set its password"] |
	some i, role in get.list(spec, ["managed", "roles"])
]

# One finding for a Secret with several keys.
secrets_in_store(holder, path) := [{"what": "The object store", "name": name, "path": array.concat(array.concat(path, below), ["name"])} |
	store := get.map(holder, path)
	some below in [["s3Credentials", "accessKeyId"], ["azureCredentials", "connectionString"], ["azureCredentials", "storageAccount"], ["googleCredentials", "applicationCredentials"]]
	name := get.string(store, array.concat(below, ["name"]))
]

# ---------------------------------------------------------------------------------------- what names the cluster

consequences := {
	"Backup": "no backup is taken",
	"Database": "no database is created",
	"Pooler": "no pooler is created",
	"ScheduledBackup": "no backup is ever taken",
}

# Of a live namespace's hundreds of backups the operator has made nearly all, of clusters that are there.
naming_clusters := object.remove(consequences, ["Backup"]) if inventory.served

naming_clusters := consequences if not inventory.served

# A slip of the pen for the name of this cluster, which is the only one that is meant.
misspelt_clusters := [{
	"reason": sprintf("%s %s names cluster %s, which is not there, while %s is: %s", [kind, one.metadata.name, name, k8s.name, consequence]),
	"cure": sprintf("Write %s", [k8s.name]),
	"path": ["spec", "cluster", "name"],
	"resource": k8s.reference(one),
} |
	operator
	not placeholder.holds(k8s.name)
	some kind, consequence in naming_clusters
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	not one.status.phase
	name := get.string(one, ["spec", "cluster", "name"])
	name != k8s.name
	not placeholder.holds(name)
	not inventory.namespaced_object(k8s.namespace, k8s.api_version, "Cluster", name)
	reference.slip(name, k8s.name)
	count([1 | some other, _ in inventory.by_name(k8s.namespace, k8s.api_version, "Cluster"); other != k8s.name; reference.slip(name, other)]) == 0
]

# No slip of the pen, and still no cluster in sight is called so, where the only one of the namespace archives its WAL and has no schedule. Files may leave the other one to somebody else.
absent_clusters := [{
	"reason": sprintf("ScheduledBackup %s names cluster %s, which was not found, and no schedule names %s: unless that cluster is elsewhere, no backup is ever taken", [one.metadata.name, name, k8s.name]),
	"cure": sprintf("Write %s if that is the one", [k8s.name]),
	"level": {true: "error", false: "info"}[seen_in_cluster],
	"path": ["spec", "cluster", "name"],
	"resource": k8s.reference(one),
} |
	operator
	archives_wal
	not placeholder.holds(k8s.name)
	object.keys(inventory.by_name(k8s.namespace, k8s.api_version, "Cluster")) - {k8s.name} == set()
	schedules := inventory.list(k8s.namespace, k8s.api_version, "ScheduledBackup")
	count([1 | some other in schedules; get.string(other, ["spec", "cluster", "name"]) == k8s.name]) == 0
	some one in schedules
	name := get.string(one, ["spec", "cluster", "name"])
	not placeholder.holds(name)
	not reference.slip(name, k8s.name)
	get.string(one, ["metadata", "namespace"]) == get.string(k8s.object, ["metadata", "namespace"])
	count(inventory.holders(k8s.api_version, "Cluster", name)) == 0
]

archives_wal if in_tree_store

archives_wal if count(archiver_plugins) > 0

# The operator looks for the cluster in the namespace of what names it (LocalObjectReference).
strayed_objects := [{
	"reason": sprintf("%s %s looks for cluster %s in its own namespace %s, and the cluster is in %s: %s", [kind, one.metadata.name, k8s.name, home, k8s.namespace, consequence]),
	"cure": sprintf("Create it in %s", [k8s.namespace]),
	"level": "warning",
	"path": ["spec", "cluster", "name"],
	"resource": k8s.reference(one),
} |
	operator
	get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.holds(k8s.namespace)
	alone
	some kind, consequence in object.remove(consequences, ["Backup"])
	some one in inventory.in_all_files(k8s.api_version, kind)
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
	home := get.string(one, ["metadata", "namespace"])
	home != k8s.namespace
	not placeholder.holds(home)
	not get.present(one, ["spec", "cluster", "namespace"])
]

# Nobody else may be meant.
alone if inventory.holders(k8s.api_version, "Cluster", k8s.name) == {k8s.namespace}
