package walguard.charts.bitnami

import data.walguard.charts.bitnami.values
import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: The StatefulSet of a server with where everything in it was written.
stateful_set(server) := {
	"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": object.union_n([
			metadata(server.release, server.name),
			{"labels": labels(server.release, server.component)},
			{"annotations": {"charts.walguard.dev/generated-passwords": concat(" and ", given)} | given := generated(server); count(given) > 0},
			{"annotations": given | given := unread_values(server); count(given) > 0},
		]),
		"spec": object.union_n([
			{
				"replicas": replica_count(server),
				"serviceName": headless(server),
				"selector": {"matchLabels": labels(server.release, server.component)},
				"template": {
					"metadata": object.union({"labels": pod_labels(server)}, {"annotations": given | given := filled(server, "podAnnotations")}),
					"spec": pod(server),
				},
			},
			{field: given | some field in ["updateStrategy"]; given := filled(server, field)},
			{"persistentVolumeClaimRetentionPolicy": object.remove(given, {"enabled"}) |
				given := said(server, "persistentVolumeClaimRetentionPolicy")
				object.get(given, "enabled", false) == true
			},
			{"volumeClaimTemplates": [template] | template := claim_template(server)},
		]),
	},
	"paths": array.concat(array.concat(places(server), [{"from": ["metadata", "annotations", annotation], "to": split(split(annotation, "/former.")[1], ".")} | some annotation, _ in unread_values(server)]), array.concat(array.concat(list_paths(server), env_paths(server)), claim_paths(server))),
}

list_paths(server) := array.concat(
	array.concat(values.paths(array.concat(in_pod, ["volumes"]), volumes(server)), values.paths(array.concat(in_server, ["volumeMounts"]), mounts(server))),
	array.concat(values.paths(array.concat(in_pod, ["initContainers"]), init_containers(server)), values.paths(array.concat(in_pod, ["containers"]), containers(server))),
)

env_paths(server) := array.concat(
	values.paths(array.concat(in_server, ["env"]), environment(server)),
	values.paths(array.concat(in_server, ["envFrom"]), environment_from(server)),
)

in_pod := ["spec", "template", "spec"]

in_server := array.concat(in_pod, ["containers", 0])

places(server) := array.concat(
	[
		{"from": [], "to": [server.key]},
		{"from": array.concat(in_server, ["image"]), "to": array.concat(image_place(server), ["tag"])},
		{"from": ["metadata", "name"], "to": ["fullnameOverride"]},
		{"from": ["metadata", "annotations"], "to": [object.get({"ha": "postgresql"}, server.keys, "auth")]},
	],
	[{"from": from, "to": at(server, field)} |
		some [from, field] in array.concat(
			[
				[["spec", "replicas"], "replicaCount"],
				[["spec", "updateStrategy"], "updateStrategy"],
				[["spec", "persistentVolumeClaimRetentionPolicy"], "persistentVolumeClaimRetentionPolicy"],
				[["spec", "template", "metadata", "annotations"], "podAnnotations"],
				[["spec", "template", "metadata", "labels"], "podLabels"],
				[array.concat(in_pod, ["securityContext"]), "podSecurityContext"],
				[array.concat(in_server, ["securityContext"]), "containerSecurityContext"],
				[array.concat(in_server, ["resources"]), resources_field(server)],
				[array.concat(in_server, ["lifecycle"]), "lifecycleHooks"],
				[array.concat(in_server, ["env"]), "extraEnvVars"],
				[array.concat(in_server, ["volumeMounts"]), "extraVolumeMounts"],
				[array.concat(in_pod, ["volumes"]), "extraVolumes"],
			],
			array.concat(
				[[array.concat(in_pod, [field]), field] | some field in pod_fields],
				[[array.concat(in_server, [probe]), probe_field(server, probe)] | some probe in ["livenessProbe", "readinessProbe", "startupProbe"]],
			),
		)
	],
)

resources_field(server) := "resources" if filled(server, "resources")

resources_field(server) := "resourcesPreset" if not filled(server, "resources")

replica_count(server) := values.value(server.release, ["readReplicas", "replicaCount"], 1) if server.component == "read"

replica_count(server) := 1 if server.component == "primary"

