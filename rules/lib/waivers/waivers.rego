# METADATA
# description: |
#   Waivers of the policy configuration: {"check": id, or area with a slash for all of its checks; "resource": {"namespace"?,
#   "kind"?, "name"?} (walguard.lib.scope); "reason", "owner", "expires"}. One covers a finding of its check about a
#   resource in its scope, or that the review of such a resource led to, while its expiry lies ahead.
package walguard.lib.waivers

import data.walguard.lib.get
import data.walguard.lib.scope
import data.walguard.lib.settings

# METADATA
# description: |
#   What a finding carries that a waiver covers: {"reason", "owner", "expires", "waiver": its place in the configuration}.
#   Undefined where none does; of several the first counts.
of(finding) := covering[0] if {
	covering := [mark |
		some i, waiver in valid
		about(waiver, finding.check)
		in_scope(waiver, finding.resource)
		mark := object.union(object.filter(waiver, ["reason", "owner", "expires"]), {"waiver": i})
	]
	count(covering) > 0
}

# METADATA
# description: The waivers that count at the moment of judgement, by their place in the configuration.
valid[i] := waiver if {
	some i, waiver in get.list(settings.configuration, "waivers")
	is_object(waiver)
	get.string(waiver, "reason")
	get.string(waiver, "owner")
	settings.ahead(waiver.expires)
}

# METADATA
# description: True of a waiver that names a check, or its area.
about(waiver, id) if get.string(waiver, "check") == id

about(waiver, id) if {
	area := get.string(waiver, "check")
	endswith(area, "/")
	startswith(id, area)
}

# METADATA
# description: True where a waiver covers a resource (a reference as findings carry it), or the object under review.
in_scope(waiver, resource) if scope.covers(waiver.resource, resource)

in_scope(waiver, _) if scope.covers_reviewed(waiver.resource)
