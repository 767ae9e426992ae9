# METADATA
# title: A restore is asked for in a cluster that exists
# description: |
#   CloudNativePG reads spec.bootstrap when it creates a cluster and never again. bootstrap.recovery in a cluster that exists restores nothing: the
#   operator's webhook refuses it beside the initdb that it filled in itself ("Too many bootstrap types specified", "Only one bootstrap method can be specified at a time"), and where it is alone it
#   has no effect. So is another source or target of a recovery that has taken place (a warning).
# related_resources:
#   - https://cloudnative-pg.io/documentation/current/recovery/
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/1752
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Restore into a Cluster with another name, or delete this one and its volumes first; then point the applications to it.
#   sources: []
package walguard.checks.change.bootstrap

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	now := model.cluster.begun
	old := before.cluster.begun
	now.value != "initdb"
	old.value != now.value
	f := finding.at(now, sprintf("bootstrap.%s is read only when a cluster is created, and this one exists: nothing is restored, and the operator refuses it beside the bootstrap.%s of the cluster. Create a Cluster with another name.", [now.value, old.value]))
}

findings contains f if {
	now := model.cluster.begun
	old := before.cluster.begun
	old.value == now.value
	changed := sort([name | some name, from in now.from; object.get(old.from, name, null) != from])
	count(changed) > 0
	f := finding.with_severity(
		finding.at(now, sprintf("bootstrap.%s.%s changes, which is read only when a cluster is created: nothing is restored. Create a Cluster with another name.", [now.value, changed[0]])),
		"warning",
	)
}
