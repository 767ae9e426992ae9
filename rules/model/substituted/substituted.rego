# METADATA
# description: |
#   Variables of a manifest (${X}) that Flux fills in with a value that loses data, whatever default is written beside them: Kustomizations among the files say so, by themselves or by a ConfigMap or
#   Secret that they name. Which Kustomization a file belongs to is not known. "setting" is a list of {"source", "path", "severity", "reason", "cure"} as "unread" of walguard.model has them.
# related_resources:
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
package walguard.model.substituted

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.model

setting := [{
	"source": one.by,
	"path": place(one.name),
	"severity": "warning",
	"reason": sprintf("it fills ${%s} in with %s", [one.name, one.value]),
	"cure": "Substitute nothing in parameters that keep the data, or write the value here",
} |
	placeholder.honoured
	model.cluster
	some one in values
	count([1 | some text in texts; some piece in pieces(text, one.name); loses(put_in(piece, one.among))]) > 0
]

values := [{"by": sprintf("Kustomization %s/%s", [get.string(kustomization, ["metadata", "namespace"]), get.string(kustomization, ["metadata", "name"])]), "name": name, "value": value, "among": among} |
	some version in ["v1", "v1beta2", "v1beta1"]
	some kustomization in inventory.in_all_files(sprintf("kustomize.toolkit.fluxcd.io/%s", [version]), "Kustomization")
	among := {name: value |
		some name, given in object.union(from_objects(kustomization), get.map(kustomization, ["spec", "postBuild", "substitute"]))
		regex.match(`^[A-Za-z_][A-Za-z0-9_]*$`, name)
		value := get.text(given)
	}
	some name, value in among
]

# The later one of two, and what the Kustomization says itself before all of them.
from_objects(kustomization) := object.union_n([data_of(source) |
	some reference in get.list(kustomization, ["spec", "postBuild", "substituteFrom"])
	source := inventory.namespaced_object(get.string(kustomization, ["metadata", "namespace"]), "v1", get.string(reference, "kind"), get.string(reference, "name"))
])

data_of(source) := get.map(source, "data") if get.string(source, "kind") == "ConfigMap"

data_of(source) := object.union({key: base64.decode(text) | some key, text in get.map(source, "data"); base64.is_valid(text)}, get.map(source, "stringData")) if get.string(source, "kind") == "Secret"

# What is written of the cluster, as JSON has it: its own object and those that give it parameters.
texts := [text |
	some o in array.concat([k8s.object], [o |
		some resource in {setting_of.resource | some setting_of in model.written}
		o := inventory.namespaced_object(resource.namespace, resource.apiVersion, resource.kind, resource.name)
	])
	text := regex.replace(json.marshal(o), `\\[nt]`, "\n")
	contains(text, "${")
]

# A name and its value, or a line of pg_hba.conf, with the variable somewhere in it.
pieces(text, name) := [found |
	some found in regex.find_n(`(?:[A-Za-z_][\w.]*(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?|\b(?:local|host\w*)[ \t][^"\\\n$]*)(?:[^\s"'\\,{}$]|[$][{][^}]*[}])+`, text, -1)
	regex.match(sprintf(`[$][{]%s\b`, [name]), found)
]

put_in(piece, among) := strings.replace_n({found[0]: changed(among[found[1]], found[2]) | some found in regex.find_all_string_submatch_n(`[$][{](\w+)([^}]*)[}]`, piece, -1)}, piece)

# What bash and Flux do with a value: a part of it, another word in its place, or nothing of a beginning or an end.
changed(value, how) := substring(value, to_number(found[1]), -1) if {
	some found in regex.find_all_string_submatch_n(`^:([0-9]+)$`, how, 1)
} else := substring(value, to_number(found[1]), to_number(found[2])) if {
	some found in regex.find_all_string_submatch_n(`^:([0-9]+):([0-9]+)$`, how, 1)
} else := replace(value, found[1], found[2]) if {
	some found in regex.find_all_string_submatch_n(`^//?([^/]+)/(.*)$`, how, 1)
} else := trim_prefix(value, trim_left(how, "#")) if {
	startswith(how, "#")
} else := trim_suffix(value, trim_left(how, "%")) if {
	startswith(how, "%")
} else := value

loses(piece) if script.loses(piece)

loses(piece) if regex.match(`^(local|host\w*)[ \t].*[ \t]trust$`, piece)

place(name) := paths[0] if {
	paths := [setting_of.path |
		some setting_of in model.written
		not setting_of.resource
		raw := object.get(k8s.object, setting_of.path, "")
		is_string(raw)
		contains(raw, sprintf("${%s", [name]))
	]
	count(paths) > 0
} else := ["metadata", "name"]
