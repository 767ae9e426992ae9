package walguard.operators.kubegres

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.openshift
import data.walguard.lib.placeholder

# The pods have spec.securityContext and the containers spec.containerSecurityContext (see standards.rego), the init container that copies the primary's data among them. The official image starts as
# root, gives the volume to its user and becomes that user; data lie below the mount.
facts contains {"unreachable_files": unreachable_files} if {
	get.present(home, of_pods)
	count(unreachable_files) > 0
}

facts contains {"unreachable_files": unreachable_files} if {
	not get.present(home, of_pods)
	get.present(home, of_containers)
	count(unreachable_files) > 0
}

unreachable_files := array.concat(refused_root, roots_volume)

# Outermost first: the container's own wins.
written_user := get.number(home, array.concat(user_context, ["runAsUser"]))

user_context := of_containers if {
	get.present(home, array.concat(of_containers, ["runAsUser"]))
} else := of_pods

image_user := image.server_user(get.string(home, image_path))

refused_root := [at_home({
	"reason": "runAsNonRoot without runAsUser, while the image starts as root: the kubelet refuses the container (\"container has runAsNonRoot and image will run as root\")",
	"cure": sprintf("Set spec.securityContext.runAsUser and fsGroup to %d", [image_user]),
	"level": "error",
	"path": array.concat(context, ["runAsNonRoot"]),
}) |
	some context in [of_containers, of_pods]
	get.boolean(home, array.concat(context, ["runAsNonRoot"]))
	object.get(home, array.concat(of_containers, ["runAsNonRoot"]), true) == true
	not get.present(home, array.concat(user_context, ["runAsUser"]))
	image_user > 0
	not openshift.in_sight
	not context_unknown
]

roots_volume := [at_home({
	"reason": sprintf("A new volume belongs to root, and the server runs as user %d without fsGroup: it cannot create its data directory", [written_user]),
	"cure": sprintf("Set spec.securityContext.fsGroup: %d", [written_user]),
	"claim": "0/data",
	"level": "error",
	"path": array.concat(user_context, ["runAsUser"]),
}) |
	written_user > 0
	image_user > 0
	count({"fsGroup", "supplementalGroups"} & object.keys(get.map(home, of_pods))) == 0
	not openshift.in_sight
	not context_unknown
]

context_unknown if {
	some path in [of_pods, of_containers]
	some _, value in get.map(home, path)
	placeholder.holds(value)
}

context_unknown if {
	some path in [of_pods, of_containers]
	placeholder.holds(object.get(home, path, null))
}
