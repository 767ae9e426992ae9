package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.text

# What its webhooks refuse between fields, and what ends every reconciliation ("Invalid postgres version 17.6 for SGPostgresConfig … that uses version 16"). Constraints of the classes in
# io.stackgres.common.crd (sgcluster, sgdbops, sgscript, sgprofile, storages), and io.stackgres.operator.{validation,conciliation}.
refusals_between_fields := array.concat(
	array.concat(array.concat(replication_refused, configuration_refused), array.concat(sources_refused, restores_refused)),
	array.concat(array.concat(scripts_refused, storages_refused), array.concat(array.concat(profiles_refused, bounds_refused), array.concat(operations_refused, backups_refused))),
)

single if {
	reviewed_cluster
	not sharded
}

# ----------------------------------------------------------------------------------------------------- replication

replication_refused := array.concat(
	[{
		"path": ["spec", "replication", "syncInstances"],
		"reason": sprintf("replication.syncInstances is %s, and the cluster has %s, of which one is the primary", [get.text(asked), text.counted(there, "instance")]),
		"cure": "Write less than instances",
	} |
		single
		get.string(home, ["spec", "replication", "mode"]) in {"strict-sync", "sync"}
		asked := shared.whole(object.get(home, ["spec", "replication", "syncInstances"], null))
		there := shared.whole(object.get(home, ["spec", "instances"], null))
		there > 0
		asked >= there
	],
	[{
		"path": ["spec", "replication", "role"],
		"reason": sprintf("replication.role is \"%s\"", [role]),
		"cure": "Write ha or ha-read",
	} |
		single
		role := get.string(home, ["spec", "replication", "role"])
		not role in {"ha", "ha-read"}
		not placeholder.holds(role)
	],
)

# validatePostgresConfig and appendContext of ClusterPostgresConfigContextAppender.
configuration_refused := [{
	"path": configuration_path,
	"reason": sprintf("SGPostgresConfig %s is for PostgreSQL %s, and the cluster has %d: the operator creates and changes nothing", [configuration.metadata.name, version, version_of_home]),
	"cure": sprintf("Name one with postgresVersion: \"%d\"", [version_of_home]),
} |
	reviewed_cluster
	version := get.text_at(configuration, ["spec", "postgresVersion"])
	not placeholder.holds(version)
	shared.major(version) != version_of_home
]

# --------------------------------------------------------------------------------------------------- what it follows

sources_refused := [{"path": array.concat(["spec", "replicateFrom"], fault[0]), "reason": fault[1], "cure": fault[2]} |
	single
	source := get.map(home, ["spec", "replicateFrom"])
	get.present(home, ["spec", "replicateFrom"])
	count([1 | some key, _ in source; placeholder.holds(key)]) == 0
	fault := fault_of_source(source)
]

fault_of_source(source) := [[], "replicateFrom has neither instance nor storage", "Write one of them"] if {
	not get.present(source, "instance")
	not get.present(source, "storage")
} else := [["instance"], "replicateFrom.instance has both sgCluster and external", "Leave one of them"] if {
	get.present(source, ["instance", "sgCluster"])
	get.present(source, ["instance", "external"])
} else := [["users"], "replicateFrom.users stands beside an SGCluster, whose users it takes", "Take users out"] if {
	get.present(source, ["instance", "sgCluster"])
	get.present(source, "users")
} else := [["storage"], "replicateFrom.storage stands beside an SGCluster, whose storage it takes", "Take storage out"] if {
	get.present(source, ["instance", "sgCluster"])
	get.present(source, "storage")
} else := [[], "replicateFrom has no users, with which it logs in to a server that is no SGCluster", "Write superuser, replication and authenticator in users"] if {
	not get.present(source, ["instance", "sgCluster"])
	not get.present(source, "users")
}

restore_path := ["spec", "initialData", "restore", "fromBackup"]

