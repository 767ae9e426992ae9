# METADATA
# title: A parameter is written where nobody reads it
# description: |
#   Some resources have a place for parameters that their operator never reads, or one that it reads for a component that does
#   not exist: the resource is accepted, and the setting has no effect.
# related_resources:
#   - https://kubeblocks.io/docs/release-1_0/user_docs/references/api-reference/operations
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Move the parameters to where the operator reads them.
#   sources: [S3]
package walguard.checks.parameters.ignored

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some setting in model.cluster.ignored
	f := finding.at(setting, sprintf("%s sets %s where nobody reads it: %s. It has no effect", [model.title, setting.name, setting.reason]))
}
