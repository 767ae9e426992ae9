# METADATA
# description: |
#   Typed accessors. A manifest may hold anything anywhere (null, a number where a string belongs, a list where a
#   map belongs), and operators on a wrong type abort some engines; every read of a manifest therefore goes through
#   here. Absent and null are one: both leave the accessor undefined (or empty, for the plural ones).
package walguard.lib.get

import data.walguard.lib.placeholder

# METADATA
# description: The string at a path, undefined when it is absent, empty or of another type.
string(parent, path) := value if {
	value := object.get(parent, path, "")
	is_string(value)
	value != ""
}

# METADATA
# description: The number at a path, the default of a placeholder included; undefined when it is absent or of another type.
number(parent, path) := value if {
	value := object.get(parent, path, "")
	is_number(value)
} else := to_number(text) if {
	text := placeholder.default_of(object.get(parent, path, ""))
	regex.match(`^(0|-?[1-9][0-9]{0,14})$`, text)
}

# METADATA
# description: The boolean at a path, the default of a placeholder included; undefined when it is absent or of another type.
boolean(parent, path) := value if {
	value := object.get(parent, path, "")
	is_boolean(value)
} else := yaml_booleans[placeholder.default_of(object.get(parent, path, ""))]

# As the API server's YAML reader takes them.
yaml_booleans := {"true": true, "on": true, "yes": true, "false": false, "off": false, "no": false}

# METADATA
# description: True when a text stands at the path whose value nobody knows yet (see walguard.lib.placeholder).
unknown(parent, path) if placeholder.unknown(object.get(parent, path, ""))

# METADATA
# description: The map at a path, {} when it is absent or of another type.
map(parent, path) := value if {
	value := object.get(parent, path, {})
	is_object(value)
} else := {}

# METADATA
# description: The list at a path, [] when it is absent or of another type.
list(parent, path) := value if {
	value := object.get(parent, path, [])
	is_array(value)
} else := []

# METADATA
# description: True when something other than null stands at the path.
present(parent, path) if object.get(parent, path, null) != null

# METADATA
# description: |
#   A scalar as the text PostgreSQL would see: a string as it is, a number in decimal, a boolean as on or off
#   (an unquoted off in YAML reaches the operator as a boolean). Undefined for null, lists and maps, and for numbers that engines
#   write differently, with an exponent or without: whole ones of more than 21 digits, others of a million or next to nothing.
#   Of a placeholder with a default it is the default; another one stays as it is (see walguard.lib.placeholder).
text(value) := placeholder.resolved(value) if {
	is_string(value)
} else := sprintf("%v", [floor(value)]) if {
	is_number(value)
	value == floor(value)
	abs(value) < 1000000000000000000000
} else := sprintf("%v", [value]) if {
	is_number(value)
	value != floor(value)
	abs(value) < 1000000
	abs(value) >= 0.0001
} else := "on" if {
	value == true
} else := "off" if {
	value == false
}

# METADATA
# description: |
#   A value as a message shows it: text and booleans as they are, a number as text writes it, anything else by what it is ("a list").
shown(value) := value if {
	is_string(value)
} else := written if {
	is_number(value)
	written := text(value)
} else := sprintf("%v", [value]) if {
	is_boolean(value)
} else := kinds[type_name(value)]

kinds := {"number": "a number", "array": "a list", "object": "a map", "null": "nothing"}

# METADATA
# description: |
#   The last index of every name, {name: index}, from a list of [name, index]: of two items of a list that have one name the later
#   one counts. By sorting, since comparing each with each would take a long list minutes.
last_of_each(pairs) := {name: i |
	sorted := sort(pairs)
	some k, [name, i] in sorted
	not followed(sorted, k, name)
}

followed(sorted, k, name) if sorted[k + 1][0] == name

# METADATA
# description: The last index of every name in a list of objects that have one, as Kubernetes reads a list of variables; see last_of_each.
named(list) := last_of_each([[name, i] | some i, one in list; name := string(one, "name")])

# METADATA
# description: The scalar at a path as text; see text. Undefined when absent or not a scalar.
text_at(parent, path) := text(object.get(parent, path, null))

# METADATA
# description: |
#   Text with the letters A to Z in lower case, as PostgreSQL compares names and words. Other letters stay as they are; engines
#   disagree about some of them (İ), so that no rule uses lower and upper for them.
lower_case(text) := lower(text) if {
	trim_left(text, ascii) == ""
} else := strings.replace_n(small_letters, text)

# METADATA
# description: Text with the letters a to z in upper case; see lower_case.
upper_case(text) := strings.replace_n(capitals, text)

# Of these every engine thinks alike.
ascii := " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

small_letters := {"A": "a", "B": "b", "C": "c", "D": "d", "E": "e", "F": "f", "G": "g", "H": "h", "I": "i", "J": "j", "K": "k", "L": "l", "M": "m", "N": "n", "O": "o", "P": "p", "Q": "q", "R": "r", "S": "s", "T": "t", "U": "u", "V": "v", "W": "w", "X": "x", "Y": "y", "Z": "z"}

capitals := {"a": "A", "b": "B", "c": "C", "d": "D", "e": "E", "f": "F", "g": "G", "h": "H", "i": "I", "j": "J", "k": "K", "l": "L", "m": "M", "n": "N", "o": "O", "p": "P", "q": "Q", "r": "R", "s": "S", "t": "T", "u": "U", "v": "V", "w": "W", "x": "X", "y": "Y", "z": "Z"}
