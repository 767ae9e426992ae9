# Generated from the packages of rules/operators/ by "make generate". Do not edit.
# METADATA
# description: Manifests of new clusters, by the name that a user gives.
package walguard.tune.skeletons

manifests["cnpg"] := data.walguard.operators.cnpg.skeleton.manifest

manifests["crunchy"] := data.walguard.operators.crunchy.skeleton.manifest

manifests["kubeblocks"] := data.walguard.operators.kubeblocks.skeleton.manifest

manifests["kubegres"] := data.walguard.operators.kubegres.skeleton.manifest

manifests["percona"] := data.walguard.operators.percona.skeleton.manifest

manifests["conf"] := data.walguard.operators.server.skeleton.manifest

manifests["stackgres"] := data.walguard.operators.stackgres.skeleton.manifest

manifests["patroni"] := data.walguard.operators.workload.skeleton.manifest

manifests["zalando"] := data.walguard.operators.zalando.skeleton.manifest

targets := [
	"cnpg",
	"conf",
	"crunchy",
	"kubeblocks",
	"kubegres",
	"patroni",
	"percona",
	"stackgres",
	"zalando",
]
