package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.environment
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script

# A directory of the volume that is called after the pod: the next pod makes one of its own, and with it a new database. What a StatefulSet's pods are called stays.
renewed := array.concat(
	[{"reason": new_directory(mounted.subPathExpr, name), "cure": "Write a subPath that stays", "path": array.concat(container_path, ["volumeMounts", i, "subPathExpr"])} |
		some i, mounted in get.list(container, "volumeMounts")
		not get.string(mounted, "subPath")
		get.string(mounted, "subPathExpr")
		some name in called_after_pod(mounted.subPathExpr)
		mount.clean(get.string(mounted, "mountPath")) == mount_of(directory).directory
		lasting_volume(get.string(mounted, "name"))
	],
	[{"reason": new_directory(variable.value, name), "cure": "Write a directory that stays", "path": array.concat(container_path, ["env", i, "value"])} |
		server
		listed := get.list(container, "env")
		some variable_name, i in get.named(listed)
		variable_name in data_variables
		variable := listed[i]
		get.string(variable, "value")
		some name in called_after_pod(variable.value)
		lasting_volume(mount_of(mount.clean(split(variable.value, "$(")[0])).name)
	],
)

# What runs at every start or stop, and leaves nothing of the data.
emptied := array.concat(
	[{"what": "The data directory", "on": sprintf("a volume that init container %s empties before every start", [shared.name_or(one, i)]), "path": array.concat(pod_path, ["initContainers", i])} |
		some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
		is_object(one)
		some mounted in get.list(one, "volumeMounts")
		get.string(mounted, "name") == mount_of(directory).name
		not get.string(mounted, "subPath")
		script.wipes(filled_words(one), mount.clean(get.string(mounted, "mountPath")), below_mount)
	],
	[{"what": "The data directory", "on": sprintf("a volume on which the container itself begins anew at every %s", [moment]), "path": array.concat(container_path, field)} |
		server
		some [field, moment] in [[["command"], "start"], [["args"], "start"], [["lifecycle", "postStart", "exec", "command"], "start"], [["lifecycle", "preStop", "exec", "command"], "stop"]]
		script.wipes(script.filled(script.joined(container, field), object.union({"PGDATA": directory}, environment.values(container))), mount_of(directory).directory, below_mount)
	],
)

below_mount := trim_prefix(directory, mount_of(directory).directory)

new_directory(text_, name) := sprintf("The data are in the directory %s of their volume, and %s is new with each pod: the next one begins with an empty database beside the old one", [text_, name])

called_after_pod(text_) := [name |
	contains(text_, "$(")
	listed := get.list(container, "env")
	some name, i in get.named(listed)
	contains(text_, sprintf("$(%s)", [name]))
	new_with_pod(get.string(listed[i], ["valueFrom", "fieldRef", "fieldPath"]))
]

new_with_pod(field) if field in {"metadata.uid", "status.podIP", "status.podIPs"}

new_with_pod("metadata.name") if k8s.kind in {"Deployment", "ReplicaSet", "DaemonSet", "ReplicationController", "DeploymentConfig", "Rollout", "CloneSet"}

lasting_volume(name) if templates[name]

lasting_volume(name) if get.string(volumes[name].volume, ["persistentVolumeClaim", "claimName"])

# timescaledb-tune runs among the scripts of the first start and takes a quarter of the memory that it is told or that the cgroup has (001_timescaledb_tune.sh).
facts contains {"buffers_of_first_start": object.union(fact.written(25, array.concat(resources_path, ["limits", "memory"])), {"by": "timescaledb-tune"})} if {
	server.product.tuned
	by_entrypoint
	lasting_volume(mount_of(directory).name)
	not last_option("config_file")
	not first_of(["NO_TS_TUNE", "TS_TUNE_MEMORY", "POSTGRESQL_CONF_DIR"])
	not unknown(["NO_TS_TUNE", "TS_TUNE_MEMORY", "POSTGRESQL_CONF_DIR"])
}
