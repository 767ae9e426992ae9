# METADATA
# description: |
#   A PostgresCluster as CrunchyData's operator (PGO) reads it, which Percona's operator builds upon: the shape of instances,
#   Patroni's section, pgBackRest and PgBouncer, and what the operator makes of them. Everything is about the object under review.
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/parameters.go
package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.mount
import data.walguard.lib.quantity
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text
import data.walguard.postgres

spec := get.map(k8s.object, "spec")

# METADATA
# description: The fields of walguard.model's cluster that both operators have in common; archiving and parameters are not among them.
cluster := object.union_n([
	{
		"name": k8s.name,
		"namespace": k8s.namespace,
		"patroni": true,
		"instance_sets": instance_sets,
		"rewind": rewind,
	},
	{"data_claims": sprintf(`^%s-.+-[a-z0-9]{4}-pgdata$`, [text.literal(k8s.name)])},
	{"inclusions": inclusions | count(inclusions) > 0},
	{"unread": unread | count(unread) > 0},
	{"lost": lost | count(lost) > 0},
	{"major": found | found := major},
	{"image": fact.written(reference, ["spec", "image"]) | reference := get.string(spec, "image")},
	{"upgrade": {"by": "nobody", "way": upgrade_kind} | not upgrading},
	{"instances": found | found := instances},
	{"segment": found | found := segment},
	{"checksums": found | found := checksums},
	{"standby_backup": found | found := standby_backup},
	{"synchronous": found | found := synchronous},
	{"follows": fact.written(true, ["spec", "standby"]) | get.boolean(spec, ["standby", "enabled"])},
	{"pooler": found | found := pooler},
	{"pooler_faults": found | found := pooler_faults; count(found) > 0},
	{"reaches": array.concat(needed, outside_stores) | needed := shared.patroni_reaches(instances.value)},
	{"slots": found | found := slots},
	{"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value}) |
		labels := {"postgres-operator.crunchydata.com/cluster": k8s.name, "postgres-operator.crunchydata.com/data": "postgres"}
	},
])

segment := {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]} if initialised

checksums := fact.operator(true, ["spec"]) if initialised

# ------------------------------------------------------------------------------------------------------ upgrades

# The startup script stops at data of another major ("Expected PostgreSQL data version", internal/postgres/config.go). A PGUpgrade runs pg_upgrade in a cluster that is shut down and
# carries the annotation, before its version is changed; Percona's operator changes the version itself then (percona/controller/pgupgrade).
upgrade_kind := {"PostgresCluster": "PGUpgrade", "PerconaPGCluster": "PerconaPGUpgrade"}[k8s.kind]

upgrading if {
	some held in versions_of_itself
	some annotation in ["postgres-operator.crunchydata.com/allow-upgrade", "pgv2.percona.com/allow-upgrade"]
	get.present(held, ["metadata", "annotations", annotation])
}

upgrading if {
	some held in versions_of_itself
	some field in ["shutdown", "pause"]
	object.get(held, ["spec", field], false) == true
}

upgrading if {
	some [version, kind] in [["postgres-operator.crunchydata.com/v1beta1", "PGUpgrade"], ["upstream.pgv2.percona.com/v1beta1", "PGUpgrade"], ["pgv2.percona.com/v2", "PerconaPGUpgrade"]]
	some one in inventory.list(k8s.namespace, version, kind)
	get.string(one, ["spec", "postgresClusterName"]) == k8s.name
}

versions_of_itself := array.concat([k8s.object], [old | old := k8s.old_object])

# --------------------------------------------------------------------------------------------------- parameters

# METADATA
# description: Patroni's section of parameters, of which the API server checks nothing.
patroni_path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"]

# METADATA
# description: |
#   Parameters beside "parameters" instead of below it: Patroni knows no such key (config.py, _safe_copy_dynamic_configuration), and the
#   API server takes anything there.
misplaced := array.concat(
	array.concat(
		[{"name": name, "value": value, "path": array.concat(patroni_path, [name]), "reason": sprintf("it is no parameter, and Patroni leaves it out; it reads %s beside parameters, below dynamicConfiguration.postgresql", [name])} |
			some name in ["pg_hba", "pg_ident"]
			value := object.get(get.map(k8s.object, patroni_path), name, null)
			value != null
		],
		[{"name": name, "value": value, "path": array.concat(path, [name]), "place": patroni_path, "reason": "Patroni reads parameters below dynamicConfiguration.postgresql.parameters only"} |
			some below in [["postgresql"], [], ["parameters"], ["standby_cluster"], ["standby_cluster", "parameters"]]
			path := array.concat(["spec", "patroni", "dynamicConfiguration"], below)
			some name, value in get.map(k8s.object, path)
			postgres.known(name)
			not array.concat(below, [name]) in standby_keys
		],
	),
	[{"name": name, "value": value, "path": array.concat(patroni_path, [i, name]), "level": "error", "reason": "parameters is a list here and not a map, so that Patroni fails at every reload and takes none of its configuration"} |
		some i, entry in get.list(k8s.object, patroni_path)
		is_object(entry)
		some name, value in entry
	],
)

