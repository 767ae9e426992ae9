package walguard.operators.percona

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The rules between fields of the CRD (x-kubernetes-validations; pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go).
rules_of_fields := array.concat(array.concat(without_repository, of_a_newer_server), array.concat(encryption, version_of_resource))

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
