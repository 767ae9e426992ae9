package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sql
import data.walguard.lib.workloads

# What keeps the first start from making the roles and databases that somebody wrote down, beside what scripts.rego sees.
setup_faults := array.concat(array.concat(unmounted_scripts, superusers_of_supabase), array.concat(array.concat(created_again, as_an_unmade_role), array.concat(of_no_variable, cron_elsewhere)))

# A volume of the pod with scripts of the first start that no container mounts.
unmounted_scripts := [{
	"reason": sprintf("No container mounts volume %s, so its %s never runs: the new database lacks the %s that it makes", [name, trim_prefix(script.file, "/docker-entrypoint-initdb.d/"), what[0]]),
	"cure": sprintf("Mount it at /docker-entrypoint-initdb.d in container %s", [get.string(container, "name")]),
	"level": "error",
	"path": one.path,
} |
	layout in {"docker", "bitnami"}
	by_entrypoint
	not standby
	some name, one in volumes
	not placeholder.holds(name)
	not name in mounted_names
	some script in readable_files.of({"name": name, "directory": "/docker-entrypoint-initdb.d"}, one.volume)
	regex.match(`\.(sql|sh)$`, script.file)
	not script.resource in [other.resource | some other in scripts_of_start]
	count([1 |
		some made in workloads.all
		not workloads.itself(made)
		some volume in get.list(made.pod, "volumes")
		some source in readable_files.sources(volume)
		source.name == script.resource.name
	]) == 0
	what := [word |
		some match in regex.find_all_string_submatch_n(`(?im)\bcreate\s+(user|role|database)\s+[^\s;]`, script.text, 1)
		word := {"user": "role", "role": "role", "database": "database"}[get.lower_case(match[1])]
	]
	count(what) > 0
]

mounted_names := {get.string(mounted, "name") |
	some list in ["initContainers", "containers"]
	some one in get.list(k8s.object, array.concat(pod_path, [list]))
	some mounted in get.list(one, "volumeMounts")
}

# migrate.sh of the image, and the pg_hba.conf beside it, know no other superuser than supabase_admin, which the image's own POSTGRES_USER names.
superusers_of_supabase := [object.union(
	{
		"reason": sprintf("POSTGRES_USER is %s, and the image's own scripts log in as supabase_admin, who is not made then: the first start ends at migrate.sh, and none of Supabase's roles exists", [role.value]),
		"cure": "Leave POSTGRES_USER out: the image sets it to supabase_admin",
		"level": "error",
	},
	place(role),
) |
	by_entrypoint
	regex.match(`(^|/)supabase/postgres$`, image.repository(get.string(container, "image")))
	server.product.major >= 15
	count(hidden_scripts) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d"); not in_sight(mounted)]) == 0
	not regex.match(`(?i)create\s+(role|user)\s+"?supabase_admin`, sql_of_start)
	role := first_of(["POSTGRES_USER"])
	regex.match(`^[A-Za-z0-9_-]+$`, role.value)
	role.value != "supabase_admin"
]

