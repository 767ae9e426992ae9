# METADATA
# title: A password stands in the manifest
# description: |
#   A password written into a manifest is known to everybody who may read the repository, its history or the pod ("kubectl get pod -o
#   yaml"), and to every backup of either; it cannot be changed without a new version of the file. A Secret that the manifest names
#   keeps it apart, and may come from a vault. The same is said of CREATE ROLE … PASSWORD in a ConfigMap that a server or a client mounts. Placeholders that a later step fills in are not reported.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/secret/
#   - https://github.com/cloudfoundry/cf-for-k8s/issues/109
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: "Take the password from a Secret (valueFrom.secretKeyRef), and change it: the old one stays in the history."
#   sources: []
package walguard.checks.access.plain_password

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.scripted

findings contains f if {
	some password in model.cluster.passwords
	f := finding.at(password, sprintf("%s stands in the manifest as plain text. Take it from a Secret (valueFrom.secretKeyRef) and change it.", [password.name]))
}

findings contains f if {
	some script in scripted.passwords
	f := finding.at(script, sprintf("%s has the %s in plain text, and whoever may read ConfigMaps has %s. Keep the script in a Secret, which is mounted alike, and change %s.", [
		script.file,
		whose(script.roles),
		it[count(script.roles) == 1],
		it[count(script.roles) == 1],
	]))
}

whose(roles) := sprintf("password of role %s", [roles[0]]) if count(roles) == 1

whose(roles) := sprintf("passwords of the roles %s", [text.list(array.slice(roles, 0, 4), "and")]) if count(roles) > 1

it := {true: "it", false: "them"}
