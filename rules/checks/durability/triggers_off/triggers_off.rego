# METADATA
# title: Foreign keys and triggers do nothing
# description: |
#   session_replication_role=replica is for a session that applies what another server has checked already, or that loads a dump: triggers do not fire, and PostgreSQL
#   enforces foreign keys by triggers. Set for the whole server or a database, rows that refer to nothing are taken and cascades stay away without an error, and nothing checks
#   afterwards what was let in.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SESSION-REPLICATION-ROLE
#   - https://www.postgresql.org/docs/current/sql-altertable.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave session_replication_role at origin, and set it in the sessions that load or apply changes.
#   sources: []
package walguard.checks.durability.triggers_off

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	setting := model.changed("session_replication_role")
	setting.value == "replica"
	f := finding.with_parameter(
		finding.at(setting, "session_replication_role=replica: foreign keys are not enforced and triggers do not fire, in every session and without an error. Set it to origin, and to replica in the session that loads data."),
		setting,
		"origin",
	)
}
