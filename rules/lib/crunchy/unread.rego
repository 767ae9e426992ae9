package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.lib.sql

# SQL of a superuser, by way of a ConfigMap.
unread := array.concat(injected.unread(annotated), unread_by_fields)

annotated := array.concat([["spec", "metadata", "annotations"]], [["spec", "instances", i, "metadata", "annotations"] | some i, _ in get.list(k8s.object, ["spec", "instances"])])

unread_by_fields := array.concat(
	[source |
		named := get.map(spec, "databaseInitSQL")
		name := get.string(named, "name")
		not initial_sql
		source := object.union({"source": sprintf("the SQL in key %s of ConfigMap %s/%s", [object.get(named, "key", "?"), k8s.namespace, name]), "path": ["spec", "databaseInitSQL"]}, missing_sql(name))
	],
	array.concat(
		[{"source": sprintf("the SQL in key %s of ConfigMap %s/%s", [initial_sql.path[1], k8s.namespace, initial_sql.resource.name]), "path": ["spec", "databaseInitSQL"], "severity": severity_of(initial_sql.text)} |
			sql.unreadable(initial_sql.text)
		],
		array.concat(
			[{"source": sprintf("what Patroni runs as %s", [concat(".", command.below)]), "path": command.path, "severity": severity_of(command.text)} | some command in commands],
			array.concat(array.concat(array.concat(unread_restores, array.concat(unread_queries, unread_pooling)), [{"source": "the postgresql.auto.conf of the volume that is taken over", "path": taken_over, "severity": "info"} | get.present(k8s.object, taken_over)]), [{"source": "the connect_query of PgBouncer", "path": array.concat(databases_path, [database]), "severity": severity_of(query)} |
				some database, query in get.map(k8s.object, databases_path)
				is_string(query)
				contains(get.lower_case(query), "connect_query")
				script.sets(query)
			]),
		),
	),
)

# The data of another server, with the files that it had.
taken_over := ["spec", "dataSource", "volumes", "pgDataVolume"]

# PgBouncer runs it on every connection that it opens.
databases_path := ["spec", "proxy", "pgBouncer", "config", "databases"]

missing_sql(name) := {"missing": true} if {
	not inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", name)
} else := {}

initial_sql := {"text": text, "path": ["data", key], "resource": k8s.reference(found)} if {
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(spec, ["databaseInitSQL", "name"]))
	key := get.string(spec, ["databaseInitSQL", "key"])
	text := get.string(found, ["data", key])
}

severity_of(text) := "warning" if script.dangerous(text)

severity_of(text) := inventory.unread if not script.dangerous(text)

# METADATA
# description: |
#   What comes after all parameters: of a standby Patroni writes everything in recovery_conf into postgresql.conf (config.py, _write_recovery_params), what
#   belongs to recovery or not; postgresql.auto.conf, which ALTER SYSTEM writes, is read last.
later_parameters := array.concat(
	[setting |
		some setting in shared.parameters(k8s.object, ["spec", "patroni", "dynamicConfiguration", "postgresql", "recovery_conf"])
		not regex.match(`^(recovery_.*|restore_command|archive_cleanup_command|primary_conninfo|primary_slot_name|(promote_)?trigger_file|standby_mode|pause_at_recovery_target)$`, setting.name)
	],
	array.concat(restored_parameters, [setting | some setting in sql.settings(initial_sql.text, object.filter(initial_sql, ["path", "resource"]))]),
)

# pgBackRest writes each --recovery-option into the postgresql.auto.conf that it restores, whatever its name is, with underscores for hyphens; what a cluster is made from is
# restored like one that is brought back.
restored_parameters := [{"name": replace(name, "-", "_"), "value": trim(substring(option.text, count(name) + 1, -1), `"'`), "path": option.path} |
	some option in restore_options
	name := split(option.text, "=")[0]
	contains(option.text, "=")
]

