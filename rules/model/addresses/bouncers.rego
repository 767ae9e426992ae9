package walguard.model.addresses

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.pooling as programs
import data.walguard.lib.sessions
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   The pooler of the cluster (walguard.model), with the connections of PgBouncers by the side that a workload runs with a pgbouncer.ini. Before a server that is a workload itself they are known to its adapter.
pooler := object.union_n([get.map(model.cluster, "pooler"), bouncers[0], {"connections": sum([one.connections | some one in bouncers]) + object.get(model.cluster, ["pooler", "connections"], 0)}]) if {
	count(bouncers) > 0
} else := model.cluster.pooler

# METADATA
# description: 'These PgBouncers: [{"connections": that their pods open together, "path", "resource"}].'
bouncers := [{"connections": each * wanted(one.made.object), "path": one.file.path, "resource": one.file.resource} |
	names := {host | some host in (server_hosts - limited_hosts); not regex.match(`-(r|ro|repl|replicas?)$`, host)}
	count(names) > 0
	some one in by_ini
	each := programs.opened(one.file.text, names)
]

# Those of the namespace with one file in sight, and those that their image writes one for from DB_HOST and the like, which names the server.
by_ini := [{"made": made, "container": one, "file": read[0]} |
	not workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]
	count(hosts) > 0
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	programs.program(one) == "pgbouncer"
	read := [file | some file in files.mounted(one, get.list(made.pod, "volumes")); endswith(file.file, "/pgbouncer.ini")]
	count(read) == 1
]

by_entrypoint := [{"made": made, "container": one, "path": array.concat(made.path, ["containers", i, "env"]), "values": values} |
	not workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]
	count(hosts) > 0
	some made in workloads.lasting
	some i, one in get.list(made.pod, "containers")
	image.name(get.string(one, "image")) == "pgbouncer"
	values := known(one, hosts)
	some name in ["DB_HOST", "DATABASE_URL", "POSTGRESQL_HOST"]
	leads_here(values[name], hosts)
]

# METADATA
# description: |
#   What clients of these do that needs a session of their own, or prepared statements that the pooler does not follow, as "prepared" of walguard.model.
unfollowed := sessions.lost([object.union_n([
	object.filter(one, ["mode", "resets", "path", "resource"]),
	{"names": workloads.services(workloads.labels(one.made))},
	{"follow": cure | cure := sessions.unlike(get.string(one.container, "image"), one.kept)},
]) |
	some one in array.concat(
		[object.union_n([one, object.filter(one.file, ["path", "resource"]), sessions.of_ini(one.file.text)]) |
			some one in by_ini
			names_host(one.file.text)
		],
		[object.union_n([one, {"resource": one.made.resource}, sessions.of_variables(one.container, one.values)]) | some one in by_entrypoint],
	)
])

# METADATA
# description: 'Those of these that log in with MD5 sums to a server that has SCRAM secrets, each as "pooler_sums" of walguard.model.'
sums := array.concat(
	[object.union_n([programs.sums_by_variable(one.container), {"path": one.path, "resource": one.made.resource}]) |
		keeps_secrets
		some one in by_entrypoint
		programs.writes_sums(one.container, one.values)
	],
	[object.union_n([programs.sums_by_list(one.made.name), object.filter(one.file, ["path", "resource"])]) |
		keeps_secrets
		some one in by_ini
		names_host(one.file.text)
		programs.lists_sums(one.file.text, one.made.pod)
	],
)

names_host(ini) if {
	some match in regex.find_all_string_submatch_n(`(?m)^[^;#\n]*\bhost\s*=\s*'?([A-Za-z0-9.-]+)`, ini, -1)
	named(match[1], hosts)
}

keeps_secrets if {
	model.cluster.scram
	not model.written.password_encryption.text == "md5"
}
