package walguard.model.addresses

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.pooling as programs
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
bouncers := [{"connections": each * wanted(made.object), "path": file.path, "resource": file.resource} |
	not workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]
	names := {host | some host in (server_hosts - limited_hosts); not regex.match(`-(r|ro|repl|replicas?)$`, host)}
	count(names) > 0
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	programs.program(one) == "pgbouncer"
	read := [file | some file in files.mounted(one, get.list(made.pod, "volumes")); endswith(file.file, "/pgbouncer.ini")]
	count(read) == 1
	file := read[0]
	each := programs.opened(file.text, names)
]
