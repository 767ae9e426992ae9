package walguard.operators.cnpg.webhook

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.operators.cnpg

# validateBootstrapMethod
found contains {
	"path": ["spec", "bootstrap"],
	"reason": sprintf("%s stand beside one another, and a cluster begins in one way", [text.list(ways, "and")]),
	"cure": "Leave one of them",
} if {
	ways := [way | some way in ["initdb", "recovery", "pg_basebackup"]; get.present(cnpg.spec, ["bootstrap", way])]
	count(ways) > 1
}

# validateMicroservice, validateMonolith
found contains {
	"path": array.concat(import_path, ["databases"]),
	"reason": sprintf("import.type microservice takes one database, and %d are named", [count(databases)]),
	"cure": "Name one, or take the type monolith",
} if {
	get.string(k8s.object, array.concat(import_path, ["type"])) == "microservice"
	databases := get.list(k8s.object, array.concat(import_path, ["databases"]))
	count(databases) != 1
}

found contains {
	"path": array.concat(import_path, [field]),
	"reason": sprintf("import.type %s does not take %s", [type, field]),
	"cure": "Take it out",
} if {
	some type, field in {"microservice": "roles", "monolith": "postImportApplicationSQL"}
	get.string(k8s.object, array.concat(import_path, ["type"])) == type
	count(get.list(k8s.object, array.concat(import_path, [field]))) > 0
}

found contains {
	"path": array.concat(import_path, [field]),
	"reason": sprintf("\"*\" stands in import.%s beside other names", [field]),
	"cure": "Leave \"*\" alone, or take it out",
} if {
	some field in ["databases", "roles"]
	get.string(k8s.object, array.concat(import_path, ["type"])) == "monolith"
	names := get.list(k8s.object, array.concat(import_path, [field]))
	count(names) > 1
	"*" in names
}

import_path := ["spec", "bootstrap", "initdb", "import"]

# validateBootstrapRecoverySource, validateBootstrapPgBaseBackupSource, validateReplicaClusterExternalClusters
found contains {
	"path": path,
	"reason": sprintf("%s is not among externalClusters", [name]),
	"cure": "Describe it there, or name one that is",
} if {
	some path in [
		["spec", "bootstrap", "recovery", "source"],
		["spec", "bootstrap", "pg_basebackup", "source"],
		["spec", "replica", "source"],
		["spec", "replica", "self"],
		["spec", "replica", "primary"],
	]
	name := get.string(k8s.object, path)
	name != ""
	not placeholder.holds(name)
	not name in external_names
	count([1 | some one in external_names; placeholder.holds(one)]) == 0
}

external_names := {get.string(one, "name") | some one in get.list(cnpg.spec, "externalClusters")}

# validateExternalCluster
found contains {
	"path": ["spec", "externalClusters", i],
	"reason": sprintf("external cluster %s says neither how to connect nor where its backups are", [get.string(one, "name")]),
	"cure": "Write connectionParameters, plugin or barmanObjectStore",
} if {
	some i, one in get.list(cnpg.spec, "externalClusters")
	is_object(one)
	get.string(one, "name")
	count([1 | some field in ["connectionParameters", "plugin", "barmanObjectStore"]; get.present(one, field)]) == 0
}

found contains {
	"path": ["spec", "externalClusters", i, "name"],
	"reason": sprintf("two external clusters are called %s", [name]),
	"cure": "Give them different names",
} if {
	listed := get.list(cnpg.spec, "externalClusters")
	some i, one in listed
	name := get.string(one, "name")
	not placeholder.holds(name)
	count([1 | some k, other in listed; k < i; get.string(other, "name") == name]) == 1
}

# validateReplicaMode
found contains {
	"path": ["spec", "replica"],
	"reason": "replica.enabled is not possible beside replica.primary, which decides the role",
	"cure": "Leave one of them",
} if {
	get.present(cnpg.spec, ["replica", "enabled"])
	get.string(cnpg.spec, ["replica", "primary"]) != ""
}

found contains {
	"path": ["spec", "replica"],
	"reason": "a replica cluster cannot begin with initdb",
	"cure": "Bootstrap it with pg_basebackup or recovery",
} if {
	get.boolean(cnpg.spec, ["replica", "enabled"])
	not stored
	count([1 | some way in ["recovery", "pg_basebackup"]; get.present(cnpg.spec, ["bootstrap", way])]) == 0
}

stored if get.string(k8s.object, ["metadata", "resourceVersion"])