# Where the standby leader finds its primary, by names that parameters have too.
standby_keys := [["standby_cluster", name] | some name in ["port", "primary_slot_name", "restore_command", "archive_cleanup_command", "recovery_min_apply_delay"]]

# internal/postgres/parameters.go, internal/pgbackrest/postgres.go, and what Patroni sets.
defaults := {
	"archive_timeout": "60s",
	"huge_pages": huge_pages,
	"jit": "off",
	"log_directory": "log",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"password_encryption": "scram-sha-256",
	"wal_keep_size": "128MB",
	"wal_log_hints": "on",
}

huge_pages := "try" if has_huge_pages

huge_pages := "off" if not has_huge_pages

has_huge_pages if {
	some set in instance_sets
	some name, amount in set.resources.limits
	startswith(name, "hugepages-")
	quantity.bytes(amount) > 0
}

# Patroni reads that file instead of the one initdb made; spec.config.files brings it into the pod.
inclusions := [{"name": "custom_conf", "file": file, "path": path} |
	path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "custom_conf"]
	file := get.text_at(k8s.object, path)
]

# SQL of a superuser, by way of a ConfigMap.
unread := array.concat(
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
					contains(value, "\n")
				]),
				[{"source": sprintf("%s %s/%s, from which pgBackRest is configured", [one.source.kind, k8s.namespace, one.source.name]), "path": one.path, "severity": "info"} |
					restores
					some one in configured_sources
					not files.holder(one.source)
				],
			),
		),
	),
	[{"source": sprintf("what Patroni runs as standby_cluster.%s", [name]), "path": array.concat(standby_section, [name]), "severity": severity_of(command)} |
		some name in ["restore_command", "archive_cleanup_command", "recovery_end_command"]
		command := get.string(k8s.object, array.concat(standby_section, [name]))
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
		sets_for_session(query)
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
		contains(trim_space(value), "\n")
	],
	[{"source": "the SQL of PgBouncer", "path": entry.path, "resource": k8s.reference(holder), "severity": severity_of(entry.text)} |
		some part in get.list(k8s.object, ["spec", "proxy", "pgBouncer", "config", "files"])
		some source in files.source_of(part)
		holder := files.holder(source)
		some entry in files.entries(holder)
		sets_for_session(entry.text)
	],
)

sets_for_session(query) if script.sets(query)

sets_for_session(query) if regex.match(`(?i)\bset\s+(session\s+|local\s+)?"?(zero_damaged_pages|ignore_checksum_failure)\b`, query)

queries_path := ["spec", "proxy", "pgBouncer", "config", "global"]

standby_section := ["spec", "patroni", "dynamicConfiguration", "standby_cluster"]

# WAL that a restore or a copy of the primary puts beside the volumes.
lost := mount.unkept(
	array.concat(
		array.concat(
			[{"name": "link-map", "value": found[1], "path": words.path} |
				some words in restore_words
				some found in regex.find_all_string_submatch_n(`--(?:link-map|tablespace-map)[= ]["']?[^=\s]+=([^\s"']+)`, words.text, -1)
			],
			[{"name": name, "value": split(value, "=")[1], "path": array.concat(path, [name])} |
				some path in global_sections
				some name in ["link-map", "tablespace-map"]
				value := get.string(k8s.object, array.concat(path, [name]))
			],
		),
		[{"name": "waldir", "value": directory, "path": array.concat(programs_path, ["basebackup", i])} |
			some i, option in get.list(k8s.object, array.concat(programs_path, ["basebackup"]))
			some directory in [value | some name in ["waldir", "xlogdir"]; value := get.string(option, name)]
		],
	),
	["/pgdata", "/pgwal", "/tablespaces", "/volumes"],
)

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

