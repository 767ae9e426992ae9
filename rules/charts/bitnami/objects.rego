package walguard.charts.bitnami

import data.walguard.charts.bitnami.values
import data.walguard.lib.get
import data.walguard.lib.placeholder

# --------------------------------------------------------------------------------------------------------- ConfigMaps

maps(server) := array.concat(
	[config_map(server, sprintf("%s-configuration", [server.name]), texts, [{"from": ["data", file], "to": at(server, field)} | some file, field in files_of_configuration]) |
		not filled(server, "existingConfigmap")
		texts := {file: text | some file, field in files_of_configuration; text := text_of(server, filled(server, field))}
		count(texts) > 0
	],
	array.concat(
		[config_map(server, sprintf("%s-extended-configuration", [server.name]), {"override.conf": text}, [{"from": ["data", "override.conf"], "to": at(server, "extendedConfiguration")}]) |
			not filled(server, "existingExtendedConfigmap")
			text := text_of(server, filled(server, "extendedConfiguration"))
		],
		[config_map(server, sprintf("%s-init-scripts", [server.name]), scripts_, [{"from": ["data"], "to": at(server, "initdb.scripts")}]) |
			not filled(server, "initdb.scriptsConfigMap")
			scripts_ := filled(server, "initdb.scripts")
		],
	),
)

files_of_configuration := {"postgresql.conf": "configuration", "pg_hba.conf": "pgHbaConfiguration", "repmgr.conf": "repmgrConfiguration"}

config_map(server, name, texts, paths) := {
	"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(server.release, name), "data": texts},
	"paths": array.concat([{"from": [], "to": [server.key]}], paths),
}

# A text, or a map: since 11.0.0 it is written as YAML, before as a file of PostgreSQL with names in snake_case.
text_of(_, given) := given if {
	is_string(given)
	not contains(given, "{{")
}

text_of(server, given) := concat("\n", [sprintf("%s: %s", [name, get.text(value)]) | some name, value in given]) if {
	is_object(given)
	server.keys != "former"
}

text_of(server, given) := concat("\n", [setting(name, value) | some name, value in given]) if {
	is_object(given)
	server.keys == "former"
}

setting(name, value) := sprintf("%s = '%s'", [snake_case(name), value]) if is_string(value)

setting(name, value) := sprintf("%s = %s", [snake_case(name), get.text(value)]) if not is_string(value)

snake_case(name) := get.lower_case(regex.replace(name, `([a-z0-9])([A-Z])`, "${1}_${2}"))

# ----------------------------------------------------------------------------------------------------------- Services

services(server) := array.concat([service(server, server.name, server.component, "primary"), headless_service(server)], [service(server, sprintf("%s-read", [fullname(server.release)]), "read", "readReplicas") |
	server.keys == "modern"
	is_replicated(server.release)
])

headless(server) := values.trunc(sprintf("%s-hl", [server.name])) if server.keys == "modern"

headless(server) := sprintf("%s-headless", [fullname(server.release)]) if server.keys == "former"

headless(server) := sprintf("%s-headless", [server.name]) if server.keys == "ha"

service(server, name, component, key) := {
	"object": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": object.union(metadata(server.release, name), {"annotations": given | given := values.filled(server.release, array.concat(service_place(server, key), ["annotations"]))}),
		"spec": object.union(
			{
				"selector": labels(server.release, component),
				"ports": [{"name": "tcp-postgresql", "port": service_port(server.release, key), "targetPort": "tcp-postgresql"}],
			},
			{field: given | some field in ["type", "externalTrafficPolicy", "loadBalancerSourceRanges", "loadBalancerIP"]; given := values.filled(server.release, array.concat(service_place(server, key), [field]))},
		),
	},
	"paths": [
		{"from": [], "to": service_place(server, key)},
		{"from": ["metadata"], "to": service_place(server, key)},
		{"from": ["spec"], "to": service_place(server, key)},
		{"from": ["spec", "ports", 0, "port"], "to": array.concat(service_place(server, key), ["ports", "postgresql"])},
	],
}

service_place(server, key) := {"modern": [key, "service"], "former": ["service"]}[server.keys]

