# METADATA
# description: |
#   What Flux puts in the place of ${X} in all that a Kustomization with values applies, before anybody else reads it: of a variable without a value nothing, and since release 2.9 it refuses the whole. Which Kustomization applies
#   an object is known by another variable of it that is there for Flux.
# related_resources:
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
#   - https://github.com/fluxcd/pkg/blob/main/kustomize/kustomize_varsub.go
package walguard.lib.flux

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder

# METADATA
# description: |
#   A script whose variables are gone when it runs, {"reason", "cure": sentences without the full stop}; undefined where none is. `environment` are the names of its variables, `holder` is the object that has it, `user` the one that runs it.
blanked(script, environment, holder, user) := {
	"reason": sprintf("Flux replaces ${%s}%s of this script by nothing, or refuses it (2.9): Kustomization %s has no value for it", [names[0], more(count(names) - 1), applied[0].name]),
	"cure": cure(names[0], holder, filled),
} if {
	placeholder.honoured
	count(substituting) > 0
	count([1 | some one in [holder, user]; some field in ["annotations", "labels"]; object.get(one, ["metadata", field, switch], "") == "disabled"]) == 0
	assigned := {concat("", [match[1], match[2]]) | some match in regex.find_all_string_submatch_n(`(?m)(?:^|[\s;&({])([A-Za-z_]\w*)\+?=|\b(?:for|read)\s+([A-Za-z_]\w*)`, script, -1)}
	own := environment | assigned
	filled := written(json.marshal([holder, user])) - own
	applied := [one | some one in substituting; count(one.names & filled) > 0]
	count(applied) > 0
	every one in applied {
		one.whole
	}
	names := sort((written(script) & own) - {name | some one in applied; some name in one.names})
	count(names) > 0
}

switch := "kustomize.toolkit.fluxcd.io/substitute"

more(0) := ""

more(n) := sprintf(" (and %d more)", [n]) if n > 0

# Of an object that Flux fills in for good reason, its own variables are left as they are by a second sign.
cure(name, holder, filled) := sprintf("Write $${%s}", [name]) if {
	count(written(json.marshal(holder)) & filled) > 0
} else := sprintf("Annotate the %s with %s: disabled", [holder.kind, switch])

# Two signs are one of the text's own.
written(text) := {match[2] | some match in regex.find_all_string_submatch_n(`(\$*)\$\{([A-Za-z_]\w*)\}`, text, -1); match[1] == ""}

substituting := [{"name": sprintf("%s/%s", [get.string(o, ["metadata", "namespace"]), get.string(o, ["metadata", "name"])]), "names": names, "whole": whole(o, sources)} |
	some version in ["v1", "v1beta2", "v1beta1"]
	some o in inventory.in_all_files(sprintf("kustomize.toolkit.fluxcd.io/%s", [version]), "Kustomization")
	sources := [source |
		some reference in get.list(o, ["spec", "postBuild", "substituteFrom"])
		source := inventory.namespaced_object(get.string(o, ["metadata", "namespace"]), "v1", get.string(reference, "kind"), get.string(reference, "name"))
	]
	names := object.keys(get.map(o, ["spec", "postBuild", "substitute"])) | {name | some source in sources; some field in ["data", "stringData"]; some name, _ in get.map(source, field)}
	count(names) > 0
]

# A patch may say who is not to be filled in.
whole(o, sources) if {
	count(sources) == count(get.list(o, ["spec", "postBuild", "substituteFrom"]))
	not contains(json.marshal(o), switch)
} else := false
