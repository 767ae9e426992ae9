package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.dcs
import data.walguard.lib.environment as variables
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.script
import data.walguard.lib.spilo
import data.walguard.postgres

unread := array.concat(array.concat(array.concat(unread_variables, sidecars_of_all), array.concat(filled_in_later, injected.unread([["spec", "podAnnotations"]]))), array.concat(array.concat(array.concat(array.concat(line_breaks, in_statements), [place | recognised; some place in dcs.unread(k8s.name)]), unread_beside), overlay.unread(server_mounts, ["/home/postgres", "/scripts", "/etc/runit", "/run/service", "/launch.sh"])))

server_mounts := [{"directory": directory, "volume": object.union(get.map(one, "volumeSource"), object.filter(one, ["name"])), "path": ["spec", "additionalVolumes", i]} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	is_object(one)
	directory := get.string(one, "mountPath")
	directory != volume_directory
	for_server(get.list(one, "targetContainers"))
]

# A probe of one's own, and the files of the server that a standby is copied from.
unread_beside := array.concat(
	[{"source": "what the livenessProbe runs", "path": ["spec", "livenessProbe"], "severity": severity_of(probed)} |
		recognised
		probed := script.of(object.filter(spec, ["livenessProbe"]))
		script.sets(probed)
	],
	[{"source": "the postgresql.auto.conf of the copied server", "path": ["spec", "standby", "standby_host"], "severity": "info"} | get.string(spec, ["standby", "standby_host"])],
)

# Every cluster gets these, with the volume of the data and the superuser's password (pkg/cluster/k8sres.go, patchSidecarContainers).
sidecars_of_all := [object.union({"source": sprintf("what sidecar %s of all clusters runs", [shared.name_or(one, i)]), "severity": severity_of(text)}, configured_at(["sidecars", i], "sidecars")) |
	recognised
	some i, one in get.list(configuration, "sidecars")
	text := script.filled(script.of(one), variables.values(one))
	script.alters(text)
]

# The same of files that the server needs.
facts contains {"cuts": cuts_of_all} if count(cuts_of_all) > 0

cuts_of_all := [object.union({"name": shared.name_or(one, i), "what": what}, configured_at(["sidecars", i], "sidecars")) |
	recognised
	some i, one in get.list(configuration, "sidecars")
	some what in script.cuts(script.filled(script.of(one), variables.values(one)))
]

# The operator gives these to Spilo as variables, and extensions to CREATE EXTENSION between quotes (pkg/cluster/k8sres.go, database.go).
line_breaks := array.concat(
	[{"source": concat(".", [section, field]), "path": ["spec", section, field], "severity": "warning", "reason": "its line break begins another line of Patroni's configuration"} |
		recognised
		some section in ["tls", "standby", "clone"]
		some field, value in get.map(spec, section)
		is_string(value)
		contains(value, "\n")
	],
	[{"source": sprintf("the schema of extension %s", [extension]), "path": ["spec", "preparedDatabases", database, "extensions", extension], "severity": "warning", "reason": "its quotation mark ends the name in the SQL that the operator runs"} |
		recognised
		some database, prepared in get.map(spec, "preparedDatabases")
		some extension, schema in get.map(prepared, "extensions")
		is_string(schema)
		contains(concat("", [extension, schema]), `"`)
	],
)

# The operator writes these into its SQL as they are, and runs it as postgres (pkg/cluster/database.go, installLookupFunction, createPublicationSQL).
in_statements := array.concat(
	[{"source": concat(".", ["connectionPooler", field]), "path": ["spec", "connectionPooler", field], "severity": "warning", "reason": "the operator writes it into its SQL as it is"} |
		recognised
		some field in ["schema", "user"]
		regex.match(`[;'"\s()]`, get.string(spec, ["connectionPooler", field]))
	],
	[{"source": "the name of a table in streams", "path": ["spec", "streams", i, "tables", name], "severity": "warning", "reason": "the operator writes it into its SQL as it is"} |
		recognised
		some i, stream in get.list(spec, "streams")
		some name, _ in get.map(stream, "tables")
		regex.match(`[;'\s()]`, name)
	],
)

# Spilo puts the data where PGDATA says; the operator mounts their volume at one place and sets PGROOT below it itself.
facts contains {"lost": lost} if count(lost) > 0

