package walguard.operators.workload

import data.walguard.lib.flux
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.sql

# Scripts of the first start that do not do what they are for; see walguard.model. docker-entrypoint.sh takes the files of /docker-entrypoint-initdb.d by their
# endings and looks into no directory below it; libpostgresql.sh of Bitnami's image runs them as the user of the application.
facts contains {"script_faults": script_faults} if count(script_faults) > 0

script_faults := array.concat(array.concat(array.concat(unrun, array.concat(denied, roles_denied)), array.concat(locked_out, never_empty)), array.concat(array.concat(misquoted, hidden_scripts), array.concat(array.concat(array.concat(created_twice, blanked_scripts), failing_scripts), array.concat(setup_faults, premature))))

scripts_of_start := [object.union(f, {"name": trim_prefix(f.file, "/docker-entrypoint-initdb.d/")}) |
	server
	some f in files
	startswith(f.file, "/docker-entrypoint-initdb.d/")
]

blanked_scripts := [object.union_n([fault, {"level": "error"}, object.filter(script, ["path", "resource"])]) |
	some script in scripts_of_start
	endswith(script.name, ".sh")
	fault := flux.blanked(script.text, names_given(container), inventory.namespaced_object(k8s.namespace, "v1", script.resource.kind, script.resource.name), k8s.object)
]

unrun := [object.union({"reason": reason, "cure": cure}, object.filter(script, ["path", "resource"])) |
	layout == "docker"
	by_entrypoint
	some script in scripts_of_start
	[reason, cure] := passed_over(script.name)
	not called(script)
	not run_by_the_image(script.name)
]

# migrate.sh of Supabase's image.
run_by_the_image(name) if {
	image.name(get.string(container, "image")) == "postgres"
	contains(get.string(container, "image"), "supabase/postgres")
	regex.match(`^(init-scripts|migrations)/[^/]+\.sql$`, name)
}

passed_over(name) := [
	sprintf("The image runs no files of directories below /docker-entrypoint-initdb.d, such as %s", [name]),
	"Mount it at /docker-entrypoint-initdb.d itself",
] if {
	contains(name, "/")
	regex.match(`\.(sh|sql|sql\.gz|sql\.xz|sql\.zst)$`, name)
}

passed_over(name) := [
	sprintf("The image passes over /docker-entrypoint-initdb.d/%s, whose name does not end in .sh or .sql", [name]),
	"Rename the key",
] if {
	regex.match(`^[^./]+(\.(psql|pgsql|ddl|bash|SQL|SH))?$`, name)
}

# psql ends with the error where the script says so (ON_ERROR_STOP, and docker_process_sql of the image has it), the start with it, and the next one finds a data directory.
misquoted := [object.union(
	{"reason": sprintf("%s puts a name in the quotes of a string, which is a syntax error: the first start ends there, and later ones pass over all scripts", [statement]), "cure": "Write the name bare or in double quotes", "level": "error"},
	object.filter(one, ["path", "resource"]),
) |
	by_entrypoint
	some one in scripts_of_start
	regex.match(`\.(sh|sql)$`, one.name)
	statement := sql.names_in_quotes(one.text)[0]
]

# Another script may read it.
called(script) if {
	some other in scripts_of_start
	other.name != script.name
	regex.match(`\.(sh|sql)$`, other.name)
	some word in [part | some part in split(script.name, "/"); part != ""]
	contains(other.text, word)
}

