package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mesh

# The pods of all jobs carry them (internal/controller/cluster_create.go). Of the Cluster's own annotations the operator hands on those that its configuration names.
facts contains {"waiting_jobs": [{
	"what": "the jobs that make instances",
	"proxy": "Linkerd's proxy",
	"unless": "unless it is a native sidecar",
	"on": concat("", [shutdown_endpoint, ": enabled"]),
	"field": "spec.inheritedMetadata.annotations",
	"path": array.concat(["spec"], [key | get.present(inherited_annotations, "linkerd.io/inject"); some key in ["inheritedMetadata", "annotations", "linkerd.io/inject"]]),
}]} if {
	operator
	mesh.outlives(inherited_annotations)
	not shutdown_asked
	not get.present(k8s.annotations, "linkerd.io/inject")
	every path in [["inheritedMetadata"], ["inheritedMetadata", "annotations"]] {
		not get.unknown(spec, path)
	}
}

inherited_annotations := get.map(spec, ["inheritedMetadata", "annotations"])

# A program of the operator calls it at the end of the job (internal/management/linkerd).
shutdown_endpoint := "config.linkerd.io/proxy-admin-shutdown"

shutdown_asked if {
	said := mesh.effective(inherited_annotations, shutdown_endpoint)
	not said in {"disabled", "false"}
}
