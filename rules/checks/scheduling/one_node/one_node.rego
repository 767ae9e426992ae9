# METADATA
# title: All instances may fail with one node
# description: |
#   Several instances protect against the loss of a node only if they run on different nodes. A selector that names one node, or
#   anti-affinity switched off with nothing in its place, puts primary and standbys on the same machine: when it fails, or is drained,
#   the whole cluster is gone. The defaults of the operators that spread instances (CloudNativePG, Crunchy, Percona, StackGres) are
#   enough.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/scheduling
#   - https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Remove the selector of one node, leave the anti-affinity of the operator on, or add topologySpreadConstraints over kubernetes.io/hostname.
#   sources: []
package walguard.checks.scheduling.one_node

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	found := model.cluster.one_node
	instances := model.cluster.instances.value
	instances > 1
	f := object.union(
		finding.at(found, sprintf("%d instances may all fail with one node: %s. Let them run on different nodes.", [instances, found.value])),
		milder(found),
	)
}

# It was not chosen for this cluster, and the scheduler spreads pods where it can.
milder(found) := {"severity": "info"} if found.soft

milder(found) := {} if not found.soft
