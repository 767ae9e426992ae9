package walguard.lib.crunchy

import data.walguard.lib.archive
import data.walguard.lib.cluster as shared
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.store as store_endpoint

# ------------------------------------------------------------------------------------------------------- backups

pgbackrest := ["spec", "backups", "pgbackrest"]

# METADATA
# description: Where pgBackRest keeps backups and WAL, as the resource lists them.
repositories := get.list(k8s.object, array.concat(pgbackrest, ["repos"]))

# METADATA
# description: The volumes that repositories lie on; see walguard.model, repository_volumes.
repository_volumes[name] := volume if {
	some i, repository in repositories
	name := get.string(repository, "name")
	count([1 | some j, other in repositories; j < i; get.string(other, "name") == name]) == 0
	volume := shared.claim(k8s.object, array.concat(pgbackrest, ["repos", i, "volume", "volumeClaimSpec"]))
}

# METADATA
# description: |
#   An archive-push-queue-max that a few segments reach, as a fact (src/command/archive/push/push.c, archivePushDrop): what waits then is dropped, and PostgreSQL hears that it is archived.
archive_dropped := fact.written("discards", queue_maxima[0]) if count(queue_maxima) > 0

archive_dropped := object.union(fact.written("discards", queue_files[0].place.path), {"resource": queue_files[0].place.resource}) if {
	count(queue_maxima) == 0
	count(queue_files) > 0
}

queue_maxima := [path |
	some name in ["archive-push-queue-max", "archive-queue-max"]
	path := array.concat(pgbackrest, ["global", name])
	archive.drops(get.text_at(k8s.object, path))
]