restore_options := array.concat(
	array.concat(
		[{"text": text_, "path": words.path} |
			some words in restore_words
			some text_ in recovery_options(words.text)
		],
		[object.union({"text": trim_space(found[1])}, entry.place) |
			some entry in configured_files
			some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*recovery-option[ \t]*=[ \t]*(\S[^\n]*)$`, entry.text, -1)
		],
	),
	[{"text": value, "path": array.concat(path, ["recovery-option"])} |
		some path in global_sections
		some value in listed(object.get(k8s.object, array.concat(path, ["recovery-option"]), []))
	],
)

global_sections := [global_path, ["spec", "dataSource", "pgbackrest", "global"]]

# METADATA
# description: The parameters that options of pgBackRest's restore write, ["name=value"]; a shell takes quotes and backslashes away.
recovery_options(words) := [found[1] |
	some found in regex.find_all_string_submatch_n(`--recovery-option[= ](\S+)`, strings.replace_n({`"`: "", `'`: "", `\`: ""}, words), -1)
]

listed(value) := [value] if is_string(value)

listed(value) := [one | some one in value; is_string(one)] if is_array(value)

# The command line of pgBackRest, which a shell reads (internal/pgbackrest/config.go, RestoreCommand).
restore_words := [{"text": concat(" ", [text_ | some text_ in options_of; is_string(text_)]), "path": path} |
	some path in [
		array.concat(pgbackrest, ["restore", "options"]),
		["spec", "dataSource", "postgresCluster", "options"],
		["spec", "dataSource", "pgbackrest", "options"],
	]
	options_of := get.list(k8s.object, path)
	count(options_of) > 0
]

# Files of pgBackRest's configuration, beside those that the operator writes.
configured_files := [{"text": entry.text, "place": {"path": entry.path, "resource": k8s.reference(holder)}} |
	some one in configured_sources
	holder := files.holder(one.source)
	some entry in files.entries(holder)
]

configured_sources := [{"source": source, "path": array.concat(path, [i])} |
	some path in [array.concat(pgbackrest, ["configuration"]), ["spec", "dataSource", "pgbackrest", "configuration"]]
	some i, part in get.list(k8s.object, path)
	some source in files.source_of(part)
]

unread_restores := array.concat(
	array.concat(
		[{"source": "the options of the restore", "path": words.path, "severity": "warning", "reason": "a shell runs what is in them"} |
			some words in restore_words
			regex.match("[;&|<>`$]|\n", words.text)
		],
		array.concat(
			[{"source": "the configuration that the restore is told to read", "path": words.path, "severity": inventory.unread} |
				some words in restore_words
				regex.match(`--config(-path|-include-path)?[= ]`, words.text)
			],
			array.concat(
				array.concat([{"source": "the program that pgBackRest is called by", "path": array.concat(path, ["cmd"]), "severity": inventory.unread} | some path in global_sections; get.string(k8s.object, array.concat(path, ["cmd"]))], [{"source": sprintf("option %s of pgBackRest", [name]), "path": array.concat(path, [name]), "severity": "warning", "reason": "its line break begins another option"} |
					some path in global_sections
					some name, value in get.map(k8s.object, path)
					is_string(value)
					contains(concat("=", [name, value]), "\n")
				]),
				[{"source": sprintf("%s %s/%s, from which pgBackRest is configured", [one.source.kind, k8s.namespace, one.source.name]), "path": one.path, "severity": "info"} |
					restores
					some one in configured_sources
					not files.holder(one.source)
				],
			),
		),
	),
	[{"source": sprintf("what Patroni runs as %s.%s", [section[count(section) - 1], name]), "path": array.concat(section, [name]), "severity": severity_of(command)} |
		some section in [standby_section, array.concat(programs_path, ["recovery_conf"])]
		some name in ["restore_command", "archive_cleanup_command", "recovery_end_command"]
		command := get.string(k8s.object, array.concat(section, [name]))
		commands_set(command)
	],
)

# Where nothing is restored, options of a restore have no one to read them.
restores if get.present(spec, "dataSource")

restores if get.boolean(k8s.object, array.concat(pgbackrest, ["restore", "enabled"]))

commands_set(command) if script.sets(command)

commands_set(command) if script.hides(command)

# SQL that PgBouncer runs on its connections, and the files of the server that a standby is copied from.
unread_queries := array.concat(
	[{"source": sprintf("the %s of PgBouncer", [name]), "path": array.concat(queries_path, [name]), "severity": severity_of(query)} |
		some name in ["server_reset_query", "server_check_query"]
		query := get.string(k8s.object, array.concat(queries_path, [name]))
		script.sets_for_session(query)
	],
	[{"source": "the postgresql.auto.conf of the copied server", "path": ["spec", "standby", "host"], "severity": "info"} |
		get.boolean(spec, ["standby", "enabled"])
		get.string(spec, ["standby", "host"])
	],
)

# PgBouncer's own file: an option whose line break begins another, and files that come after it.
unread_pooling := array.concat(
	[{"source": sprintf("option %s of PgBouncer", [name]), "path": array.concat(path, [name]), "severity": "warning", "reason": "its line break begins another option"} |
		some path in [queries_path, databases_path, ["spec", "proxy", "pgBouncer", "config", "users"]]
		some name, value in get.map(k8s.object, path)
		is_string(value)
		contains(trim_space(concat("=", [name, value])), "\n")
	],
	[{"source": "the SQL of PgBouncer", "path": entry.path, "resource": k8s.reference(holder), "severity": severity_of(entry.text)} |
		some part in get.list(k8s.object, ["spec", "proxy", "pgBouncer", "config", "files"])
		some source in files.source_of(part)
		holder := files.holder(source)
		some entry in files.entries(holder)
		script.sets_for_session(entry.text)
	],
)

queries_path := ["spec", "proxy", "pgBouncer", "config", "global"]

standby_section := ["spec", "patroni", "dynamicConfiguration", "standby_cluster"]

# WAL that a restore or a copy of the primary puts beside the volumes.
lost := mount.unkept(
	array.concat(
		array.concat(
			array.concat(
				[object.union(one, object.filter(initial_sql, ["path", "resource"])) | some one in sql.tablespaces(initial_sql.text)],
				[{"name": "link-map", "value": found[1], "path": words.path} |
					some words in restore_words
					some found in regex.find_all_string_submatch_n(`--(?:link-map|tablespace-map)[= ]["']?[^=\s]+=([^\s"']+)`, words.text, -1)
				],
			),
			[{"name": name, "value": split(value, "=")[1], "path": array.concat(path, [name])} |
				some path in global_sections
				some name in ["link-map", "tablespace-map"]
				value := get.string(k8s.object, array.concat(path, [name]))
			],
		),
		# Patroni takes a list, or a map (bootstrap.py, process_user_options), of which the keys are i.
		[{"name": "waldir", "value": trim(directory, `"'`), "path": array.concat(programs_path, ["basebackup", i])} |
			some i, option in basebackup_options
			some directory in array.concat(
				[value | some name in ["wald", "waldi", "waldir", "xlogdir"]; value := get.string(option, name)],
				[found[1] | is_string(option); some found in regex.find_all_string_submatch_n(`^(?:wald(?:i|ir)?|xlogdir)=(.*)$`, option, 1)],
			)
		],
	),
	kept_directories,
)

kept_directories := ["/pgdata", "/pgwal", "/tablespaces", "/volumes"]

# METADATA
# description: The directories beside the volumes to which the options of a restore, one text at a path, move parts of the data.
linked_elsewhere(options_text, path) := mount.unkept(
	[{"name": "link-map", "value": found[1], "path": path} |
		some found in regex.find_all_string_submatch_n(`--(?:link-map|tablespace-map)[= ]["']?[^=\s]+=([^\s"']+)`, options_text, -1)
	],
	kept_directories,
)

basebackup_options := {name: {name: value} | some name, value in given} if {
	given := object.get(k8s.object, array.concat(programs_path, ["basebackup"]), null)
	is_object(given)
} else := get.list(k8s.object, array.concat(programs_path, ["basebackup"]))

# Programs that Patroni starts beside the server or in its place.
commands := [{"below": below, "path": array.concat(programs_path, below), "text": text} |
	some below in array.concat(
		[["pre_promote"], ["before_stop"], ["bin_dir"]],
		array.concat(
			[[field, name] | some field in ["callbacks", "bin_name"]; some name, _ in get.map(k8s.object, array.concat(programs_path, [field]))],
			[[name, "command"] | some name, _ in get.map(k8s.object, programs_path)],
		),
	)
	text := get.string(k8s.object, array.concat(programs_path, below))
]

programs_path := ["spec", "patroni", "dynamicConfiguration", "postgresql"]