service_port(release, key) := found[0] if {
	found := [given |
		some path in [["global", "postgresql", "service", "ports", "postgresql"], ["global", "postgresql", "servicePort"], [key, "service", "ports", "postgresql"], ["service", "port"]]
		given := values.filled(release, path)
	]
	count(found) > 0
} else := values.value(release, ["service", "port"], 5432)

headless_service(server) := {
	"object": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": metadata(server.release, headless(server)),
		"spec": {
			"clusterIP": "None",
			"publishNotReadyAddresses": true,
			"selector": labels(server.release, server.component),
			"ports": [{"name": "tcp-postgresql", "port": service_port(server.release, "primary"), "targetPort": "tcp-postgresql"}],
		},
	},
	"paths": [{"from": [], "to": service_place(server, server.key)}],
}

# ------------------------------------------------------------------------------------------------------------ Secrets

# What is in them is nobody's business.
secrets(release) := [{
	"object": {
		"apiVersion": "v1",
		"kind": "Secret",
		"metadata": metadata(release, fullname(release)),
		"type": "Opaque",
		"stringData": {key: placeholder.elsewhere | some key in [admin_key(release), user_key(release), replication_key(release)]},
	},
	"paths": [{"from": [], "to": ["auth"]}],
}] if {
	release.whole
	not existing_secret(release)
} else := []

# ------------------------------------------------------------------------------------------------------------- others

others(release, server) := array.concat(
	[budget(server, given) | given := get.map(release.values, ["primary", "pdb"]); object.get(given, "create", object.get(release, "major", 0) >= 15) == true; count(given) > 0],
	dump(release),
)

# The numbers alone say nothing wrong.
budget(server, given) := {
	"object": {
		"apiVersion": "policy/v1",
		"kind": "PodDisruptionBudget",
		"metadata": metadata(server.release, server.name),
		"spec": object.union_n([
			{"selector": {"matchLabels": labels(server.release, "primary")}},
			{field: number | some field in ["minAvailable", "maxUnavailable"]; number := values.filled(server.release, ["primary", "pdb", field])},
			{"maxUnavailable": 1 | count([1 | some field in ["minAvailable", "maxUnavailable"]; values.truthy(object.get(given, field, ""))]) == 0},
		]),
	},
	"paths": [{"from": [], "to": ["primary", "pdb"]}, {"from": ["spec"], "to": ["primary", "pdb"]}],
}

