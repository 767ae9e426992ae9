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

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	reserved >= connections.value
	not replaced
	f := finding.at(written[0], sprintf("%s runs with max_connections=%s and reserves %d of them (superuser_reserved_connections %d, reserved_connections %d): the server does not start. Reserve fewer, or raise max_connections", [
		model.title,
		connections.text,
		reserved,
		superusers.value,
		others,
	]))
}

connections := model.parameter("max_connections")

superusers := model.parameter("superuser_reserved_connections")

role := model.changed("reserved_connections")

others := role.value

# 0 by default, and unknown before PostgreSQL 16.
others := 0 if not role.value

# Patroni takes its own default for less than 25.
replaced if {
	model.cluster.patroni
	connections.value < 25
}

reserved := superusers.value + others

written := [setting |
	some setting in [superusers, role_or_none, connections]
	setting.origin != "postgres"
]

role_or_none := role

role_or_none := {"origin": "postgres"} if not role
