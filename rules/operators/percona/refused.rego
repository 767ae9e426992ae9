package walguard.operators.percona

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The rules between fields of the CRD (x-kubernetes-validations; pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go).
rules_of_fields := array.concat(
	array.concat(array.concat(without_repository, of_a_newer_server), array.concat(encryption, array.concat(version_of_resource, names_of_replicas))),
	array.concat(array.concat(array.concat(statistics_twice, backups_left_out), levels_of_wal), array.concat(array.concat(maps_for_secrets, backups_without_backups), extensions_without_image)),
)

without_repository := [{
	"path": pgo.pgbackrest,
	"reason": "backups are on and pgbackrest has no repository (\"At least one repository must be configured when backups are enabled\")",
	"cure": "Write one below repos, or backups.enabled: false where data may be lost",
} |
	recognised
	not switched_off
	is_object(object.get(k8s.object, ["spec", "backups"], null))
	is_object(object.get(k8s.object, pgo.pgbackrest, {}))
	object.get(k8s.object, array.concat(pgo.pgbackrest, ["repos"]), []) in [[], null]
]

# "spec.backups: Required value". A patch or an assertion of a test has not all of these fields.
backups_left_out := [{
	"path": ["spec"],
	"reason": "spec has no backups, which its schema requires even where there are none",
	"cure": "Write backups with a repository, or backups.enabled: false where data may be lost",
} |
	recognised
	not get.present(pgo.spec, "backups")
	every field in ["crVersion", "image", "instances", "postgresVersion"] {
		get.present(pgo.spec, field)
	}
	get.present(get.list(pgo.spec, "instances")[0], "dataVolumeClaimSpec")
	count([1 | some field, _ in pgo.spec; placeholder.holds(field)]) == 0
]

# Whole majors only: where the version is not known, nothing is refused.
of_a_newer_server := [{
	"path": asked.path,
	"reason": sprintf("%s is for PostgreSQL %d and later, and the cluster has %d", [asked.what, asked.major, pgo.major.value]),
	"cure": sprintf("Take %s out, or upgrade to %d", [asked.field, asked.major]),
} |
	recognised
	some asked in array.concat(
		array.concat(
			[{"what": "logicalReplicas", "field": "it", "major": 17, "path": ["spec", "logicalReplicas"]} | count(get.list(pgo.spec, "logicalReplicas")) > 0],
			[{"what": "pg_tde", "field": "it", "major": 16, "path": ["spec", "extensions", "pg_tde", "enabled"]} | encrypted],
		),
		[{"what": "grantPublicSchemaAccess", "field": "it", "major": 15, "path": ["spec", "users", i, "grantPublicSchemaAccess"]} |
			some i, user in get.list(pgo.spec, "users")
			get.boolean(user, "grantPublicSchemaAccess")
		],
	)
	pgo.major.value < asked.major
]

encrypted if get.boolean(pgo.spec, ["extensions", "pg_tde", "enabled"])

encryption := array.concat(
	[{
		"path": ["spec", "extensions", "pg_tde", "enabled"],
		"reason": "pg_tde is enabled without vault (\"vault is required for enabling pg_tde\")",
		"cure": "Write extensions.pg_tde.vault, where the keys lie",
	} |
		recognised
		encrypted
		not get.present(pgo.spec, ["extensions", "pg_tde", "vault"])
	],
	[{
		"path": ["spec", "extensions", "pg_tde", "walEncryption"],
		"reason": "walEncryption is on and pg_tde is not enabled",
		"cure": "Set extensions.pg_tde.enabled: true, or take walEncryption out",
	} |
		recognised
		get.boolean(pgo.spec, ["extensions", "pg_tde", "walEncryption"])
		not encrypted
		not placeholder.holds(object.get(pgo.spec, ["extensions", "pg_tde", "enabled"], null))
	],
)

version_of_resource := [{
	"path": ["spec", "crVersion"],
	"reason": sprintf("crVersion %s is not a version of three numbers", [version]),
	"cure": "Write the operator's, as in 2.7.0",
} |
	recognised
	version := get.string(pgo.spec, "crVersion")
	not placeholder.holds(version)
	not regex.match(`^([0-9]+\.[0-9]+\.[0-9]+([-+][a-zA-Z0-9.+-]+)?)?$`, version)
]

