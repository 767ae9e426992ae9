# METADATA
# title: The description of a server cannot be read
# description: |
#   A PostgresServer says what machine a postgresql.conf is for. A disk by a name that is not in docs/storage.md, a size that is no
#   quantity or a version that PostgreSQL does not have would be passed over, and the checks that need the fact be silent
#   as if all were well.
# related_resources:
#   - https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Correct the field; leave it out where the fact is not known.
#   sources: []
package walguard.checks.server.misstated

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some wrong in get.list(model.cluster, "misstated")
	f := finding.at(wrong, sprintf("%s: %s.", [text.path(wrong.path), wrong.reason]))
}
