package walguard.operators.workload

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.overlay
import data.walguard.lib.script

# What single images run or read besides what all of them do.

repository_of_image := image.repository(get.string(container, "image"))

# Chainguard's entrypoint runs scripts of the first start here too, and Crunchy's start.sh those beside the configuration at every start.
scripts_of_image := array.concat(
	["/var/lib/postgres/initdb" | regex.match(`(^|/)(cgr\.dev|chainguard)/`, repository_of_image)],
	["/pgconf" | server.product.home == "/pgdata"],
)

# Directories of the scripts that start the server, or make its configuration.
homes_of_image := object.get(
	{
		"sclorg": ["/usr/share/container-scripts/postgresql"],
		"spilo": ["/scripts", "/launch.sh", "/etc/runit", "/etc/service", "/run/service", "/home/postgres/postgres.yml"],
	},
	layout,
	[],
)

unread_homes := array.concat(
	overlay.unread(
		[{"directory": mounted.directory, "volume": volumes[mounted.name].volume, "path": volumes[mounted.name].path} |
			some mounted in mounts
			not regex.match(overlay.replaced, mounted.directory)
		],
		homes_of_image,
	),
	[object.union({"source": sprintf("what is mounted at %s", [f.file]), "severity": severity_of_script(f.text)}, object.filter(f, ["path", "resource"])) |
		server.product.name == "postgresql-repmgr"
		some f in files
		regex.match(`/repmgr/(conf/repmgr\.conf|events/.+)$`, f.file)
		script.alters(f.text)
	],
)

# The image of Supabase starts with -D /etc/postgresql, and its postgresql.conf includes files of another directory (supabase/postgres, postgresql.conf.j2).
of_supabase if repository_of_image in {"docker.io/supabase/postgres", "public.ecr.aws/supabase/postgres"}

configuration_home := "/etc/postgresql" if {
	of_supabase
	by_entrypoint
	count(get.list(container, "args")) == 0
} else := directory

included_by_supabase := `^/etc/postgresql-custom/((supautils|wal-g|read-replica)\.conf|conf\.d/[^/]+\.conf)$`

# What a container runs, with its variables put in.
filled_words(one) := script.filled(concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)]), environment.values(one))

of_first_start(file) if {
	some place_of in script_places
	startswith(file, concat("", [place_of, "/"]))
	regex.match(`\.(sh|sql)$`, file)
}

# SQL of the installation, which initdb runs.
of_first_start(file) if regex.match(`^/usr/(local/)?share/postgresql/([^/]+/)*[^/]+\.sql$`, file)

read_already(mounted) if {
	regex.match(`\.(sample|sql)$|/extension$`, mounted.directory)
	in_sight(mounted)
}
