# METADATA
# description: |
#   What an editor asks about the object under review: where parameters of PostgreSQL are written in it, and which there are in its major
#   version.
package walguard.editor

import data.walguard.lib.get
import data.walguard.model
import data.walguard.postgres

# METADATA
# description: |
#   {"paths": where maps of parameters stand or would stand, "values": what they take, "text", "text or integer" or "any"; "operator":
#   its name; "major"?: the version; "known": {name: {"type", "context", "unit"?, "default"?, "min"?, "max"?, "enum"?: see walguard.postgres,
#   "operator_default"?: what the operator sets where nothing is written, "" = computed}}}: those that a user may write. Undefined for what is no cluster, and
#   where it has no such place.
parameters := object.union(
	{
		"paths": places,
		"values": object.get(model.cluster, "parameter_values", "any"),
		"operator": model.cluster.operator,
		"known": known,
	},
	object.union_n([{"major": major} | major := model.major]),
) if {
	count(places) > 0
}

places contains path if {
	path := model.cluster.parameters_path
	count(path) > 0
}

places contains path if {
	some setting in model.cluster.parameters
	not setting.resource
	not setting.line
	not setting.argument
	last := count(setting.path) - 1
	setting.path[last] == setting.name
	path := array.slice(setting.path, 0, last)
}

known[shown] := object.union(
	object.filter(parameter, ["type", "context", "unit", "default", "min", "max", "enum"]),
	object.union_n([{"operator_default": text} | text := defaults[name]]),
) if {
	some name, _ in data.walguard.postgres.parameters
	not refused[name]
	parameter := entry(name)
	postgres.settable(parameter)
	not parameter.renamed
	shown := object.get(parameter, "name", name)
}

entry(name) := postgres.entry(name, model.major) if model.major

entry(name) := postgres.entry_any(name) if not model.major

defaults := get.map(model.cluster, "defaults")

# What the operator sets whatever is written, and what it does not take.
refused := object.union(get.map(model.cluster, "managed"), get.map(model.cluster, "forbidden"))
