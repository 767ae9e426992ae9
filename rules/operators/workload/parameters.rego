package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.dcs
import data.walguard.lib.fact
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.patroni
import data.walguard.lib.quantity
import data.walguard.lib.sql
import data.walguard.operators.workload.command
import data.walguard.postgres

# ----------------------------------------------------------------------------------------------------- parameters

parameters := array.concat(array.concat(array.concat(initial, configured), array.concat(altered, from_variables)), command_line) if layout != "sclorg"

# The file made from the environment includes the others.
parameters := array.concat(array.concat(from_environment, configured), array.concat(altered, command_line)) if layout == "sclorg"

# What initdb writes into the file of the data directory, where that is the one that is read.
initial := array.concat(
	[setting |
		not own_configuration
		some f in files
		endswith(f.file, "/postgresql.conf.sample")
		some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
	],
	[object.union(setting, initdb_place) |
		layout in {"docker", "bitnami", "other"}
		not last_option("config_file")
		not own_configuration
		some setting in initdb.settings(initdb_options, [])
	],
)

# postgresql.auto.conf comes after postgresql.conf.
altered := array.concat(
	array.concat([setting | layout != "patroni"; some setting in kept_by_patroni], [setting |
		some f in files
		f.file == concat("/", [directory, "postgresql.auto.conf"])
		some setting in conf.settings(f.text, object.filter(f, ["path", "resource"]))
	]),
	[setting |
		some f in scripts_and_named
		some setting in sql.settings(f.text, object.filter(f, ["path", "resource"]))
	],
)

options := command.options(array.concat(words, flags))

# Kubernetes puts the container's own variables in.
words := [object.union(word, {"text": expanded(word.text)}) | some word in server.words]

expanded(text_) := text_ if readable(text_)

expanded(text_) := strings.replace_n({sprintf("$(%s)", [name]): variable.value | some name, variable in variables}, text_) if not readable(text_)

# run.sh of Bitnami's image gives them to the server, word by word.
flags := [{"text": word, "path": value_below(found)} |
	layout == "bitnami"
	found := first_of(flag_variables)
	not found.resource
	some word in split(found.value, " ")
	word != ""
]

flag_variables := ["POSTGRESQL_EXTRA_FLAGS", "POSTGRES_EXTRA_FLAGS"] if started_by_run_sh

flag_variables := [] if not started_by_run_sh

# Below the container, as the words are.
value_below(found) := array.concat(array.slice(found.path, count(container_path), count(found.path)), ["value"])

command_line := [{"name": option.name, "value": option.value, "path": array.concat(container_path, option.path), "argument": true} |
	some option in options
	readable(option.value)
]

# Written, but with a variable in it: nobody's default.
computed := {get.lower_case(option.name): "" |
	some option in options
	not readable(option.value)
}

# Likewise of a variable whose value is not in sight.
veiled_parameters := {name: "" |
	not own_configuration
	some name, names in parameter_variables[layout]
	not first_of(names)
	unknown(names)
}

from_environment := array.concat(
	array.concat(tuned_parameters, [object.union({"name": name, "value": found.value, "path": value_path(found)}, object.filter(found, ["resource"])) |
		not own_configuration
		some name, names in parameter_variables[layout]
		found := first_of(names)
		applies(name)
	]),
	[setting |
		contains(get.string(container, "image"), "kartoza/")
		some [form, found] in array.concat(
			[[form, first_of([name])] | some name, form in kartoza_lines; not name in of_replication],
			[[form, first_of([name])] | some name, form in kartoza_lines; name in of_replication; get.lower_case(first_of(["REPLICATION"]).value) == "true"],
		)
		some setting in conf.settings(sprintf(form, [found.value]), object.union({"path": value_path(found)}, object.filter(found, ["resource"])))
	],
)

from_variables := array.concat(from_environment, settings_of_image)

# setup-conf.sh of kartoza/postgis, which writes the values as they are.
kartoza_lines := {
	"ARCHIVE_COMMAND": "archive_command = '%s'",
	"ARCHIVE_MODE": "archive_mode = %s",
	"MAINTAINANCE_WORK_MEM": "maintenance_work_mem = %s",
	"MAINTENANCE_WORK_MEM": "maintenance_work_mem = %s",
	"MIN_WAL_SIZE": "min_wal_size = %s",
	"PASSWORD_AUTHENTICATION": "password_encryption= '%s'",
	"SHARED_BUFFERS": "shared_buffers = %s",
	"SHARED_PRELOAD_LIBRARIES": "shared_preload_libraries = '%s'",
	"TIMEZONE": "timezone='%s'",
	"WAL_BUFFERS": "wal_buffers = %s",
	"WAL_LEVEL": "wal_level = %s",
	"WAL_SIZE": "max_wal_size = %s",
	"WORK_MEM": "work_mem = %s",
}

