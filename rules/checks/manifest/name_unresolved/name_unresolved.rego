# METADATA
# title: A name leads nowhere
# description: |
#   Kubernetes takes a manifest that names another object whether that one is there or not, and operators wait for it: the plugin of CloudNativePG stops every reconciliation
#   of a cluster whose ObjectStore it does not find, a ScheduledBackup of an unknown cluster tries again for ever, and a pod whose claim or Secret is missing stays pending. Most
#   such names mean something in their own namespace only, whatever lies in the next one. Reported is what is certain to be meant: the object is in sight in another namespace
#   (where both say in which they are; a warning of what is no Secret, unless what else a cluster of StackGres names is beside it, and where something in sight copies Secrets), or there is exactly one of nearly the same name, which differs by a slip of the pen. What is not among the files is unknown, and info of a superuserSecret of CloudNativePG's that a program asks for too, of an ObjectStore
#   beside which others of the namespace are, of a Secret of one user of CloudNativePG's beside those of others, and of the Secrets of a standby of Zalando's, which has the passwords of its source; in a cluster it is an error. REPMGR_PARTNER_NODES that leaves out pods of its own StatefulSet is a warning, and so is
#   a volume of a ConfigMap beside one whose name has a word more or less and that no pod takes, and a namespace that the only operator in sight does not watch, where another one may be. So are queries of metrics that CloudNativePG does not find: it leaves them out.
# related_resources:
#   - https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/337
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/504
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/741
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6043
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/7928
#   - https://github.com/cloudnative-pg/charts/issues/451
#   - https://github.com/zalando/postgres-operator/issues/1775
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the name of what is there, or create the object in the namespace of what names it.
#   sources: []
package walguard.checks.manifest.name_unresolved

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "unresolved")
	f := graded(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault)
}

graded(f, fault) := finding.with_severity(f, fault.level)

graded(f, fault) := f if not fault.level
