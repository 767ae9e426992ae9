package walguard.operators.kubegres

import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.script
import data.walguard.lib.sql

unread_sources := array.concat(
	[{"source": sprintf("ConfigMap %s/%s", [k8s.namespace, custom]), "path": custom_path, "missing": true} | unseen],
	array.concat(
		[object.union({"source": sprintf("what postgres.conf of ConfigMap %s/%s includes", [k8s.namespace, file.metadata.name]), "severity": "warning"}, file_place) |
			conf.includes_more(file_text)
		],
		array.concat(unread_scripts, unread_pod),
	),
)

scripts := [object.union({"name": name, "text": text_, "path": ["data", name]}, reference_of(found)) |
	some found in script_holders
	some name in script_names
	text_ := get.string(found, ["data", name])
]

script_holders := [k8s.object] if reviewed_file

# One of one's own comes before that of the base configuration; both are looked at.
script_holders := [found |
	some name in [custom_or_base, base_name]
	found := in_sight(name)
] if {
	reviewed_cluster
	custom_or_base != base_name
}

script_holders := [found | found := in_sight(base_name)] if {
	reviewed_cluster
	custom_or_base == base_name
}

custom_or_base := custom

custom_or_base := base_name if not custom

reference_of(_) := {} if reviewed_file

reference_of(found) := {"resource": k8s.reference(found)} if not reviewed_file

unread_scripts := [object.union({"source": sprintf("the script %s", [one.name]), "severity": severity_of(one.text)}, object.filter(one, ["path", "resource"])) |
	some one in scripts
	unreadable_script(one.text)
]

unreadable_script(text_) if script.writes(text_)

unreadable_script(text_) if script.hides(text_)

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

unread_pod := array.concat(
	[{"source": "the variable POSTGRES_INITDB_ARGS", "path": ["spec", "env", i], "severity": "warning", "reason": "a shell runs what is in it"} |
		reviewed_cluster
		some i, variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
		initdb.commands(said_by(variable))
	],
	array.concat(array.concat(unread_start, injected.unread([["metadata", "annotations"] | reviewed_cluster])), overlay.unread(own_volumes, ["/var/lib/postgresql", "/etc", "/tmp"])),
)

own_volumes := [{"directory": mounted.directory, "volume": volume, "path": ["spec", "volume", "volumeMounts"]} |
	reviewed_cluster
	some mounted in own_mounts
	some volume in get.list(home, ["spec", "volume", "volumes"])
	get.string(volume, "name") == mounted.name
]

# The operator puts PGDATA below the mount of its volume, and the variables of spec.env behind it (ResourcesCreatorFromTemplate.go); the last of a name counts.
facts contains {"lost": lost} if count(lost) > 0

lost := array.concat(
	mount.lost(concat("/", [volume_directory, "pgdata"]), volume_directory, own_volumes),
	mount.unkept(
		array.concat(
			[object.union(one, {"path": option.path}) |
				reviewed_cluster
				some option in options
				some one in initdb.wal_directories(option.words, [])
			],
			[{"name": name, "value": value, "path": ["spec", "env", i, "value"]} |
				reviewed_cluster
				some i, variable in get.list(home, ["spec", "env"])
				name := get.string(variable, "name")
				name in {"PGDATA", "POSTGRES_INITDB_WALDIR"}
				value := script.filled(said_by(variable), {other: text_ |
					listed := get.list(home, ["spec", "env"])
					some other, k in get.last_of_each([[of, n] | some n, one in listed; of := get.string(one, "name")])
					text_ := said_by(listed[k])
				})
			],
		),
		array.concat([volume_directory], [mounted.directory | some mounted in own_mounts]),
	),
)

volume_directory := trim_right(get.string(home, ["spec", "database", "volumeMount"]), "/")

volume_directory := "/var/lib/postgresql/data" if not get.string(home, ["spec", "database", "volumeMount"])

said_by(variable) := get.string(variable, "value")

said_by(variable) := from_map(variable) if not get.string(variable, "value")

from_map(variable) := get.string(found, ["data", get.string(variable, ["valueFrom", "configMapKeyRef", "key"])]) if {
	found := in_sight(get.string(variable, ["valueFrom", "configMapKeyRef", "name"]))
}

# Options of initdb that are not in sight, and SQL of a probe.
unread_start := array.concat(
	[{"source": "the variable POSTGRES_INITDB_ARGS", "path": ["spec", "env", i], "severity": "warning"} |
		reviewed_cluster
		some i, variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
		get.present(variable, "valueFrom")
		not from_map(variable)
	],
	[{"source": "what a probe runs", "path": ["spec", "probe"], "severity": severity_of(probed)} |
		reviewed_cluster
		probed := script.of(get.map(home, ["spec", "probe"]))
		script.sets(probed)
	],
)

facts contains {"script_faults": script_faults} if count(script_faults) > 0

script_faults := array.concat(broken_scripts, of_no_variable)

# The operator adds PGDATA and, to the pods of standbys, the address of the primary (states/statefulset).
of_no_variable := [object.union({"reason": fault.reason, "cure": sprintf("Set %s in spec.env", [fault.name]), "level": "error"}, object.filter(one, ["path", "resource"])) |
	some one in scripts
	one.name == "primary_init_script.sh"
	some fault in sql.undefined(one.text, {get.string(variable, "name") | some variable in get.list(home, ["spec", "env"])} | {"PGDATA", "POSTGRES_DB", "POSTGRES_USER"})
]

broken_scripts := [object.union(
	{"reason": sprintf("%s, which is a syntax error: the first start ends there, and later ones pass over all scripts", [fault.what]), "cure": fault.instead, "level": "error"},
	object.filter(one, ["path", "resource"]),
) |
	some one in scripts
	one.name in {"primary_init_script.sh", "primary_create_replication_role.sh"}
	fault := array.concat(
		[{"what": sprintf("%s puts a name in the quotes of a string", [statement]), "instead": "Write the name bare or in double quotes"} | some statement in sql.names_in_quotes(one.text)],
		sql.foreign(one.text),
	)[0]
]

# Named, and not in sight.
unseen if {
	reviewed_cluster
	custom
	not in_sight(custom)
}