volume_directory := "/home/postgres/pgdata"

lost := array.concat(
	mount.lost(sprintf("%s/pgroot/data", [volume_directory]), volume_directory, server_mounts),
	mount.unkept(
		array.concat(linked_before, array.concat(
			[object.union(variable, {"name": name, "value": script.filled(variable.value, {other: one.value | some other, one in environment_of_all})}) |
				some name in ["PGDATA", "PATRONI_POSTGRESQL_DATA_DIR"]
				variable := environment_of_all[name]
			],
			[{"name": "waldir", "value": value, "path": array.concat(initdb_options_path, [name])} |
				recognised
				some name, value in get.map(k8s.object, initdb_options_path)
				name in {"wald", "waldi", "waldir"}
				is_string(value)
			],
		)),
		array.concat([volume_directory], [mounted.directory | some mounted in server_mounts]),
	),
)

# An init container has the volume where it mounts it by its name.
linked_before := [object.union(link, {"path": ["spec", "initContainers", i]}) |
	recognised
	some i, one in get.list(spec, "initContainers")
	is_object(one)
	some link in mount.relinked(one, script.links(script.of(one)), "pgdata", "/pgroot/data")
]

# Patroni writes --name=value, of which getopt takes every beginning that means one option only.
initdb_options_path := ["spec", "patroni", "initdb"]

# Spilo runs what CRONTAB and CALLBACK_SCRIPT say, and Patroni what its own variables name. The others are filled into Patroni's configuration (configure_spilo.py),
# in which a line break begins another key.
unread_variables := [object.union({"source": sprintf("the variable %s", [name])}, why) |
	some name, variable in environment_of_all
	why := reason_of(name, variable)
]

reason_of(name, variable) := object.union({"severity": severity_of(variable.value)}, object.filter(variable, ["path", "resource"])) if {
	regex.match(spilo.commands, name)
} else := object.union({"severity": "warning", "reason": reason}, object.filter(variable, ["path", "resource"])) if {
	reason := spilo.misread(name, filled(variable.value), environment_of_all)
} else := object.union({"severity": inventory.unread, "reason": "Patroni keeps its configuration there"}, object.filter(variable, ["path", "resource"])) if {
	regex.match(spilo.stores, name)
}

filled(value) := value if not contains(value, "$(")

filled(value) := script.filled(value, {name: one.value | some name, one in environment_of_all}) if contains(value, "$(")

# What runs commands, said by an object that is not in sight.
filled_in_later := [{"source": sprintf("the variable %s", [name]), "path": ["spec", "env", i], "severity": inventory.unread} |
	recognised
	some i, variable in get.list(spec, "env")
	name := get.string(variable, "name")
	regex.match(spilo.commands, name)
	get.present(variable, "valueFrom")
	not environment_of_all[name]
]

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

# The cluster's own variables come before those of its envFrom, and those before what the operator's configuration gives all pods.
environment_of_all := object.union(object.remove(environment_of_others, object.keys(environment)), environment)

environment_of_others := object.union_n(array.concat(of_all_pods, [found |
	some source in get.list(spec, "envFrom")
	map_of := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, ["configMapRef", "name"]))
	found := {concat("", [object.get(source, "prefix", ""), key]): {"value": value, "path": ["data", key], "resource": k8s.reference(map_of)} |
		some key, value in get.map(map_of, "data")
		is_string(value)
	}
]))

# The operator adds what is not there yet, of the ConfigMap before the Secret (pkg/cluster/k8sres.go, generateSpiloPodEnvVars).
of_all_pods := [{entry.key: {"value": entry.text, "path": entry.path, "resource": k8s.reference(holder)} | some entry in files.entries(holder); entry.path[0] != "binaryData"} |
	some holder in array.concat([keys | keys := keys_in_sight], [map_of | map_of := environment_map])
]

# What of it the cluster does not say itself.
given := [object.union({"name": name}, one) |
	some name, one in object.union_n(of_all_pods)
	not written_names[name]
]

# The schema has version and parameters there: the API server drops other fields.
misplaced := [{"name": name, "path": ["spec", "postgresql", name], "place": ["spec", "postgresql", "parameters"], "reason": "the operator reads parameters below spec.postgresql.parameters only"} |
	some name, _ in get.map(spec, "postgresql")
	postgres.known(name)
]
