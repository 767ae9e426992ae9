# METADATA
# description: |
#   Findings. A check builds one with `at` and adds what it knows with `with_*`; the id, the severity the
#   administrator chose and the texts of the METADATA are added by walguard.verdict. Fields: message; path (list of keys and indices into
#   the resource); severity? (only where a check has more than one); resource? (only where the path leads into another
#   object than the one under review); fix? (JSON Patch operations on the resource); facts? (numbers, with units in their names).
package walguard.lib.finding

# METADATA
# description: A finding at a fact.
at(fact, message) := {"message": message, "path": fact.path, "resource": fact.resource} if fact.resource

at(fact, message) := {"message": message, "path": fact.path} if not fact.resource

# METADATA
# description: A finding at a path of the resource under review.
at_path(path, message) := {"message": message, "path": path}

with_severity(finding, severity) := object.union(finding, {"severity": severity})

# METADATA
# description: The numbers that led to the finding; shown by `--explain`, kept in JSON.
with_facts(finding, facts) := object.union(finding, {"facts": facts})

with_fix(finding, operations) := object.union(finding, {"fix": operations})

# METADATA
# description: JSON Patch that gives a setting a value – replaced where it is written, added where it is not.
set_parameter(setting, text) := [{"op": "replace", "path": pointer(setting.path), "value": text}] if setting.origin == "written"

set_parameter(setting, text) := [{"op": "add", "path": pointer(array.concat(setting.path, [setting.name])), "value": text}] if {
	setting.origin != "written"
	count(setting.path) > 0
}

# METADATA
# description: A path as a JSON Pointer (RFC 6901).
pointer(path) := concat("", [part |
	some key in path
	part := concat("", ["/", replace(replace(sprintf("%v", [key]), "~", "~0"), "/", "~1")])
])
