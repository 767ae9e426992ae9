package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.inventory
import data.walguard.lib.mount
import data.walguard.lib.sql

facts contains {"shared_memory": shared_memory} if shared_memory

facts contains {"unread": unread_sources} if count(unread_sources) > 0

unread_sources := array.concat(array.concat([place | place := altered], [place | place := patched]), array.concat(array.concat(unread_sql, unread_statements), array.concat(array.concat(unread_plugins, unread_plugins_of_sources), array.concat(unread_copies, array.concat(unread_libraries, unread_sample)))))

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
