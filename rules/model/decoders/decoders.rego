# METADATA
# description: |
#   What decodes the WAL of the cluster: what its adapter knows of (walguard.model, decoders), and connectors of Debezium that name one of its hosts – Strimzi's KafkaConnector and containers of Debezium Server.
# custom:
#   kinds:
#     - {group: kafka.strimzi.io, versions: [v1, v1beta2], kind: KafkaConnector, plural: kafkaconnectors, namespaced: true, role: support, served: false}
package walguard.model.decoders

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text as prose
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.addresses

# METADATA
# description: '[{"what": in words, "consequence": one clause, "path", "resource"?, "level"?: severity, else error}]'
all := array.concat(get.list(model.cluster, "decoders"), streaming)

# METADATA
# description: |
#   Those of them that stream from a slot each; of Debezium's also {"who": words for it, "plugin": the output plugin, "slot": its name, "default": true where the slot's
#   name is not written, "slot_path", "plugin_path"}.
# related_resources:
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-connector-properties
streaming := array.concat(debezium, others)

# METADATA
# description: Those of Debezium.
debezium := array.concat(connectors, servers)

connectors := [object.union(of_debezium(get.map(made, ["spec", "config"]), sprintf("KafkaConnector %s", [made.metadata.name]), "the connector fails"), {
	"path": ["spec", "config", "database.hostname"],
	"plugin_path": ["spec", "config", "plugin.name"],
	"slot_path": ["spec", "config", "slot.name"],
	"resource": k8s.reference(made),
}) |
	count(hosts) > 0
	some version in ["kafka.strimzi.io/v1beta2", "kafka.strimzi.io/v1"]
	some made in inventory.in_all_files(version, "KafkaConnector")
	get.string(made, ["spec", "class"]) == "io.debezium.connector.postgresql.PostgresConnector"
	not object.get(made, ["spec", "state"], "running") in {"paused", "stopped"}
	home := home_of(made)
	leads(get.string(made, ["spec", "config", "database.hostname"]), home)
]

# By which they come.
hosts := addresses.hosts | {host | some host in get.list(model.cluster, "decoded_hosts")}

# Whose namespace is not written goes where the cluster goes whose own is not.
home_of(made) := get.string(made, ["metadata", "namespace"])

home_of(made) := model.cluster.namespace if {
	not get.present(made, ["metadata", "namespace"])
	not get.present(k8s.object, ["metadata", "namespace"])
}

servers := [object.union(of_debezium(properties, one.made.words, "Debezium ends with an error"), {
	"path": one.path,
	"plugin_path": one.path,
	"slot_path": one.path,
	"resource": one.made.resource,
}) |
	count(hosts) > 0
	some one in workloads.containers
	variables := environment.values(one.container)
	variables.DEBEZIUM_SOURCE_CONNECTOR_CLASS == "io.debezium.connector.postgresql.PostgresConnector"
	leads(variables.DEBEZIUM_SOURCE_DATABASE_HOSTNAME, model.cluster.namespace)
	properties := {property: value |
		some property in ["database.user", "plugin.name", "publication.autocreate.mode", "publication.name", "slot.name"]
		name := sprintf("DEBEZIUM_SOURCE_%s", [replace(upper(property), ".", "_")])
		value := variables[name]
	}
]

# Its defaults are decoderbufs and debezium.
of_debezium(properties, who, consequence) := {
	"who": who,
	"what": sprintf("%s decodes it", [who]),
	"consequence": consequence,
	"plugin": object.get(properties, "plugin.name", "decoderbufs"),
	"slot": object.get(properties, "slot.name", "debezium"),
	"default": object.get(properties, "slot.name", null) == null,
	"properties": properties,
}

# METADATA
# description: |
#   Connectors of Debezium that read some tables and have no heartbeats: {"who", "read": words for what they read, "kept": what their slot keeps meanwhile, "cure", "level", "path", "resource"}. What nobody has read of
#   the slot stays until a row of these tables comes by, and where another database is the application's its own transactions never do.
# related_resources:
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-wal-disk-space
quiet := [object.union(object.filter(one, ["who", "resource"]), object.union({"path": ["spec", "config"], "read": prose.counted(count(tables), "table")}, kept)) |
	some one in connectors
	not beats(one.properties)
	tables := [name | some part in split(get.text(object.get(one.properties, "table.include.list", "")), ","); name := trim_space(part); name != ""]
	count(tables) > 0
	count([1 | some name in tables; placeholder.holds(name)]) == 0
	kept := kept_for(get.text(object.get(one.properties, "database.dbname", "")))
]

# An interval, or what nobody sees.
beats(properties) if {
	interval := get.text(properties["heartbeat.interval.ms"])
	not regex.match(`^\s*0*\s*$`, interval)
}

kept_for(database) := {"kept": sprintf("the WAL of database %s as well", [main]), "cure": "Set heartbeat.interval.ms, and heartbeat.action.query, which writes to its own", "level": "warning"} if {
	main := beside(database)
} else := {"kept": "the WAL of all others", "cure": "Set heartbeat.interval.ms", "level": "info"}