of_replication := {"ARCHIVE_COMMAND", "ARCHIVE_MODE", "MIN_WAL_SIZE", "WAL_LEVEL", "WAL_SIZE"}

applies(name) if name != "synchronous_commit"

# Written together with the names of synchronous standbys only.
applies("synchronous_commit") if shared.whole(first_of(["POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS", "POSTGRES_NUM_SYNCHRONOUS_REPLICAS"]).value) > 0

value_path(found) := found.path if found.resource

value_path(found) := array.concat(found.path, ["value"]) if not found.resource

# libpostgresql.sh of Bitnami, common.sh of sclorg.
parameter_variables := {
	"bitnami": {
		"client_min_messages": ["POSTGRESQL_CLIENT_MIN_MESSAGES", "POSTGRES_CLIENT_MIN_MESSAGES"],
		"default_toast_compression": ["POSTGRESQL_DEFAULT_TOAST_COMPRESSION"],
		"fsync": ["POSTGRESQL_FSYNC", "POSTGRES_FSYNC"],
		"log_connections": ["POSTGRESQL_LOG_CONNECTIONS", "POSTGRES_LOG_CONNECTIONS"],
		"log_disconnections": ["POSTGRESQL_LOG_DISCONNECTIONS", "POSTGRES_LOG_DISCONNECTIONS"],
		"log_hostname": ["POSTGRESQL_LOG_HOSTNAME", "POSTGRES_LOG_HOSTNAME"],
		"log_line_prefix": ["POSTGRESQL_LOG_LINE_PREFIX", "POSTGRES_LOG_LINE_PREFIX"],
		"log_timezone": ["POSTGRESQL_LOG_TIMEZONE", "POSTGRES_LOG_TIMEZONE"],
		"max_connections": ["POSTGRESQL_MAX_CONNECTIONS", "POSTGRES_MAX_CONNECTIONS"],
		"password_encryption": ["POSTGRESQL_PASSWORD_ENCRYPTION"],
		"pgaudit.log": ["POSTGRESQL_PGAUDIT_LOG", "POSTGRES_PGAUDIT_LOG"],
		"pgaudit.log_catalog": ["POSTGRESQL_PGAUDIT_LOG_CATALOG", "POSTGRES_PGAUDIT_LOG_CATALOG"],
		"pgaudit.log_parameter": ["POSTGRESQL_PGAUDIT_LOG_PARAMETER", "POSTGRES_PGAUDIT_LOG_PARAMETER"],
		"statement_timeout": ["POSTGRESQL_STATEMENT_TIMEOUT", "POSTGRES_STATEMENT_TIMEOUT"],
		"synchronous_commit": ["POSTGRESQL_SYNCHRONOUS_COMMIT_MODE", "POSTGRES_SYNCHRONOUS_COMMIT_MODE"],
		"tcp_keepalives_count": ["POSTGRESQL_TCP_KEEPALIVES_COUNT", "POSTGRES_TCP_KEEPALIVES_COUNT"],
		"tcp_keepalives_idle": ["POSTGRESQL_TCP_KEEPALIVES_IDLE", "POSTGRES_TCP_KEEPALIVES_IDLE"],
		"tcp_keepalives_interval": ["POSTGRESQL_TCP_KEEPALIVES_INTERVAL", "POSTGRES_TCP_KEEPALIVES_INTERVAL"],
		"timezone": ["POSTGRESQL_TIMEZONE", "POSTGRES_TIMEZONE"],
		"shared_preload_libraries": ["POSTGRESQL_SHARED_PRELOAD_LIBRARIES", "POSTGRES_SHARED_PRELOAD_LIBRARIES"],
		"wal_level": ["POSTGRESQL_WAL_LEVEL"],
	},
	"sclorg": {
		"effective_cache_size": ["POSTGRESQL_EFFECTIVE_CACHE_SIZE"],
		"max_connections": ["POSTGRESQL_MAX_CONNECTIONS"],
		"max_prepared_transactions": ["POSTGRESQL_MAX_PREPARED_TRANSACTIONS"],
		"shared_buffers": ["POSTGRESQL_SHARED_BUFFERS"],
		"shared_preload_libraries": ["POSTGRESQL_LIBRARIES"],
	},
}

defaults := object.union_n([image_defaults, veiled_parameters, computed, spilo_defaults]) if layout != "patroni"

defaults := object.union_n([patroni_defaults, image_defaults]) if layout == "patroni"

