package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount

# addAdditionalVolumes (pkg/cluster/k8sres.go): the same claim for every pod. Below the data volume, or where initdb puts the WAL, each server writes.
facts contains {"shared_claims": shared_claims} if count(shared_claims) > 0

shared_claims := [{"claim": claim, "directory": directory, "path": ["spec", "additionalVolumes", i]} |
	some i, one in get.list(spec, "additionalVolumes")
	claim := get.string(one, ["volumeSource", "persistentVolumeClaim", "claimName"])
	directory := trim_right(get.string(one, "mountPath"), "/")
	for_server(get.list(one, "targetContainers"))
	written_by_server(directory)
]

written_by_server(directory) if startswith(directory, "/home/postgres/pgdata/")

written_by_server(directory) if mount.within(wal_directory, directory)

facts contains {"hidden": {"mount": directory, "what": "postgres.yml, the configuration of Patroni", "cure": "Mount it elsewhere", "path": ["spec", "additionalVolumes", i]}} if {
	some i, one in get.list(spec, "additionalVolumes")
	directory := trim_right(get.string(one, "mountPath"), "/")
	directory in {"/home/postgres", "/home"}
	for_server(get.list(one, "targetContainers"))
	i == min([k | some k, other in get.list(spec, "additionalVolumes"); trim_right(get.string(other, "mountPath"), "/") in {"/home/postgres", "/home"}])
}

# Its default; the claims go, and with them the disks unless their class retains them.
facts contains {"deletions": [object.union({"what": "volumes", "setting": "enable_persistent_volume_claim_deletion of the operator is on", "default": true, "cure": "Set it to false"}, place)]} if {
	not retained_in_vain
	place := configured_at(["kubernetes"], [])
	object.get(configuration, ["kubernetes", "enable_persistent_volume_claim_deletion"], true) != false
	class := inventory.cluster_object("storage.k8s.io/v1", "StorageClass", get.string(spec, ["volume", "storageClass"]))
	object.get(class, "reclaimPolicy", "Delete") == "Delete"
}

# The policy is the StatefulSet's; the operator deletes the claims itself all the same (pkg/cluster/resources.go, deletePersistentVolumeClaims). Its chart and its sample write both options.
facts contains {"deletions": [object.union(
	{"what": "claims", "setting": "when_deleted: retain binds the StatefulSet only, enable_persistent_volume_claim_deletion is on by default", "level": "warning", "cure": "Set it to false"},
	configured_at(["kubernetes", "persistent_volume_claim_retention_policy"], ["persistent_volume_claim_retention_policy"]),
)]} if {
	retained_in_vain
}

retained_in_vain if {
	not get.present(configuration, ["kubernetes", "enable_persistent_volume_claim_deletion"])
	retained
	not retained_by_class
}

retained if get.string(configuration, ["kubernetes", "persistent_volume_claim_retention_policy", "when_deleted"]) == "retain"

retained if regex.match(`(^|,)\s*when_deleted:\s*retain\s*(,|$)`, get.string(configuration, ["kubernetes", "persistent_volume_claim_retention_policy"]))

retained_by_class if {
	class := inventory.cluster_object("storage.k8s.io/v1", "StorageClass", get.string(spec, ["volume", "storageClass"]))
	object.get(class, "reclaimPolicy", "Delete") != "Delete"
}

# syncVolumes (pkg/cluster/volumes.go). The class must be in sight, and of another driver.
facts contains {"ungrown": object.union(
	{
		"reason": sprintf("storage_resize_mode ebs grows Amazon's volumes only, and StorageClass %s is of %s: a larger size in the manifest changes nothing", [class_name, provisioner]),
		"cure": "Set storage_resize_mode: pvc",
	},
	configured_at(["kubernetes", "storage_resize_mode"], ["storage_resize_mode"]),
)} if {
	get.string(configuration, ["kubernetes", "storage_resize_mode"]) == "ebs"
	class_name := get.string(spec, ["volume", "storageClass"])
	class := inventory.cluster_object("storage.k8s.io/v1", "StorageClass", class_name)
	provisioner := get.string(class, "provisioner")
	not provisioner in {"ebs.csi.aws.com", "kubernetes.io/aws-ebs"}
}

data_volume := object.union(
	shared.volume(["spec", "volume"], ["spec", "volume", "size"], ["spec", "volume", "storageClass"], [
		shared.located(k8s.object, ["spec", "volume"], {"size": ["size"], "class": ["storageClass"], "selector": ["selector"]}),
	]),
	{"parameters": object.filter(volume, {"iops", "throughput", "type"})},
) if {
	volume := object.get(spec, "volume", null)
	is_object(volume)
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if {
	recognised
	mount.relocated(sprintf("%s/pgroot/data", [volume_directory]), volume_directory, server_mounts, {variable.value |
		some name in ["PGDATA", "PATRONI_POSTGRESQL_DATA_DIR"]
		variable := environment_of_all[name]
	})
}

# The WAL, where initdb is told a directory that lies on an additional volume of the server's container.
wal_directory := trim_right(get.string(k8s.object, ["spec", "patroni", "initdb", "waldir"]), "/")

wal_volume := mount.volume(["spec", "additionalVolumes", found.index, "volumeSource"], false) if {
	found := mount.above(wal_directory, additional)
}

additional := [{"index": i, "directory": trim_right(get.string(one, "mountPath"), "/")} |
	some i, one in get.list(spec, "additionalVolumes")
	is_object(one)
	targets := get.list(one, "targetContainers")
	for_server(targets)
]

for_server([]) := true

for_server(targets) if {
	some target in targets
	target in {"postgres", "all"}
}
