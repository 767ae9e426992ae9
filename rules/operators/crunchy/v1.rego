package walguard.operators.crunchy

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What the definition of PostgresCluster refuses beside its types (x-kubernetes-validations): a manifest of v1beta1 is not always one of v1. Older releases of the operator have v1beta1 alone, and less of it.
refused_by_definition := [object.union({"by": "The API server"}, fault) |
	some fault in array.concat(in_v1, volumes_of_nothing)
]

in_v1 := [fault |
	k8s.api_version == "postgres-operator.crunchydata.com/v1"
	some fault in array.concat(array.concat(interfaces, pgbackrest_logs), array.concat(directories_of_logs, logs_of_pooler))
]

interfaces := [{
	"path": ["spec", "userInterface"],
	"reason": "there is no userInterface in v1",
	"cure": "Take it out and write a resource of kind PGAdmin, or stay with v1beta1",
} |
	get.present(pgo.spec, "userInterface")
]

pgbackrest_logs := [{
	"path": array.concat(pgo.pgbackrest, ["global", "log-path"]),
	"reason": "v1 takes no log-path in global",
	"cure": "Write log.path, repoHost.log.path and jobs.log.path below pgbackrest",
} |
	get.present(k8s.object, array.concat(pgo.pgbackrest, ["global", "log-path"]))
]

directories_of_logs := [{
	"path": ["spec", "config", "parameters", "log_directory"],
	"reason": sprintf("v1 takes no log_directory %s", [directory]),
	"cure": "Write log, or a directory below /pgdata/logs/postgres",
} |
	directory := get.string(pgo.spec, ["config", "parameters", "log_directory"])
	not placeholder.holds(directory)
	not regex.match(`^log$|^/volumes|^/pg(data|tmp|wal)/logs/postgres(/|$)`, directory)
]

logs_of_pooler := [{
	"path": array.concat(pooler_options, ["logfile"]),
	"reason": sprintf("PgBouncer's logfile is %s, %s", [file, fault]),
	"cure": "Write /tmp/logs/pgbouncer/pgbouncer.log",
} |
	file := get.string(k8s.object, array.concat(pooler_options, ["logfile"]))
	not placeholder.holds(file)
	fault := fault_of_log(file)
]

fault_of_log(file) := "which does not end with .log" if {
	not endswith(file, ".log")
} else := "which v1 allows below /tmp/logs/pgbouncer/ and in additional volumes alone" if {
	not startswith(file, "/tmp/logs/pgbouncer/")
	not startswith(file, "/volumes/")
}

pooler_options := ["spec", "proxy", "pgBouncer", "config", "global"]

volumes_of_nothing := [{
	"path": array.concat(path, [k]),
	"reason": "an additional volume has either claimName or image, and this one has neither or both",
	"cure": "Write one of them",
} |
	some path in array.concat(
		[["spec", "instances", i, "volumes", "additional"] | some i, _ in get.list(pgo.spec, "instances")],
		[["spec", "proxy", "pgBouncer", "volumes", "additional"], array.concat(pgo.pgbackrest, ["repoHost", "volumes", "additional"]), array.concat(pgo.pgbackrest, ["jobs", "volumes", "additional"])],
	)
	some k, volume in get.list(k8s.object, path)
	is_object(volume)
	not placeholder.holds(volume)
	count([1 | some field in ["claimName", "image"]; get.present(volume, field)]) != 1
]
