package walguard.operators.zalando

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.spilo

facts contains {"image": fact.written(reference, ["spec", "dockerImage"])} if {
	reference := get.string(k8s.object, ["spec", "dockerImage"])
}

facts contains {"image_major": image_major} if image_major

# configure_spilo.py takes the newest that the image has where PGVERSION is not there, and where the files of the data are of a major that is not.
image_major := object.union(fact.written(has.newest, image_path), {"consequence": "Spilo does not find it and creates the cluster with the newest that the image has"}) if {
	has := spilo.majors(image_in_force)
	major.value > has.newest
} else := object.union(fact.written(has.newest, image_path), {
	"range": sprintf("%d to %d", [has.oldest, has.newest]),
	"consequence": sprintf("Spilo starts %d, which does not read data of %d", [has.newest, major.value]),
	"cure": sprintf("Upgrade the cluster to %d or a later major with an image that still has %d first", [has.oldest, major.value]),
}) if {
	has := spilo.majors(image_in_force)
	major.value < has.oldest
}

image_path := ["spec", "dockerImage"] if get.present(spec, "dockerImage")

image_path := version_path if not get.present(spec, "dockerImage")

# Its own, or that of the one operator in sight.
image_in_force := get.string(spec, "dockerImage") if {
	get.present(spec, "dockerImage")
} else := reference if {
	reference := get.string(configuration, "docker_image")
	not placeholder.unknown(reference)
} else := reference if {
	count(configurations) == 0
	count(images_of_maps) == 1
	some reference in images_of_maps
	not placeholder.unknown(reference)
}

# The older way to configure the operator.
images_of_maps := {reference |
	some one in operator_maps
	reference := get.string(one, ["data", "docker_image"])
}
