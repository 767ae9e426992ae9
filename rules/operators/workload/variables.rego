package walguard.operators.workload

import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.mount
import data.walguard.lib.placeholder

# Images that write the server's configuration from variables of their own.

of_postdock if regex.match(`(^|/)postdock/postgres(:|@|$)`, get.string(container, "image"))

# Its file includes these two (postgres/postgresql.ssd.conf of immich-app/base-images), and one that is mounted in its place stays (immich-docker-entrypoint.sh, "cp -n").
image_of_immich if {
	regex.match(`(^|/)immich-app/postgres(:|@|$)`, get.string(container, "image"))
	not get.present(container, "command")
	not get.present(container, "args")
}

image_of_immich if {
	regex.match(`(^|/)immich-app/postgres(:|@|$)`, get.string(container, "image"))
	last_option("config_file") == "/etc/postgresql/postgresql.conf"
}

settings_of_image := array.concat(
	array.concat(
		[setting |
			of_postdock
			some setting in conf.settings(concat("\n", postdock_lines), at_variable(variables.CONFIGS))
		],
		[setting |
			of_kartoza
			not mounted_extra
			some setting in conf.settings(echoed(variables.EXTRA_CONF.value), at_variable(variables.EXTRA_CONF))
		],
	),
	[setting |
		some f in files
		f.file in files_of_image
		some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
	],
)

at_variable(found) := object.union({"path": value_path(found)}, object.filter(found, ["resource"]))

# src/pgsql/bin/functions/postgres_configure.
postdock_lines := [sprintf("%s = %s", [parts[0], parts[1]]) |
	some pair in split(variables.CONFIGS.value, separator("CONFIGS_DELIMITER_SYMBOL", ","))
	parts := split(pair, separator("CONFIGS_ASSIGNMENT_SYMBOL", ":"))
	count(parts) > 1
]

separator(name, _) := variables[name].value

separator(name, usual) := usual if not variables[name]

# scripts/lib/setup-conf.sh writes it by "echo -e"; a file that is mounted goes before it.
echoed(text) := strings.replace_n({`\n`: "\n", `\t`: "\t"}, text)

extra_of_kartoza := concat("/", [mount.clean(separator("EXTRA_CONF_DIR", "/settings")), "extra.conf"])

mounted_extra if {
	some f in files
	f.file == extra_of_kartoza
}

files_of_image := {extra_of_kartoza} if of_kartoza

files_of_image := {"/var/cluster_configs/postgresql.conf"} if of_postdock

files_of_image := {"/etc/postgresql/postgresql.override.conf", concat("/", [directory, "postgresql.override.conf"])} | {"/etc/postgresql/postgresql.conf" | not own_configuration} if image_of_immich

# What such a variable holds is not in sight, or says more than is read here; and what an image of somebody's own may make of one.
unread_of_variables := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(container_path, ["env"]), "severity": "warning", "reason": "the image writes it into postgresql.conf"} |
		some name in variables_of_image
		not_in_sight(name)
	],
	[object.union({"source": sprintf("the variable %s", [name]), "path": value_path(variable), "severity": "warning", "reason": "it sets what loses data, should the image write it into the configuration"}, object.filter(variable, ["resource"])) |
		server
		not layout in {"patroni", "spilo"}
		not server.product.published
		some name, variable in variables
		not name in read_by_us
		is_string(variable.value)
		sets_what_loses_data(name, variable.value)
	],
)

variables_of_image := ["EXTRA_CONF"] if of_kartoza

variables_of_image := ["CONFIGS"] if of_postdock

not_in_sight(name) if name in hidden

not_in_sight("EXTRA_CONF") if regex.match(`\\(x[0-9a-fA-F]|0[0-7]|u[0-9a-fA-F]|U[0-9a-fA-F])`, variables.EXTRA_CONF.value)

read_by_us := {"CONFIGS", "EXTRA_CONF"} | ({name | some name in array.concat(initdb_variables, flag_variables)} | ({name | some names in object.get(parameter_variables, layout, {}); some name in names} | {"SPILO_CONFIGURATION", "PATRONI_CONFIGURATION"}))

sets_what_loses_data(name, value) if {
	not placeholder.unknown(value)
	regex.match(`(^|[^a-z])(fsync|full_page_writes)["'\s]*[=: ]["'\s]*(off|false|no|0)\b`, get.lower_case(concat("=", [name, value])))
}

sets_what_loses_data(name, value) if {
	not placeholder.unknown(value)
	regex.match(`(^|[^a-z])(zero_damaged_pages|ignore_checksum_failure)["'\s]*[=: ]["'\s]*(on|true|yes|1)\b`, get.lower_case(concat("=", [name, value])))
}

# scripts/lib/setup-database.sh of kartoza/postgis: initdb in a directory that it empties, at every start.
emptied_by_image := [{"what": "The data directory", "on": "a volume on which the image begins anew at every start (RECREATE_DATADIR)", "path": at_variable(variables.RECREATE_DATADIR).path} |
	of_kartoza
	regex.match(`(?i)^\s*(true|yes)\s*$`, variables.RECREATE_DATADIR.value)
]
