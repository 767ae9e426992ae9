package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What the entrypoint of the image cannot start. It takes a first word with a dash for an option of the server, and any other one for the name of a program (docker-entrypoint.sh, exec "$@").
no_program := [{
	"by": "The image's entrypoint",
	"path": array.concat(container_path, ["args", 0]),
	"reason": sprintf("it starts the program %q, which does not exist", [first]),
	"cure": cure,
} |
	layout == "docker"
	server.product.published
	by_entrypoint
	first := get.list(container, "args")[0]
	is_string(first)
	not placeholder.holds(first)
	not contains(first, "$(")
	cure := cure_of_word(first)
]

# What stands beside the sign is part of the name (ParseLongOption of guc.c).
blank_names := [{
	"by": "PostgreSQL",
	"path": array.concat(container_path, option.path),
	"reason": sprintf("a blank is part of the name of the parameter in %q, and the server does not start (\"unrecognized configuration parameter\")", [option.blank]),
	"cure": sprintf("Write -c and %s=%s as two items", [option.name, trim_space(option.value)]),
} |
	server
	some option in options
	option.blank
	not placeholder.holds(option.blank)
]

# What a file has around a value stands within it where no shell takes it off: a host, a library or a directory of that name is not there.
quoted_values := [{
	"by": "PostgreSQL",
	"path": array.concat(container_path, option.path),
	"reason": sprintf("the quotes of %s=%s belong to the value, as no shell takes them off, and the server does not start", [option.name, option.value]),
	"cure": sprintf("Write %s=%s", [option.name, trim(option.value, "'")]),
} |
	server
	some option in options
	get.lower_case(option.name) in {"config_file", "data_directory", "hba_file", "listen_addresses", "log_timezone", "shared_preload_libraries", "timezone", "unix_socket_directories"}
	regex.match(`^'[^']+'$`, option.value)
	readable(option.value)
]

# The server alone does not make its data directory.
not_made := [{
	"by": "PostgreSQL",
	"path": array.concat(container_path, ["command"]),
	"reason": "command takes the place of the image's entrypoint, which runs initdb, and a new volume has no data directory: the server does not start",
	"cure": "Move the words behind postgres to args, and leave command out",
} |
	layout == "docker"
	server.product.published
	user > 0
	not running_already
	regex.match(`^(\S*/)?postgres$`, get.list(container, "command")[0])
	certain
	fresh(k8s.object, templates[mount_of(directory).name])
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
]

cure_of_word(first) := "Write every word as an item of its own" if regex.match(`^(/\S*/)?postgres\s+-`, first)

cure_of_word(first) := sprintf("Write -c before it: args: [-c, %s]", [first]) if regex.match(`^[a-z_]+\s*=\s*\S+$`, first)

# The image of Supabase starts with -D /etc/postgresql, whose postgresql.conf names the data directory: PGDATA moves what initdb makes, and not where the server looks.
moved_in_vain := [{
	"reason": sprintf("PGDATA is %s, where the image makes the database, and its postgresql.conf looks in /var/lib/postgresql/data: \"is not a valid data directory\"", [moved_to.value]),
	"cure": "Leave PGDATA out, and mount the volume with subPath",
	"level": "error",
	"path": value_path(moved_to),
} |
	image.repository(get.string(container, "image")) == "docker.io/supabase/postgres"
	by_entrypoint
	count(get.list(container, "args")) == 0
	moved_to := variables.PGDATA
	not moved_to.resource
	trim_right(moved_to.value, "/") != "/var/lib/postgresql/data"
	not configured_elsewhere
]

configured_elsewhere if {
	some mounted in mounts
	startswith(mounted.directory, "/etc/postgresql")
	not startswith(mounted.directory, "/etc/postgresql-custom")
}