# validatePromotionToken
found contains {
	"path": ["spec", "replica", "promotionToken"],
	"reason": "promotionToken stands in a replica cluster, and is for the one that becomes the primary",
	"cure": "Take it out",
} if {
	get.string(cnpg.spec, ["replica", "promotionToken"])
	not get.present(cnpg.spec, ["replica", "minApplyDelay"])
	replica
}

found contains {
	"path": ["spec", "replica", "minApplyDelay"],
	"reason": "minApplyDelay stands beside promotionToken",
	"cure": "Take minApplyDelay out for the promotion",
} if {
	get.string(cnpg.spec, ["replica", "promotionToken"])
	get.present(cnpg.spec, ["replica", "minApplyDelay"])
}

# IsReplica (api/v1/cluster_funcs.go)
replica if get.boolean(cnpg.spec, ["replica", "enabled"])

replica if {
	not get.present(cnpg.spec, ["replica", "enabled"])
	leader := get.string(cnpg.spec, ["replica", "primary"])
	self := object.get(cnpg.spec, ["replica", "self"], k8s.name)
	leader != self
	count([1 | some name in [leader, self]; placeholder.holds(name)]) == 0
}

# validateTargetExclusiveness, validateRecoveryTarget
found contains {
	"path": target_path,
	"reason": sprintf("%s stand beside one another in recoveryTarget", [text.list(targets, "and")]),
	"cure": "Leave one of them",
} if {
	count(targets) > 1
}

found contains {
	"path": target_path,
	"reason": sprintf("recoveryTarget.%s does not say which base backup to begin with", [targets[0]]),
	"cure": "Write recoveryTarget.backupID",
} if {
	count(targets) == 1
	targets[0] in {"targetName", "targetXID", "targetImmediate"}
	not get.present(k8s.object, array.concat(target_path, ["backupID"]))
	not get.present(cnpg.spec, ["bootstrap", "recovery", "volumeSnapshots"])
}

target_path := ["spec", "bootstrap", "recovery", "recoveryTarget"]

targets := [name |
	some name in ["targetImmediate", "targetLSN", "targetName", "targetXID", "targetTime"]
	get.present(k8s.object, array.concat(target_path, [name]))
]