# A script of the shell that makes what a variable names, and stops at the first error.
created_again := [object.union(
	{
		"reason": sprintf("The image makes the %s %s before it runs this script, whose CREATE %s names it again: the first start ends there, and later ones pass over all scripts", [kind, name, upper(match[1])]),
		"cure": cure_of_again(match[2]),
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "docker"
	server.product.published
	by_entrypoint
	some script in scripts_of_start
	endswith(script.name, ".sh")
	regex.match(`(?m)^\s*set\s+-[A-Za-z]*e`, script.text)
	regex.match(`\bON_ERROR_STOP=(1|on)\b`, script.text)
	not regex.match(`(?i)\bnot\s+exists\b|\\gexec|\bexception\b|\bdrop\s+(database|role|user|owned)\b|\|\||pg_(roles|user|database)\b|\bset\s+\+e`, script.text)
	some match in regex.find_all_string_submatch_n(`(?im)^\s*create\s+(user|role|database)\s+\\?"?(?:\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?|([A-Za-z0-9_-]+))\\?"?(?:\s|;|$)`, script.text, -1)
	[kind, variable_made] := {"user": ["role", "POSTGRES_USER"], "role": ["role", "POSTGRES_USER"], "database": ["database", "POSTGRES_DB"]}[get.lower_case(match[1])]
	name := array.concat([value | value := said_to_server(match[2])], [match[3] | match[3] != ""])[0]
	name == said_to_server(variable_made)
]

cure_of_again("") := "Remove the statement"

cure_of_again(variable) := sprintf("Give %s another value, or remove the statement", [variable]) if variable != ""

said_to_server(name) := variables[name].value if {
	variables[name].value != ""
	not placeholder.unknown(variables[name].value)
}

# The entrypoint stops at the first script that fails, one of the shell included.
as_an_unmade_role := [object.union(
	{
		"reason": sprintf("The script logs in as postgres, and the image makes the role %s alone (POSTGRES_USER): the first start ends there, and later ones pass over all scripts", [superuser]),
		"cure": "Write psql -U \"$POSTGRES_USER\"",
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "docker"
	server.product.published
	by_entrypoint
	not unknown(["POSTGRES_USER"])
	superuser := default_role
	superuser != "postgres"
	not regex.match(`(?i)\bcreate\s+(role|user)\s+(if\s+not\s+exists\s+)?\\?"?postgres\b`, sql_of_start)
	some script in scripts_of_start
	endswith(script.name, ".sh")
	not regex.match(`\|\||\bset\s+\+e|\b(if|while|until|case|for)\b`, script.text)
	regex.match(`(?m)^\s*psql\b[^\n;|&]*\s(-[a-zA-Z]*U\s*|--username[= ])["']?postgres["']?(\s|$)`, replace(script.text, "\\\n", " "))
]

# A name or a password that the shell takes from a variable which nothing defines.
of_no_variable := [object.union({"reason": fault.reason, "cure": sprintf("Set %s in the env of container %s", [fault.name, get.string(container, "name")]), "level": "error"}, object.filter(script, ["path", "resource"])) |
	layout == "docker"
	by_entrypoint
	server.product.published
	count(get.list(container, "envFrom")) == 0
	some script in scripts_of_start
	endswith(script.name, ".sh")
	count(names_of_variables & {"POSTGRES_HOST_AUTH_METHOD", "POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE"}) > 0
	some fault in sql.undefined(script.text, names_of_variables | of_image)
]

# The scripts run in the database of POSTGRES_DB, and pg_cron can be created in that of cron.database_name alone (pg_cron--1.0.sql); psql stops there.
cron_elsewhere := [object.union(
	{
		"reason": sprintf("CREATE EXTENSION pg_cron runs in database %s, and it can be created in that of cron.database_name alone, %s: the first start ends there, and later ones pass over all scripts", [database_of_scripts, home_of_cron]),
		"cure": sprintf("Set cron.database_name to %s", [database_of_scripts]),
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "docker"
	by_entrypoint
	some script in scripts_of_start
	endswith(script.name, ".sql")
	"pg_cron" in created_plainly(script)
	not regex.match(`(?i)cron\.database_name|\\c(onnect)?\b`, sql_of_start)
	"pg_cron" in preloaded_names
	database_of_scripts != home_of_cron
	not placeholder.unknown(home_of_cron)
]

home_of_cron := get.text(shared.last_of(parameters, "cron.database_name").value)

home_of_cron := "postgres" if {
	not shared.last_of(parameters, "cron.database_name")
	not contains(json.marshal([get.list(container, "command"), get.list(container, "args")]), "cron.database_name")
}

database_of_scripts := made_database

# Named after its superuser.
database_of_scripts := made_role if {
	not first_of(["POSTGRES_DB"])
	not unknown(["POSTGRES_DB"])
}
