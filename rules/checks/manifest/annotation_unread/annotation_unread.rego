# METADATA
# title: An annotation of walguard's has no effect
# description: |
#   Annotations such as walguard.dev/required-throughput state what a cluster needs. One with a misspelt name, or a value that cannot be
#   read, states nothing: the checks go on with their defaults, and its author believes otherwise.
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Correct the name or the value of the annotation.
package walguard.checks.manifest.annotation_unread

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	model.cluster
	some wish in wishes.unread
	f := finding.at_path(["metadata", "annotations", wish.name], message(wish))
}

message(wish) := sprintf("The value %q cannot be read, so the annotation has no effect. Write %s.", [wish.value, wish.form]) if wish.form

message(wish) := sprintf("walguard knows no annotation %s, so it has no effect. Known: %s.", [wish.name, concat(", ", sort(object.keys(wishes.forms)))]) if not wish.form