# METADATA
# description: |
#   What both set whatever is written (parameters.Mandatory of both, and what Patroni keeps for itself); CrunchyData's operator adds
#   restore_command and wal_level. Not logging_collector, which neither sets unless it collects telemetry, and not
#   wal_log_hints, which Patroni leaves to the configuration since 4.0.
managed := {
	"archive_command": "",
	"archive_mode": "on",
	"cluster_name": "",
	"config_file": "",
	"data_directory": "",
	"external_pid_file": "",
	"hba_file": "",
	"hot_standby": "on",
	"ident_file": "",
	"listen_addresses": "",
	"log_file_mode": "",
	"port": "",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"recovery_min_apply_delay": "",
	"ssl": "on",
	"ssl_ca_file": "",
	"ssl_cert_file": "",
	"ssl_key_file": "",
	"synchronous_standby_names": "",
	"unix_socket_directories": "",
}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
}

# ----------------------------------------------------------------------------------------------------- instances

major := fact.written(shared.major(version), ["spec", "postgresVersion"]) if version := object.get(spec, "postgresVersion", null)

instance_sets := [instance_set(i, set) |
	some i, set in get.list(spec, "instances")
	is_object(set)
]

existing := {"data": "pgDataVolume", "wal": "pgWALVolume"}

# The operator calls an unnamed set by its position.
instance_set(i, set) := object.union_n([
	{
		"name": shared.name_or(set, i),
		"path": path,
		"replicas": replicas(set, array.concat(path, ["replicas"])),
		"resources": shared.resources(set, ["resources"]),
		"resources_path": array.concat(path, ["resources"]),
		"wal_path": array.concat(path, ["walVolumeClaimSpec"]),
	},
	{"node_types": found | found := machine.types(k8s.object, array.concat(path, ["nodeSelector"]), array.concat(path, ["affinity", "nodeAffinity"]))},
	{role: volume |
		some role, field in {"data": "dataVolumeClaimSpec", "wal": "walVolumeClaimSpec"}

		# One that is taken over may be on any storage.
		not get.present(spec, ["dataSource", "volumes", existing[role]])
		volume := shared.claim(k8s.object, array.concat(path, [field]))
	},
	{"tablespaces": tablespaces |
		tablespaces := [object.union(volume, {"name": shared.name_or(tablespace, j)}) |
			some j, tablespace in get.list(set, "tablespaceVolumes")
			volume := shared.claim(k8s.object, array.concat(path, ["tablespaceVolumes", j, "dataVolumeClaimSpec"]))
		]
		count(tablespaces) > 0
	},
]) if {
	path := ["spec", "instances", i]
}

replicas(set, path) := fact.written(n, path) if n := shared.whole(object.get(set, "replicas", null))

replicas(set, path) := fact.operator(1, path) if not shared.whole(object.get(set, "replicas", null))

instances := {"value": total, "origin": origin, "path": path} if {
	count(instance_sets) > 0
	total := sum([set.replicas.value | some set in instance_sets])
	[origin, path] := said(["written" | some set in instance_sets; set.replicas.origin == "written"])
}

said(written) := ["written", ["spec", "instances"]] if count(written) > 0

said([]) := ["operator", ["spec", "instances"]]

synchronous := fact.written(get.boolean(k8s.object, synchronous_path), synchronous_path)

synchronous_path := ["spec", "patroni", "dynamicConfiguration", "synchronous_mode"]

slots_path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "use_slots"]

slots := fact.written(get.boolean(k8s.object, slots_path), slots_path)

# Unlike Patroni: a standby that is behind reads the archive.
slots := fact.operator(false, slots_path) if {
	count(spec) > 0
	not is_boolean(object.get(k8s.object, slots_path, null))
}

# ---------------------------------------------------------------------------------------------------------- pooler

pgbouncer := object.get(spec, ["proxy", "pgBouncer"], null)

pooler := object.union_n([
	fact.written(true, ["spec", "proxy", "pgBouncer"]),
	{"connections": n |
		copies := shared.whole(object.get(pgbouncer, "replicas", 1))
		n := copies * shared.whole(object.get(pgbouncer, ["config", "global", "default_pool_size"], "20"))
	},
]) if {
	is_object(pgbouncer)
}

# Its auth_query passes over superusers, of which PgBouncer's own user would be one otherwise (internal/pgbouncer/postgres.go). Where all users are superusers no one is left;
# one among others may be there for administration alone.
pooler_faults := array.concat(superusers_only, array.concat(refused_without_tls, refused_with_tls))

