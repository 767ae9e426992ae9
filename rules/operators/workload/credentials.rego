package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.workloads
import data.walguard.operators.workload.product

# A Secret of which a server takes what it reads on its first start alone. The server stays as it is when the Secret changes, so that the
# Secret itself is judged, as a change to the first such server; see walguard.model.
cluster := {
	"operator": "Secret",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"partial": true,
	"change": true,
	"parameters": [],
	"parameters_path": [],
	"instance_sets": [],
	"first_start": taken_first,
} if {
	count(taken_first) > 0
}

taken_first := {sprintf("%s of %s %s", [one.variable, one.kind, one.name]): object.union({"variable": one.variable, "path": login.path_of(k8s.object, one.key)}, held) |
	some one in takers
	count(changers) == 0
	held := login.held(k8s.object, one.key)
}

# A chart that makes a password keeps the one of its release, which nobody sees who renders it.
takers := [{"variable": taken[0], "key": taken[1], "kind": made.kind, "name": made.name} |
	k8s.kind == "Secret"
	k8s.api_version == "v1"
	not get.string(k8s.object, ["metadata", "labels", "helm.sh/chart"])
	not get.string(k8s.object, ["metadata", "labels", "app.kubernetes.io/managed-by"])
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	is_object(one)
	read_once := variables_of_first_start[layout_of(one)]
	not get.present(one, ["command"])
	keeps(made.object, one)
	some taken in taken_from(made.object, one)
	taken[0] in read_once
]

# Red Hat's image gives the roles their passwords at every start.
variables_of_first_start := {
	"docker": {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"},
	"bitnami": {
		"POSTGRESQL_USERNAME", "POSTGRESQL_DATABASE", "POSTGRESQL_PASSWORD", "POSTGRESQL_POSTGRES_PASSWORD", "POSTGRESQL_REPLICATION_PASSWORD",
		"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "POSTGRES_POSTGRES_PASSWORD", "POSTGRES_REPLICATION_PASSWORD", "REPMGR_PASSWORD",
	},
}

layout_of(one) := product.of(get.string(one, "image")).layout

# Its data outlive the pod.
keeps(made, one) if {
	some mounted in get.list(one, "volumeMounts")
	place_of := mount.clean(get.string(mounted, "mountPath"))
	some home_of in array.concat(["/var/lib/postgresql", "/bitnami/postgresql", "/home/postgres/pgdata"], places_said(one))
	one_holds_the_other(home_of, place_of)
	kept_by(made, get.string(mounted, "name"))
}

places_said(one) := [mount.clean(value) | some variable in get.list(one, "env"); get.string(variable, "name") == "PGDATA"; value := get.string(variable, "value")]

kept_by(made, name) if {
	some template in get.list(made, ["spec", "volumeClaimTemplates"])
	get.string(template, ["metadata", "name"]) == name
}

kept_by(made, name) if {
	some volume in get.list(made, ["spec", "template", "spec", "volumes"])
	get.string(volume, "name") == name
	is_object(object.get(volume, "persistentVolumeClaim", null))
}

# [variable, key of this Secret] of a container.
taken_from(made, one) := array.concat(
	array.concat(
		[[name, get.string(reference, "key")] |
			some variable in get.list(one, "env")
			name := get.string(variable, "name")
			reference := get.map(variable, ["valueFrom", "secretKeyRef"])
			get.string(reference, "name") == k8s.name
		],
		[[concat("", [object.get(source, "prefix", ""), key]), key] |
			some source in get.list(one, "envFrom")
			get.string(source, ["secretRef", "name"]) == k8s.name
			own := {get.string(variable, "name") | some variable in get.list(one, "env")}
			some key in keys_here
			not key in own
		],
	),
	[[trim_suffix(name, "_FILE"), key] |
		some variable in get.list(one, "env")
		name := get.string(variable, "name")
		endswith(name, "_FILE")
		file := mount.clean(get.string(variable, "value"))
		some mounted in get.list(one, "volumeMounts")
		some volume in get.list(made, ["spec", "template", "spec", "volumes"])
		get.string(volume, "name") == get.string(mounted, "name")
		get.string(volume, ["secret", "secretName"]) == k8s.name
		some key in keys_here
		file == concat("/", [mount.clean(get.string(mounted, "mountPath")), file_of(volume.secret, key)])
	],
)

keys_here := object.keys(get.map(k8s.object, "stringData")) | object.keys(get.map(k8s.object, "data"))

file_of(secret, key) := [get.string(item, "path") | some item in get.list(secret, "items"); get.string(item, "key") == key][0]

file_of(secret, key) := key if count(get.list(secret, "items")) == 0

# Somebody changes passwords in the server.
changers := [1 |
	some [api_version, kind] in [["batch/v1", "Job"], ["batch/v1", "CronJob"], ["apps/v1", "StatefulSet"], ["apps/v1", "Deployment"], ["v1", "ConfigMap"]]
	some made in inventory.list(k8s.namespace, api_version, kind)
	regex.match(`(?i)\balter\s+(user|role)\b`, json.marshal(made))
]
