package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.script
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# What copies or follows the server itself and comes by a pooler: Pgpool-II takes a connection for replication for one with SQL ("cannot execute SQL commands in WAL sender for physical replication"), and PgBouncer hands
# one on since 1.23 alone; see pooler_faults of walguard.model. Among files alone, where both are.
streaming_by_poolers := [object.union(
	{
		"reason": sprintf("%s streams from Service %s (%s), and a pooler such as Pgpool-II, or PgBouncer before 1.23, hands no connection for replication on: no backup is taken", [one.made.words, split(asked.host, ".")[0], asked.by]),
		"cure": sprintf("Write %s there", [hosts[0]]),
		"level": "error",
	},
	object.filter(asked, ["path", "resource"]),
) |
	not inventory.served
	some made in {pooler.made | some pooler in array.concat(pooling, array.concat(pooling_by_file, pgpool_by_file))}
	count([1 | some pooler in get.list(made, ["spec", "template", "spec", "containers"]); regex.match(`(^|/)pgpool(2|-ii)?(:|@|$)|pgbouncer:v?1\.([0-9]|1[0-9]|2[0-2])([.-]|$)`, get.string(pooler, "image"))]) > 0
	names := services_of(made)
	some one in workloads.containers
	asked := [object.union(way, {"host": host}) |
		some way in array.concat(
			[{"by": line[1], "words": line[0], "path": file.path, "resource": file.resource} |
				some file in readable_files.mounted(one.container, get.list(one.made.pod, "volumes"))
				some line in regex.find_all_string_submatch_n(`(?m)^[ \t]*(streaming_conninfo)[ \t]*=[^\r\n]*`, file.text, -1)
			],
			[{"by": line[1], "words": concat(" ", array.concat([line[0]], [sprintf("host=%s", [variable.value]) | some variable in get.list(one.container, "env"); get.string(variable, "name") == "PGHOST"])), "path": one.path, "resource": one.made.resource} |
				some line in regex.find_all_string_submatch_n(`\b(pg_basebackup|pg_receivewal)\b[^;&|\n]*`, script.of(one.container), -1)
			],
		)
		host := regex.find_all_string_submatch_n(`(?:\bhost=|-h\s*|--host[= ]|postgres(?:ql)?://(?:[^@/\s]*@)?)["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, way.words, 1)[0][1]
		sessions.leads(names, host)
	][0]
]
