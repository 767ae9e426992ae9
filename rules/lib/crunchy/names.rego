package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder
import data.walguard.lib.reference
import data.walguard.lib.text
import data.walguard.lib.watch

# Names that lead nowhere: of repositories, and of keys in Secrets and ConfigMaps.

# ---------------------------------------------------------------------------------------------------- repositories

# METADATA
# description: What names a repository that backups.pgbackrest.repos does not have; see walguard.model, unusable_stores.
unknown_repositories := [object.union(
	{
		"reason": sprintf("%s names %s, and the cluster has %s: %s", [asking.what, asking.name, text.list(repository_names, "and"), asking.consequence]),
		"cure": "Name one that it has, or define it in backups.pgbackrest.repos",
	},
	object.filter(asking, ["path", "resource", "level"]),
) |
	count(repository_names) > 0
	some asking in asked_repositories
	not placeholder.unknown(asking.name)
	not asking.name in repository_names
	count([1 | some name in repository_names; placeholder.unknown(name)]) == 0
]

repository_names := [name | some repository in repositories; name := get.string(repository, "name")]

# reconcilePostgresClusterDataSource ends with an event InvalidDataSource when the instances are gone already (internal/controller/postgrescluster/pgbackrest.go), and the repository of a standby becomes
# --repo of its restore_command (internal/pgbackrest/postgres.go).
asked_repositories := array.concat(
	[{"what": what, "path": path, "name": name, "consequence": consequence} |
		some [what, path, consequence] in switched_on
		name := get.string(k8s.object, path)
	],
	array.concat(
		[{"what": "backups.pgbackrest.manual", "path": path, "name": name, "consequence": "no backup is taken when it is asked for", "level": "warning"} |
			path := array.concat(pgbackrest, ["manual", "repoName"])
			name := get.string(k8s.object, path)
		],
		[{"what": sprintf("%s %s", [kind, made.metadata.name]), "path": ["spec", "repoName"], "name": name, "consequence": consequence, "resource": k8s.reference(made), "level": level} |
			k8s.group == "pgv2.percona.com"
			some [kind, consequence, level] in [
				["PerconaPGBackup", "the backup never starts", "error"],
				["PerconaPGRestore", "the cluster is shut down for the restore, which never begins", "error"],
			]
			some made in inventory.list(k8s.namespace, "pgv2.percona.com/v2", kind)
			get.string(made, ["spec", "pgCluster"]) == k8s.name
			name := get.string(made, ["spec", "repoName"])
			not get.present(made, ["status", "state"])
		],
	),
)

# A standby with a host streams from there.
switched_on := array.concat(
	[["backups.pgbackrest.restore", array.concat(pgbackrest, ["restore", "repoName"]), "the cluster is shut down for the restore, which never begins"] |
		get.boolean(k8s.object, array.concat(pgbackrest, ["restore", "enabled"]))
		not get.present(k8s.object, array.concat(pgbackrest, ["restore", "clusterName"]))
	],
	[["standby", ["spec", "standby", "repoName"], "pgBackRest finds no WAL there, and the standby does not start"] |
		get.boolean(spec, ["standby", "enabled"])
		not get.present(spec, ["standby", "host"])
	],
)

# ---------------------------------------------------------------------------------------------------------- objects

# METADATA
# description: See walguard.model, unresolved.
unresolved := array.concat(array.concat(lost_secrets, misspelt_clusters), array.concat(lost_sources, unwatched))

unwatched := watch.elsewhere(`^postgres-operator$`, {"PGO_TARGET_NAMESPACE", "PGO_TARGET_NAMESPACES"}) if k8s.kind == "PostgresCluster"

unwatched := watch.elsewhere(`^percona-postgresql-operator$`, {"PGO_TARGET_NAMESPACE", "WATCH_NAMESPACE"}) if k8s.kind == "PerconaPGCluster"

unwatched := [] if not k8s.kind in {"PerconaPGCluster", "PostgresCluster"}

lost_secrets := [object.union(found, {"path": asked.path}) |
	some asked in named_secrets
	found := reference.lost(object.union(asked, {"version": "v1", "kind": "Secret"}), {other.name | some other in named_secrets})
]

named_secrets := array.concat(
	[{"what": field, "name": name, "consequence": "no instance starts", "path": path} |
		some field in ["customTLSSecret", "customReplicationTLSSecret"]
		path := array.concat(secrets_path, [field, "name"])
		name := get.string(k8s.object, path)
	],
	[{"what": "pgBackRest", "name": name, "consequence": "no pod starts that runs it", "path": array.concat(path, [i, "secret", "name"])} |
		path := array.concat(pgbackrest, ["configuration"])
		some i, source in get.list(k8s.object, path)
		object.get(source, ["secret", "optional"], false) != true
		name := get.string(source, ["secret", "name"])
	],
)

# A slip of the pen for the name of this cluster.
misspelt_clusters := [{
	"reason": sprintf("%s %s names cluster %s, which is not there, while %s is: %s", [kind, one.metadata.name, name, k8s.name, consequence]),
	"cure": sprintf("Write %s", [k8s.name]),
	"path": ["spec", "pgCluster"],
	"resource": k8s.reference(one),
} |
	k8s.group == "pgv2.percona.com"
	not placeholder.holds(k8s.name)
	some kind, consequence in {"PerconaPGBackup": "no backup is taken", "PerconaPGRestore": "nothing is restored"}
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	name := get.string(one, ["spec", "pgCluster"])
	name != k8s.name
	not placeholder.holds(name)
	not get.present(one, ["status", "state"])
	not inventory.namespaced_object(k8s.namespace, k8s.api_version, k8s.kind, name)
	reference.slip(name, k8s.name)
	count([1 | some other, _ in inventory.by_name(k8s.namespace, k8s.api_version, k8s.kind); other != k8s.name; reference.slip(name, other)]) == 0
]