# libpostgresql.sh, as long as nobody mounts a postgresql.conf.
image_defaults := {
	"hot_standby": "on",
	"listen_addresses": "*",
	"max_wal_senders": "16",
	"max_wal_size": "400MB",
	"shared_preload_libraries": "pgaudit",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
} if {
	layout == "bitnami"
	not own_configuration
}

# setup.sh leaves a mounted file as it is; that of repmgr lets standbys in whatever it says.
image_defaults := {"listen_addresses": "*"} if {
	layout == "bitnami"
	own_configuration
	not left_alone
}

image_defaults := {} if {
	layout == "bitnami"
	own_configuration
	left_alone
}

left_alone if {
	server.product.name == "postgresql"
	some f in files
	f.file == concat("/", [mounted_configuration, "postgresql.conf"])
}

image_defaults := object.union({"listen_addresses": "*"}, sclorg_sizes) if layout == "sclorg"

# A quarter and a half of the limit, in whole MB.
sclorg_sizes := {"shared_buffers": sprintf("%dMB", [(mib - (mib % 4)) / 4]), "effective_cache_size": sprintf("%dMB", [(mib - (mib % 2)) / 2])} if {
	limit := quantity.bytes(get.map(k8s.object, resources_path).limits.memory)
	limit > 0
	mib := (limit - (limit % 1048576)) / 1048576
}

sclorg_sizes := {"shared_buffers": "32MB", "effective_cache_size": "128MB"} if not get.present(k8s.object, array.concat(resources_path, ["limits", "memory"]))

image_defaults := {} if {
	not layout in {"bitnami", "sclorg"}
	not tuned_by_image
}

# ------------------------------------------------------------------------------------------- postgresql.conf mounted

# METADATA
# description: |
#   The files of ConfigMaps and Secrets in sight as the container sees them, {"file", "text", "path", "resource"}.
files := array.concat(
	[f |
		some mounted in mounts
		some f in readable_files.of(mounted, volumes[mounted.name].volume)
		count([1 | some other in mounts; covers(other, mounted, f.file)]) == 0
	],
	files_copied,
)

# A mount below another one comes after it, in whatever order they are written (containerd and CRI-O sort them).
covers(other, mounted, file) if {
	count(other.directory) > count(mounted.directory)
	mount.within(file, other.directory)
}

# Where the server looks for postgresql.conf.
configuration_file := mount.clean(last_option("config_file"))

configuration_file := concat("/", [mounted_configuration, "postgresql.conf"]) if {
	layout == "bitnami"
	not last_option("config_file")
}

configuration_file := concat("/", [configuration_home, "postgresql.conf"]) if {
	layout != "bitnami"
	not last_option("config_file")
}

last_option(name) := found[count(found) - 1] if {
	found := [option.value | some option in options; get.lower_case(option.name) == name]
	count(found) > 0
}

own_configuration if {
	some f in files
	is_configuration(f.file)
}

is_configuration(file) if file == configuration_file

# What is mounted at the first place is copied to the second one, where the server looks; librepmgr.sh takes that of its own directory before.
is_configuration("/bitnami/repmgr/conf/postgresql.conf") if server.product.name == "postgresql-repmgr"

# An image of one's own reads the only one that is mounted, wherever that is.
is_configuration(file) if {
	layout == "other"
	not last_option("config_file")
	endswith(file, "/postgresql.conf")
	count({f.file | some f in files; endswith(f.file, "/postgresql.conf")}) == 1
}

is_configuration("/opt/bitnami/postgresql/conf/postgresql.conf") if {
	layout == "bitnami"
	not last_option("config_file")
}

# METADATA
# description: What stands in the files that the server reads, in its order – postgresql.conf, then those of conf.d by name.
configured := [setting |
	some f in configuration_files
	some setting in conf.settings(f.text, place_in(f))
] if {
	not layout in {"patroni", "spilo"}
}

# YAML for Patroni, as the whole cluster's and this member's; a command that starts the server itself names its file.
configured := array.concat(
	[setting |
		variable := first_of(spilo_variables)
		some setting in patroni.parameters(variable.value, {"path": value_path(variable)})
	],
	[setting |
		last_option("config_file")
		some f in configuration_files
		some setting in conf.settings(f.text, place_in(f))
	],
) if {
	layout == "spilo"
}

syntax_errors := [wrong |
	some f in configuration_files
	some wrong in conf.errors(f.text, object.filter(f, ["path", "resource"]))
]

configured := patroni_parameters if layout == "patroni"

configuration_files := [] if layout == "patroni"

configuration_files := [f | some main in array.concat([main | some main in files; is_configuration(main.file)], fragments); some f in with_included(main)] if layout != "patroni"

place_in(f) := object.union(object.filter(f, ["path", "resource"]), object.get(f, "within", {}))

# ------------------------------------------------------------------------------------------------------- Patroni

