package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.patroni
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.sql

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": array.concat(container_path, ["args"]),
	"parameter_values": "text",
	"defaults": defaults,
	"instance_sets": [instance_set],
	"pods": [{
		"sysctls": array.concat(pod_path, ["securityContext", "sysctls"]),
		"containers": [array.concat(pod_path, [list]) | some list in ["initContainers", "containers", "ephemeralContainers"]],
		"volumes": array.concat(pod_path, ["volumes"]),
		"environment": [array.concat(container_path, ["env"])],
	}],
} if {
	server
}

facts contains {"patience": patience} if patience

facts contains {"selection": selection} if selection

facts contains {"shared_memory": shared_memory} if shared_memory

facts contains {"syntax_errors": syntax_errors} if count(syntax_errors) > 0

facts contains {"partial": true} if unread

facts contains {"unread": unread_sources} if count(unread_sources) > 0

# What the server, its entrypoint or Patroni reads, as far as the pod names it.
unread_sources := array.concat(array.concat(array.concat(array.concat(unread_files, unread_projections), unread_words), array.concat(unread_variables, array.concat(unread_start, unread_moves))), array.concat(array.concat(unread_places, array.concat(unread_copies, unread_overrides)), array.concat(unread_scripts, array.concat(unread_patroni, array.concat(array.concat(unread_of_spilo, unread_homes), array.concat(programs_of_patroni, injected.unread([pod_annotations])))))))

# Options of initdb and of the server that come from a Secret, or from what is not in sight.
unread_variables := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(container_path, ["env"]), "severity": "warning"} |
		some name in read_variables
		hides(name)
	],
	array.concat(
		[{"source": sprintf("the variable %s", [name]), "path": array.concat(container_path, ["env"]), "severity": "warning", "reason": "the image sets fsync to it"} |
			not own_configuration
			some name in object.get(parameter_variables, [layout, "fsync"], [])
			name in hidden
		],
		array.concat(
			[object.union({"source": sprintf("postgresql.conf.sample in %s", [one.value]), "severity": inventory.unread, "reason": "initdb takes it from there"}, initdb_place) |
				initialised
				some one in initdb.inputs(initdb_options, [])
			],
			array.concat(unread_by_scripts, unread_of_variables),
		),
	),
)

# libpostgresql.sh of Bitnami and common.sh of Red Hat put them into SQL and files as they are.
unread_by_scripts := [object.union({"source": sprintf("the variable %s", [name]), "path": value_path(variable), "severity": "warning", "reason": "the image writes it into SQL and files as it is"}, object.filter(variable, ["resource"])) |
	layout in {"bitnami", "sclorg"}
	some name, variable in variables
	regex.match(`^(POSTGRES|POSTGRESQL|REPMGR)_|^(APP_DATA|CONTAINER_SCRIPTS_PATH)$`, name)
	not contains(name, "PASSWORD")
	is_string(variable.value)
	breaks_out(name, variable.value)
]

breaks_out(name, value) if {
	endswith(name, "_CONNECTION_LIMIT")
	regex.match(`[^0-9\s-]`, value)
	not placeholder.holds(value)
}

places_of_sclorg := [{"name": "APP_DATA", "value": "/opt/app-root"}, {"name": "CONTAINER_SCRIPTS_PATH", "value": "/usr/share/container-scripts/postgresql"}]

# The directories of the image's scripts and of what people add to its configuration.
breaks_out(name, value) if {
	layout == "sclorg"
	some place in places_of_sclorg
	name == place.name
	trim_right(value, "/") != place.value
}

breaks_out(name, value) if {
	layout == "sclorg"
	regex.match(`^POSTGRESQL_(MASTER_USER|UPGRADE_.*_OPTIONS)$`, name)
	regex.match(`[;&|<>$\x60]`, value)
}

breaks_out(name, value) if {
	regex.match(`_(USERNAME|USER|DATABASE)$`, name)
	contains(value, `"`)
	not placeholder.holds(value)
}

