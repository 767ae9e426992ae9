package walguard.operators.workload

import data.walguard.lib.archive
import data.walguard.lib.conf
import data.walguard.lib.dcs
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.pooling
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.workloads

# A ConfigMap that somebody changes by itself, while the server or the pooler that mounts it stays as it is: an API server is not asked for workloads. What loses data or lets
# anybody in says so whoever reads it; of everything else the server has to be in sight. Among files it is said of the workload that mounts it.

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"partial": true,
	"by_hand": true,
	"parameters": [],
	"parameters_path": ["data"],
	"parameter_values": "text",
	"defaults": {},
} if {
	telling_map
}

concerns_servers if telling_map

# Nobody sees whether a server reads it.
facts contains {"unread": [{
	"source": sprintf("%s of this ConfigMap", [key]),
	"path": setting.path,
	"severity": "warning",
	"reason": sprintf("it says %s=%s, and what mounts it is not in sight", [get.lower_case(setting.name), get.shown(setting.value)]),
	"cure": "Take that out if a server reads it",
} |
	some setting in settings_of_map
	key := setting.path[count(setting.path) - 1]
]} if {
	telling_map
	count(settings_of_map) > 0
}

telling_map if {
	not kept_in_a_map
	count(array.concat(settings_of_map, array.concat(doors_of_map, poolers_of_map))) > 0
}

texts_of_map := [entry |
	k8s.kind == "ConfigMap"
	k8s.api_version == "v1"
	some entry in readable_files.entries(k8s.object)
	regex.match(`(?i)\b(fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|synchronous_commit|archive_command|auth_type|trust|authentication|postgresql_fsync)\b`, concat("\n", [entry.key, entry.text]))
	not mounted_in_sight
]

mounted_in_sight if {
	some made in workloads.all
	some list in ["containers", "initContainers"]
	some one in get.list(made.pod, list)
	k8s.name in array.concat(
		[get.string(source, ["configMapRef", "name"]) | some source in get.list(one, "envFrom")],
		[get.string(variable, ["valueFrom", "configMapKeyRef", "name"]) | some variable in get.list(one, "env")],
	)
}

mounted_in_sight if {
	some made in workloads.all
	some volume in get.list(made.pod, "volumes")
	some source in readable_files.sources(volume)
	source.kind == "ConfigMap"
	source.name == k8s.name
}

settings_of_map := [setting |
	some entry in texts_of_map
	some setting in array.concat(array.concat(of_configuration(entry), of_patroni_file(entry)), array.concat(array.concat(of_sql(entry), of_variable(entry)), array.concat(of_script(entry), of_archiving(entry))))
	not placeholder.holds(get.text(setting.value))
	losing_value(setting)
]

losing_value(setting) if setting.name == "archive_command"

losing_value(setting) if script.loses(sprintf("%s = %s", [get.lower_case(setting.name), get.text(setting.value)]))

of_configuration(entry) := [listed[i] |
	listed := [setting |
		not regex.match(of_no_server, entry.key)
		regex.match(concat("", [`(?im)^[ \t]*(`, losing, `)([ \t]*=|[ \t]+['a-z0-9/])`]), entry.text)
		some setting in conf.settings(entry.text, {"path": entry.path})
		regex.match(concat("", [`^(`, losing, `)$`]), get.lower_case(setting.name))
	]
	some _, i in get.last_of_each([[get.lower_case(setting.name), k] | some k, setting in listed])
]

# Patroni's file, in the style that people write.
of_patroni_file(entry) := [{"name": found[1], "value": trim(found[2], `"'`), "path": entry.path} |
	of_patroni(entry)
	regex.match(`\bpostgresql["']?[ \t]*:`, entry.text)
	regex.match(`\bparameters["']?[ \t]*:`, entry.text)
	some found in regex.find_all_string_submatch_n(concat("", [`(?m)(?:^|[{,])[ \t]*["']?(`, losing, `)["']?[ \t]*:[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s#,}]+)`]), entry.text, -1)
]

