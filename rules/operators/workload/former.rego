package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.placeholder

# What an update must not change, since the data there are lie where they lie; see walguard.model.

facts contains {"data_place": object.union_n([
	{"volume": lasting_name, "within": place_within, "path": mounted_path(mount_of(directory).name), "origin": "written"},
	{"major": major | major := server.product.major},
	{"owner": n | n := owner_of_files},
	{"adapts": true | adapts},
	{"configuration": where | where := configuration_beside},
])} if {
	certain
	lasting_name
	not placeholder.unknown(lasting_name)
	not placeholder.unknown(place_within)
	not carried_over
}

# Where they lie is said by what nobody sees.
facts contains {"data_place_hidden": {"variable": found[0].name, "path": found[0].path, "origin": "written"}} if {
	certain
	found := [{"name": name, "path": array.concat(container_path, ["env", i])} |
		some i, variable in get.list(container, "env")
		name := get.string(variable, "name")
		name in data_variables
		name in hidden
	]
	count(found) > 0
}

# The server writes its files as the user that it runs as, and the entrypoint of the official image leaves root for "postgres" of its own.
owner_of_files := user if user > 0

owner_of_files := {true: 70, false: 999}[contains(image.tag(get.string(container, "image")), "alpine")] if {
	user == 0
	by_entrypoint
	server.product.name == "postgres"
	image.tag(get.string(container, "image"))
}

# That entrypoint gives all files to its user while it is root, and an init container may.
adapts if {
	user == 0
	by_entrypoint
	layout == "docker"
}

adapts if {
	some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	regex.match(`\bchown\b`, json.marshal(object.filter(one, ["command", "args"])))
}

# Bitnami's image writes postgresql.conf and pg_hba.conf anew at every start, below /opt/bitnami/postgresql/conf; initdb left them in the data directory otherwise.
configuration_beside := "outside" if layout == "bitnami"

configuration_beside := "inside" if {
	layout == "docker"
	by_entrypoint
	not last_option("config_file")
}

# The template of a StatefulSet by its name, a claim by its own.
lasting_name := sprintf("the claims of the template %s", [mount_of(directory).name]) if templates[mount_of(directory).name]

lasting_name := sprintf("claim %s", [claim_name]) if one_claim

# The place of the data directory in the volume, without a slash before or behind it; "" is its root.
place_within := trim(concat("", [object.get(mounted, "subpath", ""), trim_prefix(directory, mounted.directory)]), "/") if {
	mounted := mount_of(directory)
	mounted.directory != "/"
}

mounted_path(name) := array.concat(container_path, ["volumeMounts", i]) if {
	i := max([k | some k, one in get.list(container, "volumeMounts"); get.string(one, "name") == name; mount.within(directory, mount.clean(get.string(one, "mountPath")))])
}

# An init container that moves or copies files, or does more than its command says here.
carried_over if {
	some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == mount_of(directory).name
	words := concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)])
	not harmless(words)
}

harmless(words) if {
	regex.match(`\b(chown|chmod|mkdir)\b`, words)
	not regex.match(`\b(mv|cp|rsync|tar|ln|pg_upgrade|pg_restore|pg_basebackup|psql)\b`, words)
}

# A claim that is bound to a certain volume, or copied from something, may hold the data already.
facts contains {"data_brought": true} if {
	one_claim
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", claim_name)
	not fresh(claim, ["spec"])
}

# What an image reads on its first start alone, as it stands in the manifest.
facts contains {"first_start": first_start} if count(first_start) > 0

first_start := object.union(variables_at_first, scripts_at_first)

variables_at_first := {name: found |
	by_entrypoint
	layout in {"docker", "bitnami"}
	server.product.published
	lasting_name
	some name, i in get.named(get.list(container, "env"))
	name in {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "POSTGRESQL_USERNAME", "POSTGRESQL_DATABASE", "POSTGRESQL_PASSWORD", "POSTGRES_HOST_AUTH_METHOD", "POSTGRES_INITDB_ARGS"}
	found := at_first(container.env[i], array.concat(container_path, ["env", i]))
	not placeholder.unknown(found.value)
}

# Of the scripts whether there are any: to another one the ConfigMap gives another content under the same mount.
scripts_at_first := {"scripts": object.union(
	{"value": sprintf("%v", [count(mounts_of_scripts) > 0]), "path": script_mounts[0], "message": concat(" ", [
		"The scripts in /docker-entrypoint-initdb.d are new, and the image runs them only when the data directory is empty: on the server that exists they never run.",
		"Run them there by hand (psql -f).",
	])},
	{"absent": true | count(mounts_of_scripts) == 0},
)} if {
	by_entrypoint
	layout in {"docker", "bitnami"}
	server.product.published
	lasting_name
} else := {}

# The container, where there are none.
script_mounts := array.concat(mounts_of_scripts, [container_path])

mounts_of_scripts := [array.concat(container_path, ["volumeMounts", i]) |
	some i, mounted in get.list(container, "volumeMounts")
	regex.match(`^/docker-entrypoint-(pre)?initdb\.d(/|$)`, get.string(mounted, "mountPath"))
]

at_first(variable, place_of) := {"value": value, "path": array.concat(place_of, ["value"])} if value := get.string(variable, "value")

# Another Secret, whose value is in sight.
at_first(variable, place_of) := {"value": value, "path": array.concat(place_of, ["valueFrom", "secretKeyRef"])} if {
	not get.string(variable, "value")
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	value := login.field(inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(reference, "name")), get.string(reference, "key"))
}

facts contains {"held_claims": held_claims} if count(held_claims) > 0

held_claims := [name |
	server
	replicas_or_one != 0
	some volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	name := get.string(volume, ["persistentVolumeClaim", "claimName"])
	some one in all_containers
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == get.string(volume, "name")
]

facts contains {"templated_claims": {data_claim: get.map(k8s.object, templates[mount_of(directory).name])}} if {
	server
	replicas_or_one == 1
	templates[mount_of(directory).name]
}

# The one on which the server keeps its data, by the name of the claim of its only pod.
facts contains {"data_claim": data_claim} if data_claim

# A template goes before a volume of the same name.
data_claim := sprintf("%s-%s-0", [mount_of(directory).name, k8s.name]) if {
	k8s.kind == "StatefulSet"
	templates[mount_of(directory).name]
	replicas_or_one == 1
} else := get.string(volumes[mount_of(directory).name].volume, ["persistentVolumeClaim", "claimName"])
