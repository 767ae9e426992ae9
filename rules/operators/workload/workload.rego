# METADATA
# title: Plain workloads
# description: |
#   PostgreSQL without an operator: a StatefulSet, Deployment, DaemonSet, ReplicaSet or Pod (in files also those of OpenKruise and OpenShift, an Argo
#   Rollout and a ReplicationController, whose pods a live cluster shows) that starts a server from a known image – the official one and
#   those made from it (postgis, pgvector, timescaledb, timescaledb-ha), Bitnami's as their charts render them, Red Hat's (sclorg), spilo with SPILO_CONFIGURATION, Postgres Pro,
#   AppOS and PolarDB –, from an image of another name by PostgreSQL's own program or directory, or Patroni, in one of them (the chart timescaledb-single) or in an image of any name by its variables. Parameters are read from ConfigMaps and Secrets
#   in sight that are mounted where the server or Patroni looks, from the environment of Bitnami's image and from the command line. What
#   a command starts that cannot be read is judged without its parameters, which is said; what an operator made is not judged. Several instances of a StatefulSet are a cluster
#   only with repmgr or Patroni.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md
#   - https://github.com/bitnami/containers/tree/main/bitnami/postgresql
#   - https://www.postgresql.org/docs/current/app-postgres.html
# custom:
#   kinds:
#     - {group: apps, versions: [v1], kind: StatefulSet, plural: statefulsets, namespaced: true, role: cluster, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps, versions: [v1], kind: Deployment, plural: deployments, namespaced: true, role: cluster, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps, versions: [v1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: cluster, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps, versions: [v1], kind: ReplicaSet, plural: replicasets, namespaced: true, role: cluster, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: "", versions: [v1], kind: Pod, plural: pods, namespaced: true, role: cluster, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: "", versions: [v1], kind: ReplicationController, plural: replicationcontrollers, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Rollout, plural: rollouts, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps.kruise.io, versions: [v1beta1, v1alpha1], kind: StatefulSet, plural: statefulsets, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps.kruise.io, versions: [v1beta1, v1alpha1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps.kruise.io, versions: [v1alpha1], kind: CloneSet, plural: clonesets, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: apps.openshift.io, versions: [v1], kind: DeploymentConfig, plural: deploymentconfigs, namespaced: true, role: cluster, served: false, contains: [postgres, timescaledb, postgis, pgvector, spilo, polardb, appos]}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.volumes[].configMap.name", "spec.volumes[].projected.sources[].configMap.name", "spec.containers[].envFrom[].configMapRef.name", "spec.containers[].env[].valueFrom.configMapKeyRef.name", "spec.initContainers[].envFrom[].configMapRef.name", "spec.initContainers[].env[].valueFrom.configMapKeyRef.name", "spec.template.spec.volumes[].configMap.name", "spec.template.spec.volumes[].projected.sources[].configMap.name", "spec.template.spec.containers[].envFrom[].configMapRef.name", "spec.template.spec.containers[].env[].valueFrom.configMapKeyRef.name", "spec.template.spec.initContainers[].envFrom[].configMapRef.name", "spec.template.spec.initContainers[].env[].valueFrom.configMapKeyRef.name"], made: ["{spec.containers[].env[name=PATRONI_SCOPE].value}-config", "{spec.containers[].env[name=SCOPE].value}-config", "{spec.template.spec.containers[].env[name=PATRONI_SCOPE].value}-config", "{spec.template.spec.containers[].env[name=SCOPE].value}-config"]}}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, PASS, Pass, pwd, PWD, POSTGRES], watched: false}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim]}
#     - {group: "", versions: [v1], kind: Service, plural: services, namespaced: true, role: support, contains: [Service], served: false}
#     - {group: autoscaling, versions: [v2, v1], kind: HorizontalPodAutoscaler, plural: horizontalpodautoscalers, namespaced: true, role: support, contains: [HorizontalPodAutoscaler], served: false}
#     - {group: batch, versions: [v1], kind: CronJob, plural: cronjobs, namespaced: true, role: support, contains: [backup-type]}
#     - {group: security.openshift.io, versions: [v1], kind: SecurityContextConstraints, plural: securitycontextconstraints, namespaced: false, role: support, served: false}
#   facts:
#     version: {read: "image"}
#     edition: {read: "image"}
#     parameters: {read: "ConfigMaps and Secrets where the server or Patroni looks; environment of Bitnami's image; command line"}
#     defaults: {default: "those of Bitnami's image; of Patroni; of timescaledb-tune"}
#     instances: {read: "replicas, with repmgr or Patroni"}
#     resources: {read: "resources of the container"}
#     huge_pages: {read: "resources of the container"}
#     machine: {read: "nodeSelector; affinity.nodeAffinity"}
#     volume: {read: "the volume below the data directory, a claim in sight too"}
#     storage_class: {read: "the claim"}
#     performance: {read: "volumeAttributesClassName of the claim"}
#     wal_volume: {read: "the volume below the WAL directory"}
#     tablespaces: {unread: "SQL says where they are"}
#     segment: {read: "POSTGRES_INITDB_ARGS", default: "16 MB"}
#     checksums: {read: "POSTGRES_INITDB_ARGS; else initdb of the major"}
#     synchronous: {read: "synchronous_mode of Patroni; Bitnami's POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS"}
#     slots: {read: "use_slots of Patroni"}
#     rewind: {read: "use_pg_rewind of Patroni; REPMGR_USE_PGREWIND"}
#     pooler: {read: "Deployments of Pgpool-II and PgBouncer whose environment names a Service of the server"}
#     archiving: {read: "archive_mode and archive_command; PGBACKREST_BACKUP_ENABLED of the chart"}
#     schedules: {read: "CronJobs of the chart timescaledb-single"}
#     patience: {read: "startup or liveness probe"}
#     shared_memory: {read: "emptyDir at /dev/shm", default: "64 MiB"}
package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.dcs
import data.walguard.lib.fact
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.owner
import data.walguard.lib.placeholder
import data.walguard.lib.probe
import data.walguard.lib.quantity
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text
import data.walguard.operators.workload.command
import data.walguard.operators.workload.patroni
import data.walguard.operators.workload.release
import data.walguard.postgres

pod_path := ["spec", "template", "spec"] if [k8s.group, k8s.kind] in {
	["apps", "StatefulSet"], ["apps", "Deployment"], ["apps", "DaemonSet"], ["apps", "ReplicaSet"],
	["", "ReplicationController"], ["argoproj.io", "Rollout"], ["apps.openshift.io", "DeploymentConfig"],
	["apps.kruise.io", "StatefulSet"], ["apps.kruise.io", "DaemonSet"], ["apps.kruise.io", "CloneSet"],
}

pod_path := ["spec"] if {
	k8s.kind == "Pod"
	k8s.api_version == "v1"
}

# METADATA
# description: The first container that starts a server, {"index", "container", "product", "words"}.
server := servers[0] if {
	count(servers) > 0
	not k8s.chosen
	not generated
}

server := chosen[0] if {
	chosen := [one | some one in servers; title_of(one) == k8s.chosen]
	not generated
}

title_of(one) := sprintf("container %s", [shared.name_or(one.container, one.index)])

facts contains {"others": others} if count(others) > 0

others := [title_of(one) |
	server
	some i, one in servers
	i > 0
]

servers := [object.union({"list": list, "index": i, "container": candidate}, started) |
	some list in ["containers", "initContainers"]
	some i, candidate in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(candidate)
	goes_on(list, candidate)
	started := start_of(candidate)
]

goes_on("containers", _)

