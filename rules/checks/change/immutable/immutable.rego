# METADATA
# title: The API server refuses the change
# description: |
#   Of a StatefulSet nobody may change serviceName, podManagementPolicy, selector and volumeClaimTemplates – with their labels, in which charts put their own version, and
#   their sizes: "updates to statefulset spec for fields other than … are forbidden". The release stays half upgraded. A StatefulSet that is deleted with
#   --cascade=orphan leaves its pod and claims and can be created anew; a claim is enlarged by itself.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
#   - https://github.com/helm/helm/issues/7998
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the old value again, or delete the StatefulSet with --cascade=orphan before the upgrade.
#   sources: []
package walguard.checks.change.immutable

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	changed := sort([name |
		some name, entry in model.cluster.frozen
		old := before.cluster.frozen[name]
		old.value != entry.value
	])
	count(changed) > 0
	f := finding.at(model.cluster.frozen[changed[0]], sprintf("%s of a StatefulSet cannot be changed: the API server refuses the update. Write the old value, or first delete the StatefulSet with --cascade=orphan, which leaves pods and claims.", [text.list(changed, "and")]))
}