breaks_out(name, value) if {
	contains(trim_space(value), "\n")
	not regex.match(`_(FLAGS|ARGS|COMMAND)$`, name)
	not name in {one | some names in parameter_variables[layout]; some one in names}
}

read_variables := array.concat(initdb_variables, flag_variables) if layout != "spilo"

read_variables := spilo_variables if layout == "spilo"

spilo_variables := ["SPILO_CONFIGURATION", "PATRONI_CONFIGURATION"]

hides(name) if {
	name in hidden
	said_of(container, name) != placeholder.elsewhere
}

# Its file is not in sight.
hides(name) if sprintf("%s_FILE", [name]) in unread_file_variables

# A webhook or an operator puts in what it stands for.
hides(name) if regex.match(`^(>>)?(vault:|op://)`, variables[name].value)

# The entrypoint gives it to a shell, which does more than pass options on.
hides(name) if {
	layout in {"docker", "other"}
	initdb.commands(variables[name].value)
}

# Of these only what the container itself says is read.
hides(name) if {
	name in flag_variables
	variables[name].resource
}

unread_files := array.concat(
	[object.union({"source": sprintf("%s %s/%s", [source.kind, k8s.namespace, source.name]), "path": volumes[mounted.name].path}, why_unread[source.kind]) |
		some mounted in mounts
		watched(mounted)
		some source in readable_files.sources(volumes[mounted.name].volume)
		source.name != placeholder.elsewhere
		not readable_files.holder(source)
	],
	[{"source": sprintf("the file %s", [last_option("config_file")]), "path": array.concat(container_path, ["args"]), "severity": severity_of_file} |
		not own_configuration
		not awaited
		last_option("config_file")
	],
)

# Of a projected volume that has the configuration, a source that may have it too: the later one is taken.
unread_projections := [object.union(why, {"path": volumes[mounted.name].path}) |
	own_configuration
	some mounted in mounts
	not mounted.subpath
	mount.within(configuration_file, mounted.directory)
	file := trim_prefix(configuration_file, sprintf("%s/", [mounted.directory]))
	some source in get.list(volumes[mounted.name].volume, ["projected", "sources"])
	some why in array.concat(
		[object.union({"source": sprintf("%s %s/%s", [one.kind, k8s.namespace, one.name])}, why_unread[one.kind]) |
			some one in readable_files.source_of(source)
			not readable_files.holder(one)
			may_have(one.items, file)
		],
		[{"source": sprintf("the volume at %s", [mounted.directory]), "severity": "warning"} |
			count(readable_files.source_of(source)) == 0
			file in places_of(source)
		],
	)
]

# What is no object's.
places_of(source) := {get.string(item, "path") | some item in get.list(source, ["downwardAPI", "items"])} | {path |
	some field in [["clusterTrustBundle", "path"], ["serviceAccountToken", "path"], ["podCertificate", "credentialBundlePath"], ["podCertificate", "keyPath"], ["podCertificate", "certificateChainPath"]]
	path := get.string(source, field)
}

may_have([], _)

may_have(items, file) if {
	some item in items
	mount.clean(get.string(item, "path")) == file
}

severity_of_file := "info" if comes_with_the_image

severity_of_file := "warning" if not comes_with_the_image

# The images of Supabase and Immich have their configuration there: arguments of one's own name it again.
comes_with_the_image if {
	image.repository(get.string(container, "image")) in {"docker.io/supabase/postgres", "ghcr.io/immich-app/postgres", "public.ecr.aws/supabase/postgres"}
	last_option("config_file") == "/etc/postgresql/postgresql.conf"
	not mount_of(last_option("config_file"))
}

# Nobody asks an API server for Secrets.
why_unread := {"ConfigMap": {"missing": true}, "Secret": {"severity": inventory.unread}}

unread_words := array.concat(
	[object.union({"source": sprintf("what %s includes", [f.file]), "severity": "warning"}, object.filter(f, ["path", "resource"])) |
		some f in configuration_files
		brings_others(f.text)
	],
	[{"source": sprintf("the variables in %s", [object.get(word, "written", word.text)]), "path": array.concat(container_path, word.path), "severity": severity_of_word(word.text)} |
		some word in array.concat(words, flags)
		not readable(word.text)
	],
)