superusers_only := [{
	"reason": sprintf("PgBouncer lets no superuser in, and every user here is one: \"no such user\" or \"password authentication failed\" for %s", [text.list(names, "and")]),
	"cure": sprintf("Leave SUPERUSER out of options of users[%d], or connect to the primary's Service", [superusers[0]]),
	"path": ["spec", "users", superusers[0], "options"],
} |
	is_object(pgbouncer)
	not get.boolean(pgbouncer, "exposeSuperusers")
	not get.present(pgbouncer, ["config", "global", "auth_query"])
	not get.present(pgbouncer, ["config", "global", "auth_type"])
	users := get.list(spec, "users")
	superusers := [i | some i, user in users; regex.match(`(?i)\bsuperuser\b`, get.string(user, "options"))]
	count(superusers) > 0
	count([1 | some i, user in users; not i in superusers; object.get(user, "name", "") != "postgres"]) == 0
	names := [name | some i in superusers; name := get.string(users[i], "name")]
]

pooler_tls := ["spec", "proxy", "pgBouncer", "config", "global", "server_tls_sslmode"]

# "hostssl all _crunchypgbouncer all scram-sha-256" and "host all _crunchypgbouncer all reject" come before all other lines (internal/pgbouncer/postgres.go).
refused_without_tls := [{
	"reason": "server_tls_sslmode is disable, and the lines of pg_hba.conf that the operator puts first reject PgBouncer's own user without TLS: nobody gets in through PgBouncer",
	"cure": "Leave server_tls_sslmode out",
	"path": pooler_tls,
} |
	is_object(pgbouncer)
	get.lower_case(get.string(k8s.object, pooler_tls)) == "disable"
]

# PgBouncer logs users in over TLS (server_tls_sslmode verify-full).
refused_with_tls := [{
	"reason": sprintf("PgBouncer logs users in over TLS, and %s: nobody gets in through PgBouncer", [{true: sprintf("\"%s\" is for connections without it", [rules[0].text]), false: "all lines of pg_hba are for connections without it"}[count(rules) == 1]]),
	"cure": "Write host for those that come with and without TLS, or hostssl",
	"path": rules[0].path,
} |
	is_object(pgbouncer)
	not get.present(k8s.object, pooler_tls)
	rules := [rule | some rule in hba.rules(hba_lines); rule.type != "local"]
	count(rules) > 0
	count([1 | some rule in rules; rule.type != "hostnossl"]) == 0
	count([1 | some entry in hba_lines; regex.match(`^\s*(@?include|\$\{|\{\{)`, entry.line)]) == 0
]

pooler := fact.operator(false, ["spec", "proxy"]) if {
	count(spec) > 0
	not is_object(pgbouncer)
}

# True when the operator runs initdb, which it gives no segment size and --data-checksums.
initialised if {
	count(spec) > 0
	not get.present(spec, "dataSource")
	not get.boolean(spec, ["standby", "enabled"])
}

# ------------------------------------------------------------------------------------------------------- backups

pgbackrest := ["spec", "backups", "pgbackrest"]

# METADATA
# description: Where pgBackRest keeps backups and WAL, as the resource lists them.
repositories := get.list(k8s.object, array.concat(pgbackrest, ["repos"]))

standby_path := array.concat(pgbackrest, ["global", "backup-standby"])

standby_backup := fact.written(shared.boolean(value), standby_path) if value := get.text_at(k8s.object, standby_path)

# From a standby where there is one.
standby_backup := fact.written(true, standby_path) if get.string(k8s.object, standby_path) == "prefer"

standby_backup := fact.operator(false, standby_path) if {
	count(repositories) > 0
	not get.present(k8s.object, standby_path)
}

status := get.map(evidence.own_status, "pgbackrest")

# METADATA
# description: Backups by the resource's own status, which counts only when an API server vouches for it.
backups := [{"finished": finished, "from": backup_source, "name": name, "proven": true} |
	some job in array.concat(get.list(status, "scheduledBackups"), [get.map(status, "manualBackup")])
	is_object(job)
	get.number(job, "succeeded") > 0
	finished := get.string(job, "completionTime")
	time.parse_rfc3339_ns(finished) >= k8s.created
	some name in [n | some field in ["cronJobName", "id"]; n := get.string(job, field)]
]

backup_source := "standby" if standby_backup.value == true

backup_source := "primary" if standby_backup.value == false

backup_source := "unknown" if not standby_backup

# METADATA
# description: The parts of a restore that both operators have, for a cluster made from the repository of the one under review.
copy(other, ready) := object.union_n([
	{"ready": ready, "cluster": get.string(other, ["metadata", "name"])},
	{"major": n | n := shared.major(object.get(other, ["spec", "postgresVersion"], null))},
])

# METADATA
# description: True for a cluster made from the repository of the one under review (spec.dataSource.postgresCluster).
copied(other) if {
	source := get.map(other, ["spec", "dataSource", "postgresCluster"])
	get.string(source, "clusterName") == k8s.name
	source_namespace(other, source) == k8s.namespace
}

source_namespace(_, source) := get.string(source, "clusterNamespace")