replica_count(server) := values.value(server.release, ["postgresql", "replicaCount"], 3) if server.component == "postgresql"

# METADATA
# description: What differs from release to release, by the major of the chart.
releases_of := {
	"single": {
		"majors": {8: 11, 9: 11, 10: 11, 11: 14, 12: 15, 13: 16, 14: 16, 15: 16, 16: 17},
		"presets": {14: "none", 15: "nano", 16: "nano", 17: "nano", 18: "nano"},
		"groups": {12: 0, 14: 0, 15: 1001, 16: 1001, 17: 1001, 18: 1001},
		"empty": 15,
		"repository": "bitnami/postgresql",
	},
	"ha": {
		"majors": {9: 14, 10: 15, 12: 16, 13: 16, 14: 16, 15: 17, 16: 17},
		"presets": {9: "none", 10: "none", 11: "none", 12: "none", 13: "none", 14: "micro", 15: "micro", 16: "micro"},
		"groups": {14: 1001, 15: 1001, 16: 1001},
		"empty": 13,
		"repository": "bitnami/postgresql-repmgr",
	},
}

known_of(release) := releases_of.ha if release.ha

known_of(release) := releases_of.single if not release.ha

image_place(server) := ["postgresql", "image"] if server.keys == "ha"

image_place(server) := ["image"] if server.keys != "ha"

pod_labels(server) := object.union(labels(server.release, server.component), given) if {
	given := filled(server, "podLabels")
	is_object(given)
} else := labels(server.release, server.component)

# ---------------------------------------------------------------------------------------------------------------- pod

pod_fields := ["affinity", "hostAliases", "hostIPC", "hostNetwork", "nodeSelector", "priorityClassName", "schedulerName", "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints"]

pod(server) := object.union_n([
	get.map(server.release.values, [server.key, "extraPodSpec"]),
	{"affinity": preset_affinity(server)},
	{"terminationGracePeriodSeconds": placeholder.elsewhere | not server.release.whole},
	{field: given | some field in pod_fields; given := filled(server, field)},
	{"securityContext": pod_context(server)},
	{"initContainers": values.items(listed) | listed := init_containers(server); count(listed) > 0},
	{"containers": values.items(containers(server)), "volumes": values.items(volumes(server))},
])

preset_affinity(server) := {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term(server)}]}} if {
	object.get(server.release.values, [server.key, "podAntiAffinityPreset"], "soft") != "hard"
} else := {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(server)]}}

term(server) := {"labelSelector": {"matchLabels": labels(server.release, server.component)}, "topologyKey": "kubernetes.io/hostname"}

pod_context(server) := context(server, "podSecurityContext", {"fsGroup": 1001})

container_context(server) := context(server, "containerSecurityContext", object.union({"runAsUser": 1001}, {"runAsGroup": group | group := known_of(server.release).groups[server.release.major]}))

context(server, field, usual) := {} if {
	object.get(get.map(server.release.values, at(server, field)), "enabled", true) == false
} else := values.context(get.map(server.release.values, at(server, field)), usual)

# ------------------------------------------------------------------------------------------------------------- server

containers(server) := array.concat(
	[{"item": container(server), "to": [server.key]}],
	array.concat(exporter(server), values.entries(get.list(server.release.values, [server.key, "sidecars"]), [server.key, "sidecars"])),
)

container(server) := object.union_n([
	{
		"name": "postgresql",
		"image": values.image(server.release, image_place(server), {"repository": known_of(server.release).repository, "tag": usual_tag(server.release)}),
		"ports": [{"name": {"former": "tcp-postgresql", "ha": "postgresql", "modern": "tcp-postgresql"}[server.keys], "containerPort": port(server.release)}],
		"env": values.items(environment(server)),
		"volumeMounts": values.items(mounts(server)),
		"resources": resources(server),
		"securityContext": container_context(server),
	},
	{"envFrom": values.items(listed) | listed := environment_from(server); count(listed) > 0},
	{field: given | some field in ["command", "args"]; given := filled(server, field)},
	{"lifecycle": {"preStop": {"exec": {"command": [usual_hook(server)]}}} | usual_hook(server)},
	{"lifecycle": given | given := filled(server, "lifecycleHooks")},
	{probe: described | some probe in ["livenessProbe", "readinessProbe", "startupProbe"]; described := probe_of(server, probe)},
])