# A sidecar, as Kubernetes calls it since 1.29.
goes_on("initContainers", candidate) if get.string(candidate, "restartPolicy") == "Always"

# What somebody made from an object that is judged is not judged again. Of a request by one of Kubernetes' controllers the owner need not be in sight;
# a ReplicationController or a Job, which are not judged, does not count. The mirror of a static pod belongs to its Node.
generated if {
	owner.by_kubernetes
	some reference in get.list(k8s.object, ["metadata", "ownerReferences"])
	some [group, kind] in [["apps", "Deployment"], ["apps", "ReplicaSet"], ["apps", "StatefulSet"], ["apps", "DaemonSet"], ["", "Node"]]
	k8s.group_of(get.string(reference, "apiVersion")) == group
	get.string(reference, "kind") == kind
}

generated if {
	not k8s.user
	some kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"]
	some made in owner.in_sight("apps/v1", kind)
	alike(made)
}

generated if {
	some made in owner.in_sight("kubegres.reactive-tech.io/v1", "Kubegres")
	regex.match(`^-[0-9]+$`, trim_prefix(k8s.name, made.metadata.name))
	every one in servers {
		as_kubegres_starts(one)
	}
}

# The operator compares the image, the volumes and the environment of what it made, but not what else somebody makes of the container.
as_kubegres_starts(one) if {
	not get.present(one.container, "command")
	not get.present(one.container, "lifecycle")
	every option in command.options(one.words) {
		option.name in {"config_file", "hba_file"}
		startswith(option.value, "/etc/")
	}
}

# Zalando's operator calls the StatefulSet as the cluster, and writes it anew; its pods are numbered.
generated if {
	servers[0].product.layout == "spilo"
	some name in cluster_labels("cluster-name")
	made := inventory.namespaced_object(k8s.namespace, "acid.zalan.do/v1", "postgresql", name)
	not get.present(made, ["metadata", "deletionTimestamp"])
	numbered(trim_prefix(k8s.name, name), object.get(made, ["spec", "numberOfInstances"], 0))
}

numbered("", _) if k8s.kind == "StatefulSet"

numbered(rest, replicas_) if {
	k8s.kind == "Pod"
	regex.match(`^-[0-9]{1,4}$`, rest)
	to_number(substring(rest, 1, -1)) < replicas_
}

# KubeBlocks has no other workload between a Cluster and its Pods, which it numbers by component.
generated if {
	k8s.kind == "Pod"
	some name in cluster_labels("app.kubernetes.io/instance")
	some version in ["apps.kubeblocks.io/v1", "apps.kubeblocks.io/v1alpha1"]
	made := inventory.namespaced_object(k8s.namespace, version, "Cluster", name)
	some [list, between] in [["componentSpecs", ""], ["shardings", `[a-z0-9]+-`]]
	some component in get.list(made, ["spec", list])
	numbered_by_kubeblocks(trim_prefix(k8s.name, sprintf("%s-%s-", [name, get.string(component, "name")])), between, component)
	some reference in get.list(k8s.object, ["metadata", "ownerReferences"])
	k8s.group_of(get.string(reference, "apiVersion")) == "workloads.kubeblocks.io"
}

# By shard and number, with the name of their template between where some instances differ.
numbered_by_kubeblocks(rest, between, _) if regex.match(sprintf(`^%s[0-9]{1,5}$`, [between]), rest)

numbered_by_kubeblocks(rest, between, component) if {
	some one in array.concat(get.list(component, "instances"), get.list(component, ["template", "instances"]))
	regex.match(sprintf(`^%s%s-[0-9]{1,5}$`, [between, text.literal(get.string(one, "name"))]), rest)
}

cluster_labels(key) := {name |
	some labels in [k8s.labels, get.map(k8s.object, ["spec", "template", "metadata", "labels"])]
	name := get.string(labels, key)
}

# The owner starts the same servers.
alike(made) if {
	theirs := {start_text(c) | some c in get.list(made, ["spec", "template", "spec", "containers"])}
	every one in servers {
		start_text(one.container) in theirs
	}
}

start_text(c) := object.filter(c, ["image", "command", "args", "env", "envFrom"])

layout := server.product.layout

container := server.container

container_path := array.concat(pod_path, [server.list, server.index])

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if server

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": array.concat(container_path, ["args"]),
	"parameter_values": "text",
	"defaults": defaults,
	"instance_sets": [instance_set],
	"pods": [{
		"sysctls": array.concat(pod_path, ["securityContext", "sysctls"]),
		"containers": [array.concat(pod_path, ["initContainers"]), array.concat(pod_path, ["containers"])],
		"volumes": array.concat(pod_path, ["volumes"]),
		"environment": [array.concat(container_path, ["env"])],
	}],
} if {
	server
}

facts contains {"patience": patience} if patience

facts contains {"selection": selection} if selection

facts contains {"shared_memory": shared_memory} if shared_memory

facts contains {"syntax_errors": syntax_errors} if count(syntax_errors) > 0

facts contains {"partial": true} if unread

facts contains {"unread": unread_sources} if count(unread_sources) > 0

# What the server, its entrypoint or Patroni reads, as far as the pod names it.
unread_sources := array.concat(array.concat(array.concat(unread_files, unread_words), array.concat(unread_variables, unread_start)), array.concat(array.concat(unread_places, unread_copies), array.concat(unread_scripts, unread_patroni)))

# Options of initdb and of the server that come from a Secret, or from what is not in sight.
unread_variables := [{"source": sprintf("the variable %s", [name]), "path": array.concat(container_path, ["env"]), "severity": "warning"} |
	some name in read_variables
	hides(name)
]

read_variables := array.concat(initdb_variables, flag_variables) if layout != "spilo"

read_variables := spilo_variables if layout == "spilo"

spilo_variables := ["SPILO_CONFIGURATION", "PATRONI_CONFIGURATION"]

hides(name) if name in hidden

# Its file is not in sight.
hides(name) if sprintf("%s_FILE", [name]) in unread_file_variables

# The entrypoint gives it to a shell, which does more than pass options on.
hides(name) if {
	layout in {"docker", "other"}
	initdb.commands(variables[name].value)
}

# Of these only what the container itself says is read.
hides(name) if {
	name in flag_variables
	variables[name].resource
}

unread_files := array.concat(
	[object.union({"source": sprintf("%s %s/%s", [source.kind, k8s.namespace, source.name]), "path": volumes[mounted.name].path}, why_unread[source.kind]) |
		some mounted in mounts
		watched(mounted)
		some source in readable_files.sources(volumes[mounted.name].volume)
		not readable_files.holder(source)
	],
	[{"source": sprintf("the file %s", [last_option("config_file")]), "path": array.concat(container_path, ["args"]), "severity": "warning"} |
		not own_configuration
		not awaited
		last_option("config_file")
	],
)

# Nobody asks an API server for Secrets.
why_unread := {"ConfigMap": {"missing": true}, "Secret": {"severity": inventory.unread}}

unread_words := array.concat(
	[object.union({"source": sprintf("what %s includes", [f.file]), "severity": "warning"}, object.filter(f, ["path", "resource"])) |
		some f in configuration_files
		conf.includes_more(f.text)
		layout != "bitnami"
	],
	[{"source": sprintf("the variables in %s", [object.get(word, "written", word.text)]), "path": array.concat(container_path, word.path), "severity": "warning"} |
		some word in array.concat(words, flags)
		not readable(word.text)
	],
)

watched(mounted) if {
	some place_of in watched_places
	mount.within(mounted.directory, place_of)
}

watched_places := array.concat([configuration_file, mounted_configuration, "/opt/bitnami/postgresql/conf"], script_places)

