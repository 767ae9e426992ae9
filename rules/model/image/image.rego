# METADATA
# description: |
#   What the image and the version of the cluster under review say, whoever's resource names them. Everything is undefined where it is not
#   known: an operator's own image, a tag without a number.
package walguard.model.image

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.claims

# METADATA
# description: The reference of the server's image; of one that is filled in later nothing is known.
reference := known(model.cluster)

# METADATA
# description: The same before an UPDATE.
reference_before := known(before.cluster)

known(cluster) := placeholder.resolved(text) if {
	text := cluster.image.value
	not placeholder.unknown(text)
}

# METADATA
# description: The minor release of PostgreSQL, a number.
minor := minor_in(model.cluster)

# METADATA
# description: The same before an UPDATE.
minor_before := minor_in(before.cluster)

# METADATA
# description: The version with its minor release, "17.6"; undefined where that is not known.
version := sprintf("%d.%d", [model.major, minor])

# METADATA
# description: The C library of the image (walguard.lib.image.libc), now and before an UPDATE.
libc := image.libc(reference)

libc_before := image.libc(known(before.cluster))

# METADATA
# description: True when the data outlive the pod, so that the next image finds them.
persistent if {
	some claim in claims.claims
	claim.role == "data"
	not claim.ephemeral
}

# METADATA
# description: The facts that a finding about the version points at, where they stand in the object under review; those of another are judged with it.
own_major := fact if {
	fact := model.cluster.major
	not fact.resource
}

own_image := fact if {
	fact := model.cluster.image
	not fact.resource
}

minor_in(cluster) := cluster.minor.value if is_number(cluster.minor.value)

minor_in(cluster) := number if {
	not get.present(cluster, "minor")
	number := image.minor_of(image.tag(known(cluster)), cluster.major.value)
}