usual_hook(server) := "/pre-stop.sh" if {
	server.keys == "ha"
} else := placeholder.elsewhere if {
	not server.release.whole
}

# The major of PostgreSQL that a release of the chart comes with.
usual_tag(release) := sprintf("%d.%s", [known_of(release).majors[release.major], placeholder.elsewhere]) if {
	release.whole
} else := placeholder.elsewhere

port(release) := values.value(release, ["containerPorts", "postgresql"], 5432) if not release.ha

port(release) := values.value(release, ["postgresql", "containerPorts", "postgresql"], 5432) if release.ha

# Up to 13 the chart's own requests lay below those that are written.
resources(server) := object.union({"requests": {"cpu": "250m", "memory": "256Mi"}}, get.map(server.release.values, at(server, "resources"))) if {
	server.keys != "ha"
	server.release.whole
	server.release.major < 14
} else := values.resources(get.map(server.release.values, at(server, "resources")), preset_of(server)) if {
	server.release.whole
	server.release.major
} else := half_known(server, get.map(server.release.values, at(server, "resources"))) if {
	filled(server, "resources")
} else := values.resources({}, object.get(server.release.values, [server.key, "resourcesPreset"], placeholder.elsewhere))

preset_of(server) := object.get(server.release.values, [server.key, "resourcesPreset"], known_of(server.release).presets[server.release.major])

# What is not requested may be requested by the chart, and what is not limited by another values file.
half_known(server, written) := object.union(
	{"requests": {name: placeholder.elsewhere | some name in ["cpu", "memory"]}},
	object.union({"limits": {name: placeholder.elsewhere | some name in ["cpu", "memory"]; not server.release.whole}}, written),
)

# ------------------------------------------------------------------------------------------------------------- probes

probe_field(server, probe) := custom_of[probe] if filled(server, custom_of[probe])

probe_field(server, probe) := probe if not filled(server, custom_of[probe])

custom_of := {"livenessProbe": "customLivenessProbe", "readinessProbe": "customReadinessProbe", "startupProbe": "customStartupProbe"}

probe_of(server, probe) := given if {
	given := filled(server, custom_of[probe])
} else := object.union_n([usual_probes[probe], object.remove(written, {"enabled"}), {"exec": {"command": probe_command(server, probe)}}]) if {
	written := get.map(server.release.values, at(server, probe))
	object.get(written, "enabled", probe != "startupProbe") == true
} else := {"failureThreshold": placeholder.elsewhere} if {
	not server.release.whole
	not said(server, probe)
}

usual_probes := {
	"livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 6, "successThreshold": 1},
	"readinessProbe": {"initialDelaySeconds": 5, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 6, "successThreshold": 1},
	"startupProbe": {},
}

probe_command(server, _) := ["/bin/sh", "-c", ready(server.release)] if server.keys != "ha"

probe_command(server, probe) := [{"livenessProbe": "/liveness-probe.sh", "readinessProbe": "/readiness-probe.sh", "startupProbe": "/liveness-probe.sh"}[probe]] if server.keys == "ha"

ready(release) := sprintf(`exec pg_isready -U "%s" -h 127.0.0.1 -p %s`, [user_or_postgres(release), get.text(port(release))])

user_or_postgres(release) := custom_user(release)

user_or_postgres(release) := "postgres" if not custom_user(release)

# ------------------------------------------------------------------------------------------------------------ volumes

mount_path(server) := object.get(server.release.values, at(server, "persistence.mountPath"), "/bitnami/postgresql")

data_volume(server) := object.get(server.release.values, at(server, "persistence.volumeName"), "data")

mounts(server) := array.concat(
	array.concat(
		[{"item": {"name": "empty-dir", "mountPath": path, "subPath": part}, "to": [server.key]} |
			some path, part in {"/tmp": "tmp-dir", "/opt/bitnami/postgresql/conf": "app-conf-dir", "/opt/bitnami/postgresql/tmp": "app-tmp-dir"}
			has_empty_dir(server.release)
		],
		[{"item": {"name": one.item.name, "mountPath": one.mount}, "to": one.to} | some one in files(server)],
	),
	array.concat(
		[{
			"item": object.union({"name": data_volume(server), "mountPath": mount_path(server)}, {"subPath": part | part := filled(server, "persistence.subPath")}),
			"to": at(server, "persistence"),
		}],
		values.entries(get.list(server.release.values, [server.key, "extraVolumeMounts"]), [server.key, "extraVolumeMounts"]),
	),
)

