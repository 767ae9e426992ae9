package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.lengths
import data.walguard.lib.placeholder

# Names that the operators make of the cluster's, and which become too long (internal/naming/names.go and limitations.md).

long_names := array.concat(array.concat(long_statefulsets, long_cron_jobs), no_services)

no_services := lengths.no_service(k8s.name, "no instance can be reached")

# Of several the longest alone: the cure is the same.
long_statefulsets := [object.union(lengths.of_statefulset(longest_name[1], longest_name[2], longest_name[0], k8s.name, "the cluster"), {"path": ["metadata", "name"]}) |
	not placeholder.holds(k8s.name)
	longest_name := longest(names_of_statefulsets)
	longest_name[0] > lengths.of_statefulsets
]

names_of_statefulsets := array.concat(
	[[(count(k8s.name) + count(name)) + 6, sprintf("set %s", [name]), "no instance starts"] |
		some i, set in get.list(spec, "instances")
		is_object(set)
		name := object.get(set, "name", sprintf("%02d", [i]))
		is_string(name)
		not placeholder.holds(name)
	],
	[[count(k8s.name) + 10, "the repository host", "nothing is backed up"] |
		some repository in repositories
		get.present(repository, "volume")
	],
)

# Percona's operator keeps its schedules itself.
long_cron_jobs := [object.union(lengths.of_cron_job(sprintf("the %s backups", [longest_name[1]]), longest_name[0], k8s.name, "the cluster"), {"path": longest_name[2]}) |
	k8s.kind == "PostgresCluster"
	not placeholder.holds(k8s.name)
	longest_name := longest([[made, kind, array.concat(pgbackrest, ["repos", i, "schedules", kind])] |
		some i, repository in repositories
		name := get.string(repository, "name")
		some kind, word in {"differential": "diff", "full": "full", "incremental": "incr"}
		get.string(repository, ["schedules", kind]) != ""
		made := ((count(k8s.name) + count(name)) + count(word)) + 2
	])
	longest_name[0] > lengths.of_cron_jobs
]