# ParseTargetTime of machinery (pkg/types/time.go): PostgreSQL's form or that of RFC 3339; neither knows the names of time zones.
found contains {
	"path": array.concat(target_path, ["targetTime"]),
	"reason": sprintf("targetTime is \"%s\" (\"The format of TargetTime is invalid\")", [moment]),
	"cure": "Write it as in 2026-05-17 14:30:00+02, with the offset and not the name of a time zone",
} if {
	moment := get.string(k8s.object, array.concat(target_path, ["targetTime"]))
	not placeholder.holds(moment)
	not regex.match(`^[0-9]+-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}(:[0-9]{2}(:[0-9]{2})?)?)?)?( BC)?$`, moment)
	not regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?$`, moment)
}

found contains {
	"path": array.concat(target_path, ["targetXID"]),
	"reason": sprintf("targetXID is \"%s\", which is not a whole number below 4294967296", [xid]),
	"cure": "Write the number of the transaction",
} if {
	xid := get.string(k8s.object, array.concat(target_path, ["targetXID"]))
	not placeholder.holds(xid)
	not transaction(xid)
}

transaction(xid) if {
	regex.match(`^[0-9]{1,10}$`, xid)
	to_number(regex.replace(xid, `^0+([0-9])`, "$1")) < 4294967296
}

# validateTablespaceBackupSnapshot
found contains {
	"path": ["spec", "backup", "volumeSnapshot", "tablespaceClassName", name],
	"reason": sprintf("volumeSnapshot.tablespaceClassName names %s, which is not among the tablespaces", [name]),
	"cure": "Take it out, or write the tablespace",
} if {
	some name, _ in get.map(cnpg.spec, ["backup", "volumeSnapshot", "tablespaceClassName"])
	names := [get.string(one, "name") | some one in get.list(cnpg.spec, "tablespaces")]
	not name in names
	count([1 | some one in array.concat(names, [name]); placeholder.holds(one)]) == 0
}

# validateManagedRoles
found contains {
	"path": ["spec", "managed", "roles", i, "name"],
	"reason": sprintf("role %s is the operator's or PostgreSQL's own", [name]),
	"cure": cure_of_role(name),
} if {
	some i, role in managed_roles
	name := get.string(role, "name")
	regex.match(reserved_roles, name)
}

# pkg/postgres/roles.go
reserved_roles := `^(postgres|streaming_replica|cnpg_.*|pg_.*)$`

cure_of_role("postgres") := "Set enableSuperuserAccess and superuserSecret for the superuser's password"

cure_of_role(name) := "Take another name" if name != "postgres"

found contains {
	"path": ["spec", "managed", "roles", i, "name"],
	"reason": sprintf("role %s is listed twice", [name]),
	"cure": "Leave one of the two",
} if {
	some i, role in managed_roles
	name := get.string(role, "name")
	not placeholder.holds(name)
	count([1 | some k, other in managed_roles; k < i; get.string(other, "name") == name]) == 1
}

found contains {
	"path": ["spec", "managed", "roles", i],
	"reason": sprintf("role %s has disablePassword and a passwordSecret", [get.string(role, "name")]),
	"cure": "Leave one of them",
} if {
	some i, role in managed_roles
	get.boolean(role, "disablePassword")
	get.present(role, "passwordSecret")
}

managed_roles := get.list(cnpg.spec, ["managed", "roles"])

# validateManagedServices
found contains {
	"path": ["spec", "managed", "services", "additional", i, "serviceTemplate"],
	"reason": fault[0],
	"cure": fault[1],
} if {
	some i, one in get.list(cnpg.spec, ["managed", "services", "additional"])
	template := get.map(one, "serviceTemplate")
	some fault in array.concat(
		[["an additional service has no name", "Write serviceTemplate.metadata.name"] | not get.present(template, ["metadata", "name"])],
		array.concat(
			[[sprintf("%s is the name of a service of the operator's own", [name]), "Take another name"] |
				name := get.string(template, ["metadata", "name"])
				name in {sprintf("%s-%s", [k8s.name, role]) | some role in ["rw", "ro", "r", "any"]}
			],
			[["an additional service has a selector, which the operator writes", "Take spec.selector out"] | get.present(template, ["spec", "selector"])],
		),
	)
}

found contains {
	"path": ["spec", "managed", "services", "disabledDefaultServices", i],
	"reason": "the service rw cannot be disabled",
	"cure": "Take it out",
} if {
	some i, name in get.list(cnpg.spec, ["managed", "services", "disabledDefaultServices"])
	name == "rw"
}

# validateCerts
found contains {
	"path": ["spec", "certificates", given],
	"reason": sprintf("certificates.%s stands without %s", [given, missing]),
	"cure": sprintf("Write %s too", [missing]),
} if {
	some given, missing in {"serverTLSSecret": "serverCASecret", "replicationTLSSecret": "clientCASecret"}
	get.present(cnpg.spec, ["certificates", given])
	not get.present(cnpg.spec, ["certificates", missing])
}

found contains {
	"path": ["spec", "certificates", "serverAltDNSNames"],
	"reason": "certificates.serverAltDNSNames stands beside serverTLSSecret, which has its own names",
	"cure": "Take one of them out",
} if {
	get.present(cnpg.spec, ["certificates", "serverTLSSecret"])
	count(get.list(cnpg.spec, ["certificates", "serverAltDNSNames"])) > 0
}

# validateName
found contains {
	"path": ["metadata", "name"],
	"reason": sprintf("the name has %d characters, and 50 are the most", [count(k8s.name)]),
	"cure": "Shorten it",
} if {
	count(k8s.name) > 50
	not placeholder.holds(k8s.name)
}

found contains {
	"path": ["metadata", "name"],
	"reason": sprintf("%s is not a DNS label, which begins with a letter and has small letters, digits and \"-\"", [k8s.name]),
	"cure": "Take another name",
} if {
	k8s.name != ""
	not placeholder.holds(k8s.name)
	not regex.match(`^[a-z]([-a-z0-9]*[a-z0-9])?$`, k8s.name)

	# Somebody puts a name in the place of CLUSTER_NAME.
	not regex.match(`^[A-Z]+(_[A-Z]+)+$`, k8s.name)
}

# validateStorageSize, validateWalStorageSize
found contains {
	"path": ["spec", field],
	"reason": sprintf("%s has no size", [field]),
	"cure": sprintf("Write %s.size, or a request in its pvcTemplate", [field]),
} if {
	some field in ["storage", "walStorage"]
	is_object(object.get(cnpg.spec, field, null))
	not get.present(cnpg.spec, [field, "size"])
	not get.present(cnpg.spec, [field, "pvcTemplate", "resources", "requests", "storage"])
}

# validateBackupConfiguration
found contains {
	"path": ["spec", "backup", "barmanObjectStore"],
	"reason": fault[0],
	"cure": fault[1],
} if {
	cnpg.in_tree_store
	given := [kind | some kind in ["azureCredentials", "s3Credentials", "googleCredentials"]; get.present(cnpg.spec, ["backup", "barmanObjectStore", kind])]
	fault := {
		2: ["backup.barmanObjectStore has credentials of two clouds", "Leave one of them"],
		3: ["backup.barmanObjectStore has credentials of three clouds", "Leave one of them"],
	}[count(given)]
}

# ValidateAzureCredentials of barman-cloud (pkg/api/config.go).
found contains {
	"path": azure_path,
	"reason": fault[0],
	"cure": fault[1],
} if {
	cnpg.in_tree_store
	count(azure) > 0
	count([1 | some field, value in azure; count([1 | some text in [field, value]; placeholder.holds(text)]) > 0]) == 0
	some fault in azure_faults
}

azure_faults contains [sprintf("azureCredentials has %s and no storageAccount", [secrets[0]]), "Write storageAccount too"] if {
	secrets := [field | some field in ["storageKey", "storageSasToken"]; field in azure_fields]
	count(secrets) > 0
	not "storageAccount" in azure_fields
	not "connectionString" in azure_fields
}

azure_faults contains [sprintf("azureCredentials has connectionString and %s", [text.list(others, "and")]), "Keep connectionString only"] if {
	"connectionString" in azure_fields
	others := sort([field | some field in azure_fields; field != "connectionString"])
	count(others) > 0
}

azure_faults contains [sprintf("azureCredentials has %s, of which it takes one", [text.list(ways, "and")]), "Leave one of them"] if {
	not "connectionString" in azure_fields
	ways := sort([field | some field in azure_fields; field != "storageAccount"])
	count(ways) > 1
}

azure_faults contains ["azureCredentials names no way to log in", "Write connectionString, or storageAccount with storageKey, or inheritFromAzureAD: true where the pod has an identity"] if {
	count([field | some field in azure_fields; field != "storageAccount"]) == 0
}

azure_fields := {field | some field, value in azure; not value in {false, null}}

azure := get.map(cnpg.spec, ["backup", "barmanObjectStore", "azureCredentials"])

azure_path := ["spec", "backup", "barmanObjectStore", "azureCredentials"]

# validatePluginConfiguration
found contains {
	"path": ["spec", "plugins"],
	"reason": "a plugin is the WAL archiver, and backup.barmanObjectStore is configured too",
	"cure": "Take backup.barmanObjectStore out",
} if {
	cnpg.in_tree_store
	count(switched_on) > 0
}

found contains {
	"path": ["spec", "plugins"],
	"reason": sprintf("%d plugins are the WAL archiver", [count(switched_on)]),
	"cure": "Leave isWALArchiver with one of them",
} if {
	count(switched_on) > 1
}

switched_on := [plugin |
	some plugin in get.list(cnpg.spec, "plugins")
	get.boolean(plugin, "isWALArchiver")
	not cnpg.disabled(plugin)
]

# validateAntiAffinity
found contains {
	"path": ["spec", "affinity", "podAntiAffinityType"],
	"reason": sprintf("podAntiAffinityType is \"%s\"", [word]),
	"cure": "Write preferred or required",
} if {
	word := get.string(cnpg.spec, ["affinity", "podAntiAffinityType"])
	not placeholder.holds(word)
	not word in {"", "preferred", "required"}
}

# validateTolerations
found contains {
	"path": ["spec", "affinity", "tolerations", i],
	"reason": fault[0],
	"cure": fault[1],
} if {
	some i, one in get.list(cnpg.spec, ["affinity", "tolerations"])
	is_object(one)
	some fault in array.concat(
		[["a toleration with operator Exists has a value", "Take the value out"] |
			get.string(one, "operator") == "Exists"
			get.string(one, "value") != ""
		],
		[["a toleration has no key and an operator that is not Exists", "Write the key, or operator: Exists"] |
			not get.present(one, "key")
			object.get(one, "operator", "Equal") != "Exists"
		],
	)
}

# validateSynchronizeLogicalDecoding
found contains {
	"path": ["spec", "replicationSlots", "highAvailability", "synchronizeLogicalDecoding"],
	"reason": sprintf("synchronizeLogicalDecoding needs %s", [text.list(missing, "and")]),
	"cure": "Set them among the parameters",
} if {
	get.boolean(cnpg.spec, ["replicationSlots", "highAvailability", "synchronizeLogicalDecoding"])
	cnpg.major.value >= 17
	count([1 | some name, _ in get.map(cnpg.spec, ["postgresql", "parameters"]); startswith(name, "pg_failover_slots.")]) == 0
	missing := [sprintf("%s=on", [name]) |
		some name in ["hot_standby_feedback", "sync_replication_slots"]
		not is_on(name)
	]
	count(missing) > 0
}

is_on(name) if cluster.boolean(parameter(name))