# Bitnami's image copies what is there to where the server looks.
mounted_configuration := concat("", [trim_right(first_of(["POSTGRESQL_VOLUME_DIR"]).value, "/"), "/conf"])

mounted_configuration := "/bitnami/postgresql/conf" if not first_of(["POSTGRESQL_VOLUME_DIR"])

script_places := ["/docker-entrypoint-initdb.d", "/docker-entrypoint-preinitdb.d"] if layout != "sclorg"

script_places := ["/opt/app-root/src/postgresql-cfg", "/opt/app-root/src/postgresql-init", "/opt/app-root/src/postgresql-pre-start", "/opt/app-root/src/postgresql-start"] if layout == "sclorg"

# A volume that holds neither a ConfigMap nor a Secret, where the server reads parameters or runs scripts; and any that takes the place of its own files.
unread_places := array.concat(
	[{"source": sprintf("the volume at %s", [mounted.directory]), "path": array.concat(container_path, ["volumeMounts"]), "severity": inventory.unread} |
		some mounted in mounts
		watched(mounted)
		foreign(mounted)
	],
	array.concat(
		array.concat(libraries_on_volumes, [{"source": sprintf("what is mounted at %s, in the place of the image's own", [mounted.directory]), "path": array.concat(container_path, ["volumeMounts"]), "severity": inventory.unread} |
			some mounted in mounts
			regex.match(overlay.replaced, mounted.directory)
			not watched(mounted)
			not is_object(object.get(volumes[mounted.name].volume, "emptyDir", null))
			not endswith(mounted.directory, ".conf.sample")
		]),
		[{"source": sprintf("%s=%s", [name, variable.value]), "path": variable.path, "severity": inventory.unread, "reason": sprintf("programs are looked for in %s first", [mounted.directory])} |
			some name in ["PATH"]
			variable := variables[name]
			not variable.resource
			some mounted in mounts
			split(variable.value, ":")[0] == mounted.directory
		],
	),
)

# Libraries that the server loads from a volume do what they want.
libraries_on_volumes := [object.union({"source": sprintf("%s=%s", [setting.name, setting.value]), "severity": "info", "reason": sprintf("the server loads what lies in %s, which is a volume", [mounted.directory])}, object.filter(setting, ["path", "resource", "line"])) |
	some setting in parameters
	get.lower_case(setting.name) in {"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries", "dynamic_library_path", "jit_provider", "archive_library", "oauth_validator_libraries"}
	is_string(setting.value)
	some part in split(replace(setting.value, ":", ","), ",")
	some mounted in mounts
	regex.match(`^/(usr|opt|lib|lib64)(/|$)`, mounted.directory)
	mount.within(mount.clean(trim(part, `"' `)), mounted.directory)
]

# Parts of the data under a mount that goes with the pod, or moved to where none is.
facts contains {"lost": lost} if count(lost) > 0

lost := array.concat(
	mount.lost(directory_or_none, kept_directory, [{"directory": mounted.directory, "volume": volumes[mounted.name].volume, "path": volumes[mounted.name].path} |
		some mounted in mounts
		not templates[mounted.name]
		mounted.name != mount_of(directory).name
		mounted.name != mount_of(wal_directory).name
	]),
	array.concat(
		mount.unkept(
			[{"name": one.name, "value": one.value, "path": array.concat(container_path, [field])} |
				some field in ["command", "args"]
				some one in script.moved(concat(" ", [word | some word in get.list(container, field); is_string(word)]))
			],
			[mounted.directory | some mounted in mounts; not passing(mounted)],
		),
		array.concat(
			array.concat(
				array.concat(linked_before, emptied),
				mount.unkept(
					[object.union({"name": "data_directory", "value": setting.value}, object.filter(setting, ["path", "resource"])) |
						server
						not last_option("data_directory")
						setting := shared.last_of(configured, "data_directory")
						is_string(setting.value)
					],
					[mounted.directory | some mounted in mounts; not passing(mounted)],
				),
			),
			[{"what": "What the container mounts over the server's directory", "on": "no lasting volume", "path": container_path} |
				server
				script.volatile(script.of(container))
			],
		),
	),
)

# Links that an init container makes on the volume of the data.
linked_before := [part |
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	is_object(one)
	theirs := [{"name": get.string(mounted, "name"), "directory": mount.clean(get.string(mounted, "mountPath"))} | some mounted in get.list(one, "volumeMounts")]
	mount_of(directory).name in {mounted.name | some mounted in theirs}
	some part in mount.unkept(
		[object.union(link, {"path": array.concat(pod_path, ["initContainers", i])}) |
			some link in script.moved(script.of(one))
			link.name != "PGDATA"
		],
		[mounted.directory | some mounted in array.concat(theirs, mounts); not passing(mounted)],
	)
]

directory_or_none := directory

directory_or_none := "-" if not directory

kept_directory := mount_of(directory).directory

kept_directory := "-" if not mount_of(directory)

passing(mounted) if {
	not templates[mounted.name]
	is_object(object.get(volumes[mounted.name].volume, "emptyDir", null))
}

# A volume that is filled with another one's files has the postgresql.auto.conf of a server that nobody names.
unread_copies := [object.union({"source": "the postgresql.auto.conf of the copied volume", "severity": "info"}, copied) |
	name := mount_of(directory).name
	some [object_of, path_of, place_of] in array.concat(
		array.concat(
			[[k8s.object, template, {"path": template}] | template := templates[name]],
			[[k8s.object, template, {"path": template}] |
				not templates[name]
				template := array.concat(volumes[name].path, ["ephemeral", "volumeClaimTemplate", "spec"])
			],
		),
		[[claim, ["spec"], {"path": ["spec"], "resource": k8s.reference(claim)}] |
			not templates[name]
			claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", claim_name)
		],
	)
	some field in ["dataSource", "dataSourceRef"]
	get.present(object_of, array.concat(path_of, [field]))
	copied := object.union(place_of, {"path": array.concat(place_of.path, [field])})
]

foreign(mounted) if {
	volume := volumes[mounted.name].volume
	not is_object(object.get(volume, "emptyDir", null))
	count(readable_files.sources(volume)) == 0
}

foreign(mounted) if {
	some source in get.list(volumes[mounted.name].volume, ["projected", "sources"])
	count(readable_files.source_of(source)) == 0
	get.present(source, "downwardAPI")
}

foreign(mounted) if {
	templates[mounted.name]
	not volumes[mounted.name]
}

# Somebody puts scripts there before.
foreign(mounted) if {
	some place_of in script_places
	mount.within(mounted.directory, place_of)
	is_object(object.get(volumes[mounted.name].volume, "emptyDir", null))
	some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	some theirs in get.list(one, "volumeMounts")
	get.string(theirs, "name") == mounted.name
}

# Those that are in sight, of the first start and of every one (sclorg).
scripts := [f |
	some f in files
	some place_of in script_places
	startswith(f.file, concat("", [place_of, "/"]))
	regex.match(`\.(sh|sql)$`, f.file)
]

# Those, and the files in sight that they name.
scripts_and_named := array.concat(scripts, [f |
	some f in files
	not f in scripts
	not regex.match(`\.(conf|ya?ml|json|toml|ini|cfg|crt|pem|key|txt|md|csv)$`, f.file)
	some one in scripts
	contains(one.text, f.file)
])

