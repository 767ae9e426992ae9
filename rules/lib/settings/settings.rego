# METADATA
# description: |
#   The policy configuration (walguard.yaml, the chart's ConfigMap, Gatekeeper parameters, Kubewarden settings – one
#   form; docs/policy.md describes it, docs/walguard.schema.json too): mode, checks, namespaces, waivers, exemptions,
#   attestations. A setting that a configuration does not name has the default of the check's METADATA.
# custom:
#   kinds:
#     - {group: "", versions: [v1], kind: Namespace, plural: namespaces, namespaced: false, role: policy}
package walguard.lib.settings

import data.walguard.catalogue
import data.walguard.lib.get
import data.walguard.lib.glob
import data.walguard.lib.inventory
import data.walguard.lib.k8s

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

# ---------------------------------------------------------------------------------------------------- namespaces

# METADATA
# description: |
#   Mode and checks for the namespace of the object under review: those of the configuration, and over them those of the
#   entries of `namespaces` that the namespace belongs to, later ones over earlier ones.
effective := object.union_n([object.filter(layer, ["mode", "checks"]) |
	some layer in array.concat([configuration], overrides)
])

overrides := [entry |
	some entry in get.list(configuration, "namespaces")
	is_object(entry)
	stated := {c | some c in ["names", "matchLabels"]; get.present(entry, c)}
	count(stated) > 0
	count([c | some c in stated; not holds(c, entry)]) == 0
]

holds("names", entry) if glob.any_matches(get.list(entry, "names"), k8s.namespace)

holds("matchLabels", entry) if {
	wanted := get.map(entry, "matchLabels")
	object.subset(namespace_labels, wanted)
}

namespace_labels := get.map(inventory.own_namespace, ["metadata", "labels"])

# METADATA
# description: |
#   What findings lead to: "enforce" (errors deny), "warn" (errors are shown as warnings) or "audit" (nothing is denied or
#   shown). A host writes the default of its own into the configuration where that says nothing.
mode := effective.mode if effective.mode in {"enforce", "warn", "audit"}

mode := "enforce" if not object.get(effective, "mode", "") in {"enforce", "warn", "audit"}

# METADATA
# description: True where advice is shown to whoever sends a request.
show_info if get.boolean(configuration, "showInfo") == true

# METADATA
# description: |
#   What a change of an object leads to that makes a cluster faulty which depends on it: "warn", "deny" (what denies the cluster
#   denies the change) or "off" (nobody looks).
dependents := dependents_words[object.get(configuration, "dependents", "warn")]

dependents := "warn" if not dependents_words[object.get(configuration, "dependents", "warn")]

# A bare off is false in YAML.
dependents_words := {"warn": "warn", "deny": "deny", "off": "off", false: "off"}

# ---------------------------------------------------------------------------------------------------------- checks

# METADATA
# description: The severity an administrator chose for a check ("off" included), undefined when none was chosen.
severity(id) := chosen if {
	chosen := get.string(effective, ["checks", id, "severity"])
	chosen in {"error", "warning", "info", "off"}
}

# What YAML makes of a bare off.
severity(id) := "off" if get.boolean(effective, ["checks", id, "severity"]) == false

# METADATA
# description: A numeric setting of a check, the configured value, else the default of the check's METADATA.
number(id, name) := value if {
	value := get.number(effective, ["checks", id, "settings", name])
} else := value if {
	value := catalogue.checks[id].settings[name]["default"]
	is_number(value)
}

# ----------------------------------------------------------------------------------------------------------- trust

# METADATA
# description: Attestations of the policy configuration, as written; see walguard.model for what makes one count.
attestations := get.list(configuration, "attestations")

# METADATA
# description: |
#   A moment that an administrator wrote – RFC 3339, or a date, which means its first moment in UTC – in nanoseconds since 1970.
#   Undefined for the rest.
moment(text) := time.parse_rfc3339_ns(text) if count(text) != 10

moment(text) := time.parse_rfc3339_ns(concat("", [text, "T00:00:00Z"])) if count(text) == 10

# METADATA
# description: True while a moment lies ahead (see moment).
ahead(text) if {
	is_string(text)
	moment(text) > k8s.now_nanoseconds
}

# ------------------------------------------------------------------------------------------------------ exemptions

# METADATA
# description: True where the request comes from a user or a group whose requests lead to nothing.
exempt if glob.any_matches(get.list(configuration, ["exemptions", "users"]), k8s.user)

exempt if {
	patterns := get.list(configuration, ["exemptions", "groups"])
	some group in k8s.groups
	glob.any_matches(patterns, group)
}
