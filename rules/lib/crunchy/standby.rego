package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What a standby cluster is copied from, where that is a repository: "pgbackrest restore --repo=N" with the number of standby.repoName (internal/pgbackrest/reconcile.go, ReplicaCreateCommand).
# A host beside it is the second way, so that the cluster begins all the same.
empty_source := array.concat(unlisted_source, own_volume)

source_name := get.string(spec, ["standby", "repoName"]) if {
	standby
	not get.string(spec, ["standby", "host"])
}

source_path := ["spec", "standby", "repoName"]

unlisted_source := [{
	"path": source_path,
	"reason": sprintf("The standby is to be copied from %s, which is not among the repositories of the resource: pgBackRest knows no such one, and no instance starts", [source_name]),
	"cure": "Write the primary's repository under that name below backups.pgbackrest.repos",
} |
	not placeholder.unknown(source_name)
	names := [get.text_at(repository, "name") | some repository in repositories]
	count(names) > 0
	not source_name in names
	count([1 | some name in names; placeholder.unknown(name)]) == 0
]

# A volume is the cluster's own, and only what it has archived itself is there: nothing, before it has a database. One that a claim names may be another's.
own_volume := [{
	"path": source_path,
	"reason": sprintf("The standby is to be copied from %s, a new volume of its own, in which the primary has put no backup: no instance starts", [source_name]),
	"cure": "Name a repository in the bucket that the primary archives to, or write standby.host",
} |
	not get.string(k8s.object, ["status", "patroni", "systemIdentifier"])
	some repository in repositories
	get.text_at(repository, "name") == source_name
	claim := get.map(repository, ["volume", "volumeClaimSpec"])
	count(claim) > 0
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef", "selector"]; get.present(claim, field)]) == 0
	not get.present(spec, ["dataSource", "volumes"])
]