of_patroni(entry) if regex.match(`(?i)\.(ya?ml|json)$|^[^.]+$`, entry.key)

# A command that archived something, and now does nothing.
of_archiving(entry) := [{"name": "archive_command", "value": command, "path": entry.path} |
	contains(entry.text, "archive_command")
	not regex.match(of_no_server, entry.key)
	some former in readable_files.entries(k8s.old_object)
	former.key == entry.key
	command := archive_command_in(entry.text)
	archive.does_nothing(command)
	was := archive_command_in(former.text)
	was != ""
	not archive.does_nothing(was)
]

archive_command_in(text) := found[count(found) - 1] if {
	found := [setting.value | some setting in conf.settings(text, {}); get.lower_case(setting.name) == "archive_command"]
	count(found) > 0
}

# What psql runs, or a script of the shell that calls it.
of_sql(entry) := [setting |
	regex.match(`(?i)\balter\b`, entry.text)
	not regex.match(`(?i)\.(md|txt|html?)$`, entry.key)
	some setting in sql.settings(entry.text, {"path": entry.path})
	regex.match(concat("", [`^(`, losing, `)$`]), get.lower_case(setting.name))
]

# A script that writes it into the files of a server.
of_script(entry) := [{"name": said[0], "value": said[1], "path": entry.path} |
	regex.match(`(?i)\.(sh|bash)$|^[^.]+$`, entry.key)
	script.writes(entry.text)
	some one in script.losses(entry.text)
	said := split(one, "=")
]

# Variables of images, for those who take all of a ConfigMap for their environment.
of_variable(entry) := array.concat([{"name": "fsync", "value": trim_space(entry.text), "path": entry.path} | entry.key == "POSTGRESQL_FSYNC"], [{"name": found[1], "value": trim(found[2], `"'`), "path": entry.path} |
	regex.match(`^POSTGRES(QL)?_(INITDB_ARGS|EXTRA_FLAGS)$`, entry.key)
	some found in regex.find_all_string_submatch_n(concat("", [`\b(`, losing, `)=("[^"]*"|'[^']*'|\S+)`]), entry.text, -1)
])

losing := `fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|synchronous_commit`

of_no_server := `(?i)^(SPILO|PATRONI)_CONFIGURATION$|^POSTGRES_HOST_AUTH_METHOD$|\.(sh|bash|sql|py|pl|rb|js|ts|go|java|md|txt|ya?ml|json|xml|html?|toml|tpl|tmpl|j2|lua|service)$`

facts contains {"hba_added": doors_of_map} if count(doors_of_map) > 0

doors_of_map := [{"source": sprintf("The text %s", [entry.key]), "text": rule.text, "path": entry.path} |
	some entry in texts_of_map
	some rule in pooling.open_lines(hba.of_text(lines_of(entry), {}))
	startswith(rule.type, "host")
	count([1 | some option in rule.options; startswith(option, "clientcert=")]) == 0
]

lines_of(entry) := entry.text if not regex.match(of_no_server, entry.key)

# Those of Patroni's file.
lines_of(entry) := concat("\n", [found[1] | some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*-[ \t]*["']?((?:host|local)[^"'\n]*)`, entry.text, -1)]) if {
	of_patroni(entry)
	contains(entry.text, "pg_hba")
}

lines_of(entry) := "host all all all trust" if {
	entry.key == "POSTGRES_HOST_AUTH_METHOD"
	trim_space(entry.text) == "trust"
}

poolers_of_map := [{"pooler": sprintf("%s with %s", [open.program, entry.key]), "text": open.text, "cure": cure_of_pooler, "level": "warning", "path": entry.path} |
	some entry in texts_of_map
	some open in pooling.of_text(entry.key, entry.text)
]

# METADATA
# description: A ConfigMap in which Patroni keeps its configuration, that somebody writes by hand; among files it is said of its server.
kept_in_a_map if {
	k8s.kind == "ConfigMap"
	k8s.api_version == "v1"
	k8s.operation
	dcs.keeps(k8s.object)
}
