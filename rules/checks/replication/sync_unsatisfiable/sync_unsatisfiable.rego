# METADATA
# title: Synchronous replication that can never be satisfied
# description: |
#   More standbys must confirm than the cluster has, or two generations of settings contradict each other. CloudNativePG's webhook
#   refuses such a cluster. Patroni in strict mode accepts it with a single instance, and every write then waits for a standby that
#   does not exist; so does a server whose synchronous_standby_names names standbys while it has none,
#   as one of the official image without a pg_hba.conf of its own, which lets no standby in.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/replication#synchronous-replication
#   - https://patroni.readthedocs.io/en/latest/replication_modes.html#synchronous-mode
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-SYNCHRONOUS-STANDBY-NAMES
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Require fewer standbys than there are instances, and use one kind of setting.
#   sources: []
package walguard.checks.replication.sync_unsatisfiable

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.standbys

findings contains f if {
	some refusal in model.cluster.synchronous_refused
	f := finding.at_path(refusal.path, sprintf("%s: the operator refuses the cluster. %s.", [capital(refusal.reason), refusal.cure]))
}

# What the operator refuses is reported above.
findings contains f if {
	not model.cluster.synchronous_refused
	wait := model.cluster.commit_wait
	there := model.cluster.instances.value - 1
	wait.value > there
	f := finding.with_facts(
		finding.at(wait, sprintf("Every commit waits for %d standby, and %d instance has none: no write ever returns. Run %d instances or more, or set %s.", [
			wait.value,
			there + 1,
			wait.value + 2,
			wait.relax,
		])),
		{"required_standbys": wait.value, "standbys": there},
	)
}

findings contains f if {
	short := model.cluster.synchronous_short
	f := object.union(finding.at(short, sprintf("%s: no write ever returns. %s.", [short.reason, short.cure])), {"severity": level | level := short.level})
}

# More than it names; whether those are there nobody knows.
findings contains f if {
	wanted := standbys.asked.wanted
	named := count(standbys.asked.names)
	wanted > named
	f := finding.at(standbys.setting, sprintf("synchronous_standby_names=%s: %d standbys have to confirm, and %d are named, so that no write ever returns. Name more, or lower the number.", [standbys.setting.text, wanted, named]))
}

findings contains f if {
	setting := standbys.setting
	trim(setting.text, " '") != ""
	model.cluster.instances.value == 1
	f := finding.at(setting, sprintf("synchronous_standby_names=%s and one instance: every commit waits for a standby that does not exist. Remove the parameter.", [setting.text]))
}

capital(reason) := reason if not startswith(reason, "both")

capital(reason) := concat("", ["B", substring(reason, 1, -1)]) if startswith(reason, "both")
