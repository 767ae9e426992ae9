# METADATA
# title: The value is of a type that the API server refuses
# description: |
#   The schemas of most operators take parameters as strings only. YAML reads an unquoted on, off, yes or no as a boolean and an
#   unquoted 0.9 as a number, and the API server refuses the whole resource: 'must be of type string'. It is noticed only when
#   the manifest is applied. An empty value, a list or a map is not a valid value of any parameter.
# related_resources:
#   - https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Put the value in quotes.
#   sources: [S3]
package walguard.checks.parameters.not_text

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	types := taken[model.cluster.parameter_values]
	some setting in model.cluster.parameters
	not is_string(setting.value)
	kind := kind_of(setting.value)
	not kind in types
	in_schema(setting)
	text := get.text(setting.value)
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s is the %s %s, but %s accepts %s only, so the API server refuses the resource. Quote it: \"%s\".", [
			setting.name,
			kind,
			get.shown(setting.value),
			model.cluster.operator,
			model.cluster.parameter_values,
			text,
		])),
		object.union(setting, {"origin": "written", "name": get.lower_case(setting.name)}), text,
	)
}

findings contains f if {
	some setting in model.malformed_parameters
	kind := kind_of(setting.value)
	not kind in harmless
	f := finding.at(setting, sprintf("%s is %s, which is not a valid value. Write one, or remove the parameter.", [setting.name, nouns[kind]]))
}

taken := {
	"text": {"string", "null", "array", "object"},
	"text or integer": {"string", "integer", "null", "array", "object"},
}

# Patroni takes null for "remove it" and joins lists, where no schema forbids them.
harmless := {"null", "array"} if model.cluster.parameter_values != "text"

harmless := set() if model.cluster.parameter_values == "text"

nouns := {"null": "nothing", "array": "a list", "object": "a map"}

# Below the place that the schema speaks of; where the operator has several, the others take anything.
in_schema(_) if model.cluster.parameter_values == "text"

in_schema(setting) if {
	model.cluster.parameter_values != "text"
	array.slice(setting.path, 0, count(setting.path) - 1) == model.cluster.parameters_path
}

kind_of(value) := type_name(value) if not is_number(value)

kind_of(value) := "integer" if {
	is_number(value)
	value == floor(value)
}

kind_of(value) := "number" if {
	is_number(value)
	value != floor(value)
}