# ValidateLogicalReplicas, likewise: each becomes a StatefulSet beside those of the sets.
names_of_replicas := [{
	"path": ["spec", "logicalReplicas", i, "name"],
	"reason": sprintf("a logical replica is called %s as %s is, and the operator creates and changes nothing", [name, twin]),
	"cure": "Give it another name",
} |
	recognised
	replicas := get.list(pgo.spec, "logicalReplicas")
	some i, replica in replicas
	name := get.string(replica, "name")
	not placeholder.holds(name)
	twin := twin_of(name, i, replicas)
]

twin_of(name, i, replicas) := "an instance set" if {
	name in [get.string(set, "name") | some set in get.list(pgo.spec, "instances")]
} else := "another one" if {
	count([1 | some k, other in replicas; k < i; get.string(other, "name") == name]) > 0
}

# Validate (pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go), since release 2.9: every reconciliation ends there.
statistics_twice := [{
	"path": ["spec", "extensions"],
	"reason": "pg_stat_monitor and pg_stat_statements are both enabled (\"cannot both be enabled\"), and the operator creates and changes nothing",
	"cure": "Set one of them to false",
} |
	recognised
	pgo.version_at_least([2, 9])
	every key in ["pg_stat_monitor", "pg_stat_statements"] {
		switched_on(key)
	}
]

switched_on(key) if get.boolean(pgo.spec, ["extensions", "builtin", key])

switched_on(key) if {
	not get.present(pgo.spec, ["extensions", "builtin", key])
	get.boolean(pgo.spec, ["extensions", key, "enabled"])
}

# ValidateDynamicConfiguration, likewise.
levels_of_wal := [{
	"path": array.concat(pgo.patroni_path, ["wal_level"]),
	"reason": sprintf("wal_level is \"%s\", where the operator takes logical and replica alone, and creates and changes nothing", [level]),
	"cure": "Write logical, which is its default, or replica",
} |
	recognised
	pgo.version_at_least([2, 9])
	level := get.string(k8s.object, array.concat(pgo.patroni_path, ["wal_level"]))
	not level in {"logical", "replica"}
	not placeholder.holds(level)
]

# getEnvFromSecrets (percona/controller/pgcluster/secret.go, since release 2.8) reads secretRef.name of each entry, and a ConfigMap has none: the reconciliation ends in a panic.
maps_for_secrets := [{
	"path": array.concat(path, [i]),
	"reason": "envFrom names a ConfigMap, where it reads secretRef of each entry (nil pointer), and it creates and changes nothing",
	"cure": "Put the variables into a Secret",
} |
	recognised
	pgo.version_at_least([2, 8])
	some path in array.concat(
		[["spec", "proxy", "pgBouncer", "envFrom"], array.concat(pgo.pgbackrest, ["envFrom"])],
		[["spec", "instances", i, "envFrom"] | some i, _ in get.list(pgo.spec, "instances")],
	)
	some i, entry in get.list(k8s.object, path)
	get.present(entry, "configMapRef")
	not get.present(entry, "secretRef")
]

# "Backups are not enabled in the PerconaPGCluster configuration" (percona/controller/pgbackup/controller.go).
backups_without_backups := [{
	"path": ["spec", "pgCluster"],
	"resource": k8s.reference(one),
	"reason": sprintf("PerconaPGBackup %s asks for a backup of a cluster with backups.enabled: false, and ends as Failed", [get.string(one, ["metadata", "name"])]),
	"cure": "Switch the backups on, or take it out",
} |
	recognised
	switched_off
	some one in inventory.of_cluster(k8s.namespace, k8s.api_version, "PerconaPGBackup", k8s.name)
	not get.present(one, ["status", "state"])
]

# "you need to set spec.extensions.image to install custom extensions" (percona/controller/pgcluster/controller.go), read where the storage has a Secret.
extensions_without_image := [{
	"path": ["spec", "extensions", "custom"],
	"reason": "custom extensions stand without extensions.image, and the operator creates and changes nothing",
	"cure": "Write extensions.image, from which they are installed",
} |
	recognised
	count(get.list(pgo.spec, ["extensions", "custom"])) > 0
	get.present(pgo.spec, ["extensions", "storage", "secret"])
	not get.present(pgo.spec, ["extensions", "image"])
]
