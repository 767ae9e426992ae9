# METADATA
# description: |
#   Findings. A check builds one with `at` and adds what it knows with `with_*`; the id, the severity the
#   administrator chose and the texts of the METADATA are added by walguard.verdict. Fields: message; path (list of keys and indices into
#   the resource); severity? (only where a check has more than one); resource? (only where the path leads into another
#   object than the one under review); line? (from 1, where the path leads to the text of a postgresql.conf); fix? (JSON Patch operations on the resource, safe to apply); suggestion? (the
#   same for what somebody should look at first: it costs money, cannot be undone or asks for something else too, a larger volume, fewer
#   connections); facts? (numbers, with units in their names); related? (list of {"path", "resource"?, "message"}: other places that the message speaks of); default_of? (name of the operator whose own default the finding is about:
#   nobody chose it, and a host that judges many clusters may report it once, with their number).
package walguard.lib.finding

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.model
import data.walguard.postgres

# METADATA
# description: A finding at a fact.
at(fact, message) := object.union({"message": message, "path": fact.path}, object.filter(fact, ["resource", "line"]))

# METADATA
# description: A finding at a path of the resource under review.
at_path(path, message) := {"message": message, "path": path}

with_severity(finding, severity) := object.union(finding, {"severity": severity})

# METADATA
# description: The numbers that led to the finding; shown by `--explain`, kept in JSON.
with_facts(finding, facts) := object.union(finding, {"facts": facts})

# METADATA
# description: |
#   The finding with the other places that its message speaks of, [[fact, words], …]: what stands there, in a few words. Of facts that are
#   written nowhere there is nothing to show.
with_related(finding, places) := object.union(finding, object.union_n([{"related": related} |
	related := [object.union({"path": fact.path, "message": words}, object.filter(fact, ["resource"])) |
		some [fact, words] in places
		object.get(fact, "origin", "written") == "written"
		fact.path != finding.path
	]
	count(related) > 0
]))

with_fix(finding, operations) := object.union(finding, {"fix": operations})

# METADATA
# description: The finding, marked where the setting it is about is the operator's own default.
with_default(finding, setting) := object.union(finding, {"default_of": model.cluster.operator}) if {
	object.get(setting, "origin", "") == "operator"
} else := finding

# METADATA
# description: |
#   A finding with the suggestion to give a setting a value (see with_parameter), where both lie in one object.
with_suggested_parameter(finding, setting, text) := object.union(finding, object.union_n([{"suggestion": operations} |
	object.get(finding, "resource", {}) == object.get(setting, "resource", {})
	operations := set_parameter(setting, text)
]))

# METADATA
# description: |
#   A finding with the suggestion of another size for a volume, where its size is written in the object that the finding leads into. A
#   volume that cannot be provisioned as it is (storage/level_out_of_range) has to become another one first, and what that gives is not known.
with_suggested_size(finding, volume, text) := object.union(finding, object.union_n([{"suggestion": [{"op": "replace", "path": pointer(volume.size_path), "value": text}]} |
	volume.size_bytes
	not refused(volume)
	object.get(finding, "resource", {}) == object.get(volume, "resource", {})
	not volume.resource
	get.text(object.get(k8s.object, volume.size_path, null))
]))

refused(volume) if count(volume.disk.rejections) > 0

# METADATA
# description: |
#   A finding with the fix that gives a setting a value – replaced where it is written, added where it is not. Without one where the
#   place holds more than this value (a whole postgresql.conf, an annotation) or does not exist yet.
with_parameter(finding, setting, text) := object.union(finding, object.union_n([{"fix": operations} |
	object.get(finding, "resource", {}) == object.get(setting, "resource", {})
	operations := set_parameter(setting, text)
]))

