package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.mount

data_volume(at) := at_home(shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClass"]), [
	shared.located(home, path, {"size": ["size"], "class": ["storageClass"]}),
])) if {
	path := array.concat(at, ["pods", "persistentVolume"])
	is_object(object.get(home, path, null))
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if mount.relocated("/var/lib/postgresql/data", "/var/lib/postgresql", server_mounts, {value |
	reviewed_cluster
	some at in pod_parts
	some variable in get.list(home, array.concat(at, ["pods", "customEnv", "patroni"]))
	get.string(variable, "name") == "PATRONI_POSTGRESQL_DATA_DIR"
	value := get.string(variable, "value")
})
