package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.mount
import data.walguard.lib.patroni
import data.walguard.lib.probe
import data.walguard.lib.quantity
import data.walguard.lib.workloads

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

# Read when the cluster is made; the file has it as a text.
facts contains {"failover_lag": object.union(fact.written(bytes_behind, patroni_file.path), object.union({"within": true}, object.filter(patroni_file, ["resource"])))} if {
	written_lag := patroni.setting(patroni_text, "maximum_lag_on_failover")
	regex.match(`^[0-9]+$`, written_lag)
	bytes_behind := to_number(written_lag)
}

synchronous := object.union(fact.written(true, patroni_file.path), object.filter(patroni_file, ["resource"])) if {
	synchronous_by(patroni.setting(patroni_text, "synchronous_mode"))
}

synchronous_by(mode) if shared.boolean(mode)

# Patroni 4 counts standbys instead of naming one.
synchronous_by(mode) if get.lower_case(mode) == "quorum"

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
overlap := overlap_of_claim

overlap := overlap_of_host if not overlap_of_claim

overlap_of_claim := object.union(fact.written("replicas", ["spec", "replicas"]), {"claim": claim_name}) if {
	one_claim
	replicas.value > 1
}

overlap_of_claim := object.union(fact.operator("update", ["spec"]), {"claim": claim_name}) if {
	surges
	not is_object(object.get(k8s.object, ["spec", "strategy"], null))
}

overlap_of_claim := object.union(fact.written("update", ["spec", "strategy"]), {"claim": claim_name}) if {
	surges
	is_object(object.get(k8s.object, ["spec", "strategy"], null))
}

overlap := object.union(fact.written("other", volumes[mount_of(directory).name].path), {"claim": claim_name, "other": sharers[0]}) if {
	one_claim
	not surges
	replicas_or_one == 1
	count(sharers) > 0
}

# What raises the number of pods later, of which each writes in the one claim.
facts contains {"overlap_by_scaler": object.union(fact.written(scaler.most, scaler.path), {"claim": claim_name, "scaler": scaler.words, "resource": scaler.resource})} if {
	one_claim
	replicas_or_one == 1
	scaler := workloads.raising(k8s.kind, k8s.name)[0]
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
	one_claim
	updates_by_surge
}

updates_by_surge if {
	k8s.kind == "Deployment"
	object.get(k8s.object, ["spec", "replicas"], 1) == 1
	not recreated
}

# The old pod goes first.
recreated if get.string(k8s.object, ["spec", "strategy", "type"]) == "Recreate"

recreated if get.unknown(k8s.object, ["spec", "strategy", "type"])

recreated if get.text_at(k8s.object, ["spec", "strategy", "rollingUpdate", "maxSurge"]) in {"0", "0%"}

# The file that initdb makes and the official entrypoint adds to lets nobody in from elsewhere for physical replication, which "all" does not name. Below wal_level logical there is no other.
facts contains {"synchronous_short": object.union(object.filter(waiting, ["path", "resource"]), {
	"reason": sprintf("synchronous_standby_names=%s, and no standby can log in: the image's own pg_hba.conf has no line for replication", [get.text(waiting.value)]),
	"cure": "Remove the parameter, or mount a pg_hba.conf with such a line",
})} if {
	waiting := shared.last_of(parameters, "synchronous_standby_names")
	layout == "docker"
	trim(get.text(waiting.value), " '") != ""
	by_entrypoint
	not mounted_hba
	not named_hba
	not unread
	not standing_by
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	count([1 | some one in get.list(k8s.object, array.concat(pod_path, ["containers"])); one != container; may_stand_by(one)]) == 0
	not get.present(container, "lifecycle")
	not somewhere
	provisioned(mount_of(directory).name)
	count([1 | some mounted in mounts; regex.match(`^/docker-entrypoint-initdb\.d|pg_hba\.conf`, mounted.directory)]) == 0
	not without_waiting
}

without_waiting if get.lower_case(trim(get.text(shared.last_of(parameters, "synchronous_commit").value), " '")) in {"off", "local"}

# What runs in the pod comes from 127.0.0.1, for which the file has a line, or may write to the file itself.
may_stand_by(one) if regex.match(`(?i)receivewal|basebackup|barman|pghoard|repmgr|standby|replica|conninfo`, json.marshal(one))

may_stand_by(one) if {
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == mount_of(directory).name
}

standing_by if {
	some name in ["primary_conninfo", "restore_command"]
	shared.last_of(parameters, name)
}

standing_by if get.lower_case(trim(get.text(shared.last_of(parameters, "wal_level").value), " '")) == "logical"
