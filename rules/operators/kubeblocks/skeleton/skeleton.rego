# METADATA
# description: A new cluster of KubeBlocks, as far as tuning is concerned. An annotation holds the parameters that it begins with.
package walguard.operators.kubeblocks.skeleton

import data.walguard.tune.wanted

manifest := {"refusal": "KubeBlocks' addon has no WAL volume"} if wanted.volumes.wal

manifest := {"objects": array.concat([cluster], wanted.classes)} if not wanted.volumes.wal

cluster := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": object.union({"name": wanted.name}, wanted.field("annotations", annotations)),
	"spec": {"terminationPolicy": "Delete", "componentSpecs": [component]},
}

annotations := {"config.kubeblocks.io/init-parameters": json.marshal({"postgresql": {"assignments": wanted.parameters}})} if wanted.parameters != {}

annotations := {} if wanted.parameters == {}

component := object.union_n([
	{"name": "postgresql", "replicas": 2},
	object.union_n([{"componentDef": sprintf("postgresql-%s", [version])} | version := wanted.version]),
	wanted.field("resources", wanted.resources),
	object.union_n([{"volumeClaimTemplates": [{"name": "data", "spec": wanted.claim("data")}]} | wanted.volumes.data]),
])