restores_refused := array.concat(
	[{
		"path": restore_path,
		"reason": sprintf("%s stand beside one another in fromBackup", [text.list(targets, "and")]),
		"cure": "Leave one of them",
	} |
		single
		targets := [field | some field in ["pointInTimeRecovery", "targetLsn", "targetName", "targetXid"]; get.present(home, array.concat(restore_path, [field]))]
		count(targets) > 1
	],
	array.concat(
		[{
			"path": array.concat(restore_path, below),
			"reason": sprintf("restoreToTimestamp is \"%s\", which is no moment of ISO 8601", [moment]),
			"cure": "Write it as 2026-01-31T12:00:00Z",
		} |
			single
			below := ["pointInTimeRecovery", "restoreToTimestamp"]
			moment := get.string(home, array.concat(restore_path, below))
			not placeholder.holds(moment)
			not regex.match(instant, moment)
		],
		[{"path": array.concat(restore_path, ["name"]), "reason": sprintf("SGBackup %s %s: the operator creates nothing", [name, fault]), "cure": "Restore from another one"} |
			single
			count(get.list(home, ["status", "conditions"])) == 0
			name := get.string(home, array.concat(restore_path, ["name"]))
			backup := inventory.namespaced_object(k8s.namespace, api_version, "SGBackup", name)
			fault := fault_of_backup(backup)
		],
	),
)

fault_of_backup(backup) := "has failed" if {
	get.string(backup, ["status", "process", "status"]) == "Failed"
} else := sprintf("is of PostgreSQL %d, and the cluster has %d", [of, version_of_home]) if {
	of := major_of_backup(get.text_at(backup, ["status", "backupInformation", "postgresVersion"]))
	of != version_of_home
}

# As WAL-G says it (160004), or in words of the server.
major_of_backup(version) := floor(to_number(version) / 10000) if regex.match(`^[0-9]{6}$`, version)

major_of_backup(version) := shared.major(version) if not regex.match(`^[0-9]{6}$`, version)

# Instant.parse of Java.
instant := `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})$`

# ------------------------------------------------------------------------------------------------- what it names

scripts_refused := array.concat(
	[{
		"path": ["spec", "managedSql", "scripts", i, "id"],
		"reason": sprintf("two entries of managedSql.scripts have the id %s", [get.text(one.id)]),
		"cure": "Leave the ids out, or number them",
	} |
		single
		listed := get.list(home, ["spec", "managedSql", "scripts"])
		some i, one in listed
		is_number(one.id)
		count([1 | some k, other in listed; k < i; other.id == one.id]) == 1
	],
	[object.union(
		{
			"path": ["spec", "scripts", i],
			"reason": sprintf("script %d of SGScript %s has %s", [i + 1, holder.object.metadata.name, fault]),
			"cure": "Write one of them",
		},
		object.filter(holder, ["resource"]),
	) |
		reviewed_cluster
		some holder in script_holders
		some i, one in get.list(holder.object, ["spec", "scripts"])
		is_object(one)
		count([1 | some key, _ in one; placeholder.holds(key)]) == 0
		fault := fault_of_script([field | some field in ["script", "scriptFrom"]; get.present(one, field)])
	],
)

fault_of_script([]) := "neither script nor scriptFrom"

fault_of_script(["script", "scriptFrom"]) := "both script and scriptFrom"

# ObjectStorageTypeValidator.
storages_refused := [{"path": ["spec", fault[0]], "resource": k8s.reference(found), "reason": fault[1], "cure": fault[2]} |
	reviewed_cluster
	some name in {n | some backup in get.list(home, backups_path); n := get.string(backup, "sgObjectStorage")}
	found := inventory.namespaced_object(k8s.namespace, "stackgres.io/v1beta1", "SGObjectStorage", name)
	type := get.string(found, ["spec", "type"])
	not placeholder.holds(type)
	written := [kind | some kind in ["azureBlob", "gcs", "s3", "s3Compatible"]; get.present(found, ["spec", kind])]
	fault := fault_of_storage(name, type, written)
]

fault_of_storage(name, type, written) := ["type", sprintf("SGObjectStorage %s has the type \"%s\"", [name, type]), "Write s3, s3Compatible, gcs or azureBlob"] if {
	not type in {"azureBlob", "gcs", "s3", "s3Compatible"}
} else := ["type", sprintf("SGObjectStorage %s has the type %s and no section of that name", [name, type]), sprintf("Write %s", [type])] if {
	not type in written
} else := [beside[0], sprintf("SGObjectStorage %s has the type %s, and %s as well", [name, type, text.list(beside, "and")]), sprintf("Leave %s only", [type])] if {
	beside := [kind | some kind in written; kind != type]
	count(beside) > 0
}

# Containers of one's own for the server; huge pages are part of the memory and whole.
profiles_refused := [{"path": array.concat(["spec"], fault[0]), "resource": k8s.reference(found), "reason": sprintf("SGInstanceProfile %s has %s", [found.metadata.name, fault[1]]), "cure": fault[2]} |
	reviewed_cluster
	found := named_by_home("SGInstanceProfile", array.concat(part, ["sgInstanceProfile"]))
	some fault in faults_of_profile(get.map(found, "spec"))
]

