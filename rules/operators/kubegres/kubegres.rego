# METADATA
# title: Kubegres
# description: |
#   Kubegres with its ConfigMap (spec.customConfig, key postgres.conf), where that is in sight, else without its parameters. A ConfigMap
#   is judged as a change to the first Kubegres in sight that names it. The base configuration of a namespace
#   (base-kubegres-config), which people may edit, is read where it is in sight; its includes are not. There is no pooler, no WAL
#   archive but one's own, no pg_rewind, and backups are dumps.
# related_resources:
#   - https://www.kubegres.io/doc/properties-explained.html
#   - https://www.kubegres.io/doc/override-default-configs.html
# custom:
#   kinds:
#     - {group: kubegres.reactive-tech.io, versions: [v1], kind: Kubegres, plural: kubegres, namespaced: true, role: cluster}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, pwd, postgres], watched: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [postgres.conf, pg_hba.conf, primary_init_script.sh, primary_create_replication_role.sh, copy_primary_data_to_replica.sh, promote_replica_to_primary.sh], named: {at: [spec.customConfig, "spec.env[].valueFrom.configMapKeyRef.name"], always: [base-kubegres-config]}}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], watched: false, named: {made: ["postgres-db-{metadata.name}-1-0"]}}
#   generated:
#     - {group: apps, kind: StatefulSet, owners: [Kubegres]}
#   facts:
#     version: {read: "image"}
#     parameters: {read: "postgres.conf of customConfig; else that of base-kubegres-config"}
#     defaults: {default: "the operator's base configuration"}
#     instances: {read: "replicas"}
#     resources: {read: "resources"}
#     huge_pages: {read: "resources"}
#     machine: {unread: "scheduler.affinity"}
#     volume: {read: "database.size"}
#     storage_class: {read: "database.storageClassName"}
#     wal_volume: {read: "volume.volumeClaimTemplates, where initdb is told a directory on it"}
#     segment: {read: "env POSTGRES_INITDB_ARGS", default: "16 MB"}
#     checksums: {read: "env POSTGRES_INITDB_ARGS; else initdb of the major"}
#     slots: {default: "none"}
#     archiving: {read: "archive_mode and archive_command", default: "off"}
#     schedules: {read: "backup.schedule, dumps"}
#     patience: {read: "probe"}
#     shared_memory: {unread: "volume.volumes"}
package walguard.operators.kubegres

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.lengths
import data.walguard.lib.placeholder
import data.walguard.lib.schema

api_version := "kubegres.reactive-tech.io/v1"

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if home

# ------------------------------------------------------------------------------------------------- what is reviewed

reviewed_cluster if {
	k8s.group == "kubegres.reactive-tech.io"
	k8s.kind == "Kubegres"
}

reviewed_file if {
	k8s.api_version == "v1"
	k8s.kind == "ConfigMap"
	some key in array.concat(["postgres.conf", "pg_hba.conf"], script_names)
	get.string(k8s.object, ["data", key])
}

# The operator's own, which a ConfigMap may replace (internal/controller/states/ConfigStates.go); they run as the superuser.
script_names := ["primary_init_script.sh", "primary_create_replication_role.sh", "copy_primary_data_to_replica.sh", "promote_replica_to_primary.sh"]

# METADATA
# description: The Kubegres, be it under review or, for a ConfigMap, in sight.
home := k8s.object if reviewed_cluster

home := referring[0] if {
	reviewed_file
	not k8s.chosen
}

home := chosen[0] if {
	reviewed_file
	chosen := [o | some o in referring; title_of(o) == k8s.chosen]
}

title_of(o) := sprintf("Kubegres %s/%s", [k8s.namespace, o.metadata.name])

facts contains {"others": others} if count(others) > 0

others := [title_of(o) |
	reviewed_file
	some i, o in referring
	i > 0
]

referring := [o |
	some o in inventory.list(k8s.namespace, api_version, "Kubegres")
	reads(o)
]

reads(o) if get.string(o, custom_path) == k8s.name

# The base configuration says nothing to who has a file of his own, or one that is not in sight.
reads(o) if {
	k8s.name == base_name
	not get.present(o, custom_path)
}

reads(o) if {
	k8s.name == base_name
	named := in_sight(get.string(o, custom_path))
	not get.string(named, file_path)
}

base_name := "base-kubegres-config"

cluster_name := k8s.name if reviewed_cluster

cluster_name := get.string(home, ["metadata", "name"]) if reviewed_file

# Facts of a cluster that is not under review say so.
at_home(f) := f if reviewed_cluster

at_home(f) := object.union(f, {"resource": k8s.reference(home)}) if not reviewed_cluster

# ----------------------------------------------------------------------------------------------------- instances

image_path := ["spec", "image"]

major := at_home(fact.written(number, image_path)) if number := image.major(get.string(home, image_path))

# BaseConfigMapTemplate.yaml: the role of the replicas is granted pg_promote, and they are promoted where standby.signal is; both came with 12.
facts contains {"wrong_images": [{
	"path": image_path,
	"reason": sprintf("Kubegres needs PostgreSQL 12 or later, and the image has %d: its scripts use pg_promote and standby.signal, so that the first start fails and no replica can be promoted", [major.value]),
	"cure": "Take an image of 12 or later",
}]} if {
	reviewed_cluster
	major.value < 12
	instances.value > 1
}

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(
	[fault |
		reviewed_cluster
		some fault in schema.faults("kubegres", k8s.object)
	],
	array.concat(array.concat(array.concat(without_passwords, array.concat(long_names, no_services)), reserved_volumes), array.concat(literal_passwords, array.concat(without_backup_place, without_instances))),
)