# templates/backup/cronjob.yaml
dump(release) := [{
	"object": {
		"apiVersion": "batch/v1",
		"kind": "CronJob",
		"metadata": metadata(release, sprintf("%s-pgdumpall", [primary_name(release)])),
		"spec": object.union(
			{
				"schedule": object.get(given, "schedule", "@daily"),
				"concurrencyPolicy": object.get(given, "concurrencyPolicy", "Allow"),
				"failedJobsHistoryLimit": object.get(given, "failedJobsHistoryLimit", 1),
				"successfulJobsHistoryLimit": object.get(given, "successfulJobsHistoryLimit", 3),
				"jobTemplate": {"spec": {"template": {"spec": {
					"restartPolicy": object.get(given, "restartPolicy", "OnFailure"),
					"containers": [{
						"name": "pgdumpall",
						"image": values.image(release, ["image"], {"repository": "bitnami/postgresql", "tag": usual_tag(release)}),
						"command": object.get(given, "command", dump_command),
						"env": [
							{"name": "PGUSER", "value": "postgres"},
							{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": secret_name(release), "key": admin_key(release)}}},
							{"name": "PGHOST", "value": primary_name(release)},
							{"name": "PGPORT", "value": get.text(service_port(release, "primary"))},
							{"name": "PGDUMP_DIR", "value": object.get(given, ["storage", "mountPath"], "/backup/pgdump")},
						],
						"volumeMounts": [{"name": "datadir", "mountPath": object.get(given, ["storage", "mountPath"], "/backup/pgdump")}],
					}],
					"volumes": [{"name": "datadir", "persistentVolumeClaim": {"claimName": object.get(given, ["storage", "existingClaim"], placeholder.elsewhere)}}],
				}}}},
			},
			{"timeZone": zone | zone := values.filled(release, ["backup", "cronjob", "timeZone"])},
		),
	},
	"paths": [
		{"from": [], "to": ["backup", "cronjob"]},
		{"from": ["spec"], "to": ["backup", "cronjob"]},
		{"from": array.concat(in_job, ["containers", 0]), "to": ["backup", "cronjob"]},
	],
}] if {
	values.on(release, ["backup", "enabled"], false)
	values.on(release, ["backup", "cronjob", "storage", "enabled"], true)
	given := get.map(release.values, ["backup", "cronjob"])
} else := []

in_job := ["spec", "jobTemplate", "spec", "template", "spec"]

dump_command := ["/bin/sh", "-c", "pg_dumpall --clean --if-exists --load-via-partition-root --quote-all-identifiers --no-password --file=${PGDUMP_DIR}/pg_dumpall-$(date '+%Y-%m-%d-%H-%M').pgdump"]

# What a server may read of the objects that somebody adds.
extras(release) := [{"object": object.union(extra, {"metadata": object.union(metadata(release, name_), extra.metadata)}), "paths": [{"from": [], "to": ["extraDeploy", i]}]} |
	some i, extra in get.list(release.values, "extraDeploy")
	is_object(extra)
	object.get(extra, "apiVersion", "") == "v1"
	object.get(extra, "kind", "") in {"ConfigMap", "Secret", "PersistentVolumeClaim"}
	name_ := get.string(extra, ["metadata", "name"])
]

# --------------------------------------------------------------------------------------------- containers beside it

init_containers(server) := array.concat(
	[{"item": object.union(owner(server), {"name": "init-chmod-data"}), "to": ["volumePermissions"]} | is_owned(server)],
	values.entries(get.list(server.release.values, [server.key, init_field[server.keys]]), [server.key, init_field[server.keys]]),
)

is_owned(server) if values.on(server.release, ["volumePermissions", "enabled"], false)

# postgresql.extendedConf needs it, which another file may say.
is_owned(server) if {
	server.keys == "ha"
	not server.release.whole
	not values.said(server.release, ["volumePermissions", "enabled"])
}

init_field := {"modern": "initContainers", "former": "extraInitContainers", "ha": "initContainers"}

# What it does to the volume of the data.
owner(server) := {
	"image": values.image(server.release, ["volumePermissions", "image"], {"repository": "bitnami/os-shell", "tag": placeholder.elsewhere}),
	"command": ["/bin/sh", "-ec", giving(mount_path(server), concat(":", [
		get.text(object.get(container_context(server), "runAsUser", 1001)),
		get.text(object.get(pod_context(server), "fsGroup", 1001)),
	]))],
	"resources": values.resources(get.map(server.release.values, ["volumePermissions", "resources"]), placeholder.elsewhere),
	"securityContext": {"runAsUser": 0},
	"volumeMounts": [object.union({"name": data_volume(server), "mountPath": mount_path(server)}, {"subPath": part | part := filled(server, "persistence.subPath")})],
}

giving(place, user) := concat("\n", [
	sprintf("chown %s %s", [user, place]),
	sprintf("mkdir -p %s/data", [place]),
	sprintf("chmod 700 %s/data", [place]),
	sprintf("find %s -mindepth 1 -maxdepth 1 -not -name \".snapshot\" -not -name \"lost+found\" | xargs -r chown -R %s", [place, user]),
	"",
])

exporter(server) := [{
	"item": {
		"name": "metrics",
		"image": values.image(server.release, ["metrics", "image"], {"repository": "bitnami/postgres-exporter", "tag": placeholder.elsewhere}),
		"resources": values.resources(get.map(server.release.values, ["metrics", "resources"]), object.get(server.release.values, ["metrics", "resourcesPreset"], placeholder.elsewhere)),
		"ports": [{"name": "http-metrics", "containerPort": 9187}],
	},
	"to": ["metrics"],
}] if {
	values.on(server.release, ["metrics", "enabled"], false)
} else := []
