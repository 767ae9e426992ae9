# METADATA
# description: |
#   Container image references: [registry[:port]/]name[:tag][@digest]. Images of PostgreSQL carry the server's version at the
#   beginning of the tag ("18.6-system-trixie", "17"); a tag that begins otherwise says nothing about it.
package walguard.lib.image

import data.walguard.lib.cluster
import data.walguard.lib.placeholder

# METADATA
# description: Name of the image without registry, path, tag and digest ("postgresql").
name(reference) := split(last_segment(reference), ":")[0]

# METADATA
# description: The tag; undefined when the reference has none – a digest is none, and neither is the port of a registry.
tag(reference) := parts[1] if {
	parts := split(last_segment(reference), ":")
	count(parts) == 2
}

# METADATA
# description: The PostgreSQL major that the tag begins with; undefined when it begins with no plausible one ("latest", "2024.1").
major(reference) := cluster.major(tag(reference))

last_segment(reference) := segments[count(segments) - 1] if {
	segments := split(split(placeholder.resolved(reference), "@")[0], "/")
}
