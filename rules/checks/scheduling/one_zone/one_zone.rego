# METADATA
# title: All instances are in one zone
# description: |
#   A selector or node affinity that names one zone keeps every instance there: the cluster is gone while that zone is. It may be meant
#   – latency, cost, data that lie in one zone – so this is info.
# related_resources:
#   - https://kubernetes.io/docs/setup/best-practices/multiple-zones/
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Let the instances run in several zones, or keep a copy elsewhere.
#   sources: []
package walguard.checks.scheduling.one_zone

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	zone := model.cluster.one_zone
	instances := model.cluster.instances.value
	instances > 1
	f := finding.at(zone, sprintf("All %d instances must run in zone %s: the cluster is down while that zone is. Allow a second zone, or keep a replica elsewhere.", [instances, zone.value]))
}
