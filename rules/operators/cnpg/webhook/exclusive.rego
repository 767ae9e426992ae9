package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.operators.cnpg

# Fields of which each is taken alone, by the webhook (validateBootstrapRecoveryDataSource, validateEphemeralVolumeSource, validateServiceAccountConfig) and by the definition
# of the resource (x-kubernetes-validations).
found contains {
	"path": array.concat(["spec"], pair.one),
	"reason": sprintf("%s stands beside %s", [concat(".", pair.one), concat(".", pair.other)]),
	"cure": pair.cure,
} if {
	some pair in pairs
	every path in [pair.one, pair.other] {
		get.present(cnpg.spec, path)
		not get.unknown(cnpg.spec, path)
	}
}

pairs := [
	{"one": ["imageName"], "other": ["imageCatalogRef"], "cure": "Leave one of them"},
	{"one": ["serviceAccountName"], "other": ["serviceAccountTemplate"], "cure": "Leave one of them: the account that is named has annotations of its own"},
	{"one": ["postgresql", "synchronous", "podFailureDomainKeys"], "other": ["postgresql", "synchronous", "nodeFailureDomainKeys"], "cure": "Leave one of them"},
	{"one": ["ephemeralVolumeSource"], "other": ["ephemeralVolumesSizeLimit", "temporaryData"], "cure": "Leave one of them"},
	{
		"one": ["bootstrap", "recovery", "backup"],
		"other": ["bootstrap", "recovery", "volumeSnapshots"],
		"cure": "Leave one of them: a recovery begins with snapshots or with a Backup, and finds the WAL by source",
	},
	{
		"one": ["bootstrap", "recovery", "recoveryTarget", "backupID"],
		"other": ["bootstrap", "recovery", "volumeSnapshots"],
		"cure": "Take backupID out: the recovery begins with the snapshots that are named",
	},
]

# The operator would look for WAL on a volume of its own ("missing StorageSource for PostgreSQL WAL").
found contains {
	"path": ["spec", "walStorage"],
	"reason": "walStorage is there, and no snapshot for it (\"missing StorageSource for PostgreSQL WAL\")",
	"cure": "Name one in volumeSnapshots.walStorage, or take walStorage out",
} if {
	get.present(k8s.object, array.concat(snapshots_path, ["storage"]))
	get.present(cnpg.spec, "walStorage")
	not get.present(k8s.object, array.concat(snapshots_path, ["walStorage"]))
	not get.unknown(cnpg.spec, "walStorage")
}

# Words of a locale that only its own provider takes; the default is libc.
found contains {
	"path": ["spec", "bootstrap", "initdb", field],
	"reason": sprintf("%s stands without localeProvider: %s", [field, provider]),
	"cure": sprintf("Write localeProvider: %s, or take it out", [provider]),
} if {
	initdb := get.map(cnpg.spec, ["bootstrap", "initdb"])
	some field, provider in {"builtinLocale": "builtin", "icuLocale": "icu", "icuRules": "icu"}
	get.present(initdb, field)
	said := object.get(initdb, "localeProvider", "")
	said != provider
	not placeholder.holds(said)
}

# ValidateSynchronous of the definition, validateFailoverQuorum, validateFailoverQuorumAlphaAnnotation
synchronous := get.map(cnpg.spec, ["postgresql", "synchronous"])

standby_names := [name |
	some field in ["standbyNamesPre", "standbyNamesPost"]
	name := get.list(synchronous, field)[_]
]

found contains {
	"path": ["spec", "postgresql", "synchronous", "dataDurability"],
	"reason": "dataDurability is preferred beside standbyNamesPre or standbyNamesPost, and it takes it without such names alone",
	"cure": "Take the names out, or write dataDurability: required",
} if {
	get.string(synchronous, "dataDurability") == "preferred"
	count(standby_names) > 0
}

found contains {
	"path": ["spec", "postgresql", "synchronous", "number"],
	"reason": sprintf("synchronous.number is %s, and it is greater than 0", [get.shown(number)]),
	"cure": "Write 1, or take synchronous out",
} if {
	number := get.number(synchronous, "number")
	number < 1
}

