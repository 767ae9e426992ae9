# METADATA
# title: A field is misspelt or misplaced, and dropped
# description: |
#   The API server drops a field that the schema does not have, and the operator never sees it: endpointUrl for endpointURL sends backups to Amazon,
#   storageClassName for storageClass puts the data on the default class. Only a client that asks for strict validation hears of it – kubectl since 1.27 does,
#   Helm, Flux and Argo CD do not. Reported where the name is nearly that of a field which belongs there and is not written,
#   where the schema has the field in one other place (nodeSelector below spec.affinity), and where other kinds call it so (replicas for instances). Of a plain workload it
#   knows the fields of a container's securityContext that are written in the pod's: allowPrivilegeEscalation and capabilities do nothing there. An error where
#   it differs in capitals alone: a later release may have a field that is nearly another one, but none that is that one in other capitals.
#   Values of Bitnami's chart that release 11 renamed (postgresqlDatabase, existingSecret, persistence) do nothing in a later one: user and database are not created, and another password is made up. An error where
#   a program among the files relies on it.
#   Queries of postgres_exporter whose usage and description stand beside the column, not below it, yield no metric either.
# related_resources:
#   - https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/1985
#   - https://github.com/bitnami/charts/tree/main/bitnami/postgresql#to-1100
#   - https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#podsecuritycontext-v1-core
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the field as the operator's schema spells it.
#   sources: []
package walguard.checks.manifest.field_misspelt

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.exporters

findings contains f if {
	some field in get.list(model.cluster, "misspelt_fields")
	f := graded(
		finding.at(field, sprintf("There is no field %s here: %s. Write %s.", [field.name, outcome(field), field.meant])),
		field,
	)
}

findings contains f if {
	count(exporters.misplaced) > 0
	one := exporters.misplaced[0]
	f := finding.at(one, sprintf("%s has %s beside column %s and not below it: postgres_exporter finds no use of the column, and the metric never appears. Indent usage and description by two more.", [one.file, one.field, one.column]))
}

outcome(field) := field.outcome

outcome(field) := "kubectl refuses the manifest, and other clients drop the field" if field.refused

outcome(field) := "the API server drops it, and the operator never sees it" if {
	not field.refused
	not field.outcome
}

# No release of an operator has two fields that differ in capitals alone.
graded(f, field) := finding.with_severity(f, "error") if {
	lower(field.name) == lower(field.meant)
} else := finding.with_severity(f, field.level) if {
	field.level
} else := f
