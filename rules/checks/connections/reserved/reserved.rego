# METADATA
# title: All connections are reserved
# description: |
#   superuser_reserved_connections and reserved_connections (PostgreSQL 16) are taken out of max_connections. Where nothing is left the
#   server does not start: "superuser_reserved_connections plus reserved_connections must be less than max_connections".
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-SUPERUSER-RESERVED-CONNECTIONS
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Raise max_connections, or reserve fewer.
#   sources: []
package walguard.checks.connections.reserved

import data.walguard.lib.budget.connections as plan
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	plan.reserved >= plan.most.value
	not replaced
	f := raised(finding.at(written[0], sprintf("max_connections=%s, of which %d are reserved (superuser_reserved_connections %d, reserved_connections %d): the server does not start. %s.", [
		plan.most.text,
		plan.reserved,
		plan.superusers.value,
		plan.others,
		cure,
	])))
}

# Patroni takes its own default for less than 25.
replaced if {
	model.cluster.patroni
	plan.most.value < 25
}

cure := sprintf("Reserve fewer, or set max_connections to %d", [enough])

cure := "Reserve fewer" if not enough

# Twenty for applications, at least.
enough := plan.holding(max(array.concat([20], [n | n := model.cluster.pooler.connections])))

raised(f) := finding.with_parameter(f, plan.most, sprintf("%d", [enough])) if enough

raised(f) := f if not enough

written := [setting |
	some setting in [plan.superusers, role_or_none, plan.most]
	setting.origin != "postgres"
]

role_or_none := plan.role

role_or_none := {"origin": "postgres"} if not plan.role