# What psql is told to read, by a name that no volume in sight has.
unread_inclusions := [object.union({"source": sprintf("the script %s", [found[1]]), "severity": "info", "reason": sprintf("%s runs it, and it was not found", [f.file])}, object.filter(f, ["path", "resource"])) |
	some f in scripts
	some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*\\i(?:r|nclude|nclude_relative)?[ \t]+['"]?([^\s'"]+)`, f.text, -1)
	not regex.match(`^/(usr|opt)/`, found[1])
	count([1 | some other in files; endswith(other.file, trim_left(found[1], "./"))]) == 0
]

unread_scripts := array.concat(
	array.concat(unread_inclusions, [object.union({"source": sprintf("the script %s", [f.file]), "severity": severity_of_script(f.text)}, object.filter(f, ["path", "resource"])) |
		some f in scripts_and_named
		unreadable_script(f.text)
	]),
	[{"source": sprintf("the compressed script %s/%s", [mounted.directory, key]), "path": volumes[mounted.name].path, "severity": inventory.unread} |
		some mounted in mounts
		some place_of in script_places
		mount.within(mounted.directory, place_of)
		some source in readable_files.sources(volumes[mounted.name].volume)
		some field in ["data", "binaryData"]
		some key, _ in get.map(readable_files.holder(source), field)
		regex.match(`\.sql\.(gz|xz|zst)$`, key)
	],
)

unreadable_script(text_) if script.writes(text_)

unreadable_script(text_) if script.hides(text_)

severity_of_script(text_) := "warning" if script.dangerous(text_)

severity_of_script(text_) := inventory.unread if not script.dangerous(text_)

# Patroni's configuration: not in sight, or in a style that is not read.
unread_patroni := array.concat(
	[object.union({"source": sprintf("what is written in another style in %s", [f.file]), "severity": "warning"}, object.filter(f, ["path", "resource"])) |
		layout == "patroni"
		f := patroni_file
		not patroni_plain
	],
	array.concat(
		[{"source": sprintf("Patroni's file %s", [server.configuration]), "path": container_path, "severity": inventory.unread} |
			layout == "patroni"
			not patroni_file
		],
		array.concat(
			[{"source": sprintf("what is written in another style in %s", [name]), "path": value_path(variables[name]), "severity": "warning"} |
				layout == "spilo"
				some name in spilo_variables
				patroni.unread(variables[name].value)
			],
			[{"source": "the commands in Patroni's configuration", "path": place_of_all.path, "severity": severity_of_script(configured_text)} |
				[configured_text, place_of_all] := patroni_said
				script.sets(configured_text)
			],
		),
	),
)

patroni_plain if {
	patroni_text
	not patroni.unread(patroni_text)
}

patroni_said := [patroni_file.text, patroni_file] if layout == "patroni"

patroni_said := [variable.value, {"path": value_path(variable)}] if {
	layout == "spilo"
	variable := first_of(spilo_variables)
}

watched(mounted) if mount.within(mounted.directory, concat("/", [directory, "postgresql.auto.conf"]))

# Said already, by the name of its ConfigMap.
awaited if {
	some mounted in mounts
	mount.within(mounted.directory, configuration_file)
	some source in readable_files.sources(volumes[mounted.name].volume)
	not readable_files.holder(source)
}

facts contains {"patroni": true} if layout in {"spilo", "patroni"}

facts contains {"own_libraries": object.union({"value": found.value, "origin": "written"}, object.filter(found, ["path", "resource"]))} if {
	found := shared.last_of(parameters, "shared_preload_libraries")
	by_entrypoint
	count([1 | some setting in parameters; get.lower_case(setting.name) in {"dynamic_library_path", "extension_control_path"}]) == 0
	count([1 | some mounted in mounts; regex.match(`^/usr(/|$)`, mounted.directory)]) == 0
}

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

# Those of the template that the data directory lies on.
facts contains {"data_claims": sprintf(`^%s-%s-[0-9]+$`, [text.literal(name), text.literal(k8s.name)])} if {
	name := mount_of(directory).name
	templates[name]
}

# ---------------------------------------------------------------------------------------------------- environment

# The last of a name counts; that of a ConfigMap only where the container does not have the name itself.
variables := object.union_n([
	object.union_n([found |
		some source in get.list(container, "envFrom")
		found := object.union(from_config_map(source), from_secret_in_sight(source))
	]),
	file_variables,
	{name: {"value": value, "path": array.concat(container_path, ["env", i])} |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		value := get.text_at(listed[i], "value")
		readable(value)
	},
	{name: found |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		found := from_key(get.map(listed[i], ["valueFrom", "configMapKeyRef"]))
	},
])

from_key(source) := {"value": text, "path": ["data", key], "resource": k8s.reference(found)} if {
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, "name"))
	key := get.string(source, "key")
	text := get.string(found, ["data", key])
	not placeholder.unknown(text)
}

from_config_map(source) := {name: {"value": text, "path": ["data", key], "resource": k8s.reference(found)} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, ["configMapRef", "name"]))
	some key, text in get.map(found, "data")
	is_string(text)
	name := concat("", [prefix_of(source), key])
} if {
	is_object(source)
}

# A Secret among the files; an API server is not asked for one.
from_secret_in_sight(source) := {name: {"value": entry.text, "path": entry.path, "resource": k8s.reference(found)} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(source, ["secretRef", "name"]))
	some entry in readable_files.entries(found)
	name := concat("", [prefix_of(source), entry.key])
} if {
	is_object(source)
}

# The images take a variable from the file that the variable of this name with _FILE names.
file_variables := {name: found[0] |
	some name in {trim_suffix(variable.name, "_FILE") | some variable in named_files}
	found := [{"value": trim_space(f.text), "path": f.path, "resource": f.resource} |
		some variable in named_files
		variable.name == sprintf("%s_FILE", [name])
		some f in files
		f.file == mount.clean(variable.value)
	]
	count(found) > 0
}

named_files := [{"name": name, "value": value} |
	layout in {"docker", "bitnami"}
	some variable in get.list(container, "env")
	name := get.string(variable, "name")
	regex.match(`^(POSTGRES(QL)?_(INITDB_ARGS|FSYNC|EXTRA_FLAGS|VOLUME_DIR|DATA_DIR|WAL_LEVEL|SHARED_PRELOAD_LIBRARIES|MAX_CONNECTIONS)|PGDATA)_FILE$`, name)
	value := get.string(variable, "value")
]

unread_file_variables contains variable.name if {
	some variable in named_files
	not file_variables[trim_suffix(variable.name, "_FILE")]
}

prefix_of(source) := get.string(source, "prefix")

prefix_of(source) := "" if not get.string(source, "prefix")

# "$(NAME)" stands for another variable, which may come from anywhere.
readable(text) if {
	not contains(text, "$(")
	not placeholder.unknown(text)
}

# Variables that are set, to what is not in sight.
hidden contains name if {
	some variable in get.list(container, "env")
	is_object(variable)
	name := get.string(variable, "name")
	not variables[name]
}

# A ConfigMap out of sight may hold any of them.
veiled if {
	some source in get.list(container, "envFrom")
	is_object(source)
	wanted := get.string(source, ["configMapRef", "name"])
	not inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", wanted)
}

# METADATA
# description: The first of these variables that is set.
first_of(names) := found[0] if {
	found := [variables[name] | some name in names; variables[name].value != ""]
	count(found) > 0
}

unknown(_) if veiled

unknown(names) if {
	some name in names
	name in hidden
}

# The item, not its value: the value holds more than one thing.
place(variable) := object.filter(variable, ["path", "resource"])

# ----------------------------------------------------------------------------------------------------- parameters

parameters := array.concat(array.concat(array.concat(initial, configured), array.concat(altered, from_environment)), command_line) if layout != "sclorg"

# The file made from the environment includes the others.
parameters := array.concat(array.concat(from_environment, configured), array.concat(altered, command_line)) if layout == "sclorg"

