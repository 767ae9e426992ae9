# METADATA
# description: |
#   CloudNativePG's chart `cluster`: what its values render to, as far as rules read it. Defaults are those that every release
#   of the chart from 0.1.0 to 0.8.0 has.
# related_resources:
#   - https://github.com/cloudnative-pg/charts/blob/main/charts/cluster/templates/cluster.yaml
#   - https://github.com/cloudnative-pg/charts/blob/main/charts/cluster/values.yaml
package walguard.charts.cnpg

import data.walguard.lib.get

# METADATA
# description: |
#   The objects of a release, [{"object", "paths": [{"from", "to"}]}]: a path in the object is written at `to` in the values. Undefined for
#   values that render to something else than a new cluster of plain PostgreSQL or PostGIS.
rendered(release) := array.concat([cluster(release)], scheduled(release)) if {
	is_plain(release.values)
}

is_plain(values) if {
	object.get(values, "mode", "standalone") == "standalone"
	object.get(values, "type", "postgresql") in {"postgresql", "postgis"}
	not unread_backups(values)
}

# Where a backup goes follows from more than is read here, unless it is said.
unread_backups(values) if {
	get.boolean(values, ["backups", "enabled"])
	not get.string(values, ["backups", "destinationPath"])
	not get.string(values, ["backups", "s3", "bucket"])
}

unread_backups(values) if {
	get.boolean(values, ["backups", "enabled"])
	object.get(get.map(values, "backups"), "method", "barmanObjectStore") != "barmanObjectStore"
}

cluster(release) := {
	"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": fullname(release), "namespace": release.namespace},
		"spec": spec(release),
	},
	"paths": [
		{"from": ["spec"], "to": ["cluster"]},
		{"from": ["spec", "bootstrap", "initdb"], "to": ["cluster", "initdb"]},
		{"from": ["spec", "bootstrap"], "to": ["cluster", "initdb"]},
		{"from": ["spec", "managed"], "to": ["cluster"]},
		{"from": ["spec", "backup"], "to": ["backups"]},
		{"from": ["spec", "backup", "barmanObjectStore"], "to": ["backups"]},
		{"from": ["metadata"], "to": []},
	],
}

spec(release) := object.union_n([
	{"instances": 3, "storage": {"size": "8Gi"}},
	object.filter(given, copied),
	wal(given),
	image(release.values),
	bootstrap(given),
	backup(release),
]) if {
	given := get.map(release.values, "cluster")
}

# Values that the chart writes into the cluster as they are.
copied := {
	"affinity",
	"certificates",
	"enablePDB",
	"enableSuperuserAccess",
	"env",
	"envFrom",
	"instances",
	"plugins",
	"postgresql",
	"primaryUpdateMethod",
	"primaryUpdateStrategy",
	"priorityClassName",
	"replicationSlots",
	"resources",
	"stopDelay",
	"storage",
}

wal(given) := {"walStorage": object.union({"size": "1Gi"}, object.remove(given.walStorage, {"enabled"}))} if {
	get.boolean(given, ["walStorage", "enabled"])
} else := {}

image(values) := {"imageName": name} if {
	name := get.string(values, ["cluster", "imageName"])
} else := {"imageCatalogRef": reference} if {
	reference := get.map(values, ["cluster", "imageCatalogRef"])
	reference.name
} else := {"imageName": sprintf("ghcr.io/cloudnative-pg/postgresql:%s", [get.text(version)])} if {
	version := object.get(get.map(values, "version"), "postgresql", "16")
	object.get(values, "type", "postgresql") == "postgresql"
} else := {}

bootstrap(given) := {"bootstrap": {"initdb": get.map(given, "initdb")}}

backup(release) := {"backup": {
	"target": "prefer-standby",
	"retentionPolicy": object.get(backups, "retentionPolicy", "30d"),
	"barmanObjectStore": {
		"destinationPath": destination(backups),
		"wal": object.union({"compression": "gzip", "encryption": "AES256", "maxParallel": 1}, get.map(backups, "wal")),
		"data": object.union({"compression": "gzip", "encryption": "AES256", "jobs": 2}, get.map(backups, "data")),
	},
}} if {
	backups := get.map(release.values, "backups")
	get.boolean(backups, "enabled")
} else := {}

destination(backups) := path if {
	path := get.string(backups, "destinationPath")
} else := sprintf("s3://%s%s", [backups.s3.bucket, object.get(backups.s3, "path", "/")])

scheduled(release) := [{
	"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "ScheduledBackup",
		"metadata": {"name": sprintf("%s-%s", [fullname(release), get.text(name)]), "namespace": release.namespace},
		"spec": {
			"immediate": true,
			"schedule": object.get(entry, "schedule", null),
			"method": object.get(entry, "method", "barmanObjectStore"),
			"cluster": {"name": fullname(release)},
		},
	},
	"paths": [
		{"from": [], "to": ["backups", "scheduledBackups", at]},
		{"from": ["spec"], "to": ["backups", "scheduledBackups", at]},
	],
} |
	get.boolean(release.values, ["backups", "enabled"])
	some at, entry in schedules(release.values)
	is_object(entry)
	name := object.get(entry, "name", at)
]

schedules(values) := given if {
	given := values.backups.scheduledBackups
	is_array(given)
} else := [{"name": "daily-backup", "schedule": "0 0 0 * * *"}]

# As the helper `cluster.fullname` has it.
fullname(release) := name if {
	name := get.string(release.values, "fullnameOverride")
} else := release.name if {
	contains(release.name, chart_name(release))
} else := sprintf("%s-%s", [release.name, chart_name(release)])

chart_name(release) := name if {
	name := get.string(release.values, "nameOverride")
} else := "cluster"
