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

findings contains f if {
	some refusal in model.cluster.synchronous_refused
	f := finding.at_path(refusal.path, sprintf("%s: the operator refuses the cluster. %s.", [capital(refusal.reason), refusal.cure]))
}

# What the operator refuses is reported above.
findings contains f if {
	not model.cluster.synchronous_refused
	wait := model.cluster.commit_wait
	standbys := model.cluster.instances.value - 1
	wait.value > standbys
	f := finding.with_facts(
		finding.at(wait, sprintf("Every commit waits for %d standby, and %d instance has none: no write ever returns. Run %d instances or more, or set %s.", [
			wait.value,
			standbys + 1,
			wait.value + 2,
			wait.relax,
		])),
		{"required_standbys": wait.value, "standbys": standbys},
	)
}

findings contains f if {
	short := model.cluster.synchronous_short
	f := finding.at(short, sprintf("%s: no write ever returns. %s.", [short.reason, short.cure]))
}

# More than it names; whether those are there nobody knows.
findings contains f if {
	setting := model.written.synchronous_standby_names
	not by_patroni
	not decided_by_operator
	not without_wait
	found := regex.find_all_string_submatch_n(`(?i)^[\s']*(?:any|first)?\s*([0-9]{1,4})\s*\(([^()*]*)\)[\s']*$`, setting.text, 1)
	wanted := to_number(found[0][1])
	named := count(split(found[0][2], ","))
	wanted > named
	f := finding.at(setting, sprintf("synchronous_standby_names=%s: %d standbys have to confirm, and %d are named, so that no write ever returns. Name more, or lower the number.", [setting.text, wanted, named]))
}

findings contains f if {
	setting := model.written.synchronous_standby_names
	trim(setting.text, " '") != ""
	model.cluster.instances.value == 1
	not by_patroni
	not decided_by_operator
	not without_wait
	f := finding.at(setting, sprintf("synchronous_standby_names=%s and one instance: every commit waits for a standby that does not exist. Remove the parameter.", [setting.text]))
}

# Without synchronous_mode Patroni passes the parameter on as it is.
by_patroni if {
	model.cluster.patroni
	model.cluster.synchronous.value
}

decided_by_operator if model.cluster.managed.synchronous_standby_names

without_wait if model.written.synchronous_commit.text in {"off", "local"}

capital(reason) := reason if not startswith(reason, "both")

capital(reason) := concat("", ["B", substring(reason, 1, -1)]) if startswith(reason, "both")
