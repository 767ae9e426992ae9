package walguard.model.programs

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   What programs create of their own accord as a role that may not: {"client": in words, "role", "what": in words, "option": of the role that is missing, "level", "path", "resource"}, as denied_statements. PostgreSQL looks
#   at the right before it looks whether there is one of the name.
# related_resources:
#   - https://backstage.io/docs/tutorials/configuring-plugin-databases/
#   - https://github.com/temporalio/docker-builds/blob/main/docker/auto-setup.sh
#   - https://github.com/immich-app/immich/blob/main/server/src/repositories/database.repository.ts
#   - https://github.com/chatwoot/chatwoot/blob/develop/db/schema.rb
denied_habits := [object.union(object.filter(habit, ["what", "option", "level"]), {"client": one.made.words, "role": rights.name, "path": one.path, "resource": one.made.resource}) |
	count(get.list(model.cluster, "roles")) > 0
	some one in workloads.containers
	one.list == "containers"
	not workloads.itself(one.made)
	some habit in habits(one)
	rights := rights_of(one.container)
	not rights.superuser
	not rights[habit.right]
	count([1 | some text in texts; regex.match(`(?i)\balter\s+(user|role)\b|\bgrant\s+[a-z_]+\s+to\b`, text)]) == 0
]

# By the one Secret that it takes its login from, or by name.
rights_of(container) := found[0] if {
	secrets := environment.secrets(container)
	named := {value | some name, value in environment.values(container); regex.match(`(DB|DATABASE|POSTGRES|PG)[A-Z_]*(USER|USERNAME)$`, name)}
	found := [role |
		some role in model.cluster.roles
		count([1 | role.name in named]) + count([1 | some secret in role.secrets; secret in secrets]) > 0
	]
	count({role.name | some role in found}) == 1
	count(named - {found[0].name}) == 0
}

habits(one) := [{"what": "a database for each plugin (Backstage)", "right": "createdb", "option": "CREATEDB", "level": "error"} |
	regex.match(`backstage`, image.name(get.string(one.container, "image")))
	told := concat("\n", [file.text | some file in files.mounted(one.container, get.list(one.made.pod, "volumes"))])
	regex.match(`(?m)^\s*database:\s*$\s*(#[^\n]*\s*)*client:\s*['"]?(pg|better-pg)['"]?\s*$`, told)
	not regex.match(`pluginDivisionMode:\s*['"]?schema|ensureExists:\s*false`, told)
] if {
	regex.match(`backstage`, get.string(one.container, "image"))
} else := [{"what": "its databases (SKIP_DB_CREATE is not true)", "right": "createdb", "option": "CREATEDB", "level": "error"} |
	values := environment.values(one.container)
	not values.SKIP_DB_CREATE == "true"
	not values.SKIP_SCHEMA_SETUP == "true"
	count(get.list(one.container, "envFrom")) == 0
	regex.match(`^postgres`, object.get(values, "DB", ""))
	count([1 | some field in ["command", "args"]; get.present(one.container, field)]) == 0
] if {
	image.repository(get.string(one.container, "image")) == "docker.io/temporalio/auto-setup"
} else := [{"what": sprintf("extension %s (%s)", [extension, title]), "right": "superuser", "option": "SUPERUSER", "level": "error"} |
	[title, program] := client.program_of(one.container)
	extension := extension_of(title, one.container)
	program.untrusted
	count([1 | some text in of_the_first_start; regex.match(sprintf(`(?i)create\s+extension\b[^;]*\b(%s)\b`, [program.untrusted]), text)]) == 0
	count([1 |
		some database in inventory.list(k8s.namespace, "postgresql.cnpg.io/v1", "Database")
		some created in get.list(database, ["spec", "extensions"])
		regex.match(sprintf(`^(%s)$`, [program.untrusted]), get.string(created, "name"))
	]) == 0
]

# Immich takes VectorChord unless a variable says otherwise; pgvector is trusted, and the owner of a database may create it.
extension_of("Immich", container) := extension if {
	extension := {"": "vchord", "vectorchord": "vchord", "pgvecto.rs": "vectors"}[object.get(environment.values(container), "DB_VECTOR_EXTENSION", "")]
	"DB_VECTOR_EXTENSION" in client.names(container)
}

extension_of("Immich", container) := extension if {
	not "DB_VECTOR_EXTENSION" in client.names(container)
	extension := {true: "vectors", false: "vchord"}[regex.match(`^v?1\.([0-9]{1,2}|1[0-2][0-9]|13[0-2])\.`, image.tag(get.string(container, "image")))]
	has(extension)
}

# Later releases take what the server has, VectorChord first (getVectorExtension of database.repository.ts).
has("vectors")

has("vchord") if count([1 |
	some made in inventory.list(k8s.namespace, "postgresql.cnpg.io/v1", "Database")
	some one in get.list(made, ["spec", "extensions"])
	get.string(one, "name") == "vector"
]) == 0

extension_of("Chatwoot", _) := "pg_stat_statements"

# What the operator creates where its parameters are written, and SQL.
of_the_first_start := array.concat(
	[json.marshal(get.map(k8s.object, "spec"))],
	array.concat(
		["create extension pg_stat_statements;" | some name, _ in get.map(k8s.object, ["spec", "postgresql", "parameters"]); startswith(name, "pg_stat_statements.")],
		[json.marshal(get.map(o, "data")) | some o in inventory.list(k8s.namespace, "v1", "ConfigMap")],
	),
)