# What initdb writes into the file of the data directory, where that is the one that is read.
initial := array.concat(
	[setting |
		not own_configuration
		some f in files
		endswith(f.file, "/postgresql.conf.sample")
		some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
	],
	[object.union(setting, initdb_place) |
		layout in {"docker", "bitnami", "other"}
		not last_option("config_file")
		not own_configuration
		some setting in initdb.settings(initdb_options, [])
	],
)

# postgresql.auto.conf comes after postgresql.conf.
altered := array.concat(
	array.concat([setting | layout != "patroni"; some setting in kept_by_patroni], [setting |
		layout in {"docker", "bitnami"}
		some f in files
		f.file == concat("/", [directory, "postgresql.auto.conf"])
		some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
	]),
	[setting |
		some f in scripts_and_named
		some setting in sql.settings(f.text, object.filter(f, ["path", "resource"]))
	],
)

options := command.options(array.concat(words, flags))

# Kubernetes puts the container's own variables in.
words := [object.union(word, {"text": expanded(word.text)}) | some word in server.words]

expanded(text_) := text_ if readable(text_)

expanded(text_) := strings.replace_n({sprintf("$(%s)", [name]): variable.value | some name, variable in variables}, text_) if not readable(text_)

# run.sh of Bitnami's image gives them to the server, word by word.
flags := [{"text": word, "path": value_below(found)} |
	layout == "bitnami"
	found := first_of(flag_variables)
	not found.resource
	some word in split(found.value, " ")
	word != ""
]

flag_variables := ["POSTGRESQL_EXTRA_FLAGS", "POSTGRES_EXTRA_FLAGS"] if layout == "bitnami"

flag_variables := [] if layout != "bitnami"

# Below the container, as the words are.
value_below(found) := array.concat(array.slice(found.path, count(container_path), count(found.path)), ["value"])

command_line := [{"name": option.name, "value": option.value, "path": array.concat(container_path, option.path), "argument": true} |
	some option in options
	readable(option.value)
]

# Written, but with a variable in it: nobody's default.
computed := {get.lower_case(option.name): "" |
	some option in options
	not readable(option.value)
}

# Likewise of a variable whose value is not in sight.
veiled_parameters := {name: "" |
	not own_configuration
	some name, names in parameter_variables[layout]
	not first_of(names)
	unknown(names)
}

from_environment := array.concat(
	[object.union({"name": name, "value": found.value, "path": value_path(found)}, object.filter(found, ["resource"])) |
		not own_configuration
		some name, names in parameter_variables[layout]
		found := first_of(names)
		applies(name)
	],
	[setting |
		contains(get.string(container, "image"), "kartoza/")
		found := variables.EXTRA_CONF
		some setting in conf.settings(found.value, object.union({"path": value_path(found)}, object.filter(found, ["resource"])))
	],
)

applies(name) if name != "synchronous_commit"

# Written together with the names of synchronous standbys only.
applies("synchronous_commit") if shared.whole(first_of(["POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS", "POSTGRES_NUM_SYNCHRONOUS_REPLICAS"]).value) > 0

value_path(found) := found.path if found.resource

value_path(found) := array.concat(found.path, ["value"]) if not found.resource

# libpostgresql.sh of Bitnami, common.sh of sclorg.
parameter_variables := {
	"bitnami": {
		"client_min_messages": ["POSTGRESQL_CLIENT_MIN_MESSAGES", "POSTGRES_CLIENT_MIN_MESSAGES"],
		"default_toast_compression": ["POSTGRESQL_DEFAULT_TOAST_COMPRESSION"],
		"fsync": ["POSTGRESQL_FSYNC", "POSTGRES_FSYNC"],
		"log_connections": ["POSTGRESQL_LOG_CONNECTIONS", "POSTGRES_LOG_CONNECTIONS"],
		"log_disconnections": ["POSTGRESQL_LOG_DISCONNECTIONS", "POSTGRES_LOG_DISCONNECTIONS"],
		"log_hostname": ["POSTGRESQL_LOG_HOSTNAME", "POSTGRES_LOG_HOSTNAME"],
		"log_line_prefix": ["POSTGRESQL_LOG_LINE_PREFIX", "POSTGRES_LOG_LINE_PREFIX"],
		"log_timezone": ["POSTGRESQL_LOG_TIMEZONE", "POSTGRES_LOG_TIMEZONE"],
		"max_connections": ["POSTGRESQL_MAX_CONNECTIONS", "POSTGRES_MAX_CONNECTIONS"],
		"password_encryption": ["POSTGRESQL_PASSWORD_ENCRYPTION"],
		"pgaudit.log": ["POSTGRESQL_PGAUDIT_LOG", "POSTGRES_PGAUDIT_LOG"],
		"pgaudit.log_catalog": ["POSTGRESQL_PGAUDIT_LOG_CATALOG", "POSTGRES_PGAUDIT_LOG_CATALOG"],
		"pgaudit.log_parameter": ["POSTGRESQL_PGAUDIT_LOG_PARAMETER", "POSTGRES_PGAUDIT_LOG_PARAMETER"],
		"statement_timeout": ["POSTGRESQL_STATEMENT_TIMEOUT", "POSTGRES_STATEMENT_TIMEOUT"],
		"synchronous_commit": ["POSTGRESQL_SYNCHRONOUS_COMMIT_MODE", "POSTGRES_SYNCHRONOUS_COMMIT_MODE"],
		"tcp_keepalives_count": ["POSTGRESQL_TCP_KEEPALIVES_COUNT", "POSTGRES_TCP_KEEPALIVES_COUNT"],
		"tcp_keepalives_idle": ["POSTGRESQL_TCP_KEEPALIVES_IDLE", "POSTGRES_TCP_KEEPALIVES_IDLE"],
		"tcp_keepalives_interval": ["POSTGRESQL_TCP_KEEPALIVES_INTERVAL", "POSTGRES_TCP_KEEPALIVES_INTERVAL"],
		"timezone": ["POSTGRESQL_TIMEZONE", "POSTGRES_TIMEZONE"],
		"shared_preload_libraries": ["POSTGRESQL_SHARED_PRELOAD_LIBRARIES", "POSTGRES_SHARED_PRELOAD_LIBRARIES"],
		"wal_level": ["POSTGRESQL_WAL_LEVEL"],
	},
	"sclorg": {
		"effective_cache_size": ["POSTGRESQL_EFFECTIVE_CACHE_SIZE"],
		"max_connections": ["POSTGRESQL_MAX_CONNECTIONS"],
		"max_prepared_transactions": ["POSTGRESQL_MAX_PREPARED_TRANSACTIONS"],
		"shared_buffers": ["POSTGRESQL_SHARED_BUFFERS"],
		"shared_preload_libraries": ["POSTGRESQL_LIBRARIES"],
	},
}

defaults := object.union_n([image_defaults, veiled_parameters, computed]) if layout != "patroni"

defaults := object.union_n([patroni_defaults, image_defaults]) if layout == "patroni"

# libpostgresql.sh, as long as nobody mounts a postgresql.conf.
image_defaults := {
	"hot_standby": "on",
	"listen_addresses": "*",
	"max_wal_senders": "16",
	"max_wal_size": "400MB",
	"shared_preload_libraries": "pgaudit",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
} if {
	layout == "bitnami"
	not own_configuration
}

# setup.sh leaves a mounted file as it is; that of repmgr lets standbys in whatever it says.
image_defaults := {"listen_addresses": "*"} if {
	layout == "bitnami"
	own_configuration
	not left_alone
}

