package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.spilo

# ------------------------------------------------------------------------------------------------------- backups

# Of two variables of a name the last one counts.
environment[name] := found if {
	listed := get.list(spec, "env")
	some name, i in get.last_of_each([[of, k] |
		some k, variable in listed
		is_object(variable)
		get.string(variable, "value")
		of := get.upper_case(get.string(variable, "name"))
	])
	found := {"value": listed[i].value, "path": ["spec", "env", i, "value"]}
}

archiving := shared.archiving(parameters) if shared.archiving(parameters)

archiving := object.union(fact.written("on", destination.path), object.filter(destination, ["resource"])) if {
	not shared.archiving(parameters)
	destination
}

archiving := fact.operator("on", ["spec", "env"]) if {
	not shared.archiving(parameters)
	not destination
	operator_archives
}

# Nothing names a destination: Spilo's archive_command is /bin/true, with archive_mode on.
archiving := fact.operator("discards", ["spec", "env"]) if {
	not shared.archiving(parameters)
	not destination
	not operator_archives
	configuration
	not environment_elsewhere
}

# Of its own variables before those that the operator gives all pods.
destination := [environment_of_all[name] | some name in array.concat(named_in(environment), named_in(environment_of_all))][0]

named_in(variables) := [name | some name, _ in variables; name in spilo.destinations]

operator_archives if {
	some field in ["wal_s3_bucket", "wal_gs_bucket"]
	get.string(configuration, ["aws_or_gcp", field])
}

environment_elsewhere if {
	some field in ["pod_environment_configmap", "pod_environment_secret"]
	get.string(configuration, ["kubernetes", field])
}

standby_backup := object.union(fact.written(shared.boolean(choice.value), choice.path), object.filter(choice, ["resource"])) if choice := environment_of_all.WALG_BACKUP_FROM_REPLICA

# postgres_backup.sh runs on every pod, and passes over the primary; of a single instance nothing is left.
facts contains {"lonely_backup": object.union(choice, {"setting": "WALG_BACKUP_FROM_REPLICA"})} if {
	choice := object.filter(environment_of_all.WALG_BACKUP_FROM_REPLICA, ["path", "resource"])
	get.lower_case(environment_of_all.WALG_BACKUP_FROM_REPLICA.value) == "true"
	instances.value == 1
	not get.present(spec, "standby")
	archiving.value == "on"
}

# METADATA
# description: |
#   Clusters cloned to a point in time, that is from the archive (a clone without one copies the running cluster). Nothing
#   tells when one became ready; it was not before it was created.
restores := [object.union({"ready": created, "cluster": name}, {"proven": true | evidence.recorded(other).PostgresClusterStatus == "Running"}) |
	some other in inventory.copies(k8s.api_version, "postgresql")
	get.string(other, ["spec", "clone", "cluster"]) == k8s.name
	of_this_cluster(other)
	get.string(other, ["spec", "clone", "timestamp"])
	get.string(other, ["status", "PostgresClusterStatus"]) == "Running"
	created := get.string(other, ["metadata", "creationTimestamp"])
	name := get.string(other, ["metadata", "name"])
]

# A name alone may be that of a cluster in another namespace, or of one that was there before.
of_this_cluster(clone) if get.string(clone, ["spec", "clone", "uid"]) == get.string(k8s.object, ["metadata", "uid"])

of_this_cluster(clone) if {
	not get.string(clone, ["spec", "clone", "uid"])
	get.string(clone, ["metadata", "namespace"]) == k8s.namespace
}

# A copy to a directory, which the pod has on the volume of the data, on one of its own, or in the container.
facts contains {"archive_target": object.union(object.filter(archive_command, ["path"]), {"value": archive_directory, "origin": "written", "where": "container"})} if {
	not mount.within(archive_directory, volume_directory)
	count([1 | some mounted in server_mounts; mount.within(archive_directory, mount.clean(mounted.directory))]) == 0
}

facts contains {"archive_target": object.union(object.filter(archive_command, ["path"]), {"value": archive_directory, "origin": "written", "where": "data volume"})} if {
	mount.within(archive_directory, volume_directory)
	count([1 | some mounted in server_mounts; mount.within(archive_directory, mount.clean(mounted.directory))]) == 0
}

archive_command := shared.last_of(parameters, "archive_command") if not shared.switched_off(parameters)

archive_directory := mount.clean(shared.archive_directory(archive_command.value))
