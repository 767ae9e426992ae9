package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.scheduling

# Images that are built for one architecture, where the pods may run on another one alone.
facts contains {"wrong_images": foreign_machine} if count(foreign_machine) > 0

foreign_machine := [{
	"reason": sprintf("The image %s is built for amd64 alone, and the pods run on arm64 (%s): \"exec format error\"", [image_without_digest, on_arm.value]),
	"cure": other_image,
	"path": array.concat(container_path, ["image"]),
} |
	for_amd64
	on_arm
]

image_without_digest := split(get.string(container, "image"), "@")[0]

# https://github.com/postgis/docker-postgis: "Supported architecture: amd64".
for_amd64 if image.repository(get.string(container, "image")) == "docker.io/postgis/postgis"

# Bitnami's have been built for arm64 too since February 2023, when those on Debian 10 had ended (https://github.com/bitnami/charts/issues/15140).
for_amd64 if {
	layout == "bitnami"
	server.product.published
	regex.match(`-(debian-(8|9|10)|centos-7|ol-7|rhel-7|photon-[23])(-r[0-9]+)?$`, image.tag(get.string(container, "image")))
}

other_image := "Use one for both, such as imresamu/postgis, or let the pods run on amd64" if layout == "docker"

other_image := "Use a tag on Debian 11 or 12, or let the pods run on amd64" if layout == "bitnami"

on_arm := {"value": sprintf("%s: arm64", [found.path[count(found.path) - 1]])} if {
	found := scheduling.only(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]), {"kubernetes.io/arch", "beta.kubernetes.io/arch"})
	found.value == "arm64"
	is_string(found.path[count(found.path) - 1])
}

on_arm := {"value": "kubernetes.io/arch in the nodeAffinity"} if {
	found := scheduling.only(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]), {"kubernetes.io/arch", "beta.kubernetes.io/arch"})
	found.value == "arm64"
	is_number(found.path[count(found.path) - 1])
}

# AWS calls its machines with Graviton by a g behind the generation.
on_arm := {"value": sprintf("instance type %s", [node_types.value[0]])} if {
	not get.present(k8s.object, array.concat(pod_path, ["nodeSelector", "kubernetes.io/arch"]))
	count(node_types.value) > 0
	every name in node_types.value {
		regex.match(`^([cmrti][0-9]{1,2}g[a-z]*|a1|x2g[a-z]*)\.[0-9a-z]+$`, name)
	}
}
