package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s

# Argo CD applies as `kubectl apply` does, by an annotation with the whole of the object, for which there are 262144 bytes (ValidateAnnotationsSize). In the charts of operators, in these releases,
# a CRD is longer.

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"client": true,
	"partial": true,
	"parameters": [],
	"parameters_path": [],
	"parameter_values": "text",
	"defaults": {},
	"refusals": oversized,
} if {
	count(oversized) > 0
}

concerns_servers if count(oversized) > 0

# By the name of the chart: its releases, its CRD, and what among the values may leave that out.
long_crds := {
	"cloudnative-pg": [`^[v=~^]*0\.(20\.[23]|2[1-9]\.)`, "poolers.postgresql.cnpg.io", `crds|valueFiles|fileParameters`],
	"edb-postgres-for-kubernetes": [`^[v=~^]*0\.(20\.[23]|2[1-9]\.)`, "poolers.postgresql.k8s.enterprisedb.io", `crds|valueFiles|fileParameters`],
	"kubeblocks": [`^[v=~]*(0\.[6-9]|1\.0)\.`, "clusterdefinitions.apps.kubeblocks.io", `skipCrds":true`],
	"pg-operator": [`^[v=~]*2\.[2-8]\.`, "perconapgclusters.pgv2.percona.com", `skipCrds":true`],
	"pgo": [`^[v=~]*5\.[2-8]\.`, "postgresclusters.postgres-operator.crunchydata.com", `skipCrds":true`],
}

oversized := [{
	"by": "The API server",
	"refused": sprintf("CRD %s", [crd]),
	"reason": "Argo CD applies it with an annotation that holds the whole of it, and 262144 bytes are the most (\"metadata.annotations: Too long\")",
	"cure": "Add ServerSideApply=true to syncPolicy.syncOptions",
	"path": array.concat(home, ["syncPolicy"]),
} |
	k8s.group == "argoproj.io"
	home := {"Application": ["spec"], "ApplicationSet": ["spec", "template", "spec"]}[k8s.kind]
	application := get.map(k8s.object, home)
	not regex.match(`ServerSideApply=true|Replace=true|\{\{`, json.marshal(get.list(application, ["syncPolicy", "syncOptions"])))
	not regex.match(`"template":|^\["`, json.marshal([object.get(k8s.object, ["spec", "templatePatch"], 0), get.list(k8s.object, ["spec", "generators"])]))
	some source in array.concat([get.map(application, "source")], get.list(application, "sources"))
	[versions, crd, unless] := long_crds[chart_of(source)]
	regex.match(versions, get.string(source, "targetRevision"))
	not get.present(source, "plugin")
	not regex.match(unless, json.marshal(get.map(source, "helm")))
]

chart_of(source) := get.string(source, "chart")

# A repository of one chart.
chart_of(source) := regex.find_n(`[^/]+$`, trim_right(get.string(source, "repoURL"), "/"), 1)[0] if {
	not get.string(source, "chart")
	startswith(source.repoURL, "oci://")
}
