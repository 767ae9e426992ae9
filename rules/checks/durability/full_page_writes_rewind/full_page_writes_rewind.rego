# METADATA
# title: A former primary cannot re-join without full page writes
# description: |
#   After a failover the operator brings the former primary back with pg_rewind, which refuses a source that runs without full
#   page writes: "full_page_writes must be enabled in the source server". What follows depends on the operator – an instance
#   that fails until somebody deletes its volumes, or a copy of the whole cluster over the network – and until then the cluster
#   has one instance less. Where the storage or the backups do not make up for full page writes, durability/full_page_writes says this too. One project lost its replicas' data directories that way at every unclean failover.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgrewind.html
#   - https://github.com/hiero-ledger/hiero-mirror-node/issues/8728
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set full_page_writes to on, or plan for a full copy of the cluster after every unclean failover.
#   sources: [S0, S1]
package walguard.checks.durability.full_page_writes_rewind

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.pages

findings contains f if {
	setting.value == false
	pages.safe
	model.cluster.rewind.used
	instances > 1
	f := finding.with_parameter(
		finding.at(setting, sprintf("full_page_writes=%s with %d instances: pg_rewind refuses it, and after an unclean failover %s. Set it to on.", [
			setting.text,
			instances,
			model.cluster.rewind.consequence,
		])),
		setting, "on",
	)
}

setting := model.changed("full_page_writes")

instances := model.cluster.instances.value