# METADATA
# description: The same for settings that go together, as pairs of setting and value. Without a fix where one of them has no place.
with_parameters(finding, chosen) := object.union(finding, object.union_n([{"fix": operations} |
	every pair in chosen {
		object.get(finding, "resource", {}) == object.get(pair[0], "resource", {})
		set_parameter(pair[0], pair[1])
	}
	operations := [operation | some pair in chosen; some operation in set_parameter(pair[0], pair[1])]
]))

set_parameter(setting, text) := [{"op": "replace", "path": pointer(setting.path), "value": text}] if {
	setting.origin == "written"
	own_place(setting)
}

set_parameter(setting, text) := [{"op": "add", "path": pointer(array.concat(setting.path, [setting.name])), "value": text}] if {
	setting.origin != "written"
	"parameters" == setting.path[count(setting.path) - 1]
	is_object(object.get(k8s.object, setting.path, null))
}

# METADATA
# description: |
#   The finding with the fix that writes a value at a path of the object under review: replaced where one of its type stands, added where the
#   map around it does. Without one elsewhere (the path of a default, or of a text that holds more), and where the finding leads into another object.
with_value(finding, path, value) := object.union(finding, object.union_n([{"fix": [{"op": operation, "path": pointer(path), "value": value}]} |
	not finding.resource
	around := object.get(k8s.object, array.slice(path, 0, count(path) - 1), null)
	operation := operation_at(around, path[count(path) - 1], value)
]))

operation_at(around, key, value) := "replace" if type_name(around[key]) == type_name(value)

operation_at(around, key, _) := "add" if {
	is_object(around)
	not key in object.keys(around)
}

# METADATA
# description: The finding with the fix that takes a setting out, where it is written under a key of its own.
with_removal(finding, setting) := object.union(finding, object.union_n([{"fix": [{"op": "remove", "path": pointer(setting.path)}]} |
	own_key(finding, setting)
]))

# METADATA
# description: |
#   The finding with the fix that writes a setting under another name, with that text. Without one where it has no key of its own, the name
#   is not free, or the parameter does not take the text.
with_name(finding, setting, name, text) := object.union(finding, object.union_n([{"fix": operations} |
	own_key(finding, setting)
	free(name)
	postgres.parse(model.catalogue_entry(name), text).ok
	path := array.concat(array.slice(setting.path, 0, count(setting.path) - 1), [name])
	operations := array.concat(
		[{"op": "move", "from": pointer(setting.path), "path": pointer(path)}],
		[{"op": "replace", "path": pointer(path), "value": text} | text != setting.text],
	)
]))

# METADATA
# description: |
#   The finding with the fix that moves a setting to another map of the object under review, which is there. Without one where the name is not
#   free, or the value is no text and would be read as another one there.
with_place(finding, setting, path) := object.union(finding, object.union_n([{"fix": [{"op": "move", "from": pointer(setting.path), "path": pointer(array.concat(path, [setting.name]))}]} |
	own_key(finding, setting)
	not setting.resource
	free(get.lower_case(setting.name))
	is_string(object.get(k8s.object, setting.path, null))
	is_object(object.get(k8s.object, path, null))
]))

# Neither written nor decided by the operator.
free(name) if {
	not model.written[name]
	not model.unfilled[name]
	not name in object.keys(get.map(model.cluster, "managed"))
	not name in object.keys(get.map(model.cluster, "forbidden"))
}

own_key(finding, setting) if {
	object.get(finding, "resource", {}) == object.get(setting, "resource", {})
	object.get(setting, "origin", "written") == "written"
	get.lower_case(setting.path[count(setting.path) - 1]) == get.lower_case(setting.name)
}

own_place(setting) if get.lower_case(setting.path[count(setting.path) - 1]) == setting.name

own_place(setting) if setting.path[count(setting.path) - 1] == "value"

# METADATA
# description: A path as a JSON Pointer (RFC 6901).
pointer(path) := concat("", [part | some key in path; part := token(key)])

token(key) := sprintf("/%d", [key]) if is_number(key)

token(key) := concat("", ["/", replace(replace(key, "~", "~0"), "/", "~1")]) if is_string(key)
