package walguard.operators.cnpg

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.sql

facts contains {"shared_memory": shared_memory} if shared_memory

facts contains {"unread": unread_sources} if count(unread_sources) > 0

unread_sources := array.concat(array.concat(array.concat(spliced_target, [place | place := altered]), [place | place := patched]), array.concat(array.concat(unread_sql, unread_statements), array.concat(array.concat(unread_plugins, unread_plugins_of_sources), array.concat(unread_copies, array.concat(unread_libraries, array.concat(unread_sample, array.concat(array.concat(unread_queries, array.concat(hidden_queries, unread_poolers)), injected.unread([["spec", "inheritedMetadata", "annotations"]]))))))))

# The instance manager writes it between quotation marks as it is (BuildPostgresOptions of api/v1).
spliced_target := [{"source": "recoveryTarget.targetName", "path": path, "severity": "warning", "reason": "the operator writes it as it is between quotation marks into the server's configuration"} |
	path := ["spec", "bootstrap", "recovery", "recoveryTarget", "targetName"]
	operator
	regex.match(`['\\\n\r]`, get.string(k8s.object, path))
]

# A library that is no part of the installation does in the server what it wants.
unread_libraries := [{"source": sprintf("the library %s", [library]), "path": ["spec", "postgresql", "shared_preload_libraries"], "severity": "info", "reason": "shared_preload_libraries loads it into the server"} |
	operator
	some library in named_libraries
	is_string(library)
	startswith(library, "/")
	not regex.match(`^/(usr|opt|lib|lib64|nix|extensions)/`, library)
]

unread_sample := [{"source": sprintf("postgresql.conf.sample in %s", [one.value]), "path": one.path, "severity": inventory.unread, "reason": "initdb takes it from there"} |
	some one in initdb.inputs(options, array.concat(initdb_path, ["options"]))
]

# The operator mounts its volumes below these; SQL of the first start can put tables elsewhere, and initdb the WAL.
facts contains {"lost": lost} if count(lost) > 0

lost := mount.unkept(
	array.concat(
		initdb.wal_directories(options, array.concat(initdb_path, ["options"])),
		[object.union(one, object.filter(statement, ["path", "resource"])) |
			operator
			some statement in initial_sql
			some one in sql.tablespaces(statement.text)
		],
	),
	["/var/lib/postgresql"],
)

# The exporter runs the queries over the superuser's connection, as pg_monitor until one of them asks for another role (pkg/management/postgres/metrics/collector.go,
# createMonitoringTx; a role of its own has it since 1.28.4 and 1.29.1).
unread_queries := [{"source": sprintf("the queries in %s of %s %s/%s", [key, kind, k8s.namespace, name]), "path": ["spec", "monitoring", field, i], "severity": inventory.unread, "reason": "they ask for another role, or run programs"} |
	operator
	some [field, kind] in [["customQueriesConfigMap", "ConfigMap"], ["customQueriesSecret", "Secret"]]
	some i, one in get.list(spec, ["monitoring", field])
	name := get.string(one, "name")
	key := get.string(one, "key")
	some entry in files.entries(inventory.namespaced_object(k8s.namespace, "v1", kind, name))
	entry.key == key
	regex.match(`\bset_config\s*\(\s*e?'role'|\b(re)?set\s+(local\s+|session\s+)*(role|authorization)\b|\bcopy\b[^;]*\bprogram\b|\balter\s+(system|role|database|user)\b|\blo_export\b|\bpg_file_write\b`, get.lower_case(entry.text))
]

# The operator itself names those of its own configuration in every Cluster (cluster_defaults.go).
hidden_queries := [{"source": sprintf("the queries in %s of Secret %s/%s", [get.string(one, "key"), k8s.namespace, get.string(one, "name")]), "path": ["spec", "monitoring", "customQueriesSecret", i], "severity": inventory.unread, "reason": "releases before 1.28.4 run them over the superuser's connection"} |
	operator
	some i, one in get.list(spec, ["monitoring", "customQueriesSecret"])
	not inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(one, "name"))
	get.string(one, "name") != "cnpg-default-monitoring"
]

# A plugin may give the server other parameters than the Cluster says (CNPG-I, EnrichConfiguration). That of Barman archives and nothing else.
unread_plugins := [{"source": sprintf("plugin %s", [name]), "path": ["spec", "plugins", i, "name"], "severity": "info"} |
	operator
	some i, plugin in get.list(spec, "plugins")
	name := get.string(plugin, "name")
	not disabled(plugin)
	not name in archivers
]

# What a cluster is recovered or followed with.
unread_plugins_of_sources := [{"source": sprintf("plugin %s", [name]), "path": ["spec", "externalClusters", i, "plugin", "name"], "severity": "info"} |
	operator
	some i, external in get.list(spec, "externalClusters")
	name := get.string(external, ["plugin", "name"])
	not name in archivers
	get.string(external, "name") in {get.string(spec, ["bootstrap", "recovery", "source"]) | true}
]

archivers := {"barman-cloud.cloudnative-pg.io", "pgbackrest.dalibo.com"}

# A copy has what ALTER SYSTEM wrote on the server that it was taken of: the operator writes every file anew but this one (pkg/management/postgres/restore.go,
# WriteInitialPostgresqlConf).
unread_copies := [{"source": sprintf("the postgresql.auto.conf of the copied %s", [what]), "path": array.concat(["spec", "bootstrap"], below), "severity": "info"} |
	operator
	some [below, what] in [[["pg_basebackup"], "server"], [["recovery", "volumeSnapshots"], "volume"]]
	get.present(spec, array.concat(["bootstrap"], below))
]

# Applied to the pods as they are made, the server's container among them.
patched := {
	"source": "the patch of its pods",
	"path": ["metadata", "annotations", concat("/", [operator.annotations, "podPatch"])],
	"severity": "warning",
} if {
	annotation("podPatch") != ""
}