denied := [object.union(
	{
		"reason": sprintf("The image runs this as user %s, who may not create extension %s", [owner_of_scripts.value, extension]),
		"cure": cure_of_denial,
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "bitnami"
	by_entrypoint
	some script in scripts_of_start
	some extension in created_as(script, owner_of_scripts.value)
	extension in for_superusers
]

# Bitnami's user has CREATEDB alone.
roles_denied := [object.union(
	{
		"reason": sprintf("The image runs this as user %s, who may not create roles", [owner_of_scripts.value]),
		"cure": cure_of_denial,
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "bitnami"
	by_entrypoint
	some script in scripts_of_start
	endswith(script.name, ".sql")
	regex.match(`(?im)^[ \t]*create[ \t]+(user|role)[ \t]`, script.text)
	owner_of_scripts
]

cure_of_denial := "Set POSTGRESQL_INITSCRIPTS_USERNAME to postgres, with its password in POSTGRESQL_INITSCRIPTS_PASSWORD"

owner_of_scripts := user_of_scripts if {
	user_of_scripts.value != "postgres"
	not unknown(["POSTGRESQL_INITSCRIPTS_USERNAME", "POSTGRES_INITSCRIPTS_USERNAME"])
}

user_of_scripts := found if found := first_of(["POSTGRESQL_INITSCRIPTS_USERNAME", "POSTGRES_INITSCRIPTS_USERNAME"])

user_of_scripts := found if {
	not first_of(["POSTGRESQL_INITSCRIPTS_USERNAME", "POSTGRES_INITSCRIPTS_USERNAME"])
	found := first_of(["POSTGRESQL_USERNAME", "POSTGRES_USERNAME", "POSTGRES_USER", "POSTGRESQL_USER"])
}

created_as(script, _) := {get.lower_case(match[1]) | some match in regex.find_all_string_submatch_n(creation, script.text, -1)} if endswith(script.name, ".sql")

# In a script of the shell only what psql is told in one line with its user.
created_as(script, user_name) := {get.lower_case(match[1]) |
	some line in split(script.text, "\n")
	regex.match(sprintf(`\bpsql\b.*(-U|--username)[ =]*["']?%s\b`, [user_name]), line)
	some match in regex.find_all_string_submatch_n(creation, line, -1)
} if {
	endswith(script.name, ".sh")
	regex.match(`^[A-Za-z0-9_]+$`, user_name)
}

creation := `(?i)create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([a-z0-9_-]+)"?`

# Of contrib and of others the ones whose control file does not say "trusted".
for_superusers := {
	"adminpack", "amcheck", "dblink", "file_fdw", "pageinspect", "pg_buffercache", "pg_cron", "pg_freespacemap", "pg_prewarm", "pg_stat_statements", "pg_surgery",
	"pg_visibility", "pg_walinspect", "pgaudit", "pgrowlocks", "pgstattuple", "plperlu", "plpython3u", "pltclu", "postgis", "postgis_topology", "postgres_fdw", "sslinfo",
}

# --------------------------------------------------------------------------------------------- scripts of the image

# What is mounted at the directory itself takes the place of the scripts that the image has there.
hidden_scripts := [object.union(
	{
		"reason": sprintf("What is mounted at /docker-entrypoint-initdb.d hides the image's own scripts, so that %s is not set up in the new database", [own.what]),
		"cure": "Mount each script at /docker-entrypoint-initdb.d/NAME by subPath",
		"path": array.concat(container_path, ["volumeMounts"]),
	},
	hidden_level(own),
) |
	by_entrypoint
	server.product.published
	own := own_scripts[image.repository(get.string(container, "image"))]
	some mounted in mounts
	mounted.directory == "/docker-entrypoint-initdb.d"
	in_sight(mounted)
	count(scripts_of_start) > 0
	not regex.match(own.done_by, sql_of_start)
]

# A script that changes one of these roles ends the first start.
hidden_level(own) := {"level": "error"} if {
	some pattern in object.get(own, "changed", [])
	regex.match(pattern, sql_of_start)
} else := {}

own_scripts := {
	"docker.io/postgis/postgis": {"what": "PostGIS", "done_by": `(?i)extension[^;]*postgis`},
	"docker.io/supabase/postgres": {"what": "what Supabase's services log in as (supabase_admin, authenticator)", "done_by": `(?i)create\s+(role|user)\s+"?supabase_admin`, "changed": [`(?i)\balter\s+(user|role)\s+"?(authenticator|pgbouncer|supabase_[a-z_]+)\b`]},
	"docker.io/timescale/timescaledb": {"what": "TimescaleDB", "done_by": `(?i)extension[^;]*timescaledb`},
	"docker.io/timescale/timescaledb-ha": {"what": "TimescaleDB", "done_by": `(?i)extension[^;]*timescaledb`},
}

# What scripts of the first start create as a superuser; the official entrypoint stops at the first error.
facts contains {"extensions": created_at_first} if count(created_at_first) > 0

created_at_first := [object.union_n([{"name": extension, "by": "script"}, object.filter(script, ["path", "resource"]), certainty(script, extension)]) |
	layout == "docker"
	by_entrypoint
	some script in scripts_of_start
	regex.match(`\.(sql|sh)$`, script.name)
	some extension in {get.lower_case(match[1]) | some match in regex.find_all_string_submatch_n(creation, script.text, -1)}
]

# Whether the image alone has what can be created, and nothing takes care of an error.
certainty(script, extension) := {"certain": true, "consequence": "the first start", "level": "error"} if {
	as_published
	endswith(script.name, ".sql")
	extension in created_plainly(script)
} else := {"certain": true, "consequence": "what needs it", "level": "warning"} if {
	as_published
	endswith(script.name, ".sh")
	extension in created_plainly(script)
} else := {}

as_published if {
	server.product.published
	count([1 | some mounted in mounts; regex.match(`^/usr(/|$)`, mounted.directory)]) == 0
	count([1 | some setting in parameters; get.lower_case(setting.name) in {"dynamic_library_path", "extension_control_path"}]) == 0
	count([1 | some script in scripts_of_start; regex.match(`(?i)\b(apt|apt-get|apk|dpkg|make|pgxn|trunk|curl|wget|git|tar|cp|ln)\s`, script.text)]) == 0
}

created_plainly(script) := {get.lower_case(match[1]) | some match in regex.find_all_string_submatch_n(creation, sql.plain(script.text), -1)} if {
	not regex.match(`(?i)\bexception\b|pg_available_extension|^\s*\\(if|elif)|\|\||ON_ERROR_STOP[ =]*(0|off)|\bif\s+(!|\[|psql)`, script.text)
}

# ------------------------------------------------------------------------------------------------------- logical decoding

facts contains {"decoders": decoders} if count(decoders) > 0

decoders := array.concat(
	[object.union({"what": "a script of the first start creates a logical slot", "consequence": "the first start ends there"}, object.filter(script, ["path", "resource"])) |
		layout == "docker"
		by_entrypoint
		some script in scripts_of_start
		endswith(script.name, ".sql")
		regex.match(`(?i)\bpg_create_logical_replication_slot\s*\(`, sql.plain(script.text))
		not regex.match(`(?i)\bexception\b|alter\s+system\b`, script.text)
	],
	[object.union({"what": "a script of the first start creates a publication", "consequence": "no subscriber gets anything", "level": "warning"}, object.filter(script, ["path", "resource"])) |
		layout in {"docker", "bitnami"}
		by_entrypoint
		some script in scripts_of_start
		endswith(script.name, ".sql")
		regex.match(`(?i)\bcreate\s+publication\s`, sql.plain(script.text))
		not regex.match(`(?i)alter\s+system\b|pg_create_logical_replication_slot`, script.text)
	],
)

# debezium/postgres and supabase/postgres are set up for it, and so may be an image of one's own.
facts contains {"unknown_sample": true} if {
	server
	not image.repository(get.string(container, "image")) in stock
}

stock := {
	"docker.io/bitnami/postgresql",
	"docker.io/bitnamilegacy/postgresql",
	"docker.io/library/postgres",
	"docker.io/pgvector/pgvector",
	"docker.io/postgis/postgis",
	"docker.io/timescale/timescaledb",
	"public.ecr.aws/docker/library/postgres",
}