severity_of_word(word) := "info" if of_little_weight(word)

severity_of_word(word) := "warning" if not of_little_weight(word)

of_little_weight(word) if {
	regex.match(one_value, word)
	not regex.match(weighty, word)
}

# With another value of these data are lost.
weighty := `(?i)^(?:--)?(?:archive_command|archive_library|fsync|full_page_writes|ignore_checksum_failure|ignore_invalid_pages|zero_damaged_pages)\s*=`

# A variable that Kubernetes fills in behind the name of a parameter is its value, and no other word of the command; and so is one in a text with spaces, which stood in quotes.
one_value := `^(?:--)?[A-Za-z_][-A-Za-z0-9_.]*=(?:[^$\s]*(?:\$\([A-Za-z_][A-Za-z0-9_]*\)[^$\s]*)+$|[^\n]*\s)`

watched(mounted) if {
	some place_of in watched_places
	mount.within(mounted.directory, place_of)
}

watched_places := array.concat([configuration_file, mounted_configuration, "/opt/bitnami/postgresql/conf"], script_places)

# Bitnami's image copies what is there to where the server looks.
mounted_configuration := concat("", [trim_right(first_of(["POSTGRESQL_VOLUME_DIR"]).value, "/"), "/conf"])

mounted_configuration := "/bitnami/postgresql/conf" if not first_of(["POSTGRESQL_VOLUME_DIR"])

script_places := array.concat(["/docker-entrypoint-initdb.d", "/docker-entrypoint-preinitdb.d"], scripts_of_image) if layout != "sclorg"

script_places := ["/opt/app-root/src/postgresql-cfg", "/opt/app-root/src/postgresql-init", "/opt/app-root/src/postgresql-pre-start", "/opt/app-root/src/postgresql-start"] if layout == "sclorg"

# A volume that holds neither a ConfigMap nor a Secret, where the server reads parameters or runs scripts; and any that takes the place of its own files.
unread_places := array.concat(
	[{"source": sprintf("the volume at %s", [mounted.directory]), "path": array.concat(container_path, ["volumeMounts"]), "severity": inventory.unread} |
		some mounted in mounts
		watched(mounted)
		foreign(mounted)
	],
	array.concat(
		array.concat(libraries_on_volumes, [{"source": sprintf("what is mounted at %s, in the place of the image's own", [mounted.directory]), "path": array.concat(container_path, ["volumeMounts"]), "severity": inventory.unread} |
			some mounted in mounts
			regex.match(overlay.replaced, mounted.directory)
			not watched(mounted)
			not stays_empty(mounted.name)
			not read_already(mounted)
		]),
		[{"source": sprintf("%s=%s", [name, variable.value]), "path": variable.path, "severity": inventory.unread, "reason": sprintf("programs are looked for in %s first", [mounted.directory])} |
			some name in ["PATH"]
			variable := variables[name]
			not variable.resource
			some mounted in mounts
			split(variable.value, ":")[0] == mounted.directory
		],
	),
)

# Libraries that the server loads from a volume do what they want.
libraries_on_volumes := [object.union({"source": sprintf("%s=%s", [setting.name, setting.value]), "severity": "info", "reason": sprintf("the server loads what lies in %s, which is a volume", [mounted.directory])}, object.filter(setting, ["path", "resource", "line"])) |
	some setting in parameters
	get.lower_case(setting.name) in {"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries", "dynamic_library_path", "jit_provider", "archive_library", "oauth_validator_libraries"}
	is_string(setting.value)
	some part in split(replace(setting.value, ":", ","), ",")
	some mounted in mounts
	regex.match(`^/(usr|opt|lib|lib64)(/|$)`, mounted.directory)
	mount.within(mount.clean(trim(part, `"' `)), mounted.directory)
]

