package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.mount
import data.walguard.lib.openshift
import data.walguard.lib.text

# What keeps the server from its own files; see walguard.model. The official entrypoint starts as root, gives the data directory to postgres and becomes
# postgres; started as another user it does neither (docker-entrypoint.sh, docker_create_db_directories). A new volume belongs to root.

facts contains {"unreachable_files": unreachable} if count(unreachable) > 0

unreachable := array.concat(by_words, named_users)

by_words := array.concat(array.concat(array.concat(array.concat(past_entrypoint, powerless_chown), without_capabilities), refused_root), array.concat(array.concat(array.concat(roots_volume, roots_directory), covered_configuration), array.concat(array.concat(without_scratch, read_only_data), array.concat(misplaced_group, array.concat(strangers_home, array.concat(array.concat(roots_on_host, roots_refused), moved_in_vain))))))

own_context := array.concat(container_path, ["securityContext"])

pod_context := array.concat(pod_path, ["securityContext"])

# A container's own setting goes before its pod's.
context_of(field) := array.concat(own_context, [field]) if get.present(k8s.object, array.concat(own_context, [field]))

context_of(field) := array.concat(pod_context, [field]) if {
	not get.present(k8s.object, array.concat(own_context, [field]))
	get.present(k8s.object, array.concat(pod_context, [field]))
}

written_user := get.number(k8s.object, context_of("runAsUser"))

image_user := 0 if {
	server.product.published
	server.product.name in {"postgres", "postgis", "pgvector"}
}

# Made from the official one, with its entrypoint and no USER in their Dockerfile.
image_user := 0 if image.repository(get.string(container, "image")) in of_the_official_one

of_the_official_one := {
	"docker.io/citusdata/citus",
	"docker.io/paradedb/paradedb",
	"docker.io/pgautoupgrade/pgautoupgrade",
	"docker.io/tensorchord/pgvecto-rs",
	"docker.io/tensorchord/vchord-postgres",
	"docker.io/timescale/timescaledb",
	"ghcr.io/immich-app/postgres",
	"ghcr.io/tensorchord/vchord-postgres",
}

image_user := 1001 if {
	server.product.published
	layout == "bitnami"
}

image_user := 26 if layout == "sclorg"

# "USER postgres" of its Dockerfile.
image_user := 1000 if image.repository(get.string(container, "image")) == "docker.io/timescale/timescaledb-ha"

image_user := server.product.user

user := written_user

user := image_user if not context_of("runAsUser")

refuses_root if get.boolean(k8s.object, context_of("runAsNonRoot"))

# Nothing else than the image's own entrypoint runs in the container.
by_entrypoint if not get.present(container, ["command"])

by_entrypoint if get.list(container, "command")[0] in {"docker-entrypoint.sh", "/usr/local/bin/docker-entrypoint.sh"}

# ------------------------------------------------------------------------------------------------------ entrypoint

# In Kubernetes "command" takes the place of the entrypoint, as in Docker it does not. PostgreSQL refuses root (src/backend/main/main.c, check_root).
past_entrypoint := [{
	"reason": "\"command\" takes the place of the image's entrypoint, so the server starts as root, which PostgreSQL refuses",
	"cure": "Write args instead of command",
	"level": "error",
	"path": array.concat(container_path, ["command"]),
} |
	layout == "docker"
	user == 0
	program := get.list(container, "command")[0]
	is_string(program)
	regex.match(`^(/usr/(local|lib/postgresql/[0-9]+)/bin/)?postgres$`, program)
]

# An init container that gives the volume away must be root, for the volume is root's. Without set -e, or behind "|| true", it goes on.
powerless_chown := [object.union_n([
	{
		"reason": sprintf("Init container %s runs chown %s: \"Operation not permitted\"", [shared.name_or(one, i), hindrance.why]),
		"cure": hindrance.cure,
		"level": "error",
	},
	object.filter(hindrance, ["claim"]),
	{"path": array.concat(pod_path, ["initContainers", i])},
]) |
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	is_object(one)
	hindrance := hindered(one, user_of(one))
	provisioned(mount_of(directory).name)
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == mount_of(directory).name
	text_of := concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)])
	regex.match(`\bchown\b`, text_of)
	not contains(text_of, "||")
	not contains(text_of, "; ")
]