# What is mounted besides the data: {"item": the volume, "mount", "to"}.
files(server) := array.concat(array.concat(configurations(server), scripts(server)), array.concat(
	array.concat(
		[{"item": {"name": "dshm", "emptyDir": object.union({"medium": "Memory"}, {"sizeLimit": size | size := values.filled(server.release, ["shmVolume", "sizeLimit"])})}, "mount": "/dev/shm", "to": ["shmVolume"]} |
			not values.off(server.release, ["shmVolume", "enabled"], true)
		],
		[{"item": {"name": "postgresql-password", "secret": {"secretName": secret_name(server.release)}}, "mount": "/opt/bitnami/postgresql/secrets", "to": ["auth", "existingSecret"]} |
			uses_files(server.release)
		],
	),
	[{"item": {"name": "postgresql-certificates", "emptyDir": {}}, "mount": "/opt/bitnami/postgresql/certs", "to": ["tls"]} |
		has_tls(server.release)
	],
))

# Where nobody knows, what the image writes has its place.
has_empty_dir(release) if object.get(release, "major", 99) >= known_of(release).empty

has_tls(release) if values.on(release, ["tls", "enabled"], false)

configurations(server) := array.concat(
	[{"item": {"name": "postgresql-config", "configMap": {"name": name}}, "mount": configuration_home(server), "to": to} |
		[name, to] := configuration_map(server)
	],
	[{"item": {"name": "postgresql-extended-config", "configMap": {"name": name}}, "mount": concat("/", [mount_path(server), "conf/conf.d"]), "to": to} |
		[name, to] := extended_map(server)
	],
)

configuration_home(server) := concat("/", [mount_path(server), "conf"]) if server.keys != "ha"

configuration_home(server) := "/bitnami/repmgr/conf" if server.keys == "ha"

# The ConfigMap with postgresql.conf, and what names it. One that another values file may name is nobody's.
configuration_map(server) := [values.filled_in(server.release, name), at(server, "existingConfigmap")] if {
	name := filled(server, "existingConfigmap")
} else := [placeholder.elsewhere, at(server, "configuration")] if {
	some field in ["configuration", "pgHbaConfiguration", "repmgrConfiguration"]
	is_template(server, field)
} else := [sprintf("%s-configuration", [server.name]), at(server, "configuration")] if {
	server.component in {"postgresql", "primary"}
	is_configured(server)
} else := [placeholder.elsewhere, at(server, "existingConfigmap")] if {
	not server.release.whole
}

# What a template makes of it nobody knows.
is_template(server, field) if contains(filled(server, field), "{{")

is_configured(server) if filled(server, "configuration")

is_configured(server) if filled(server, "pgHbaConfiguration")

is_configured(server) if filled(server, "repmgrConfiguration")

extended_map(server) := [values.filled_in(server.release, name), at(server, "existingExtendedConfigmap")] if {
	name := filled(server, "existingExtendedConfigmap")
} else := [placeholder.elsewhere, at(server, "extendedConfiguration")] if {
	is_template(server, "extendedConfiguration")
} else := [sprintf("%s-extended-configuration", [server.name]), at(server, "extendedConfiguration")] if {
	filled(server, "extendedConfiguration")
}

scripts(server) := array.concat(
	[{"item": {"name": "custom-init-scripts", "configMap": {"name": name}}, "mount": "/docker-entrypoint-initdb.d", "to": to} |
		[name, to] := script_map(server)
	],
	[{"item": {"name": "custom-init-scripts-secret", "secret": {"secretName": values.filled_in(server.release, name)}}, "mount": "/docker-entrypoint-initdb.d/secret", "to": at(server, "initdb.scriptsSecret")} |
		name := filled(server, "initdb.scriptsSecret")
	],
)

