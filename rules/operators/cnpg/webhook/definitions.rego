package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.schema
import data.walguard.lib.text
import data.walguard.operators.cnpg

# What the definition of a Pooler asks for (config/crd/bases/postgresql.cnpg.io_poolers.yaml).
found contains {
	"by": "The API server",
	"path": fault.path,
	"resource": k8s.reference(pooler),
	"reason": fault.reason,
	"cure": fault.cure,
} if {
	placeholder.honoured
	some pooler in own_poolers
	some fault in faults_of_pooler(pooler)
}

faults_of_pooler(pooler) := array.concat(
	array.concat(
		[{"path": ["spec", "template", "spec"], "reason": "template.spec of the Pooler has no containers", "cure": "Write containers: [] beside the rest, and the operator adds its own"} |
			template := get.map(pooler, ["spec", "template", "spec"])
			count(template) > 0
			object.get(template, "containers", null) == null
			not get.unknown(pooler, ["spec", "template", "spec"])
		],
		[{"path": ["spec", "template", "spec", list, i], "reason": sprintf("an entry of %s of the Pooler has no name", [list]), "cure": "Write name: pgbouncer for PgBouncer's own container"} |
			some list in ["containers", "initContainers"]
			some i, container in get.list(pooler, ["spec", "template", "spec", list])
			is_object(container)
			count(container) > 0
			count([1 | some field, _ in container; placeholder.holds(field)]) == 0
			object.get(container, "name", null) == null
		],
	),
	array.concat(
		[{"path": ["spec", "pgbouncer", "poolMode"], "reason": sprintf("poolMode of the Pooler is \"%s\"", [mode]), "cure": "Write session or transaction"} |
			mode := get.string(pooler, ["spec", "pgbouncer", "poolMode"])
			not mode in {"session", "transaction"}
			not placeholder.holds(mode)
		],
		array.concat(
			[{"path": ["spec", "instances"], "reason": "instances of the Pooler is a text", "cure": "Write a whole number, without quotes"} |
				instances := get.string(pooler, ["spec", "instances"])
				not placeholder.holds(instances)
			],
			[{"path": ["spec", "pgbouncer", "image"], "reason": "image and imageCatalogRef stand beside each other in pgbouncer", "cure": "Leave one of them"} |
				get.present(pooler, ["spec", "pgbouncer", "image"])
				get.present(pooler, ["spec", "pgbouncer", "imageCatalogRef"])
			],
		),
	),
)

# Types and fields of what stands beside the cluster, as the definitions have them.
found contains object.union(fault, {"resource": k8s.reference(one)}) if {
	cnpg.operator
	some kind in ["Backup", "Database", "DatabaseRole", "Pooler", "Publication", "ScheduledBackup", "Subscription"]
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	k8s.name in {object.get(one, ["spec", "cluster", "name"], ""), object.get(one, ["spec", "cluster"], "")}
	some fault in schema.faults(get.lower_case(kind), one)
}

# validateMonitoring
found contains {
	"path": ["spec", "monitoring", "tls", "enabled"],
	"resource": k8s.reference(pooler),
	"reason": "the Pooler has enablePodMonitor, its metrics over TLS, and no pgbouncer.clientTLSSecret",
	"cure": "Name one, or make the PodMonitor yourself",
} if {
	some pooler in own_poolers
	get.boolean(pooler, ["spec", "monitoring", "tls", "enabled"])
	get.boolean(pooler, ["spec", "monitoring", "enablePodMonitor"])
	not get.present(pooler, ["spec", "pgbouncer", "clientTLSSecret"])
}

# Words that are one of a few in the definitions of what names the cluster.
found contains {
	"by": "The API server",
	"path": ["spec", field],
	"resource": k8s.reference(one),
	"reason": sprintf("%s of %s %s is \"%s\"", [field, kind, get.string(one, ["metadata", "name"]), word]),
	"cure": sprintf("Write %s", [text.list(words, "or")]),
} if {
	cnpg.operator
	some kind, fields in words_of
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
	some field, words in fields
	word := get.string(one, ["spec", field])
	not word in words
	not placeholder.holds(word)
}

words_of := {
	"Backup": {"target": ["prefer-standby", "primary"]},
	"Database": {"databaseReclaimPolicy": policies, "ensure": ["absent", "present"]},
	"DatabaseRole": {"databaseRoleReclaimPolicy": policies},
	"Publication": {"publicationReclaimPolicy": policies},
	"ScheduledBackup": {"backupOwnerReference": ["cluster", "none", "self"], "target": ["prefer-standby", "primary"]},
	"Subscription": {"subscriptionReclaimPolicy": policies},
}

policies := ["delete", "retain"]

# A locale of another provider than the one that is named; libc where none is.
found contains {
	"by": "The API server",
	"path": ["spec", field],
	"resource": k8s.reference(database),
	"reason": sprintf("%s of Database %s stands without localeProvider: %s", [field, get.string(database, ["metadata", "name"]), provider]),
	"cure": sprintf("Write localeProvider: %s, or take it out", [provider]),
} if {
	some database in own_databases
	some field, provider in {"builtinLocale": "builtin", "icuLocale": "icu", "icuRules": "icu"}
	get.present(database, ["spec", field])
	said := object.get(database, ["spec", "localeProvider"], "")
	said != provider
	not placeholder.holds(said)
}

# The rule of the definition reads the group, and fails where it is not there.
found contains {
	"by": "The API server",
	"path": ["spec", "imageCatalogRef"],
	"reason": "imageCatalogRef has no apiGroup (\"Only image catalogs are supported\")",
	"cure": "Write apiGroup: postgresql.cnpg.io",
} if {
	placeholder.honoured
	reference := get.map(cnpg.spec, "imageCatalogRef")
	get.string(reference, "kind")
	get.string(reference, "name")
	object.get(reference, "apiGroup", null) == null
	k8s.group == "postgresql.cnpg.io"
}