# ------------------------------------------------------------------------------------------------------------ keys

# METADATA
# description: See walguard.model, missing_keys.
missing_keys := array.concat(
	array.concat(array.concat(projected_keys, keys_of_certificates), array.concat(keys_of_environment, key_of_sql)),
	array.concat(keys_of_root, keys_of_pmm),
)

# Sources of projected volumes, which become part of every pod.
projected_keys := [object.union(found, {"path": array.concat(path, [i, field, "items", k, "key"]), "consequence": "the pod does not start"}) |
	some path in [
		["spec", "config", "files"],
		array.concat(pgbackrest, ["configuration"]),
		["spec", "dataSource", "pgbackrest", "configuration"],
		["spec", "proxy", "pgBouncer", "config", "files"],
		["spec", "monitoring", "pgmonitor", "exporter", "configuration"],
	]
	some i, source in get.list(k8s.object, path)
	some field, kind in {"secret": "Secret", "configMap": "ConfigMap"}
	object.get(source, [field, "optional"], false) != true
	some k, item in get.list(source, [field, "items"])
	found := keys.lacking(kind, get.string(source, [field, "name"]), get.string(item, "key"))
]

# What is projected as it is has the files of its keys; of the one for replication the operator takes these three whatever its items say (replicationCertSecretProjection, internal/controller/postgrescluster/patroni.go).
keys_of_certificates := [object.union(found, {"path": array.concat(below, ["name"]), "consequence": consequence}) |
	some [path, field, consequence] in [
		[secrets_path, "customTLSSecret", "the server finds no such file and does not start"],
		[secrets_path, "customReplicationTLSSecret", "the pod does not start"],
		[["spec", "proxy", "pgBouncer"], "customTLSSecret", "the pod of PgBouncer does not start"],
	]
	below := array.concat(path, [field])
	source := get.map(k8s.object, below)
	some key in asked_of_certificates(field, source)
	found := keys.of_certificate(get.string(source, "name"), key)
]

# validateTLS of Percona's operator (percona/controller/pgcluster/controller.go): a file of the root is a key, or the path of an item; it stops there ("required path root.crt was not found").
keys_of_root := [object.union(found, {"path": array.concat(root_path, ["name"]), "consequence": "the operator stops there, and creates and changes nothing"}) |
	k8s.group == "pgv2.percona.com"
	root := get.map(k8s.object, root_path)
	items := get.list(root, "items")
	some key in array.concat(
		[get.string(item, "key") | some item in items],
		[file | some file in ["root.crt", "root.key"]; count([1 | some item in items; object.get(item, "path", file) == file]) == 0],
	)
	found := keys.lacking("Secret", get.string(root, "name"), key)
]

root_path := ["spec", "secrets", "customRootCATLSSecret"]

# reconcilePMM of Percona's operator: the pods run without PMM. Release 2.7 and later take the key of PMM 3 first and that of PMM 2 else, and 3.1 no longer the second (percona/pmm/pmm.go).
keys_of_pmm := [object.union(found, {"path": ["spec", "pmm", "secret"], "consequence": "the pods get no PMM", "level": "warning"}) |
	k8s.group == "pgv2.percona.com"
	get.boolean(spec, ["pmm", "enabled"])
	found := keys.lacking("Secret", get.string(spec, ["pmm", "secret"]), "PMM_SERVER_TOKEN")
	of_pmm_three_alone(found)
]

of_pmm_three_alone(_) if version_at_least([3, 1])

of_pmm_three_alone(found) if not "PMM_SERVER_KEY" in found.keys

# METADATA
# description: True where the resource is written for that release of Percona's operator, [major, minor], or a later one.
version_at_least(release) if {
	found := regex.find_all_string_submatch_n(`^([0-9]{1,4})\.([0-9]{1,4})\.`, get.string(spec, "crVersion"), 1)[0]
	(to_number(found[1]) * 10000) + to_number(found[2]) >= (release[0] * 10000) + release[1]
}

secrets_path := ["spec"] if k8s.group != "pgv2.percona.com"

secrets_path := ["spec", "secrets"] if k8s.group == "pgv2.percona.com"

asked_of_certificates("customReplicationTLSSecret", _) := certificate_files

asked_of_certificates("customTLSSecret", source) := certificate_files if count(get.list(source, "items")) == 0

asked_of_certificates("customTLSSecret", source) := [key | some item in get.list(source, "items"); key := get.string(item, "key")] if count(get.list(source, "items")) > 0

# Percona's operator takes the authority from elsewhere where a root of one's own is named.
certificate_files := ["tls.crt", "tls.key", "ca.crt"] if not get.present(spec, ["secrets", "customRootCATLSSecret"])

certificate_files := ["tls.crt", "tls.key"] if get.present(spec, ["secrets", "customRootCATLSSecret"])

keys_of_environment := [found |
	some i, set in get.list(k8s.object, ["spec", "instances"])
	some [path, holder] in array.concat(
		[[["spec", "instances", i], set]],
		[[["spec", "instances", i, field, j], sidecar] | some field in ["containers", "sidecars"]; some j, sidecar in get.list(set, field)],
	)
	some found in keys.of_environment(path, holder)
]

# "ConfigMap did not contain expected key" (reconcileDatabaseInitSQL).
key_of_sql := [object.union(found, {"path": ["spec", "databaseInitSQL", "key"], "consequence": "the operator never runs the SQL"}) |
	named := get.map(spec, "databaseInitSQL")
	found := keys.lacking("ConfigMap", get.string(named, "name"), get.string(named, "key"))
]
