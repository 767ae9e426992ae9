# METADATA
# description: |
#   The policy configuration (walguard.yaml, the chart's ConfigMap, Gatekeeper parameters, Kubewarden settings – one
#   schema): {"checks": {id: {"severity"?: "error"|"warning"|"info"|"off", "settings"?: {name: value}}},
#   "attestations"?: [...]}. A setting that a configuration does not name has the default of the check's METADATA.
package walguard.lib.settings

import data.walguard.catalogue
import data.walguard.lib.get

# METADATA
# description: The whole configuration, {} when the host gives none.
configuration := get.map(input, "parameters") if {
	is_object(input)
	is_object(input.parameters)
}

configuration := get.map(input, "settings") if {
	is_object(input)
	not is_object(object.get(input, "parameters", null))
	is_object(input.settings)
}

configuration := data.walguard.configuration if {
	not given
	is_object(data.walguard.configuration)
}

configuration := {} if {
	not given
	not configured
}

configured if is_object(data.walguard.configuration)

given if {
	is_object(input)
	is_object(input.parameters)
}

given if {
	is_object(input)
	is_object(input.settings)
}

# METADATA
# description: The severity an administrator chose for a check ("off" included), undefined when none was chosen.
severity(id) := chosen if {
	chosen := get.string(configuration, ["checks", id, "severity"])
	chosen in {"error", "warning", "info", "off"}
}

# METADATA
# description: A numeric setting of a check, the configured value, else the default of the check's METADATA.
number(id, name) := value if {
	value := get.number(configuration, ["checks", id, "settings", name])
} else := value if {
	value := catalogue.checks[id].settings[name]["default"]
	is_number(value)
}

# METADATA
# description: Attestations of the policy configuration, as written; see walguard.model for what makes one count.
attestations := get.list(configuration, "attestations")
