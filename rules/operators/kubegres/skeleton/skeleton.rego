# METADATA
# description: A new cluster of Kubegres with its configuration, as far as tuning is concerned.
package walguard.operators.kubegres.skeleton

import data.walguard.tune.wanted

manifest := {"refusal": "Kubegres has no WAL volume"} if wanted.volumes.wal

manifest := {"objects": array.concat([cluster, configuration], wanted.classes)} if not wanted.volumes.wal

cluster := {
	"apiVersion": "kubegres.reactive-tech.io/v1",
	"kind": "Kubegres",
	"metadata": {"name": wanted.name},
	"spec": object.union_n([
		{"replicas": 3, "customConfig": configuration.metadata.name},
		object.union_n([{"image": sprintf("postgres:%s", [version])} | version := wanted.version]),
		wanted.field("database", database),
		wanted.field("resources", wanted.resources),
	]),
}

# It takes the place of the operator's own file, which has these lines.
configuration := {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": sprintf("%s-configuration", [wanted.name])},
	"data": {"postgres.conf": concat("", ["listen_addresses = '*'\nwal_level = replica\nmax_wal_senders = 10\n", wanted.conf])},
}

database := object.union(
	object.filter(wanted.volumes.data, ["size"]),
	wanted.field("storageClassName", object.get(wanted.volumes.data, "class", null)),
) if {
	wanted.volumes.data
}

database := {} if not wanted.volumes.data
