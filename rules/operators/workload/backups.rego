package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.operators.workload.release

# Said already, by the name of its ConfigMap.
awaited if {
	some mounted in mounts
	mount.within(mounted.directory, configuration_file)
	some source in readable_files.sources(volumes[mounted.name].volume)
	not readable_files.holder(source)
}

facts contains {"patroni": true} if layout in {"spilo", "patroni"}

facts contains {"patroni_by": patroni_by} if layout in {"spilo", "patroni"}

# A script may install it first, or call a file that nobody can read.
patroni_by := "container" if {
	regex.match(`(^|[\s;&/])patroni(\s|$)`, command_text(container))
	not regex.match(fetching_programs, command_text(container))
} else := "script"

fetching_programs := `\b(apk|apt|apt-get|dnf|microdnf|yum|pip3?|pipx|uv|conda|curl|wget)\s`

facts contains {"own_libraries": object.union({"value": found.value, "origin": "written"}, object.filter(found, ["path", "resource"]))} if {
	found := shared.last_of(parameters, "shared_preload_libraries")
	by_entrypoint
	count([1 | some setting in parameters; get.lower_case(setting.name) in {"dynamic_library_path", "extension_control_path"}]) == 0
	not libraries_mounted
}

facts contains {"libraries_mounted": true} if libraries_mounted

libraries_mounted if {
	some mounted in mounts
	regex.match(`^/usr(/|$)`, mounted.directory)
}

# What a script installs counts as mounted.
libraries_mounted if regex.match(fetching_programs, command_text(container))

facts contains {"edition": server.product.edition} if server.product.edition

facts contains {"major": fact.written(server.product.major, array.concat(container_path, ["image"]))} if server.product.major

facts contains release.facts if server

facts contains {"instances": instances} if instances

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

facts contains {"slots": slots} if slots

facts contains {"synchronous": synchronous} if synchronous

facts contains {"rewind": rewind} if rewind

facts contains {"unmounted": unmounted} if count(unmounted) > 0

facts contains {"outgrown": outgrown} if outgrown

facts contains {"overlap": overlap} if overlap

facts contains {"archive_target": archive_target} if archive_target

# Where archive_command copies to, if not to a volume of its own.
archive_target := object.union(object.filter(command_entry, ["path", "resource"]), {"value": archive_directory, "origin": "written", "where": "data volume"}) if {
	mount_of(archive_directory).name == mount_of(directory).name
}

archive_target := object.union(object.filter(command_entry, ["path", "resource"]), {"value": archive_directory, "origin": "written", "where": "container"}) if {
	not mount_of(archive_directory)
	not somewhere
}

command_entry := shared.last_of(parameters, "archive_command") if not shared.switched_off(parameters)

archive_directory := shared.archive_directory(command_entry.value)

facts contains {"deletions": [{"what": "volumes", "setting": "persistentVolumeClaimRetentionPolicy.whenDeleted: Delete", "path": retention_path}]} if {
	server
	k8s.kind == "StatefulSet"
	get.string(k8s.object, retention_path) == "Delete"
}

# A database of one server is stopped by scaling it to 0.
facts contains {"deletions": [{"what": "volumes", "setting": "persistentVolumeClaimRetentionPolicy.whenScaled: Delete", "when": "scaled to 0", "path": scaled_path}]} if {
	server
	k8s.kind == "StatefulSet"
	get.string(k8s.object, scaled_path) == "Delete"
	object.get(k8s.object, retention_path, "Retain") != "Delete"
	object.get(k8s.object, ["spec", "replicas"], 1) == 1
}

scaled_path := ["spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"]

retention_path := ["spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"]

# ------------------------------------------------------------------------------------------------------- archiving

# The script that the chart timescaledb-single archives with succeeds and does nothing unless backups are switched on.
chart_script := "pgbackrest_archive.sh"

archiving := shared.archiving(parameters) if not by_chart_script

archiving := object.union(fact.written(archived[backups_on], variable.path), object.filter(variable, ["resource"])) if {
	by_chart_script
	variable := variables.PGBACKREST_BACKUP_ENABLED
	backups_on := variable.value == "true"
}

archived := {true: "on", false: "discards"}

by_chart_script if {
	layout == "patroni"
	shared.archiving(parameters).value == "on"
	command_of := shared.last_of(parameters, "archive_command")
	contains(command_of.value, chart_script)
}
