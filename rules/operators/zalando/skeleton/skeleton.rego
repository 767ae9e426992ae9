# METADATA
# description: A new cluster of Zalando's operator, as far as tuning is concerned.
package walguard.operators.zalando.skeleton

import data.walguard.tune.wanted

manifest := {"refusal": "Zalando's operator has no WAL volume"} if wanted.volumes.wal

manifest := {"objects": array.concat([cluster], wanted.classes)} if not wanted.volumes.wal

cluster := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": concat("-", ["acid", wanted.name])},
	"spec": object.union_n([
		{"teamId": "acid", "numberOfInstances": 3},
		{"postgresql": object.union(
			wanted.field("parameters", wanted.parameters),
			object.union_n([{"version": version} | version := wanted.version]),
		)},
		wanted.field("resources", wanted.resources),
		wanted.field("volume", volume),
	]),
}

volume := object.union(
	object.filter(wanted.volumes.data, ["size"]),
	wanted.field("storageClass", object.get(wanted.volumes.data, "class", null)),
) if {
	wanted.volumes.data
}

volume := {} if not wanted.volumes.data