# METADATA
# description: The file that Patroni reads, where its ConfigMap or Secret is in sight.
patroni_file := [f | some f in array.concat(files, configuration_in_variable); f.file == server.configuration][0]

configuration_in_variable := [object.union({"file": name, "text": variable.value, "path": value_path(variable)}, object.filter(variable, ["resource"])) |
	name := "PATRONI_CONFIGURATION"
	variable := variables[name]
]

patroni_text := patroni_file.text if patroni.readable(patroni_file.text)

patroni_place := object.filter(patroni_file, ["path", "resource"])

patroni_parameters := array.concat(array.concat(patroni_beside(true), patroni.parameters(patroni_text, patroni_place)), array.concat(patroni_beside(false), kept_by_patroni)) if patroni_text

# Of the other files of its directory, before it or behind.
patroni_beside(before) := [setting |
	some f in files_of_patroni(container)
	f.file != server.configuration
	before == f.file < server.configuration
	some setting in patroni.parameters(f.text, object.filter(f, ["path", "resource"]))
]

patroni_parameters := kept_by_patroni if not patroni_text

# In ConfigMaps, unless Endpoints are used.
kept_by_patroni := [setting |
	some name in ["PATRONI_SCOPE", "SCOPE"]
	layout in {"patroni": {"patroni", "other"}, "spilo": {"spilo", "patroni"}}[{"PATRONI_SCOPE": "patroni", "SCOPE": "spilo"}[name]]
	some setting in dcs.parameters(variables[name].value)
]

facts contains {"ignored": without_effect} if count(without_effect) > 0

without_effect := array.concat(misplaced, array.concat(options_of_clients, unread_by_image))

misplaced := [entry |
	some entry in array.concat(
		[found | some found in patroni.misplaced(patroni_text, patroni_place)],
		[found |
			layout == "spilo"
			variable := first_of(spilo_variables)
			some found in patroni.misplaced(variable.value, {"path": value_path(variable)})
		],
	)
	postgres.known(entry.name)
]

# What Patroni sets where nobody writes it (postgresql/config.py), before timescaledb-tune of the chart.
patroni_defaults := {
	"hot_standby": "on",
	"max_locks_per_transaction": "64",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"max_worker_processes": "8",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
	"wal_log_hints": "on",
}

# True unless it says so, in Patroni.
slots := object.union(fact.written(shared.boolean(said), patroni_file.path), object.filter(patroni_file, ["resource"])) if {
	said := patroni.setting(patroni_text, "use_slots")
}

slots := fact.operator(true, container_path) if {
	patroni_text
	not patroni.setting(patroni_text, "use_slots")
}

fragments := [f |
	some name in sort({f.file | some f in files; in_fragments(f.file)})
	some f in files
	f.file == name
]

in_fragments(file) if {
	some place in fragment_places[layout]
	startswith(file, place)
	endswith(file, ".conf")
}

in_fragments(file) if {
	of_supabase
	not own_configuration
	regex.match(included_by_supabase, file)
}

fragment_places := {
	"bitnami": [concat("", [mounted_configuration, "/conf.d/"]), "/opt/bitnami/postgresql/conf/conf.d/"],
	"sclorg": ["/opt/app-root/src/postgresql-cfg/"],
}

# Something that the server reads is not in sight, so that a parameter that is not seen may have any value.
unread if layout in {"other", "spilo"}

unread if server.opaque

unread if {
	layout == "patroni"
	not patroni_text
}

unread if {
	last_option("config_file")
	not own_configuration
}

unread if {
	some mounted in mounts
	some place_of in watched_places
	mount.within(mounted.directory, place_of)
	not in_sight(mounted)
}

unread if {
	some f in configuration_files
	brings_others(f.text)
}

# A script of the first start may write anything; those that do call it so.
unread if {
	some f in scripts
	sets_parameters(f.text)
}

sets_parameters(text) if {
	some word in ["alter system", ".conf", "alter database"]
	contains(get.lower_case(text), word)
}

in_sight(mounted) if {
	needed := readable_files.sources(volumes[mounted.name].volume)
	count(needed) > 0
	every source in needed {
		readable_files.holder(source)
	}
}

in_sight(mounted) if mount.hollow(volumes[mounted.name].volume)

# What a file of the server names is not in sight.
brings_others(text_) if {
	conf.includes_more(text_)
	layout != "bitnami"
}

# Bitnami's own file names the directory whose files are read.
brings_others(text_) if {
	layout == "bitnami"
	conf.includes_more(regex.replace(text_, `(?im)^[ \t]*include_dir[ \t]*=?[ \t]*'?(/opt/bitnami/postgresql/conf/)?conf\.d/?'?[ \t\r]*(#.*)?$`, ""))
}
