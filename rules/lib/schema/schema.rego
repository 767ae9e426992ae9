# METADATA
# description: |
#   What the API server refuses of a file, since the schema of the operator says otherwise: a text where a number belongs, a word that is none of those it
#   takes, an entry without the fields that it needs. From the operators' own CRDs (CloudNativePG 1.30, its Barman Cloud plugin, PGO 6, Percona 2.9, Zalando
#   1.15, StackGres 1.18, Kubegres 1.19, KubeBlocks 1.0); of what several releases say differently only what all of them refuse. What an API server asks about it
#   has compared with the schema before.
package walguard.lib.schema

import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: See walguard.model, refusals.
faults(kind, manifest) := [object.union(fault, {"by": "The API server"}) | some fault in unlike(kind, manifest)]

unlike(kind, manifest) := array.concat(
	array.concat(
		[fault |
			placeholder.honoured
			some place, rules in kinds[kind]
			some path in fields.places(manifest, routes[kind][place])
			some name, value in get.map(manifest, path)
			value != null
			rule := rules.fields[name]
			not filled_in(value)
			found := against(rule, name, value)
			fault := object.union(found, {"path": array.concat(path, [name])})
		],
		[{"path": path, "reason": sprintf("%s has no %s", [title(path), needed]), "cure": sprintf("Write %s, or take %s out", [needed, title(path)])} |
			placeholder.honoured
			some place, rules in kinds[kind]
			some path in fields.places(manifest, routes[kind][place])
			written := get.map(manifest, path)
			count(written) > 0
			some needed in get.list(rules, "needs")
			object.get(written, needed, null) == null
		],
	),
	array.concat(array.concat(absent(kind, manifest), bare(kind, manifest)), unquoted(kind, manifest)),
)

# A number or a boolean in a map of texts, such as the options of pgBackRest and PgBouncer, or the labels of a node.
unquoted(kind, manifest) := [{
	"path": array.concat(path, [name, key]),
	"reason": sprintf("%s is %s, and %s takes text only", [key, kinds_of_value[type_name(value)], name]),
	"cure": in_quotes(value),
} |
	placeholder.honoured
	some [place, name] in maps_of_texts[kind]
	some path in fields.places(manifest, routes[kind][place])
	some key, value in get.map(manifest, array.concat(path, [name]))
	not is_string(value)
	value != null
]

maps_of_texts := {kind: [[place, name] | some place, rules in places; some name, rule in rules.fields; rule == "texts"] | some kind, places in kinds}

in_quotes(value) := sprintf("Quote it: \"%s\"", [get.text(value)]) if {
	is_number(value)
} else := "Put it in quotes" if {
	is_boolean(value)
} else := "Write a text"

# An entry that is the text alone, or a number, where the schema has a map with a name; the first of a list.
bare(kind, manifest) := [{
	"path": array.concat(route.before, [strange[0]]),
	"reason": sprintf("%s %d is %s", [route.before[count(route.before) - 1], strange[0] + 1, kinds_of_value[type_name(written[strange[0]])]]),
	"cure": in_a_map(object.get(kinds[kind][place], "fields", {}), written[strange[0]]),
} |
	placeholder.honoured
	some place, route in routes[kind]
	route.elements == []
	written := get.list(manifest, route.before)
	strange := [i |
		some i, entry in written
		not is_object(entry)
		entry != null
		not filled_in(entry)
	]
	count(strange) > 0
]

in_a_map(known, entry) := sprintf("Write \"- name: %s\"", [entry]) if {
	known.name
	is_string(entry)
} else := "Write a map"

# What the schema asks of every manifest, as far as the table says it. A patch has few of the fields, so that only one is missed where the others stand among
# three at least; Crunchy's and Percona's patches and assertions of tests in public repositories have as many, and are not told of it.
absent(kind, manifest) := [{"path": ["spec"], "reason": sprintf("spec has no %s, which its schema requires", [lacking[0]]), "cure": sprintf("Write %s", [lacking[0]])} |
	placeholder.honoured
	written := {name: value | some name, value in get.map(manifest, "spec"); value != null}
	count(written) >= 3
	lacking := [needed | some needed in get.list(kinds[kind].spec, "asks"); not needed in object.keys(written)]
	count(lacking) == 1
]