image_defaults := {} if {
	layout == "bitnami"
	own_configuration
	left_alone
}

left_alone if {
	server.product.name == "postgresql"
	some f in files
	f.file == concat("/", [mounted_configuration, "postgresql.conf"])
}

# timescaledb-tune writes these by the memory and the CPUs that it sees.
image_defaults := {
	"autovacuum_max_workers": "",
	"autovacuum_naptime": "",
	"bgwriter_delay": "",
	"bgwriter_lru_maxpages": "",
	"checkpoint_completion_target": "",
	"default_statistics_target": "",
	"effective_cache_size": "",
	"effective_io_concurrency": "",
	"maintenance_work_mem": "",
	"max_connections": "",
	"max_locks_per_transaction": "",
	"max_parallel_workers": "",
	"max_parallel_workers_per_gather": "",
	"max_wal_size": "",
	"max_worker_processes": "",
	"min_wal_size": "",
	"random_page_cost": "",
	"shared_buffers": "",
	"shared_preload_libraries": "timescaledb",
	"wal_buffers": "",
	"work_mem": "",
} if {
	server.product.tuned
}

image_defaults := object.union({"listen_addresses": "*"}, sclorg_sizes) if layout == "sclorg"

# A quarter and a half of the limit, in whole MB.
sclorg_sizes := {"shared_buffers": sprintf("%dMB", [(mib - (mib % 4)) / 4]), "effective_cache_size": sprintf("%dMB", [(mib - (mib % 2)) / 2])} if {
	limit := quantity.bytes(get.map(k8s.object, resources_path).limits.memory)
	limit > 0
	mib := (limit - (limit % 1048576)) / 1048576
}

sclorg_sizes := {"shared_buffers": "32MB", "effective_cache_size": "128MB"} if not get.present(k8s.object, array.concat(resources_path, ["limits", "memory"]))

image_defaults := {} if {
	not layout in {"bitnami", "sclorg"}
	not server.product.tuned
}

# ------------------------------------------------------------------------------------------- postgresql.conf mounted

# METADATA
# description: |
#   The files of ConfigMaps and Secrets in sight as the container sees them, {"file", "text", "path", "resource"}.
files := [f |
	some mounted in mounts
	some f in readable_files.of(mounted, volumes[mounted.name].volume)
]

# Where the server looks for postgresql.conf.
configuration_file := mount.clean(last_option("config_file"))

configuration_file := concat("/", [mounted_configuration, "postgresql.conf"]) if {
	layout == "bitnami"
	not last_option("config_file")
}

configuration_file := concat("/", [directory, "postgresql.conf"]) if {
	layout != "bitnami"
	not last_option("config_file")
}

last_option(name) := found[count(found) - 1] if {
	found := [option.value | some option in options; get.lower_case(option.name) == name]
	count(found) > 0
}

own_configuration if {
	some f in files
	is_configuration(f.file)
}

is_configuration(file) if file == configuration_file

# What is mounted at the first place is copied to the second one, where the server looks; librepmgr.sh takes that of its own directory before.
is_configuration("/bitnami/repmgr/conf/postgresql.conf") if server.product.name == "postgresql-repmgr"

# An image of one's own reads the only one that is mounted, wherever that is.
is_configuration(file) if {
	layout == "other"
	not last_option("config_file")
	endswith(file, "/postgresql.conf")
	count({f.file | some f in files; endswith(f.file, "/postgresql.conf")}) == 1
}

is_configuration("/opt/bitnami/postgresql/conf/postgresql.conf") if {
	layout == "bitnami"
	not last_option("config_file")
}

# METADATA
# description: What stands in the files that the server reads, in its order – postgresql.conf, then those of conf.d by name.
configured := [setting |
	some f in configuration_files
	some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
] if {
	not layout in {"patroni", "spilo"}
}

# YAML for Patroni, as the whole cluster's and this member's.
configured := [setting |
	variable := first_of(spilo_variables)
	some setting in patroni.parameters(variable.value, {"path": value_path(variable)})
] if {
	layout == "spilo"
}

syntax_errors := [wrong |
	some f in configuration_files
	some wrong in conf.errors(f.text, object.filter(f, ["path", "resource"]))
]

configured := patroni_parameters if layout == "patroni"

configuration_files := [] if layout == "patroni"

configuration_files := array.concat([main | some main in files; is_configuration(main.file)], fragments) if layout != "patroni"

# ------------------------------------------------------------------------------------------------------- Patroni

# METADATA
# description: The file that Patroni reads, where its ConfigMap or Secret is in sight.
patroni_file := [f | some f in array.concat(files, configuration_in_variable); f.file == server.configuration][0]

configuration_in_variable := [object.union({"file": name, "text": variable.value, "path": value_path(variable)}, object.filter(variable, ["resource"])) |
	name := "PATRONI_CONFIGURATION"
	variable := variables[name]
]

patroni_text := patroni_file.text if patroni.readable(patroni_file.text)

patroni_place := object.filter(patroni_file, ["path", "resource"])

patroni_parameters := array.concat(patroni.parameters(patroni_text, patroni_place), kept_by_patroni) if patroni_text

patroni_parameters := kept_by_patroni if not patroni_text

# In ConfigMaps, unless Endpoints are used.
kept_by_patroni := [setting |
	some name in ["PATRONI_SCOPE", "SCOPE"]
	layout in {"patroni": {"patroni", "other"}, "spilo": {"spilo", "patroni"}}[{"PATRONI_SCOPE": "patroni", "SCOPE": "spilo"}[name]]
	some setting in dcs.parameters(variables[name].value)
]

facts contains {"ignored": without_effect} if count(without_effect) > 0

without_effect := array.concat(misplaced, array.concat(options_of_clients, unread_by_image))

misplaced := [entry |
	some entry in array.concat(
		[found | some found in patroni.misplaced(patroni_text, patroni_place)],
		[found |
			layout == "spilo"
			variable := first_of(spilo_variables)
			some found in patroni.misplaced(variable.value, {"path": value_path(variable)})
		],
	)
	postgres.known(entry.name)
]

# What Patroni sets where nobody writes it (postgresql/config.py), before timescaledb-tune of the chart.
patroni_defaults := {
	"hot_standby": "on",
	"max_locks_per_transaction": "64",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"max_worker_processes": "8",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
	"wal_log_hints": "on",
}

# True unless it says so, in Patroni.
slots := object.union(fact.written(shared.boolean(said), patroni_file.path), object.filter(patroni_file, ["resource"])) if {
	said := patroni.setting(patroni_text, "use_slots")
}

slots := fact.operator(true, container_path) if {
	patroni_text
	not patroni.setting(patroni_text, "use_slots")
}

fragments := [f |
	some name in sort({f.file | some f in files; in_fragments(f.file)})
	some f in files
	f.file == name
]

in_fragments(file) if {
	some place in fragment_places[layout]
	startswith(file, place)
	endswith(file, ".conf")
}

fragment_places := {
	"bitnami": [concat("", [mounted_configuration, "/conf.d/"]), "/opt/bitnami/postgresql/conf/conf.d/"],
	"sclorg": ["/opt/app-root/src/postgresql-cfg/"],
}

# Something that the server reads is not in sight, so that a parameter that is not seen may have any value.
unread if layout in {"other", "spilo"}

unread if server.opaque

unread if {
	layout == "patroni"
	not patroni_text
}

unread if {
	last_option("config_file")
	not own_configuration
}

unread if {
	some mounted in mounts
	some place_of in watched_places
	mount.within(mounted.directory, place_of)
	not in_sight(mounted)
}

