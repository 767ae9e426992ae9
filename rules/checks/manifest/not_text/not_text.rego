# METADATA
# title: A value is a number where only text is taken
# description: |
#   Variables of a container, words of its command, labels, annotations and the data of ConfigMaps and Secrets are text. YAML reads an unquoted 5432, 1.0, yes or on as a number or a
#   boolean, and the API server refuses the object: "cannot unmarshal number into Go struct field EnvVar.value of type string". Templates that write a value without quotes do so only
#   for some values: a password of digits, a version, a name such as "on".
# related_resources:
#   - https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/
#   - https://github.com/cagriekin/charts/issues/156
#   - https://github.com/kubernetes/kubernetes/issues/82296
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Put the value in quotes; in a Helm template, pipe it to quote.
#   sources: []
package walguard.checks.manifest.not_text

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model.texts

findings contains f if {
	some wrong in texts.wrong
	f := finding.at(wrong, sprintf("The value of %s is the %s %s, and only text is taken there: the API server refuses the object. Put it in quotes.", [wrong.what, wrong.kind, get.shown(wrong.value)]))
}