faults_of_profile(spec) := array.concat(
	[[[name], sprintf("%s \"%s\", which is no quantity", [name, spec[name]]), sprintf("Write %s", [{"cpu": "a number, or thousandths such as 500m", "memory": quantity.meant(spec[name])}[name]])] |
		some name in ["cpu", "memory"]
		quantity.malformed(object.get(spec, name, null))
	],
	array.concat(
		[[["hugePages", name], sprintf("%s of %s, which is no multiple of %s", [name, get.text(amount), unit]), sprintf("Write a multiple of %s", [unit])] |
			some name, unit in {"hugepages-1Gi": "1Gi", "hugepages-2Mi": "2Mi"}
			amount := object.get(spec, ["hugePages", name], null)
			quantity.bytes(amount) % quantity.bytes(unit) > 0
		],
		[[["hugePages"], "more huge pages than memory", "Raise memory, of which they are a part"] |
			memory := quantity.bytes(object.get(spec, "memory", null))
			sum([quantity.bytes(amount) | some _, amount in get.map(spec, "hugePages")]) > memory
		],
	),
)

# ------------------------------------------------------------------------------------- what is done with the cluster

operations := [one |
	single
	some one in inventory.list(k8s.namespace, api_version, "SGDbOps")
	get.string(one, ["spec", "sgCluster"]) == k8s.name
	not get.present(one, "status")
]

sections := {"benchmark", "majorVersionUpgrade", "minorVersionUpgrade", "repack", "restart", "securityUpgrade", "vacuum"}

operations_refused := [{"path": array.concat(["spec"], fault[0]), "resource": k8s.reference(one), "reason": sprintf("SGDbOps %s %s", [one.metadata.name, fault[1]]), "cure": fault[2]} |
	some one in operations
	operation := get.string(one, ["spec", "op"])
	operation in sections
	some fault in faults_of_operation(operation, one.spec)
]

faults_of_operation(operation, spec) := array.concat(
	array.concat(
		[[[other], sprintf("is of the op %s and has a section %s", [operation, other]), sprintf("Take %s out", [other])] |
			some other in (sections - {operation})
			get.present(spec, other)
		],
		[[["op"], sprintf("is of the op %s and has no section %s", [operation, operation]), sprintf("Write %s", [operation])] |
			operation in {"benchmark", "majorVersionUpgrade", "minorVersionUpgrade"}
			not get.present(spec, operation)
		],
	),
	array.concat(
		array.concat(
			[[["runAt"], sprintf("has runAt \"%s\", which is no moment of ISO 8601", [spec.runAt]), "Write it as 2026-01-31T12:00:00Z"] |
				is_string(spec.runAt)
				not placeholder.holds(spec.runAt)
				not regex.match(instant, spec.runAt)
			],
			[[["timeout"], sprintf("has timeout \"%s\", which is no duration of ISO 8601", [spec.timeout]), "Write it as PT1H30M"] |
				is_string(spec.timeout)
				not placeholder.holds(spec.timeout)
				not regex.match(`^[+]?[Pp]([0-9]+[Dd])?([Tt]([0-9]+[Hh])?([0-9]+[Mm])?([0-9]+([.,][0-9]+)?[Ss])?)?$`, spec.timeout)
			],
		),
		[[[operation, field], fault, cure] |
			field := "postgresVersion"
			later := shared.major(get.text_at(spec, [operation, field]))
			[fault, cure] := fault_of_version(operation, later)
		],
	),
)

fault_of_version("minorVersionUpgrade", later) := [sprintf("is a minor upgrade to PostgreSQL %d, and the cluster has %d", [later, version_of_home]), "Write a version of the same major, or op: majorVersionUpgrade"] if later != version_of_home

fault_of_version("majorVersionUpgrade", later) := [sprintf("is a major upgrade to PostgreSQL %d, and the cluster has %d already", [later, version_of_home]), "Write a later major"] if later < version_of_home

# "SGCluster … has no backup configured" (BackupClusterObjectStorageContextAppender).
backups_refused := [{
	"path": ["spec", "sgCluster"],
	"resource": k8s.reference(one),
	"reason": sprintf("SGBackup %s is of a cluster without configurations.backups, and is never taken", [one.metadata.name]),
	"cure": "Configure backups in the cluster",
} |
	single
	not get.unknown(home, backups_path)
	count(get.list(home, backups_path)) == 0
	some one in own_backups
	not get.present(one, "status")
]