unread if {
	some f in files
	is_configuration(f.file)
	conf.includes_more(f.text)
	layout != "bitnami"
}

# A script of the first start may write anything; those that do call it so.
unread if {
	some f in scripts
	sets_parameters(f.text)
}

sets_parameters(text) if {
	some word in ["alter system", ".conf", "alter database"]
	contains(get.lower_case(text), word)
}

in_sight(mounted) if {
	needed := readable_files.sources(volumes[mounted.name].volume)
	count(needed) > 0
	every source in needed {
		readable_files.holder(source)
	}
}

in_sight(mounted) if is_object(volumes[mounted.name].volume.emptyDir)

# -------------------------------------------------------------------------------------------------------- volumes

mounts := [object.union_n([
	{"name": name, "directory": mount.clean(at)},
	{"subpath": subpath | subpath := mount.clean(subpath_of(mounted))},
]) |
	some mounted in get.list(container, "volumeMounts")
	is_object(mounted)
	name := get.string(mounted, "name")
	at := get.string(mounted, "mountPath")
]

subpath_of(mounted) := get.string(mounted, "subPath")

# Kubernetes puts the container's own variables in.
subpath_of(mounted) := strings.replace_n(literals(container), get.string(mounted, "subPathExpr")) if not get.string(mounted, "subPath")

# METADATA
# description: The volumes of the pod by name, {"path", "volume"}.
volumes := {name: {"path": array.concat(pod_path, ["volumes", i]), "volume": listed[i]} |
	listed := get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	some name, i in get.last_of_each([[of, k] | some k, volume in listed; is_object(volume); of := get.string(volume, "name")])
}

templates := {name: array.concat(["spec", "volumeClaimTemplates", i], ["spec"]) |
	k8s.kind == "StatefulSet"
	listed := get.list(k8s.object, ["spec", "volumeClaimTemplates"])
	some name, i in get.last_of_each([[of, k] | some k, template in listed; is_object(template); of := get.string(template, ["metadata", "name"])])
}

# The mount that a directory lies on.
mount_of(path) := mount.above(path, mounts)

data_variables := ["POSTGRESQL_DATA_DIR", "POSTGRES_DATA_DIR", "PGDATA"] if layout == "bitnami"

# Patroni is told by its own; the chart's PGDATA refers to that one.
data_variables := ["PATRONI_POSTGRESQL_DATA_DIR"] if {
	layout == "patroni"
	first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
}

data_variables := ["PATRONI_POSTGRESQL_DATA_DIR", "PGDATA"] if {
	layout == "patroni"
	not first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
}

data_variables := ["PGDATA"] if not layout in {"bitnami", "patroni"}

# METADATA
# description: The data directory, as far as it is known.
directory := mount.clean(last_option("data_directory"))

directory := mount.clean(first_of(data_variables).value) if {
	not last_option("data_directory")
	not unknown(data_variables)
}

directory := concat("", [trim_right(first_of(["POSTGRESQL_VOLUME_DIR"]).value, "/"), "/data"]) if {
	defaulted
	layout == "bitnami"
}

directory := server.product.home if {
	defaulted
	not moved
}

# Without a version: whichever of the two is mounted.
directory := found[0] if {
	defaulted
	layout == "docker"
	not server.product.home
	found := [path | some path in ["/var/lib/postgresql/data", "/var/lib/postgresql/18/docker"]; mount_of(path)]
}

moved if {
	layout == "bitnami"
	first_of(["POSTGRESQL_VOLUME_DIR"])
}

defaulted if {
	not last_option("data_directory")
	not first_of(data_variables)
	not unknown(data_variables)
	not unknown(["POSTGRESQL_VOLUME_DIR"])
}

# True when it is certain: said here, or by an image whose own default is known.
certain if not defaulted

certain if server.product.published

# Bitnami's chart writes the official image's variable, which Bitnami's image does not read.
wal_variables := ["POSTGRESQL_INITDB_WAL_DIR", "POSTGRES_INITDB_WAL_DIR"] if layout == "bitnami"

# The chart timescaledb-single gives it to its scripts, and to basebackup in Patroni's file.
wal_variables := ["WALDIR"] if layout == "patroni"

wal_variables := ["POSTGRES_INITDB_WALDIR"] if not layout in {"bitnami", "patroni"}

# METADATA
# description: Where WAL is, when somebody moved it away from the data.
moved_wal_directory := trim_right(first_of(wal_variables).value, "/")

moved_wal_directory := trim_right(given[count(given) - 1], "/") if {
	not first_of(wal_variables)
	given := [directory_of |
		some i, option in initdb_options
		some directory_of in array.concat(
			[substring(option, count("--waldir="), -1) | startswith(option, "--waldir=")],
			[initdb_options[i + 1] | option in {"-X", "--waldir"}],
		)
	]
	count(given) > 0
}

wal_directory := moved_wal_directory

wal_directory := concat("/", [directory, "pg_wal"]) if {
	not moved_wal_directory
	not unknown(wal_variables)
}

instance_set := object.union_n([
	{"name": k8s.name, "path": container_path, "resources": shared.resources(k8s.object, resources_path), "resources_path": resources_path},
	{"replicas": n | n := replicas},
	{"node_types": found | found := node_types},
	{"data": volume |
		volume := volume_at(mount_of(directory).name)
		not relocated
	},
	{"wal": volume |
		name := mount_of(wal_directory).name
		name != mount_of(directory).name
		volume := volume_at(name)
	},
])

# Tables lie on another volume than the rest of the data: what this one is says nothing of them.
relocated if mount.relocated(directory, directory, [mounted | some mounted in mounts; mounted.name != mount_of(directory).name], set())

resources_path := array.concat(container_path, ["resources"])

volume_at(name) := shared.claim(k8s.object, templates[name])

volume_at(name) := mount.volume(volumes[name].path, fixed_node) if not templates[name]

fixed_node if pinned

fixed_node := false if not pinned

# Something keeps the pod on certain nodes.
pinned if {
	some field in ["nodeName", "nodeSelector"]
	count(object.get(get.map(k8s.object, pod_path), field, "")) > 0
}

pinned if count(get.map(k8s.object, array.concat(pod_path, ["affinity", "nodeAffinity"]))) > 0

# METADATA
# description: Directories of the server that lie on no volume; see walguard.model.
unmounted := array.concat(off_volume, [{"role": "data", "directory": usual_directory, "path": array.concat(container_path, ["volumeMounts"]), "mounted": [], "idle": idle} |
	unused_for_data
])

usual_directory := directory

usual_directory := "/var/lib/postgresql/data" if not directory

off_volume := [{"role": role, "directory": path, "path": array.concat(container_path, ["volumeMounts"]), "mounted": lasting} |
	certain
	not somewhere
	some role, path in {"data": directory, "WAL": wal_directory_or_none}
	startswith(path, "/")
	not mount_of(path)
	not unused_for_data
]

# Claims that no container mounts, in a pod whose server has no lasting volume: whoever asked for one meant it for the data.
idle := sort([name |
	some name in (object.keys(templates) | {name | some name, _ in volumes; is_object(object.get(volumes[name].volume, "persistentVolumeClaim", null))})
	count([1 |
		some list in ["containers", "initContainers"]
		some one in get.list(k8s.object, array.concat(pod_path, [list]))
		some field in ["volumeMounts", "volumeDevices"]
		some used in get.list(one, field)
		object.get(used, "name", name) == name
	]) == 0
])

unused_for_data if {
	not layout in {"spilo", "patroni"}
	not somewhere
	count(lasting) == 0
	count(idle) > 0
	not mount_of(usual_directory)
}

