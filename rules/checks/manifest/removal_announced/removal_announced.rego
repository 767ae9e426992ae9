# METADATA
# title: The operator will take away what collects the metrics
# description: |
#   CloudNativePG marks enablePodMonitor as deprecated: a coming release no longer creates the PodMonitor, and Prometheus loses the cluster
#   without an error. Alerts on replication lag or a full disk then stay silent.
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/config/crd/bases/postgresql.cnpg.io_clusters.yaml
# custom:
#   severity: info
#   since: 0.1.0
#   tables: [operators/removals]
#   remediation: Create a PodMonitor that selects the pods of the cluster by cnpg.io/cluster, and leave the field out.
#   sources: []
package walguard.checks.manifest.removal_announced

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some removal in model.cluster.removals
	removal.of == "metrics"
	f := finding.at_path(removal.path, sprintf("%s will be removed in %s, and metrics of this cluster are no longer collected then. Create %s first.", [removal.what, removal.release, removal.instead]))
}
