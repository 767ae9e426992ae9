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
#   values that render to something else than a cluster of plain PostgreSQL or PostGIS, new or recovered from backups.
rendered(release) := array.concat(array.concat([cluster(release)], scheduled(release)), stores(release)) if {
	is_plain(release.values)
}

is_plain(values) if {
	object.get(values, "type", "postgresql") in {"postgresql", "postgis"}
	is_begun(object.get(values, "mode", "standalone"), values)
	not unread_backups(values)
}

is_begun("standalone", _)

is_begun("recovery", values) if method_of(values) in {"backup", "object_store"}

method_of(values) := object.get(get.map(values, "recovery"), "method", "backup")

unread_backups(values) if {
	get.boolean(values, ["backups", "enabled"])
	not object.get(get.map(values, "backups"), "method", "barmanObjectStore") in {"barmanObjectStore", "plugin"}
}

unread_backups(values) if {
	get.boolean(values, ["backups", "enabled"])
	object.get(get.map(values, "backups"), "method", "") == "plugin"
	get.string(values, ["backups", "pluginConfiguration", "name"]) != barman
}

barman := "barman-cloud.cloudnative-pg.io"

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
		{"from": ["spec", "externalClusters", 0, "barmanObjectStore"], "to": ["recovery"]},
		{"from": ["spec", "bootstrap", "recovery"], "to": ["recovery"]},
		{"from": ["spec", "superuserSecret"], "to": ["cluster"]},
		{"from": ["metadata"], "to": []},
	],
}

spec(release) := object.union_n([
	{"instances": 3, "storage": {"size": "8Gi"}},
	object.filter(given, copied),
	wal(given),
	image(release.values),
	bootstrap(release),
	backup(release),
	archiver(release),
	managed(given),
	{"superuserSecret": {"name": name} | name := get.string(given, "superuserSecret")},
	{field: number | some field in ["postgresUID", "postgresGID"]; number := get.number(given, field); number >= 0},
]) if {
	given := get.map(release.values, "cluster")
}

managed(given) := {"managed": found} if {
	found := {to: given[from] | some from, to in {"roles": "roles", "services": "services"}; given[from]}
	count(found) > 0
} else := {}

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

bootstrap(release) := {"bootstrap": {"initdb": get.map(release.values, ["cluster", "initdb"])}} if {
	object.get(release.values, "mode", "standalone") == "standalone"
} else := {"bootstrap": {"recovery": object.union({"backup": {"name": object.get(recovery, "backupName", "")}}, target(recovery))}} if {
	recovery := get.map(release.values, "recovery")
	method_of(release.values) == "backup"
} else := {
	"bootstrap": {"recovery": object.union({"source": "objectStoreRecoveryCluster"}, target(recovery))},
	"externalClusters": [{
		"name": "objectStoreRecoveryCluster",
		"barmanObjectStore": object.union({"serverName": object.get(recovery, "clusterName", "")}, store(release, recovery, "recovery")),
	}],
} if {
	recovery := get.map(release.values, "recovery")
}

target(recovery) := {"recoveryTarget": {"targetTime": moment}} if {
	moment := get.string(recovery, ["pitrTarget", "time"])
} else := {}

backup(release) := {"backup": {
	"target": "prefer-standby",
	"retentionPolicy": object.get(backups, "retentionPolicy", "30d"),
	"barmanObjectStore": object.union(options(backups), store(release, backups, "backup")),
}} if {
	backups := get.map(release.values, "backups")
	get.boolean(backups, "enabled")
	object.get(backups, "method", "barmanObjectStore") == "barmanObjectStore"
} else := {}

options(backups) := {
	"wal": unset(object.union({"compression": "gzip", "encryption": "AES256", "maxParallel": 1}, get.map(backups, "wal"))),
	"data": unset(object.union({"compression": "gzip", "encryption": "AES256", "jobs": 2}, get.map(backups, "data"))),
}

# What is empty is not written.
unset(values) := {key: value | some key, value in values; not value in {"", null}}

