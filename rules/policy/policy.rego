# METADATA
# description: |
#   The policy configuration as the object under review, for the checks that concern it. A host that holds one asks for it after it
#   is loaded, daily, and at the end of a run, with the review
#     object     the configuration, with apiVersion walguard.dev/v1, kind Configuration and metadata.name, the name of its file
#     judged     references of the resources that were judged by it, where the host knows
#     used       places (indices) of the waivers that covered a finding
#     complete   true when everything there is was judged, not only some files
package walguard.policy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings

# METADATA
# description: The configuration under review; undefined in every other review.
configuration := k8s.object if {
	k8s.kind == "Configuration"
	k8s.api_version == "walguard.dev/v1"
}

# METADATA
# description: What stands in a list of the configuration, by place; undefined in every other review.
entries(name) := {i: entry |
	some i, entry in get.list(configuration, name)
	is_object(entry)
}

# METADATA
# description: References of the resources that were judged; undefined where the host does not say.
judged := k8s.review.judged if is_array(k8s.review.judged)

used(place) if place in k8s.review.used

complete if get.boolean(k8s.review, "complete")

# METADATA
# description: '"The waiver of wal/init_zero_filesystem for Cluster prod/orders", for messages.'
waiver(entry) := sprintf("The waiver of %v for %s", [object.get(entry, "check", "?"), scope(get.map(entry, "resource"))])

scope(resource) := concat(" ", array.concat(
	[kind | kind := get.string(resource, "kind")],
	[sprintf("%v/%v", [object.get(resource, "namespace", "*"), object.get(resource, "name", "*")])],
))

# METADATA
# description: |
#   How an expiry stands: "past" or "near" (within a number of days); undefined while it is far, and where it is no moment.
standing(text, _) := "past" if {
	is_string(text)
	settings.moment(text) <= k8s.now_nanoseconds
}

standing(text, days) := "near" if {
	settings.ahead(text)
	settings.moment(text) <= k8s.now_nanoseconds + (((days * 24) * 3600) * 1000000000)
}
