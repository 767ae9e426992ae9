package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# launch.sh makes directories below /run and writes /etc/passwd, which belong to postgres (101) and, for users of OpenShift's kind, to root's group (build_scripts/post_build.sh).
facts contains {"unreachable_files": unreachable_files} if count(unreachable_files) > 0

unreachable_files := [{
	"reason": sprintf("Spilo runs as user %d with group %d, which may not write to /run and /etc/passwd of its image: the pods do not start", [user.value, group.value]),
	"cure": "Set the user to 101 and the groups to 103 (spilo_runasuser, spilo_runasgroup, spilo_fsgroup)",
	"level": "error",
	"path": user.path,
	"resource": user.resource,
} |
	recognised
	of_spilo
	user := identity("spiloRunAsUser")
	group := identity("spiloRunAsGroup")
	not user.value in {0, 101}
	group.value != 0
	not of_roots_group
]

of_roots_group if identity("spiloFSGroup").value == 0

of_spilo if not spilo_image

of_spilo if regex.match(`^spilo(-[0-9]+)?$`, image.name(spilo_image))

spilo_image := reference if reference := get.string(spec, "dockerImage")

spilo_image := reference if {
	not get.present(spec, "dockerImage")
	reference := get.string(configuration, "docker_image")
}

spilo_image := reference if {
	not get.present(spec, "dockerImage")
	count(configurations) == 0
	reference := get.string(operator_maps[0], ["data", "docker_image"])
}

# What the cluster says goes before what the operator's configuration says (pkg/cluster/k8sres.go, generateStatefulSet).
identity(field) := {"value": value, "path": ["spec", field], "resource": k8s.reference(k8s.object)} if value := get.number(spec, field)

identity(field) := {"value": value, "path": ["configuration", "kubernetes", get.lower_case(replace(field, "spilo", "spilo_"))], "resource": k8s.reference(configurations[0])} if {
	not get.present(spec, field)
	value := get.number(configuration, ["kubernetes", get.lower_case(replace(field, "spilo", "spilo_"))])
}

identity(field) := {"value": value, "path": ["data", name], "resource": k8s.reference(operator_maps[0])} if {
	not get.present(spec, field)
	count(configurations) == 0
	count(operator_maps) == 1
	name := get.lower_case(replace(field, "spilo", "spilo_"))
	text := get.text_at(operator_maps[0], ["data", name])
	not placeholder.unknown(text)
	regex.match(`^[0-9]+$`, text)
	value := to_number(text)
}