hindered(_, runs_as) := {
	"claim": "0/data",
	"why": sprintf("as user %d, and a new volume belongs to root", [runs_as]),
	"cure": "Set runAsUser: 0 in its securityContext, or remove it and set fsGroup",
} if {
	runs_as > 0
}

# Root by number alone: the kernel asks for the capability, whatever the volume is made by.
hindered(one, 0) := {
	"why": "as root without the capability CHOWN, which it drops",
	"cure": "Add CHOWN, FOWNER and DAC_OVERRIDE to its capabilities, or remove it and set fsGroup",
} if {
	takes_away({get.upper_case(name) | some name in get.list(one, ["securityContext", "capabilities", "drop"]); is_string(name)}, "CHOWN")
	count({"ALL", "CHOWN"} & {trim_prefix(get.upper_case(name), "CAP_") | some name in get.list(one, ["securityContext", "capabilities", "add"]); is_string(name)}) == 0
}

user_of(one) := get.number(one, ["securityContext", "runAsUser"])

user_of(one) := get.number(k8s.object, array.concat(pod_context, ["runAsUser"])) if not get.present(one, ["securityContext", "runAsUser"])

user_of(one) := 0 if {
	image.repository(get.string(one, "image")) in {"docker.io/library/alpine", "docker.io/library/busybox", "docker.io/library/debian", "docker.io/library/postgres", "docker.io/library/ubuntu"}
	not get.present(one, ["securityContext", "runAsUser"])
	not get.present(k8s.object, array.concat(pod_context, ["runAsUser"]))
}

# ---------------------------------------------------------------------------------------------------- capabilities

without_capabilities := [{
	"reason": sprintf("The container starts as root without %s, so the entrypoint cannot %s", [text.list(sort(missing), "and"), undone_without(missing)]),
	"cure": "Add them, or set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount",
	"level": "error",
	"path": array.concat(own_context, ["capabilities"]),
} |
	layout == "docker"
	by_entrypoint
	user == 0
	not refuses_root
	dropped := {get.upper_case(name) | some name in get.list(container, ["securityContext", "capabilities", "drop"]); is_string(name)}
	added := {trim_prefix(get.upper_case(name), "CAP_") | some name in get.list(container, ["securityContext", "capabilities", "add"]); is_string(name)}
	missing := lacking(dropped, added) - read_by_another(lacking(dropped, added), closes(dropped, added))
	count(missing) > 0
]

undone_without({"DAC_READ_SEARCH"}) := `read the data directory at its second start ("Permission denied")`

undone_without(missing) := "become postgres or give it the data directory" if missing != {"DAC_READ_SEARCH"}

