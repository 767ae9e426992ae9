package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.pooling as programs_of_poolers
import data.walguard.lib.script
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# What copies or follows the server itself and comes by a pooler: Pgpool-II takes a connection for replication for one with SQL ("cannot execute SQL commands in WAL sender for physical replication"), and PgBouncer hands
# one on since 1.23 alone; see pooler_faults of walguard.model.
streaming_by_poolers := [object.union(
	{
		"reason": sprintf("%s streams from Service %s (%s), and %s hands no connection for replication on to the server: no backup is taken", [one.made.words, split(asked.host, ".")[0], asked.by, pooler.program]),
		"cure": sprintf("Write %s there, or another Service of the server itself", [hosts[0]]),
		"level": "error",
		"path": asked.path,
	},
	object.filter(asked, ["resource"]),
) |
	some pooler in poolers_without_streams
	some one in workloads.containers
	asked := [way | some way in array.concat(streams_of_barman(one), streams_of_command(one)); sessions.leads(pooler.names, way.host)][0]
]

poolers_without_streams := [{"program": title, "names": services_of(made)} |
	some made in {one.made | some one in array.concat(pooling, array.concat(pooling_by_file, pgpool_by_file))}
	title := [word |
		some one in get.list(made, ["spec", "template", "spec", "containers"])
		word := without_streams(programs_of_poolers.program(one), one)
	][0]
]

without_streams("pgpool", _) := "Pgpool-II"

without_streams("pgbouncer", one) := "PgBouncer before 1.23" if regex.match(`^v?1\.([0-9]|1[0-9]|2[0-2])([.-]|$)`, image.tag(get.string(one, "image")))

streams_of_barman(one) := [{"host": host, "by": line[1], "path": file.path, "resource": file.resource} |
	some file in readable_files.mounted(one.container, get.list(one.made.pod, "volumes"))
	some line in regex.find_all_string_submatch_n(`(?m)^[ \t]*(streaming_conninfo)[ \t]*=[ \t]*([^\r\n]*)`, file.text, -1)
	host := host_of_stream(line[2])
]

streams_of_command(one) := [{"host": host, "by": found[1], "path": one.path, "resource": one.made.resource} |
	some found in regex.find_all_string_submatch_n(`\b(pg_basebackup|pg_receivewal)\b([^;&|\n]*)`, script.of(one.container), -1)
	host := array.concat([named | named := host_of_stream(found[2])], [said |
		not regex.match(`\s(-h|--host|-d|--dbname)`, found[2])
		some variable in get.list(one.container, "env")
		get.string(variable, "name") == "PGHOST"
		said := get.string(variable, "value")
	])[0]
]

host_of_stream(words) := regex.find_all_string_submatch_n(`(?:\bhost=|-h\s*|--host[= ]|postgres(?:ql)?://(?:[^@/\s]*@)?)["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, words, 1)[0][1]
