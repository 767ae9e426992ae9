# METADATA
# description: |
#   Facts: a value together with where it comes from. {"value", "origin", "path", "resource"?}. origin is "written"
#   (somebody wrote it into a manifest: path leads there), "operator" (what the operator sets when nobody writes it: path
#   leads to where it would be written), "postgres" (PostgreSQL's own default) or "status" (a controller wrote it).
#   resource is there only when the path leads into another object than the one under review.
package walguard.lib.fact

import data.walguard.lib.get

written(value, path) := {"value": value, "origin": "written", "path": path}

operator(value, path) := {"value": value, "origin": "operator", "path": path}

# METADATA
# description: The scalar at a path of an object as a written fact (text, see get.text). Undefined when absent.
text_at(parent, path) := written(get.text_at(parent, path), path)

# METADATA
# description: |
#   The longest beginning of a path that exists in the object: where a finding points when the field it speaks of is absent.
nearest(parent, path) := array.slice(path, 0, longest) if {
	lengths := [n |
		some n in numbers.range(1, count(path))
		get.present(parent, array.slice(path, 0, n))
	]
	longest := max(array.concat([0], lengths))
}