routes := fields.routes_of(kinds)

# A later step may write another type in its place.
filled_in(value) if placeholder.holds(value)

# "repos 1" for ["…", "repos", 0].
title(path) := sprintf("%s %d", [path[count(path) - 2], path[count(path) - 1] + 1]) if is_number(path[count(path) - 1])

title(path) := path[count(path) - 1] if is_string(path[count(path) - 1])

against(rule, name, value) := {
	"reason": sprintf("%s is %s", [name, kinds_of_value[type_name(value)]]),
	"cure": sprintf("Write %s", [kinds_of_rule[type_of(rule)]]),
} if {
	not fits[type_of(rule)][type_name(value)]
} else := {
	"reason": sprintf("%s is %s", [name, get.shown(value)]),
	"cure": "Write a whole number",
} if {
	type_of(rule) == "whole"
	is_number(value)
	value != floor(value)
} else := {
	"reason": sprintf("%s is \"%s\"", [name, value]),
	"cure": sprintf("Write %s", [text.list(rule.of, "or")]),
} if {
	is_object(rule)
	is_string(value)
	count(rule.of) > 0
	not value in rule.of
} else := {
	"reason": sprintf("%s is \"%s\"", [name, value]),
	"cure": in_words(rule.like),
} if {
	is_object(rule)
	is_string(value)
	not regex.match(rule.like, value)
} else := {
	"reason": sprintf("%s is %s", [name, get.shown(value)]),
	"cure": sprintf("Write at least %s", [get.shown(rule.from)]),
} if {
	is_object(rule)
	is_number(value)
	value == floor(value)
	value < rule.from
} else := {
	"reason": sprintf("%s is %s", [name, get.shown(value)]),
	"cure": sprintf("Write %s at most", [get.shown(rule.to)]),
} if {
	is_object(rule)
	is_number(value)
	value == floor(value)
	value > rule.to
} else := {"reason": sprintf("%s is empty", [name]), "cure": cure_of_empty(name)} if {
	value == ""
	is_object(rule)
	rule.filled
	not rule.of
	not rule.like
} else := {
	"reason": sprintf("%s has %d characters", [name, count(value)]),
	"cure": sprintf("Write %d at most", [rule.length]),
} if {
	is_object(rule)
	is_string(value)
	count(value) > rule.length
	not rule.of
}

type_of(rule) := rule if is_string(rule)

type_of(rule) := object.get(rule, "is", "anything") if is_object(rule)

# Of those that may not be empty only these need not be there.
cure_of_empty(name) := "Write one, or leave the field out" if name in {"differential", "full", "incremental", "schedule"}

cure_of_empty(name) := "Write one" if not name in {"differential", "full", "incremental", "schedule"}

fits := {
	"anything": {"string": true, "number": true, "boolean": true, "array": true, "object": true},
	"text": {"string": true},
	"whole": {"number": true},
	"number": {"number": true},
	"bool": {"boolean": true},
	"list": {"array": true},
	"map": {"object": true},
	"texts": {"object": true},
}

kinds_of_value := {"string": "a text", "number": "a number", "boolean": "true or false", "array": "a list", "object": "a map"}

kinds_of_rule := {"text": "a text, in quotes", "whole": "a whole number, without quotes", "number": "a number, without quotes", "bool": "true or false, without quotes", "list": "a list", "map": "a map", "texts": "a map"}

# A few patterns that people are asked for often, in words.
in_words(pattern) := "Write a number and a unit, such as 2Gi" if {
	contains(pattern, "[EPTGMK]i?")
} else := "Write a number, or thousandths such as 500m" if {
	startswith(pattern, `^(\d+m|`)
} else := "Write a number with d, w or m, such as 30d" if {
	pattern == "^[1-9][0-9]*[dwm]$"
} else := sprintf("Write what matches %s", [pattern])