unused_for_data if {
	not layout in {"spilo", "patroni"}
	not somewhere
	count(lasting) == 0
	count(idle) > 0
	is_object(object.get(volumes[mount_of(directory).name].volume, "emptyDir", null))
}

# A volume whose place is filled in later may be the one.
somewhere if {
	some mounted in mounts
	placeholder.unknown(mounted.directory)
}

# One that nobody names is on the volume of the data.
wal_directory_or_none := moved_wal_directory

wal_directory_or_none := "" if not moved_wal_directory

# Where volumes are mounted that outlive the pod.
lasting := sort([m.directory | some m in mounts; lasts(m.name)])

lasts(name) if templates[name]

lasts(name) if is_object(object.get(volumes[name].volume, "persistentVolumeClaim", null))

# ------------------------------------------------------------------------------------------------------------ pods

patience := probe.patience(k8s.object, container_path)

selection := {"labels": pod_labels, "own": pod_labels, "count": 1} if {
	server
	k8s.kind == "Pod"
}

selection := {
	"labels": pod_labels,
	"own": get.map(k8s.object, ["spec", "selector", "matchLabels"]),
	"count": object.get(k8s.object, ["spec", "replicas"], 1),
} if {
	server
	k8s.kind != "Pod"
}

pod_labels := k8s.labels if k8s.kind == "Pod"

pod_labels := get.map(k8s.object, ["spec", "template", "metadata", "labels"]) if k8s.kind != "Pod"

# Container runtimes give 64 MiB where nobody mounts anything else.
shared_memory := fact.written(67108864, array.concat(container_path, ["volumeMounts"])) if {
	server
	not mounted_shm
	not somewhere
	not get.boolean(k8s.object, array.concat(pod_path, ["hostIPC"]))
}

shared_memory := fact.written(quantity.bytes(get.text_at(mounted_shm.volume, ["emptyDir", "sizeLimit"])), array.concat(mounted_shm.path, ["emptyDir", "sizeLimit"]))

mounted_shm := found[0] if {
	found := [volume | some mounted in mounts; mounted.directory == "/dev/shm"; volume := volumes[mounted.name]]
	count(found) > 0
}

node_types := machine.types(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"])) if server

# ------------------------------------------------------------------------------------------------------- instances

replicas := shared.number_at(k8s.object, ["spec", "replicas"]) if k8s.kind != "Pod"

instances := replicas if server.product.name == "postgresql-repmgr"

instances := replicas if layout == "patroni"

synchronous := object.union(fact.written(true, patroni_file.path), object.filter(patroni_file, ["resource"])) if {
	shared.boolean(patroni.setting(patroni_text, "synchronous_mode"))
}

synchronous := fact.written(true, array.concat(found.path, ["value"])) if {
	layout == "bitnami"
	found := first_of(["POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS", "POSTGRES_NUM_SYNCHRONOUS_REPLICAS"])
	not found.resource
	shared.whole(found.value) > 0
}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until repmgr clones it anew",
} if {
	server.product.name == "postgresql-repmgr"
	get.lower_case(variables.REPMGR_USE_PGREWIND.value) in {"1", "true", "yes"}
}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
} if {
	shared.boolean(patroni.setting(patroni_text, "use_pg_rewind"))
}

# METADATA
# description: Two servers may come to run on the one claim of the data; see walguard.model.
overlap := object.union(fact.written("replicas", ["spec", "replicas"]), {"claim": claim_name}) if {
	one_claim
	replicas.value > 1
}

overlap := object.union(fact.operator("update", ["spec"]), {"claim": claim_name}) if {
	surges
	not is_object(object.get(k8s.object, ["spec", "strategy"], null))
}

overlap := object.union(fact.written("update", ["spec", "strategy"]), {"claim": claim_name}) if {
	surges
	is_object(object.get(k8s.object, ["spec", "strategy"], null))
}

overlap := object.union(fact.written("other", volumes[mount_of(directory).name].path), {"claim": claim_name, "other": sharers[0]}) if {
	one_claim
	not surges
	replicas_or_one == 1
	count(sharers) > 0
}

replicas_or_one := object.get(k8s.object, ["spec", "replicas"], 1) if k8s.kind != "Pod"

replicas_or_one := 1 if k8s.kind == "Pod"

# Other workloads with a server whose data directory is the same place of the same claim, as Kind/name; of the two the one whose name comes first is said.
sharers := sort([sprintf("%s %s", [kind, made.metadata.name]) |
	one_claim
	some kind in ["Deployment", "StatefulSet"]
	some made in inventory.list(k8s.namespace, "apps/v1", kind)
	concat("/", [get.string(made, ["metadata", "name"]), kind]) < concat("/", [k8s.name, k8s.kind])
	object.get(made, ["spec", "replicas"], 1) != 0
	some volume in get.list(made, array.concat(["spec", "template", "spec"], ["volumes"]))
	get.string(volume, ["persistentVolumeClaim", "claimName"]) == claim_name
	some one in get.list(made, ["spec", "template", "spec", "containers"])
	image.name(get.string(one, "image")) == server.product.name
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == get.string(volume, "name")
	mount.clean(get.string(mounted, "mountPath")) == mount_of(directory).directory
	mount.clean(object.get(mounted, "subPath", "")) == object.get(mount_of(directory), "subpath", "")
	same_place(one)
])

# The variable that says where the data lies, as it is written in both.
same_place(one) if {
	every name in data_variables {
		said_of(one, name) == said_of(container, name)
	}
}

said_of(one, name) := concat("", [value | some variable in get.list(one, "env"); get.string(variable, "name") == name; value := get.text_at(variable, "value")])

one_claim if {
	not templates[mount_of(directory).name]
	claim_name
}

claim_name := get.string(volumes[mount_of(directory).name].volume, ["persistentVolumeClaim", "claimName"])

surges if {
	k8s.kind == "Deployment"
	one_claim
	object.get(k8s.object, ["spec", "replicas"], 1) == 1
	not recreated
}

# The old pod goes first.
recreated if get.string(k8s.object, ["spec", "strategy", "type"]) == "Recreate"

recreated if get.unknown(k8s.object, ["spec", "strategy", "type"])

recreated if get.text_at(k8s.object, ["spec", "strategy", "rollingUpdate", "maxSurge"]) in {"0", "0%"}

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

# ---------------------------------------------------------------------------------------------------------- initdb

initdb_variables := ["POSTGRESQL_INITDB_ARGS", "POSTGRES_INITDB_ARGS"] if layout == "bitnami"

# An image of another name is taken for one that does as the official one.
initdb_variables := ["POSTGRES_INITDB_ARGS"] if layout in {"docker", "other"}

# True when the image runs initdb, with options that are in sight. What Patroni tells initdb may stand in several places of its file.
initialised if {
	layout in {"docker", "bitnami"}
	not unknown(initdb_variables)
	not standby
}

# Copied from a primary, which said how.
standby if first_of(["POSTGRESQL_REPLICATION_MODE", "POSTGRES_REPLICATION_MODE"]).value == "slave"

# The official entrypoint gives them to a shell, Bitnami's splits them at blanks.
initdb_options := [word | some word in initdb.words(first_of(initdb_variables).value, {"docker": "shell", "bitnami": "blanks", "other": "shell"}[layout])]

initdb_place := place(first_of(initdb_variables))

initdb_place := {"path": array.concat(container_path, ["env"])} if not first_of(initdb_variables)

segment := object.union(initdb.option_segment(initdb_options, []), initdb_place) if initialised

checksums := object.union(initdb.option_checksums(initdb_options, [], known_major), initdb_place) if initialised

known_major := server.product.major

known_major := null if not server.product.major