# The database of the application, where it is not this one.
beside(database) := model.cluster.databases_made.main if {
	database in model.cluster.databases_made.names
	database != model.cluster.databases_made.main
}

# METADATA
# description: |
#   Those of Debezium whose role may not do what they do with it: {"who", "outcome", "cure", "level", "path", "resource"}. A slot is streamed from by a role with REPLICATION, and Debezium creates a publication
#   for all tables, which only a superuser may, unless there is one of the name or publication.autocreate.mode says otherwise.
# related_resources:
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-permissions
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-property-publication-autocreate-mode
denied := [object.union(object.filter(one, ["who", "path", "resource"]), fault) |
	some rights in get.list(model.cluster, "roles")
	not rights.superuser
	some one in debezium
	logs_in_as(object.get(one.properties, "database.user", ""), rights)
	count(sql_of_roles) == 0
	some fault in array.concat(without_replication(rights), without_publication(rights, one))
]

logs_in_as(user, rights) if user == rights.name

# KubernetesSecretConfigProvider of Strimzi: the Secret of a role has its name.
logs_in_as(user, rights) if {
	some found in regex.find_all_string_submatch_n(`^[$]\{[a-z]+:([a-z0-9-]+)/([a-z0-9.-]+):(user|username)\}$`, user, 1)
	found[1] == model.cluster.namespace
	found[2] in get.list(rights, "secrets")
}

without_replication(rights) := [{
	"outcome": sprintf("streams from a slot as %s, who has no REPLICATION: it fails (\"must be superuser or replication role to start walsender\")", [rights.name]),
	"cure": "Give the role REPLICATION",
	"level": "error",
} |
	not rights.replication
]

without_publication(rights, one) := [{
	"outcome": sprintf("creates publication %s for all tables as %s, and only a superuser may: it fails unless there is one", [name, rights.name]),
	"cure": "Create it, or set publication.autocreate.mode to filtered",
	"level": level_of_mode[mode_written],
} |
	one.plugin == "pgoutput"
	object.get(one.properties, "publication.autocreate.mode", "all_tables") == "all_tables"
	mode_written := object.get(one.properties, "publication.autocreate.mode", null) != null
	name := object.get(one.properties, "publication.name", "dbz_publication")
	not placeholder.holds(name)
	count(sql_of_publications) == 0
	not name in published
]

# By hand it is created as often as not.
level_of_mode := {true: "error", false: "warning"}

# Publications that CloudNativePG creates.
published := {get.string(o, ["spec", "name"]) | some o in inventory.list(k8s.namespace, "postgresql.cnpg.io/v1", "Publication")}

sql_of_publications := [1 | some text in spoken; regex.match(`(?i)\bcreate\s+publication\b`, text)]

sql_of_roles := [1 | some text in spoken; regex.match(`(?i)\b(alter|create)\s+(user|role)\b|\bgrant\s+\S+\s+to\b`, text)]

# What may be SQL for the server: the resource itself, ConfigMaps and Secrets beside it, and commands.
spoken := array.concat(
	[json.marshal(o) | some o in array.concat([get.map(k8s.object, "spec")], array.concat(inventory.list(k8s.namespace, "v1", "ConfigMap"), [get.map(o, "stringData") | some o in inventory.list(k8s.namespace, "v1", "Secret")]))],
	[json.marshal([get.list(one.container, "command"), get.list(one.container, "args")]) | some one in workloads.containers],
)

# Programs that decode the WAL and ask for wal_level=logical before they do anything: pgsync/base.py of PGSync, connection_manager.ex of Electric, change-source/pg of Zero.
others := [{"who": sprintf("%s (%s)", [one.made.words, program]), "what": sprintf("%s (%s) decodes it", [one.made.words, program]), "consequence": sprintf("%s ends with an error", [program]), "path": one.path, "resource": one.made.resource} |
	count(hosts) > 0
	some one in workloads.containers
	some program, known in programs
	image.repository(get.string(one.container, "image")) == known.image
	variables := environment.values(one.container)
	some name in known.variables
	leads(host_in(variables[name]), model.cluster.namespace)
]

programs := {
	"Electric": {"image": "docker.io/electricsql/electric", "variables": ["DATABASE_URL"]},
	"PGSync": {"image": "docker.io/toluaina1/pgsync", "variables": ["PG_HOST", "PG_URL"]},
	"Zero": {"image": "docker.io/rocicorp/zero", "variables": ["ZERO_UPSTREAM_DB"]},
}

# A host, or the one in an address.
host_in(value) := regex.replace(regex.replace(value, `^postgres(ql)?://([^@/\s]*@)?`, ""), `[:/?].*$`, "")

# In the namespace of the cluster its name alone is enough.
leads(host, _) if {
	not placeholder.holds(host)
	parts := split(host, ".")
	parts[0] in hosts
	parts[1] == model.cluster.namespace
}

leads(host, home) if {
	host in hosts
	home == model.cluster.namespace
}
