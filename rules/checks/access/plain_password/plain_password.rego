# METADATA
# title: A password stands in the manifest
# description: |
#   A password written into a manifest is known to everybody who may read the repository, its history or the pod ("kubectl get pod -o
#   yaml"), and to every backup of either; it cannot be changed without a new version of the file. A Secret that the manifest names
#   keeps it apart, and may come from a vault. Placeholders that a later step fills in are not reported.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/secret/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: "Take the password from a Secret (valueFrom.secretKeyRef), and change it: the old one stays in the history."
#   sources: []
package walguard.checks.access.plain_password

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some password in model.cluster.passwords
	f := finding.at(password, sprintf("%s stands in the manifest as plain text. Take it from a Secret (valueFrom.secretKeyRef) and change it.", [password.name]))
}