script_map(server) := [values.filled_in(server.release, name), at(server, "initdb.scriptsConfigMap")] if {
	name := filled(server, "initdb.scriptsConfigMap")
} else := [sprintf("%s-init-scripts", [server.name]), at(server, "initdb.scripts")] if {
	filled(server, "initdb.scripts")
}

volumes(server) := array.concat(
	array.concat([{"item": {"name": "empty-dir", "emptyDir": {}}, "to": [server.key]} | has_empty_dir(server.release)], files(server)),
	array.concat(
		array.concat([{"item": {"name": "raw-certificates", "secret": {"secretName": name}}, "to": ["tls", "certificatesSecret"]} | name := tls_secret(server.release)], data_volumes(server)),
		values.entries(get.list(server.release.values, [server.key, "extraVolumes"]), [server.key, "extraVolumes"]),
	),
)

tls_secret(release) := sprintf("%s-crt", [fullname(release)]) if {
	has_tls(release)
	values.on(release, ["tls", "autoGenerated"], false)
} else := values.filled_in(release, name) if {
	has_tls(release)
	name := values.filled(release, ["tls", "certificatesSecret"])
}

data_volumes(server) := [{"item": {"name": data_volume(server), "emptyDir": {}}, "to": at(server, "persistence.enabled")}] if {
	values.off(server.release, at(server, "persistence.enabled"), true)
} else := [{"item": {"name": data_volume(server), "persistentVolumeClaim": {"claimName": values.filled_in(server.release, claim)}}, "to": at(server, "persistence.existingClaim")}] if {
	claim := filled(server, "persistence.existingClaim")
} else := [] if {
	claim_template(server)
} else := [{"item": {"name": data_volume(server), "persistentVolumeClaim": {"claimName": placeholder.elsewhere}}, "to": at(server, "persistence")}]

claim_template(server) := {
	"metadata": object.union({"name": data_volume(server)}, {field: given | some field in ["annotations", "labels"]; given := filled(server, sprintf("persistence.%s", [field]))}),
	"spec": object.union_n([
		{
			"accessModes": values.value(server.release, at(server, "persistence.accessModes"), ["ReadWriteOnce"]),
			"resources": {"requests": {"storage": values.value(server.release, at(server, "persistence.size"), "8Gi")}},
		},
		{"storageClassName": name | name := storage_class(server)},
		{field: given | some field in ["selector", "dataSource"]; given := filled(server, sprintf("persistence.%s", [field]))},
	]),
} if {
	is_claimed(server)
	not filled(server, "persistence.existingClaim")
}

is_claimed(server) if values.on(server.release, at(server, "persistence.enabled"), true)

# A claim of one's own would be one for several instances.
is_claimed(server) if {
	server.component != "primary"
	not values.off(server.release, at(server, "persistence.enabled"), true)
}

# Nobody writes a size for what is switched off elsewhere.
is_claimed(server) if {
	not server.release.whole
	not said(server, "persistence.enabled")
	said(server, "persistence.size")
}

# common.storage.class
storage_class(server) := class_name(values.filled(server.release, ["global", "storageClass"]))

storage_class(server) := class_name(filled(server, "persistence.storageClass")) if not values.filled(server.release, ["global", "storageClass"])

storage_class(server) := class_name(values.filled(server.release, ["global", "defaultStorageClass"])) if unclassed(server)

storage_class(server) := placeholder.elsewhere if {
	unclassed(server)
	not server.release.whole
	not values.filled(server.release, ["global", "defaultStorageClass"])
}

unclassed(server) if {
	not values.filled(server.release, ["global", "storageClass"])
	not filled(server, "persistence.storageClass")
}

class_name(word) := "" if word == "-"

class_name(word) := word if word != "-"

claim_paths(server) := [
	{"from": ["spec", "volumeClaimTemplates", 0], "to": at(server, "persistence")},
	{"from": ["spec", "volumeClaimTemplates", 0, "metadata"], "to": at(server, "persistence")},
	{"from": ["spec", "volumeClaimTemplates", 0, "spec"], "to": at(server, "persistence")},
	{"from": ["spec", "volumeClaimTemplates", 0, "spec", "storageClassName"], "to": at(server, "persistence.storageClass")},
	{"from": ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"], "to": at(server, "persistence.size")},
]
