# METADATA
# title: Patroni replaces a value below its minimum
# description: |
#   Patroni passes some parameters on the command line of every member, and replaces a value below a minimum of its own by its default:
#   max_connections below 25 becomes 100, max_wal_senders below 3 becomes 10, max_replication_slots below 4 becomes 10, wal_keep_size below
#   16 MB becomes 128 MB, max_locks_per_transaction below 32 becomes 64, max_worker_processes below 2 becomes 8. It says so in its log
#   only, and the memory that was to be saved is used.
# related_resources:
#   - https://github.com/patroni/patroni/blob/master/patroni/postgresql/config.py
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write at least the minimum, or take the parameter out.
#   sources: []
package walguard.checks.parameters.patroni_minimum

import data.walguard.lib.budget.connections
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.cluster.patroni
	some name, minimum in minima
	setting := model.written[name]
	not model.cluster.managed[name]
	model.readings[name].value >= 0
	model.readings[name].value < minimum.value
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s=%s is below Patroni's minimum of %s, so Patroni runs with %s instead. Write at least %s.", [
			name,
			setting.text,
			minimum.text,
			minimum["default"],
			enough(name, minimum),
		])),
		setting, enough(name, minimum),
	)
}

# A server of which all connections are reserved does not start.
enough(name, minimum) := sprintf("%d", [n]) if {
	name == "max_connections"
	connections.reserved >= minimum.value
	n := connections.holding(20)
} else := minimum.text

# CMDLINE_OPTIONS. Values in the parameter's own unit.
minima := {
	"max_connections": {"value": 25, "text": "25", "default": "100"},
	"max_locks_per_transaction": {"value": 32, "text": "32", "default": "64"},
	"max_replication_slots": {"value": 4, "text": "4", "default": "10"},
	"max_wal_senders": {"value": 3, "text": "3", "default": "10"},
	"max_worker_processes": {"value": 2, "text": "2", "default": "8"},
	"wal_keep_size": {"value": 16, "text": "16MB", "default": "128MB"},
}
