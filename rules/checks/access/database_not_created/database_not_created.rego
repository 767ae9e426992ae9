# METADATA
# title: A database is not created as it is written
# description: |
#   The operator creates the databases and roles of the resource when the server runs, and what it cannot create it passes over with a line in its
#   log or tries again at every sync ("SyncFailed"): the cluster is there, and applications find no database or no permission. Zalando's operator passes over
#   names with anything but letters, digits and underscores, and cannot prepare a database that another entry gives to another owner.
# related_resources:
#   - https://github.com/zalando/postgres-operator/blob/master/pkg/cluster/database.go
#   - https://github.com/zalando/postgres-operator/issues/1855
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write a name that the operator takes, once.
#   sources: []
package walguard.checks.access.database_not_created

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some entry in get.list(model.cluster, "uncreated")
	f := finding.at(entry, sprintf("%s. %s.", [entry.reason, entry.cure]))
}
