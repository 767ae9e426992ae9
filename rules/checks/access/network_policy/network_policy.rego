# METADATA
# title: A NetworkPolicy keeps the operator or the standbys away
# description: |
#   Once a NetworkPolicy selects a pod, only what some policy allows comes in. A "deny all" for the namespace, or a policy for the applications alone,
#   also shuts out the operator, which asks CloudNativePG's instances for their state on port 8000, and the standbys, which stream from port 5432 of the
#   primary: the cluster stays in "Instance Status Extraction Error", no standby starts, and nothing fails over. Where policies of Cilium or Calico are
#   among the files as well, nothing is reported.
# related_resources:
#   - https://cloudnative-pg.io/documentation/current/networking/
#   - https://github.com/linode/apl-core/pull/3474
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Allow the operator's namespace on port 8000 (CloudNativePG) and the pods of the cluster among themselves on port 5432.
#   sources: []
package walguard.checks.access.network_policy

import data.walguard.lib.finding
import data.walguard.model.traffic

findings contains f if {
	some flow in traffic.blocked
	f := finding.at({"path": ["spec"], "resource": flow.policy}, sprintf("NetworkPolicy %s shuts out %s on port %d: %s. Allow %s.", [
		flow.policy.name,
		words[flow.from],
		flow.port,
		flow.consequence,
		allowed[flow.from],
	]))
}

words := {"operator": "the operator", "instances": "the other instances"}

allowed := {"operator": "the operator's namespace", "instances": "the pods of the cluster"}