lacking(dropped, added) := {name |
	some name in ["CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "SETGID", "SETUID"]
	gone_with(dropped, name)
	not name in added
	not "ALL" in added
}

gone_with(dropped, name) if takes_away(dropped, name)

# Container runtimes give it to nobody who does not ask for it (containerd, oci/spec_opts; CRI-O, default_capabilities).
gone_with(_, "DAC_READ_SEARCH")

# From the second start on the directory is postgres's alone, and root reads it by one of two capabilities, or as one of its group where the mode allows it.
read_by_another(lost, closed) := {"DAC_OVERRIDE"} if {
	"DAC_OVERRIDE" in lost
	"DAC_READ_SEARCH" in lost
	closed
} else := {"DAC_OVERRIDE", "DAC_READ_SEARCH"}

# The entrypoint takes the mode from the group before it looks into the directory ("chmod 00700 … || :"), which root can do to what is another's by FOWNER.
closes(dropped, added) := false if {
	grouped
	takes_away(dropped, "FOWNER")
	not "FOWNER" in added
} else := true

takes_away(dropped, name) if {
	some one in ["ALL", name, sprintf("CAP_%s", [name])]
	one in dropped
}

refused_root := [{
	"reason": sprintf("runAsNonRoot without runAsUser, while %s: the kubelet refuses the container%s", [start, unless_assigned[sure]]),
	"cure": sprintf("Set runAsUser and fsGroup to %s with PGDATA below the mount", [number]),
	"level": {true: "error", false: "warning"}[sure],
	"path": context_of("runAsNonRoot"),
} |
	refuses_root
	not context_of("runAsUser")
	[start, number] := start_of_image
	not openshift.in_sight
	sure := count([1 | another_kubernetes]) > 0
]

unless_assigned := {true: "", false: ", except on OpenShift, which assigns a user"}

another_kubernetes if openshift.strange_group(get.map(k8s.object, pod_context))

another_kubernetes if elsewhere_than_openshift

another_kubernetes if of_small_clusters

another_kubernetes if openshift.elsewhere

# Classes that come with distributions other than OpenShift.
of_small_clusters if {
	some volume in array.concat([path | path := templates[mount_of(directory).name]], ["claim"])
	class_of(volume) in {"hostpath", "local-path", "microk8s-hostpath"}
}

start_of_image := ["the image starts as root", "999 (70 in Alpine images)"] if user == 0

# The kubelet asks for a number (pkg/kubelet/kuberuntime/security_context.go, verifyRunAsNonRoot).
start_of_image := ["the image has a name for its user (postgres) and no number", "1000"] if {
	image.repository(get.string(container, "image")) == "docker.io/timescale/timescaledb-ha"
}

# ---------------------------------------------------------------------------------------------------------- volume

# Whatever prepares the volume does it in an init container.
as_it_comes if {
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	provisioned(mount_of(directory).name)
}

grouped if {
	some field in ["fsGroup", "supplementalGroups"]
	get.present(k8s.object, array.concat(pod_context, [field]))
}

roots_volume := [object.union(
	{
		"reason": sprintf("A new volume belongs to root, and the server runs as user %d without fsGroup: it cannot create its data directory%s", [user, unless_assigned[said_where.level != "warning"]]),
		"cure": sprintf("Set fsGroup: %d in the securityContext of the pod", [user]),
		"claim": "0/data",
	},
	said_where,
) |
	prepared_by_image
	user > 0
	as_it_comes
	not grouped
	count(misplaced_group) == 0
	not assigned
]

# OpenShift gives a pod without a user one of its own, and its group.
assigned if {
	not written_user
	get.present(inventory.own_namespace, ["metadata", "annotations", "openshift.io/sa.scc.uid-range"])
}

# In the container's security context there is no such field: a strict API server refuses it, and another one drops it, so that the volume stays root's.
misplaced_group := [{
	"reason": sprintf("%s stands in the securityContext of the container, which has no such field: kubectl refuses it, and Helm lets it be dropped", [field]),
	"cure": "Write it in the securityContext of the pod",
	"level": "error",
	"path": array.concat(own_context, [field]),
} |
	server
	some field in ["fsGroup", "fsGroupChangePolicy", "supplementalGroups", "sysctls"]
	get.present(container, ["securityContext", field])
	not get.present(k8s.object, array.concat(pod_context, [field]))
]

prepared_by_image if layout in {"docker", "bitnami", "sclorg"}

prepared_by_image if server.product.user

said_where := {"path": context_of("runAsUser"), "level": "error"} if written_user

# OpenShift assigns a user and a group to a pod that names none, which charts of Bitnami's image and Red Hat's rely on.
said_where := {"path": pod_path, "level": unsaid} if not written_user

unsaid := "error" if {
	elsewhere_than_openshift
} else := "warning" if {
	layout == "docker"
	not openshift.in_sight
} else := "info"

# initdb changes the mode of its directory, which only the owner may; fsGroup changes the group of the mount alone. The directory of a subPath is made by the
# kubelet, as root with the mode of the volume (pkg/kubelet/kubelet_pods.go, makeMounts).
roots_directory := [{
	"reason": sprintf("The data directory %s is %s: initdb cannot change its mode as user %d (\"could not change permissions\"), even with fsGroup", [directory, roots_by[object.get(mounted, "subpath", "") != ""], user]),
	"cure": sprintf("Set PGDATA to %s/pgdata", [directory]),
	"path": array.concat(container_path, ["volumeMounts"]),
	"claim": "0/data",
	"anywhere": true,
	"level": "error",
} |
	layout == "docker"
	written_user > 0
	roots_place
	mounted := mount_of(directory)
	mounted.directory == directory
]

roots_place if {
	as_it_comes
	grouped
}

# Everybody may write there, and only root may change its mode.
roots_place if {
	empty_at_first
	get.present(volumes[mount_of(directory).name].volume, "emptyDir")
}

roots_by := {true: "a subPath, which the kubelet makes as root", false: "the mount itself, which belongs to root"}

# --------------------------------------------------------------------------------------------- read-only root filesystem

without_scratch := [{
	"reason": sprintf("The root filesystem is read-only and nothing is mounted at %s, where %s", [needed.directories[0], needed.purpose]),
	"cure": needed.cure,
	"level": "error",
	"path": context_of("readOnlyRootFilesystem"),
} |
	needed := written_to[layout]
	get.boolean(k8s.object, context_of("readOnlyRootFilesystem"))
	not elsewhere
	not somewhere
	count([1 |
		some mounted in mounts
		some place_of in needed.directories
		mount.within(place_of, mounted.directory)
	]) == 0
]

# Without which the image does not start; scripts of the image write the others.
written_to := {
	"docker": {"directories": ["/var/run/postgresql", "/run/postgresql"], "purpose": "the server puts its socket and lock file", "cure": "Mount an emptyDir there"},
	"bitnami": {"directories": ["/opt/bitnami/postgresql/conf"], "purpose": "the image writes postgresql.conf", "cure": "Mount an emptyDir there, at /opt/bitnami/postgresql/tmp and at /tmp"},
	"sclorg": {"directories": ["/var/lib/pgsql"], "purpose": "the image writes its passwd file and configuration", "cure": "Mount the volume there instead of below it, or let the root filesystem be written to"},
}

# The socket may be elsewhere, and another command than the image's writes what it likes.
elsewhere if server.opaque

elsewhere if {
	layout == "docker"
	unread
}

elsewhere if {
	layout == "docker"
	some setting in parameters
	get.lower_case(setting.name) == "unix_socket_directories"
}

# librepmgr.sh writes postgresql.conf and pg_hba.conf to where a plain image reads what somebody mounts. A ConfigMap in that place cannot be written to, and of a mount below it
# the runtime makes the directory above as root, when fsGroup has been set already.
covered_configuration := [object.union(fault, {"level": "error", "path": array.concat(container_path, ["volumeMounts"])}) |
	server.product.name == "postgresql-repmgr"
	by_entrypoint
	not somewhere
	some mounted in mounts
	fault := covers_configuration(mounted)
]

covers_configuration(mounted) := {
	"reason": sprintf("The image writes postgresql.conf and pg_hba.conf into %s, which a %s takes the place of: \"Read-only file system\"", [mounted_configuration, kind_mounted(mounted)]),
	"cure": "Mount a postgresql.conf at /bitnami/repmgr/conf, and fragments at /opt/bitnami/postgresql/conf/conf.d",
} if {
	mounted.directory == mounted_configuration
}

covers_configuration(mounted) := {
	"reason": sprintf("For what is mounted at %s the runtime makes %s on a new volume as root, and the image writes postgresql.conf there as user %d: \"Permission denied\"", [mounted.directory, mounted_configuration, user]),
	"cure": "Mount it at /opt/bitnami/postgresql/conf/conf.d, or let an init container (volumePermissions) make the directory",
	"claim": "0/data",
	"anywhere": true,
} if {
	startswith(mounted.directory, concat("", [mounted_configuration, "/"]))
	kind_mounted(mounted)
	mount_of(mounted_configuration).name == mount_of(directory).name
	as_it_comes
	user > 0
}

kind_mounted(mounted) := {"configMap": "ConfigMap", "secret": "Secret"}[[field | some field in ["configMap", "secret"]; get.present(volumes[mounted.name].volume, [field])][0]]

# Bitnami's image lets root's group write there, of which its own user 1001 and users without a group of their own are members.
strangers_home := [{
	"reason": sprintf("User %d with group %d may not write to /opt/bitnami/postgresql/conf, which the image leaves to root's group: \"Permission denied\" before the server starts", [written_user, group]),
	"cure": "Set runAsUser: 1001 and runAsGroup: 0, or mount emptyDirs there and at /opt/bitnami/postgresql/tmp",
	"level": "error",
	"path": context_of("runAsGroup"),
} |
	layout == "bitnami"
	by_entrypoint
	written_user > 0
	written_user != 1001
	group := get.number(k8s.object, context_of("runAsGroup"))
	group > 0
	object.get(k8s.object, array.concat(pod_context, ["fsGroup"]), 1) != 0
	not 0 in get.list(k8s.object, array.concat(pod_context, ["supplementalGroups"]))
	not somewhere
	count([1 | some mounted in mounts; mount.within("/opt/bitnami/postgresql/conf", mounted.directory)]) == 0
]

# -------------------------------------------------------------------------------------------------------- password

facts contains {"password_missing": object.union(fact.written(wanted.variable, array.concat(container_path, ["env"])), {"refuses": wanted.refuses, "level": level_of_omission})} if {
	server.product.published
	by_entrypoint
	empty_at_first
	wanted := password_wanted[layout]
	not first_of(wanted.names)
	not unknown(wanted.names)
	not from_secret
	not standby
	not let_in
	not before_passwords
}

# Images of before February 2020 let everybody in instead (docker-library/postgres, issue 681); of the minor releases of that month there are both.
before_passwords if {
	layout == "docker"
	regex.match(`^(9\.[0-4](\.|$)|9\.5\.1?[0-9]\b|9\.6\.([0-9]|1[0-5])\b|10\.([0-9]|10)\b|11\.[0-5]\b|12\.0\b|(0|1\.[0-5])\.[0-9]+-pg)`, image.tag(get.string(container, "image")))
}

empty_at_first if as_it_comes

empty_at_first if {
	of_the_pod(mount_of(directory).name)
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
}

empty_at_first if {
	certain
	not somewhere
	not mount_of(directory)
}

# Whoever says other things to the entrypoint left the password out; a container without any may be a sketch, but hardly one that a Service leads to; beside Patroni's variables it is its command that was left out.
level_of_omission := "error" if {
	said_otherwise
} else := "error" if {
	count(services) > 0
	count([1 | some variable in get.list(container, "env"); startswith(get.string(variable, "name"), "PATRONI_")]) == 0
} else := "info"

said_otherwise if {
	some variable in get.list(container, "env")
	regex.match(`^(POSTGRES|PG(DATABASE|PASSWORD|USER)$)`, get.string(variable, "name"))
}

said_otherwise if {
	some source in get.list(container, "envFrom")
	some key in other_keys(source)
	regex.match(`(?i)passw`, key)
}

password_wanted := {
	"docker": {"variable": "POSTGRES_PASSWORD", "names": ["POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE"], "refuses": "create a database"},
	"bitnami": {"variable": "POSTGRESQL_PASSWORD", "names": bitnami_passwords, "refuses": "start"},
}

from_secret if {
	some source in get.list(container, "envFrom")
	get.present(source, ["secretRef"])
	not other_keys(source)
}

# The Secret is there, and its keys have other names (postgres-password), which the image does not read.
other_keys(source) := lacking[0].keys if {
	object.get(source, "prefix", "") == ""
	names := password_wanted[layout].names
	lacking := [found |
		some name in names
		found := keys.lacking("Secret", get.string(source, ["secretRef", "name"]), name)
	]
	count(lacking) == count(names)
}

let_in if variables[["POSTGRES_HOST_AUTH_METHOD", "ALLOW_EMPTY_PASSWORD"][_]]

let_in if unknown(["POSTGRES_HOST_AUTH_METHOD", "ALLOW_EMPTY_PASSWORD"])
