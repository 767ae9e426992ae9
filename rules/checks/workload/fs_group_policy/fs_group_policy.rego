# METADATA
# title: Every start sets the owner of all files again
# description: |
#   With fsGroup and the policy Always, the default, kubelet walks through the whole volume before each start and sets group and mode
#   of every file. On a database of many tables that takes minutes in which nothing runs. OnRootMismatch looks at the root of the
#   volume only, and walks when that is wrong.
# related_resources:
#   - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set securityContext.fsGroupChangePolicy to OnRootMismatch.
#   sources: []
#   settings:
#     min_gib: {default: 1024, description: Size of the data volume in GiB from which this is reported.}
package walguard.checks.workload.fs_group_policy

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	policy := model.cluster.fs_group
	policy.value == "Always"
	some volume in model.data_volumes
	volume.size_bytes >= settings.number("workload/fs_group_policy", "min_gib") * 1073741824
	f := finding.at(policy, sprintf("fsGroup without fsGroupChangePolicy: OnRootMismatch: before each start every file of the %s volume gets its owner again. Set the policy.", [text.bytes(volume.size_bytes)]))
}