found contains {
	"path": quorum_path,
	"reason": "failoverQuorum is on, and there is no synchronous replication",
	"cure": "Configure spec.postgresql.synchronous, or take it out",
} if {
	count(quorum_path) > 0
	not get.present(cnpg.spec, ["postgresql", "synchronous"])
}

found contains {
	"path": ["spec", "postgresql", "synchronous", "number"],
	"reason": sprintf("failoverQuorum is on, and synchronous.number %s is not more than the number of standbyNamesPre and standbyNamesPost (%d)", [get.shown(number), count(standby_names)]),
	"cure": sprintf("Write %d or more, or take names out", [count(standby_names) + 1]),
} if {
	count(quorum_path) > 0
	number := get.number(synchronous, "number")
	number > 0
	count(standby_names) > 0
	number <= count(standby_names)
}

quorum_path := ["spec", "postgresql", "synchronous", "failoverQuorum"] if {
	get.boolean(synchronous, "failoverQuorum")
} else := ["metadata", "annotations", quorum_annotation] if {
	not get.present(synchronous, "failoverQuorum")
	get.lower_case(get.string(k8s.annotations, quorum_annotation)) in {"1", "t", "true"}
}

quorum_annotation := "alpha.cnpg.io/failoverQuorum"

# validateManagedServices
found contains {
	"path": ["spec", "managed", "services", "additional", i, "serviceTemplate", "metadata", "name"],
	"reason": sprintf("two additional services are called %s", [name]),
	"cure": "Give them different names",
} if {
	names := [get.string(one, ["serviceTemplate", "metadata", "name"]) | some one in get.list(cnpg.spec, ["managed", "services", "additional"]); get.string(one, ["serviceTemplate", "metadata", "name"])]
	some i, one in get.list(cnpg.spec, ["managed", "services", "additional"])
	name := get.string(one, ["serviceTemplate", "metadata", "name"])
	not placeholder.unknown(name)
	count([1 | some other in array.slice(names, 0, i); other == name]) == 1
}

# validateMicroservice, validateMonolith, and what the import asks for afterwards.
found contains {
	"path": ["spec", "bootstrap", "initdb", "import", "databases", 0],
	"reason": sprintf("import.type microservice takes one database by its name, and \"%s\" has a wildcard", [name]),
	"cure": "Name the database, or write type: monolith",
} if {
	get.string(import_section, "type") == "microservice"
	names := get.list(import_section, "databases")
	count(names) == 1
	name := names[0]
	is_string(name)
	not placeholder.holds(name)
	contains(name, "*")
}

found contains {
	"path": ["spec", "bootstrap", "initdb", "import"],
	"reason": "import.type monolith names no database",
	"cure": "Write databases: [\"*\"], or their names",
} if {
	get.string(import_section, "type") == "monolith"
	not get.unknown(import_section, "databases")
	count(get.list(import_section, "databases")) == 0
}

found contains {
	"path": ["spec", "bootstrap", "initdb", "import", "source", "externalCluster"],
	"reason": sprintf("%s is not among externalClusters, so that there is nothing to import from", [name]),
	"cure": sprintf("Define it there%s", [known_sources]),
} if {
	name := get.string(import_section, ["source", "externalCluster"])
	not placeholder.holds(name)
	sources := get.list(cnpg.spec, "externalClusters")
	not get.unknown(cnpg.spec, "externalClusters")
	count([1 | some one in sources; object.get(one, "name", "") == name]) == 0
	count([1 | some one in sources; placeholder.holds(object.get(one, "name", ""))]) == 0
}

import_section := get.map(cnpg.spec, ["bootstrap", "initdb", "import"])

known_sources := sprintf(", or name %s", [text.list(names, "or")]) if {
	names := [name | some one in get.list(cnpg.spec, "externalClusters"); name := get.string(one, "name")]
	count(names) > 0
} else := ""