source_namespace(other, source) := get.string(other, ["metadata", "namespace"]) if not get.string(source, "clusterNamespace")

# --------------------------------------------------------------------------------------- repositories, collisions

global_path := array.concat(pgbackrest, ["global"])

# METADATA
# description: The repositories of pgBackRest as walguard.model.repositories wants them.
repository_facts := array.concat(
	[described |
		some i, repository in repositories
		is_object(repository)
		name := get.string(repository, "name")
		retentions := [key |
			some suffix in ["full", "archive"]
			key := sprintf("%s-retention-%s", [name, suffix])
			get.present(k8s.object, array.concat(global_path, [key]))
		]
		described := object.union_n([
			{
				"name": name,
				"store": store_of(repository),
				"retention": count(retentions) > 0,
				"cure": sprintf("%s-retention-full in %s", [name, concat(".", global_path)]),
				"path": repository_path(i, retentions),
			},
			{"scheduled": true | count(get.map(repository, "schedules")) > 0},
			{"complaint": "pgBackRest itself warns of it at each backup" | get.present(repository, ["schedules", "full"])},
			{"idle": "pgBackRest expires when a full backup ends, and none is scheduled there" |
				count(retentions) > 0
				not get.present(repository, ["schedules", "full"])
			},
		])
	],
	[{
		"name": text,
		"store": "objects",
		"retention": true,
		"idle": sprintf("there is no repository %s", [split(text, "-")[0]]),
		"path": array.concat(global_path, [text]),
	} |
		some text, _ in get.map(k8s.object, global_path)
		contains(text, "-retention-full")
		not split(text, "-")[0] in {get.string(repository, "name") | some repository in repositories}
	],
)

store_of(repository) := "volume" if is_object(object.get(repository, "volume", null))

store_of(repository) := "objects" if not is_object(object.get(repository, "volume", null))

repository_path(_, retentions) := array.concat(global_path, [retentions[0]]) if count(retentions) > 0

repository_path(i, []) := array.concat(pgbackrest, ["repos", i])

# METADATA
# description: |
#   The places in buckets of a pgBackRest section, [{"archive", "place" (for messages), "index"}]: PGO calls the stanza of every
#   cluster "db", so that bucket and path are all there is to tell clusters apart. The storage account of a container of Azure stands in the
#   secrets of the section's configuration: clusters of one namespace with the same ones share it.
places(section, namespace) := [{"archive": [kind, endpoint, bucket, path, account], "place": sprintf("%s of %s %s", [path, field, bucket]), "index": i} |
	some i, repository in array.concat(get.list(section, "repos"), [repo | some repo in [get.map(section, "repo")]; count(repo) > 0])
	is_object(repository)
	some [kind, field] in [["s3", "bucket"], ["gcs", "bucket"], ["azure", "container"]]
	bucket := get.string(repository, [kind, field])
	some endpoint in [object.get(repository, [kind, "endpoint"], "")]
	some path in [trim_right(object.get(section, ["global", sprintf("%s-path", [repository.name])], sprintf("/pgbackrest/%s", [repository.name])), "/")]
	some account in [object.get({"azure": [namespace, object.get(section, "configuration", [])]}, kind, "")]
]

# METADATA
# description: Where others keep their backups in the same place; see walguard.model.collisions. A standby reads what its primary archives.
collisions := array.concat(
	[object.union(place, {"source": true, "other": "its source"}) |
		some source in sources
		some place in shared_with(source)
	],
	[object.union(place, {"source": false, "other": neighbour.title}) |
		not standby
		some neighbour in inventory.neighbours([own.archive[3] | some own in own_places])
		not get.boolean(neighbour.object, ["spec", "standby", "enabled"])
		some place in shared_with(places_of(neighbour.object))
	],
)

own_places := places_of(k8s.object)

places_of(other) := places(get.map(other, pgbackrest), object.get(other, ["metadata", "namespace"], ""))

shared_with(theirs) := [{"place": own.place, "path": path} |
	some own in own_places
	own.archive in {place.archive | some place in theirs}
	path := array.concat(pgbackrest, ["repos", own.index])
]

standby if get.boolean(spec, ["standby", "enabled"])

# Another cluster in sight that this one is made from. A cluster that is brought back from its own repository (dataSource.pgbackrest) goes
# on in its stanza on a new timeline, as the operator's manual of disaster recovery has it.
sources := [places_of(other) |
	source := get.map(spec, ["dataSource", "postgresCluster"])
	other := inventory.namespaced_object(source_namespace(k8s.object, source), k8s.api_version, k8s.kind, get.string(source, "clusterName"))
]