# Parts of the data under a mount that goes with the pod, or moved to where none is.
facts contains {"lost": not_kept} if count(not_kept) > 0

# Of a data directory that is not known nothing is known of the first two.
not_kept := array.concat(array.concat([part | some part in array.concat(lost, swept)], [part | some part in moved_by_patroni]), renewed)

lost := array.concat(
	mount.lost(directory_or_none, kept_directory, [{"directory": mounted.directory, "volume": volumes[mounted.name].volume, "path": volumes[mounted.name].path} |
		some mounted in mounts
		not templates[mounted.name]
		mounted.name != mount_of(directory).name
		mounted.name != mount_of(wal_directory).name
	]),
	array.concat(
		mount.unkept(
			[{"name": one.name, "value": one.value, "path": array.concat(container_path, [field])} |
				some field in ["command", "args"]
				some one in script.moved(replace(concat(" ", [word | some word in get.list(container, field); is_string(word)]), `\`, ""))
			],
			[mounted.directory | some mounted in mounts; not passing(mounted)],
		),
		array.concat(
			array.concat(
				array.concat(array.concat(linked_before, relinked), array.concat(emptied, emptied_by_image)),
				mount.unkept(
					[object.union({"name": "data_directory", "value": setting.value}, object.filter(setting, ["path", "resource"])) |
						server
						not last_option("data_directory")
						setting := shared.last_of(configured, "data_directory")
						is_string(setting.value)
					],
					[mounted.directory | some mounted in mounts; not passing(mounted)],
				),
			),
			array.concat(moved_by_scripts, [{"what": "What the container mounts over the server's directory", "on": "no lasting volume", "path": container_path} |
				server
				script.volatile(script.of(container))
			]),
		),
	),
)

# Links and tablespaces of scripts of the first start.
moved_by_scripts := mount.unkept(
	[object.union(one, object.filter(f, ["path", "resource"])) |
		some f in scripts_and_named
		some one in array.concat([link | some link in script.moved(f.text); link.name != "PGDATA"], sql.tablespaces(f.text))
	],
	[mounted.directory | some mounted in mounts; not passing(mounted)],
)

# Links that an init container makes on the volume of the data.
linked_before := [part |
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	is_object(one)
	theirs := [{"name": get.string(mounted, "name"), "directory": mount.clean(get.string(mounted, "mountPath"))} | some mounted in get.list(one, "volumeMounts")]
	mount_of(directory).name in {mounted.name | some mounted in theirs}
	some part in mount.unkept(
		[object.union(link, {"path": array.concat(pod_path, ["initContainers", i])}) |
			some link in script.moved(script.of(one))
			link.name != "PGDATA"
		],
		[mounted.directory | some mounted in array.concat(theirs, mounts); not passing(mounted)],
	)
]

directory_or_none := directory

directory_or_none := "-" if not directory

kept_directory := mount_of(directory).directory

kept_directory := "-" if not mount_of(directory)

passing(mounted) if {
	not templates[mounted.name]
	mount.vanishing(volumes[mounted.name].volume)
}

# A volume that is filled with another one's files has the postgresql.auto.conf of a server that nobody names.
unread_copies := [object.union({"source": "the postgresql.auto.conf of the copied volume", "severity": "info"}, copied) |
	name := mount_of(directory).name
	some [object_of, path_of, place_of] in array.concat(
		array.concat(
			[[k8s.object, template, {"path": template}] | template := templates[name]],
			[[k8s.object, template, {"path": template}] |
				not templates[name]
				template := array.concat(volumes[name].path, ["ephemeral", "volumeClaimTemplate", "spec"])
			],
		),
		[[claim, ["spec"], {"path": ["spec"], "resource": k8s.reference(claim)}] |
			not templates[name]
			claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", claim_name)
		],
	)
	some field in ["dataSource", "dataSourceRef"]
	get.present(object_of, array.concat(path_of, [field]))
	copied := object.union(place_of, {"path": array.concat(place_of.path, [field])})
]

foreign(mounted) if {
	volume := volumes[mounted.name].volume
	not mount.hollow(volume)
	count(readable_files.sources(volume)) == 0
}

foreign(mounted) if {
	some source in get.list(volumes[mounted.name].volume, ["projected", "sources"])
	count(readable_files.source_of(source)) == 0
	get.present(source, "downwardAPI")
}

foreign(mounted) if {
	templates[mounted.name]
	not volumes[mounted.name]
}

# Somebody puts scripts there before.
foreign(mounted) if {
	some place_of in script_places
	mount.within(mounted.directory, place_of)
	mount.hollow(volumes[mounted.name].volume)
	some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	some theirs in get.list(one, "volumeMounts")
	get.string(theirs, "name") == mounted.name
}

# Those that are in sight, of the first start and of every one (sclorg).
scripts := [f |
	some f in files
	of_first_start(f.file)
]

# What psql is told to read, by a name that no volume in sight has.
unread_inclusions := [object.union({"source": sprintf("the script %s", [found[1]]), "severity": "info", "reason": sprintf("%s runs it, and it was not found", [f.file])}, object.filter(f, ["path", "resource"])) |
	some f in scripts
	some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*\\i(?:r|nclude|nclude_relative)?[ \t]+['"]?([^\s'"]+)`, f.text, -1)
	not regex.match(`^/(usr|opt)/`, found[1])
	count([1 | some other in files; endswith(other.file, trim_left(found[1], "./"))]) == 0
]

unread_scripts := array.concat(
	array.concat(unread_inclusions, [object.union({"source": sprintf("the script %s", [f.file]), "severity": severity_of_script(f.text)}, object.filter(f, ["path", "resource"])) |
		some f in scripts_and_named
		unreadable_script(f.text)
	]),
	[{"source": sprintf("the compressed script %s/%s", [mounted.directory, key]), "path": volumes[mounted.name].path, "severity": inventory.unread} |
		some mounted in mounts
		some place_of in script_places
		mount.within(mounted.directory, place_of)
		some source in readable_files.sources(volumes[mounted.name].volume)
		some field in ["data", "binaryData"]
		some key, _ in get.map(readable_files.holder(source), field)
		regex.match(`\.sql\.(gz|xz|zst)$`, key)
	],
)

unreadable_script(text_) if script.writes(text_)

unreadable_script(text_) if script.hides(text_)

severity_of_script(text_) := "warning" if script.dangerous(text_)

severity_of_script(text_) := inventory.unread if not script.dangerous(text_)

# Patroni's configuration: not in sight, or in a style that is not read.
unread_patroni := array.concat(
	[object.union({"source": sprintf("what is written in another style in %s", [f.file]), "severity": "warning"}, object.filter(f, ["path", "resource"])) |
		layout == "patroni"
		f := patroni_file
		not patroni_plain
	],
	array.concat(
		[{"source": sprintf("Patroni's file %s", [server.configuration]), "path": container_path, "severity": inventory.unread} |
			layout == "patroni"
			not patroni_file
		],
		array.concat(
			[{"source": sprintf("what is written in another style in %s", [name]), "path": value_path(variables[name]), "severity": "warning"} |
				layout == "spilo"
				some name in spilo_variables
				patroni.unread(variables[name].value)
			],
			[{"source": "the commands in Patroni's configuration", "path": place_of_all.path, "severity": severity_of_script(configured_text)} |
				[configured_text, place_of_all] := patroni_said
				script.sets(configured_text)
			],
		),
	),
)

patroni_plain if {
	patroni_text
	not patroni.unread(patroni_text)
	every f in files_of_patroni(container) {
		not patroni.unread(f.text)
	}
}

patroni_said := [patroni_file.text, patroni_file] if layout == "patroni"

patroni_said := [variable.value, {"path": value_path(variable)}] if {
	layout == "spilo"
	variable := first_of(spilo_variables)
}

watched(mounted) if mount.within(mounted.directory, concat("/", [directory, "postgresql.auto.conf"]))