queue_files := [entry |
	some entry in configured_files
	some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*archive-(?:push-)?queue-max[ \t]*=[ \t]*(\S+)`, entry.text, -1)
	archive.drops(found[1])
]

standby_path := array.concat(pgbackrest, ["global", "backup-standby"])

standby_backup := fact.written(shared.boolean(value), standby_path) if value := get.text_at(k8s.object, standby_path)

# From a standby where there is one.
standby_backup := fact.written(true, standby_path) if get.string(k8s.object, standby_path) == "prefer"

standby_backup := fact.operator(false, standby_path) if {
	count(repositories) > 0
	not get.present(k8s.object, standby_path)
}

status := get.map(evidence.own_status, "pgbackrest")

# METADATA
# description: Backups by the resource's own status, which counts only when an API server vouches for it.
backups := [{"finished": finished, "from": backup_source, "name": name, "proven": true} |
	some job in array.concat(get.list(status, "scheduledBackups"), [get.map(status, "manualBackup")])
	is_object(job)
	get.number(job, "succeeded") > 0
	finished := get.string(job, "completionTime")
	time.parse_rfc3339_ns(finished) >= k8s.created
	some name in [n | some field in ["cronJobName", "id"]; n := get.string(job, field)]
]

backup_source := "standby" if standby_backup.value == true

backup_source := "primary" if standby_backup.value == false

backup_source := "unknown" if not standby_backup

# METADATA
# description: The parts of a restore that both operators have, for a cluster made from the repository of the one under review.
copy(other, ready) := object.union_n([
	{"ready": ready, "cluster": get.string(other, ["metadata", "name"])},
	{"major": n | n := shared.major(object.get(other, ["spec", "postgresVersion"], null))},
])

# METADATA
# description: True for a cluster made from the repository of the one under review (spec.dataSource.postgresCluster).
copied(other) if {
	source := get.map(other, ["spec", "dataSource", "postgresCluster"])
	get.string(source, "clusterName") == k8s.name
	source_namespace(other, source) == k8s.namespace
}

source_namespace(_, source) := get.string(source, "clusterNamespace")

source_namespace(other, source) := get.string(other, ["metadata", "namespace"]) if not get.string(source, "clusterNamespace")

# --------------------------------------------------------------------------------------- repositories, collisions

global_path := array.concat(pgbackrest, ["global"])

# METADATA
# description: The repositories of pgBackRest as walguard.model.repositories wants them.
repository_facts := array.concat(
	[described |
		some i, repository in repositories
		is_object(repository)
		name := get.string(repository, "name")
		retentions := [key |
			some suffix in ["full", "archive"]
			key := sprintf("%s-retention-%s", [name, suffix])
			get.present(k8s.object, array.concat(global_path, [key]))
		]
		described := object.union_n([
			{
				"name": name,
				"store": store_of(repository),
				"retention": (count(retentions) + count([1 | standby])) > 0,
				"cure": sprintf("%s-retention-full in %s", [name, concat(".", global_path)]),
				"path": repository_path(i, retentions),
			},
			{"scheduled": true | count(get.map(repository, "schedules")) > 0},
			{"complaint": "pgBackRest itself warns of it at each backup" | get.present(repository, ["schedules", "full"])},
			{"idle": "pgBackRest expires when a full backup ends, and none is scheduled there" |
				not standby
				count(retentions) > 0
				not get.present(repository, ["schedules", "full"])
			},
			{"bare": true | without_backups(i, name)},
		])
	],
	[{
		"name": text,
		"store": "objects",
		"retention": true,
		"idle": sprintf("there is no repository %s", [split(text, "-")[0]]),
		"path": array.concat(global_path, [text]),
	} |
		some text, _ in get.map(k8s.object, global_path)
		contains(text, "-retention-full")
		not split(text, "-")[0] in {get.string(repository, "name") | some repository in repositories}
	],
)

# WAL goes to all repositories, the first backup to the first one (reconcileReplicaCreateBackup), and others where they are scheduled; an incremental one without a full one before it is a full one. One by
# hand goes where backups.pgbackrest.manual says.
without_backups(i, name) if {
	i > 0
	not standby
	count(get.map(repositories[i], "schedules")) == 0
	count([1 | some repository in repositories; get.present(repository, ["schedules", "full"])]) > 0
	object.get(k8s.object, array.concat(pgbackrest, ["manual", "repoName"]), "") != name
}

store_of(repository) := "volume" if is_object(object.get(repository, "volume", null))

store_of(repository) := "objects" if not is_object(object.get(repository, "volume", null))

repository_path(_, retentions) := array.concat(global_path, [retentions[0]]) if count(retentions) > 0

repository_path(i, []) := array.concat(pgbackrest, ["repos", i])

# METADATA
# description: |
#   The places in buckets of a pgBackRest section, [{"archive", "place" (for messages), "index"}]: PGO calls the stanza of every
#   cluster "db", so that bucket and path are all there is to tell clusters apart. The storage account of a container of Azure stands in the
#   secrets of the section's configuration: clusters of one namespace with the same ones share it.
places(section, namespace) := [{"archive": [kind, store_endpoint.seen_from(namespace, endpoint), bucket, path, account], "place": sprintf("%s of %s %s", [path, field, bucket]), "index": i} |
	some i, repository in array.concat(get.list(section, "repos"), [repo | some repo in [get.map(section, "repo")]; count(repo) > 0])
	is_object(repository)
	some [kind, field] in [["s3", "bucket"], ["gcs", "bucket"], ["azure", "container"]]
	bucket := get.string(repository, [kind, field])
	some endpoint in [object.get(repository, [kind, "endpoint"], "")]
	some path in [trim_right(object.get(section, ["global", sprintf("%s-path", [repository.name])], sprintf("/pgbackrest/%s", [repository.name])), "/")]
	some account in [object.get({"azure": [namespace, object.get(section, "configuration", [])]}, kind, "")]
]

# METADATA
# description: Where others keep their backups in the same place; see walguard.model.collisions. A standby reads what its primary archives.
collisions := array.concat(
	[object.union(place, {"source": true, "other": "its source"}) |
		some source in sources
		some place in shared_with(source)
	],
	[object.union(place, {"source": false, "other": neighbour.title}) |
		not standby
		some neighbour in inventory.neighbours([own.archive[3] | some own in own_places])
		not get.boolean(neighbour.object, ["spec", "standby", "enabled"])
		some place in shared_with(places_of(neighbour.object))
	],
)

own_places := places_of(k8s.object)

places_of(other) := places(get.map(other, pgbackrest), object.get(other, ["metadata", "namespace"], ""))

shared_with(theirs) := [{"place": own.place, "path": path} |
	some own in own_places
	own.archive in {place.archive | some place in theirs}
	path := array.concat(pgbackrest, ["repos", own.index])
]

# Its CronJobs are suspended and it archives nothing, while the primary does both (internal/controller/postgrescluster/pgbackrest.go, reconcilePGBackRestCronJob).
standby if get.boolean(spec, ["standby", "enabled"])

# Another cluster in sight that this one is made from. A cluster that is brought back from its own repository (dataSource.pgbackrest) goes
# on in its stanza on a new timeline, as the operator's manual of disaster recovery has it.
sources := [places_of(other) |
	source := get.map(spec, ["dataSource", "postgresCluster"])
	[get.string(source, "clusterName"), source_namespace(k8s.object, source)] != [k8s.name, k8s.namespace]
	other := inventory.namespaced_object(source_namespace(k8s.object, source), k8s.api_version, k8s.kind, get.string(source, "clusterName"))
]
