package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.keys
import data.walguard.lib.mount
import data.walguard.lib.placeholder

# The files that the server is told to read and does not start without, where they lie on a ConfigMap or a Secret that has no such key: nobody else can write there.
keys_of_files := [object.union(lacked, {
	"consequence": sprintf("%s names %s, and the server does not start without it", [option, file]),
	"cure": sprintf("Give the key the name of the file, or name another file in %s", [option]),
	"path": array.concat(volumes[mounted.name].path, [field, name_field]),
}) |
	server
	some option in ["config_file", "hba_file"]
	file := mount.clean(told_to_read(option))
	mounted := mount_of(file)
	some [field, kind, name_field] in [["configMap", "ConfigMap", "name"], ["secret", "Secret", "secretName"]]
	source := get.map(volumes[mounted.name].volume, field)
	count(get.list(source, "items")) == 0
	object.get(source, "optional", false) != true
	lacked := keys.lacking(kind, get.string(source, name_field), key_of_file(mounted, file))
]

told_to_read(option) := last_option(option)

told_to_read("hba_file") := get.text(shared.last_of(parameters, "hba_file").value) if not last_option("hba_file")

key_of_file(mounted, file) := mounted.subpath if file == mounted.directory

key_of_file(mounted, file) := trim_prefix(file, concat("", [mounted.directory, "/"])) if {
	not mounted.subpath
	file != mounted.directory
}

# docker-entrypoint.sh stops where it cannot read the file; Bitnami's script skips it, and stops without the password (libpostgresql.sh, postgresql_validate).
keys_of_passwords := [object.union_n([lacked, without_password(name), {"path": array.concat(container_path, ["env", i])}]) |
	server
	layout in {"bitnami", "docker"}
	some i, variable in get.list(container, "env")
	name := get.string(variable, "name")
	regex.match(`^POSTGRES(QL)?_((POSTGRES|REPLICATION)_)?PASSWORD_FILE$`, name)
	file := mount.clean(get.string(variable, "value"))
	mounted := mount_of(file)
	source := get.map(volumes[mounted.name].volume, "secret")
	count(get.list(source, "items")) == 0
	count([1 | some other in get.list(container, "env"); get.string(other, "name") == "ALLOW_EMPTY_PASSWORD"]) == 0
	lacked := keys.lacking("Secret", get.string(source, "secretName"), key_of_file(mounted, file))
]

without_password(name) := {"consequence": "postgres gets no password, and cannot log in", "level": "warning"} if {
	regex.match(`^POSTGRES(QL)?_POSTGRES_`, name)
} else := {"consequence": "the server does not start without this file"}

# Of a subPath that no key has the kubelet makes a directory in the volume, and mounts that.
empty_directories := [object.union(lacked, {
	"consequence": sprintf("an empty directory is mounted at %s instead of the file", [place]),
	"cure": "Name a key of it in subPath",
	"level": weight_of_mount(place),
	"path": array.concat(one.at, ["volumeMounts", i, "subPath"]),
}) |
	some one in all_containers
	some i, mounted in get.list(one, "volumeMounts")
	place := mount.clean(get.string(mounted, "mountPath"))
	not place in {mount.clean(told_to_read(option)) | some option in ["config_file", "hba_file"]}
	some [field, kind, name_field] in [["configMap", "ConfigMap", "name"], ["secret", "Secret", "secretName"]]
	source := get.map(volumes[mounted.name].volume, field)
	count(get.list(source, "items")) == 0
	lacked := keys.lacking(kind, get.string(source, name_field), mount.clean(get.string(mounted, "subPath")))
]

weight_of_mount(place) := "error" if {
	mount_of(configuration_file).directory == place
} else := "warning"

# Where no volume is, the official image has no such file either: what it has lies below /usr and /var.
nowhere := [{
	"by": "PostgreSQL",
	"path": container_path,
	"reason": sprintf("%s names %s, which the image does not have and no volume brings, so that the server does not start", [option, file]),
	"cure": "Mount it there, or name the place where it is mounted",
} |
	image.repository(get.string(container, "image")) in {"docker.io/library/postgres", "docker.io/postgis/postgis"}
	by_entrypoint
	not somewhere
	not injected
	some option in ["config_file", "hba_file"]
	file := mount.clean(told_to_read(option))
	regex.match(`^/(etc|conf|config|postgres)/[^$]*$`, file)
	not placeholder.unknown(file)
	not mount_of(file)
]