# templates/_barman_object_store.tpl
store(release, scope, prefix) := object.union_n([
	{"destinationPath": destination(scope)},
	{"endpointURL": address | address := endpoint(scope)},
	{"endpointCA": object.filter(scope.endpointCA, ["name", "key"]) | get.string(scope, ["endpointCA", "name"])},
	credentials(provider(scope), scope, secret_name(release, scope, prefix)),
])

provider(scope) := object.get(scope, "provider", "s3")

# What is not written comes from elsewhere, or the chart refuses it.
destination(scope) := path if {
	path := get.string(scope, "destinationPath")
} else := sprintf("s3://%s%s", [bucket, object.get(scope, ["s3", "path"], "/")]) if {
	provider(scope) == "s3"
	bucket := get.string(scope, ["s3", "bucket"])
} else := sprintf("gs://%s%s", [bucket, object.get(scope, ["google", "path"], "/")]) if {
	provider(scope) == "google"
	bucket := get.string(scope, ["google", "bucket"])
} else := sprintf("https://%s.%s.core.windows.net/%s%s", [
	account,
	object.get(scope, ["azure", "serviceName"], "blob"),
	object.get(scope, ["azure", "containerName"], ""),
	object.get(scope, ["azure", "path"], "/"),
]) if {
	provider(scope) == "azure"
	account := get.string(scope, ["azure", "storageAccount"])
} else := "${DESTINATION}"

endpoint(scope) := address if {
	address := get.string(scope, "endpointURL")
} else := sprintf("https://s3.%s.amazonaws.com", [region]) if {
	provider(scope) == "s3"
	region := get.string(scope, ["s3", "region"])
}

secret_name(release, scope, prefix) := name if {
	name := get.string(scope, ["secret", "name"])
} else := sprintf("%s-%s-%s-creds", [fullname(release), prefix, provider(scope)])

credentials("s3", scope, secret) := {"s3Credentials": {"inheritFromIAMRole": true}} if {
	get.boolean(scope, ["s3", "inheritFromIAMRole"])
} else := {"s3Credentials": {"accessKeyId": {"name": secret, "key": "ACCESS_KEY_ID"}, "secretAccessKey": {"name": secret, "key": "ACCESS_SECRET_KEY"}}}

credentials("google", _, _) := {"googleCredentials": {"gkeEnvironment": true}}

credentials("azure", _, _) := {"azureCredentials": {"inheritFromAzureAD": true}}

# The plugin's store stands apart.
archiver(release) := {"plugins": array.concat(others, [object.union(
	{"name": barman, "enabled": true, "isWALArchiver": true},
	{"parameters": {"barmanObjectName": store_name(release)}},
)])} if {
	by_plugin(release.values)
	given := get.list(release.values, ["cluster", "plugins"])
	others := [plugin | some plugin in given; get.string(plugin, "name") != barman]
	count(others) == count(given)
} else := {}

by_plugin(values) if {
	get.boolean(values, ["backups", "enabled"])
	object.get(get.map(values, "backups"), "method", "") == "plugin"
}

store_name(release) := sprintf("%s-backups", [fullname(release)])

stores(release) := [{
	"object": {
		"apiVersion": "barmancloud.cnpg.io/v1",
		"kind": "ObjectStore",
		"metadata": {"name": store_name(release), "namespace": release.namespace},
		"spec": object.union_n([
			{"retentionPolicy": object.get(backups, "retentionPolicy", "30d")},
			{"configuration": object.union(options(backups), store(release, backups, "backup"))},
			{"instanceSidecarConfiguration": sidecar | sidecar := backups.instanceSidecarConfiguration},
		]),
	},
	"paths": [
		{"from": [], "to": ["backups"]},
		{"from": ["spec"], "to": ["backups"]},
		{"from": ["spec", "configuration"], "to": ["backups"]},
	],
} |
	by_plugin(release.values)
	backups := get.map(release.values, "backups")
]

scheduled(release) := [{
	"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "ScheduledBackup",
		"metadata": {"name": sprintf("%s-%s", [fullname(release), get.text(name)]), "namespace": release.namespace},
		"spec": object.union(
			{
				"immediate": true,
				"schedule": object.get(entry, "schedule", null),
				"method": object.get(entry, "method", "barmanObjectStore"),
				"cluster": {"name": fullname(release)},
			},
			object.filter(entry, ["pluginConfiguration"]),
		),
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