# A StatefulSet of each instance ("orders-1"), and a CronJob ("backup-orders").
long_names := array.concat(
	[object.union(lengths.of_statefulset("each instance", "no instance starts", count(k8s.name) + 2, k8s.name, "it"), {"path": ["metadata", "name"]}) |
		reviewed_cluster
		count(k8s.name) + 2 > lengths.of_statefulsets
		not placeholder.holds(k8s.name)
	],
	[object.union(lengths.of_cron_job("the backups", count(k8s.name) + 7, k8s.name, "the cluster"), {"path": ["spec", "backup", "schedule"]}) |
		reviewed_cluster
		count(k8s.name) + 7 > lengths.of_cron_jobs
		get.string(k8s.object, ["spec", "backup", "schedule"]) != ""
		not placeholder.holds(k8s.name)
	],
)

no_services := [fault | reviewed_cluster; some fault in lengths.no_service(k8s.name, "no instance can be reached")]

# internal/controller/spec/checker/SpecChecker.go: "… is undefined", and nothing is created or changed. Where none of the two is written, the manifest is a part of one.
without_passwords := [{
	"path": ["spec", "env"],
	"reason": sprintf("spec.env has no %s", [name]),
	"cure": "Add it, from a Secret",
} |
	reviewed_cluster
	variables := get.list(k8s.object, ["spec", "env"])
	count(variables) > 0
	names := {get.string(variable, "name") | some variable in variables}
	count(names) == count(variables)
	passwords := {"POSTGRES_PASSWORD", "POSTGRES_REPLICATION_PASSWORD"}
	count(passwords & names) == 1
	some name in (passwords - names)
	count([1 | some other in names; placeholder.holds(other)]) == 0
]

# What copies the primary for a replica takes valueFrom of it alone (internal/controller/spec/template/ResourcesCreatorFromTemplate.go).
literal_passwords := [{
	"path": ["spec", "env", i, "value"],
	"reason": "POSTGRES_REPLICATION_PASSWORD has a value, and the copies of the primary take the one of a Secret only (valueFrom), so that no replica starts",
	"cure": "Write valueFrom.secretKeyRef",
} |
	reviewed_cluster
	shared.whole(object.get(k8s.object, ["spec", "replicas"], null)) > 1
	some i, variable in get.list(k8s.object, ["spec", "env"])
	get.string(variable, "name") == "POSTGRES_REPLICATION_PASSWORD"
	get.present(variable, "value")
	not get.present(variable, "valueFrom")
]

without_instances := [{
	"path": ["spec", "replicas"],
	"reason": sprintf("spec.replicas is %s, and the primary is one of them", [get.text(replicas)]),
	"cure": "Write at least 1",
} |
	reviewed_cluster
	replicas := shared.whole(object.get(k8s.object, ["spec", "replicas"], null))
	replicas <= 0
]

# IsReservedVolumeName (internal/controller/ctx/KubegresContext.go) and doCustomVolumeMountsHaveReservedPath (SpecChecker.go).
reserved_volumes := array.concat(
	[{
		"path": ["spec", "volume", field, i, "name"],
		"reason": sprintf("spec.volume has %s, a name that it keeps for itself", [name]),
		"cure": "Call it otherwise",
	} |
		reviewed_cluster
		some field in ["volumeClaimTemplates", "volumeMounts", "volumes"]
		some i, one in get.list(k8s.object, ["spec", "volume", field])
		name := get.string(one, "name")
		reserved_name(name)
	],
	[{
		"path": ["spec", "volume", "volumeMounts", i, "mountPath"],
		"reason": sprintf("spec.volume mounts %s at %s, where the data are", [object.get(one, "name", "a volume"), place]),
		"cure": "Mount it elsewhere",
	} |
		reviewed_cluster
		some i, one in get.list(k8s.object, ["spec", "volume", "volumeMounts"])
		place := get.string(one, "mountPath")
		place == object.get(k8s.object, ["spec", "database", "volumeMount"], "/var/lib/postgresql/data")
	],
)

reserved_name(name) if name in {"base-config", "custom-config", "postgres-db"}

reserved_name(name) if contains(name, "kube-api")

without_backup_place := [{
	"path": ["spec", "backup"],
	"reason": sprintf("spec.backup has a schedule and no %s", [field]),
	"cure": sprintf("Write %s, or take the schedule out", [field]),
} |
	reviewed_cluster
	get.string(k8s.object, ["spec", "backup", "schedule"])
	some field in ["pvcName", "volumeMount"]
	object.get(k8s.object, ["spec", "backup", field], "") in {"", null}
]

# ----------------------------------------------------------------------------------------------------------- port

# spec.port becomes the port of the Services, which have no targetPort, and of the container (ResourcesCreatorFromTemplate.go); the server hears of it from nobody.
facts contains {"dead_ports": [{
	"service": cluster_name,
	"target": asked_port,
	"listening": listening,
	"level": "error",
	"cure": sprintf("Write port = %d into postgres.conf of customConfig, or leave spec.port out", [asked_port]),
	"path": ["spec", "port"],
}]} if {
	asked_port != listening
}

asked_port := port if {
	reviewed_cluster
	port := get.number(k8s.object, ["spec", "port"])
	port > 0
	not unseen
	not including
}

listening := to_number(get.text(written)) if {
	written := ports_written[count(ports_written) - 1]
	regex.match(`^[0-9]+$`, get.text(written))
}

listening := 5432 if {
	count(ports_written) == 0
	count([1 | some variable in get.list(k8s.object, ["spec", "env"]); get.string(variable, "name") == "PGPORT"]) == 0
}

including if conf.includes_more(file_text)

ports_written := [setting.value | some setting in parameters; get.lower_case(setting.name) == "port"]
