package walguard.operators.workload

import data.walguard.lib.sql

# What scripts of the first start cannot do, whoever wrote them; see script_faults of walguard.model. The official entrypoint becomes postgres before it runs them, beside a server that
# listens on its socket alone (docker_temp_server_start), and stops at the first error (set -e, ON_ERROR_STOP); the next start finds a data directory and passes over all of them.
failing_scripts := array.concat(array.concat(foreign_statements, array.concat(foreign_line_ends, unset_words)), array.concat(array.concat(over_the_network, without_a_login), array.concat(installing, unreadable_scripts)))

ends_there := "the first start ends there, and later ones pass over all scripts"

# A script that may be executed is a program of its own, which goes on at an error unless it says otherwise; the entrypoint's shell reads the others.
outcome(script) := "what it is to make is missing" if runs_apart(script)

outcome(script) := ends_there if not runs_apart(script)

runs_apart(script) if {
	not regex.match(`(?m)^\s*set\s+-[a-zA-Z]*e|^#!\S+(\s\S+)?\s+-[a-zA-Z]*e`, script.text)
	some mounted in mounts
	startswith(mounted.directory, "/docker-entrypoint-initdb.d")
	some field in ["configMap", "secret", "projected"]
	object.get(volumes[mounted.name].volume, [field, "defaultMode"], 420) % 2 == 1
}

# A program of PostgreSQL's that a script calls, with its options: a line with those that continue it. What runs in the background may wait for the server itself; what is asked whether it succeeds is nobody's fault.
calls := [{"script": script, "program": found[1], "rest": found[2], "line": line} |
	layout == "docker"
	by_entrypoint
	server.product.published
	some script in scripts_of_start
	endswith(script.name, ".sh")
	not regex.match(`(?m)[^&>]&[ \t]*(\)|$)|\bnohup\b|\bpg_ctl\b|\blisten_addresses\b|(^|[;&|]|\bexec)\s*postgres\s+-`, script.text)
	some line in split(replace(script.text, "\\\n", " "), "\n")
	not regex.match(`^\s*(#|if\b|elif\b|until\b|while\b|!)|\|\|`, line)
	some found in regex.find_all_string_submatch_n(`(?:^|[;(|]|&&|\bexport\s[^;]*;)\s*(?:[A-Z_]+=\S*\s+)*(psql|createdb|createuser|pg_restore)((?:\s[^;|]*)?)`, line, 1)
]

# ------------------------------------------------------------------------------------------------------- network

over_the_network := [object.union(
	{
		"reason": sprintf("The script calls %s with host %s, and while scripts run the server listens on its socket alone: %s", [one.program, host, outcome(one.script)]),
		"cure": "Leave the host out",
		"level": "error",
	},
	object.filter(one.script, ["path", "resource"]),
) |
	some one in calls
	host := host_of(one)
	regex.match(`^[a-zA-Z0-9]`, host)
]

host_of(one) := regex.find_all_string_submatch_n(`\s(?:-h\s*|--host[= ]\s*)["']?([^\s"']+)`, one.rest, 1)[0][1]

# libpq takes it from the environment, which the image clears for files of SQL only.
host_of(one) := first_of(["PGHOST"]).value if {
	not regex.match(`\s(-h\s*|--host[= ])|\bhost=|postgres(ql)?://`, one.rest)
	not contains(one.script.text, "PGHOST")
	not contains(one.line, "PGHOST")
}

# --------------------------------------------------------------------------------------------------------- login

# Without a user it is the one of the operating system, postgres, and without a database it is called as the user.
without_a_login := array.concat(
	[object.union(
		{
			"reason": sprintf("The script calls %s without a user, so that it logs in as postgres, and the image makes %s alone: %s", [one.program, superuser, outcome(one.script)]),
			"cure": `Add --username "$POSTGRES_USER" --dbname "$POSTGRES_DB"`,
			"level": "error",
		},
		object.filter(one.script, ["path", "resource"]),
	) |
		superuser := superuser_of_start
		some one in calls
		not regex.match(`\s(-[a-zA-Z]*U|--username)|\buser=|postgres(ql)?://`, one.rest)
		not anybody
		not regex.match(`\bPGUSER\b|\bpsql\s*\(\)|\balias\b`, one.script.text)
	],
	[object.union(
		{
			"reason": sprintf("The script calls psql as %s without a database, so that it asks for database %s, and the image makes %s: %s", [superuser, superuser, database, outcome(one.script)]),
			"cure": `Add --dbname "$POSTGRES_DB"`,
			"level": "error",
		},
		object.filter(one.script, ["path", "resource"]),
	) |
		superuser := superuser_of_start
		database := first_of(["POSTGRES_DB"]).value
		regex.match(`^[A-Za-z0-9_-]+$`, database)
		database != superuser
		not created_in(superuser)
		some one in calls
		one.program == "psql"
		asked := regex.find_all_string_submatch_n(`^\s*((?:(?:-v|--set|--variable)[= ]?\s*\S+|-[qtAX1]+|--no-[a-z-]+)\s+)*(?:-U\s*|--username[= ]\s*)["']?([$][{]?POSTGRES_USER[}]?|[A-Za-z0-9_-]+)["']?\s*((?:-v|--set|--variable)[= ]?\s*\S+\s*|-[qtAX1]+\s+|--no-[a-z-]+\s*|-a\s+|-e\s+)*(<<.*|<\s*\S+\s*|-c\s.*|-f\s.*|--command.*|--file.*)?$`, one.rest, 1)[0]
		asked[2] in {"$POSTGRES_USER", "${POSTGRES_USER}", superuser}
		not regex.match(`\s(-d\s*|--dbname)|\bdbname=|postgres(ql)?://`, one.rest)
		not regex.match(`\bPGDATABASE\b|\bPOSTGRES_(USER|DB)=|\bpsql\s*\(\)|\balias\b`, one.script.text)
		not first_of(["PGDATABASE"])
		not unknown(["PGDATABASE", "POSTGRES_DB"])
	],
)

# The role that the first start makes, where nobody makes postgres beside it.
superuser_of_start := role if {
	layout == "docker"
	not unknown(["POSTGRES_USER"])
	role := first_of(["POSTGRES_USER"]).value
	regex.match(`^[A-Za-z0-9_]+$`, role)
	role != "postgres"
	not written_otherwise
	count([1 | some script in scripts_of_start; regex.match(`(?i)\bcreate\s+(user|role)\s+"?postgres\b|\bcreateuser\b`, script.text)]) == 0
}

# The user of the operating system is the image's own.
written_otherwise if not object.get({"user": written_user}, "user", 0) in {0, 70, 999}

anybody if first_of(["PGUSER"])

anybody if unknown(["PGUSER"])

created_in(name) if {
	some script in scripts_of_start
	regex.match(sprintf(`(?i)\bcreate\s*database\s+"?([$][{]?POSTGRES_USER|%s\b)|\bcreatedb\b`, [name]), script.text)
}

# ------------------------------------------------------------------------------------------------------- databases

# A variable that names one database, or one user, takes what it is given for one name.
facts contains {"uncreated": one_name} if count(one_name) > 0

one_name := [object.union(object.filter(variable, ["resource"]), {
	"path": value_path(variable),
	"reason": sprintf("%s names one %s, and the image makes one that is called \"%s\"", [name, what, variable.value]),
	"cure": "Name one there, and create the others in a script of /docker-entrypoint-initdb.d",
}) |
	by_entrypoint
	server.product.published
	layout in {"docker", "bitnami", "sclorg"}
	some [name, what] in [["POSTGRES_DB", "database"], ["POSTGRESQL_DATABASE", "database"], ["POSTGRES_USER", "role"]]
	variable := variables[name]
	regex.match(`^[A-Za-z_][A-Za-z0-9_-]*(\s*[,;]\s*[A-Za-z_][A-Za-z0-9_-]*)+$`, variable.value)
	not contains(own_words, name)
]

# -------------------------------------------------------------------------------------------------------- packages

installing := array.concat(
	[object.union(
		{
			"reason": sprintf("The script runs %s, for which it must be root, and the image runs scripts as postgres: %s", [manager, outcome(script)]),
			"cure": "Build an image with the packages",
			"level": "error",
		},
		object.filter(script, ["path", "resource"]),
	) |
		layout == "docker"
		by_entrypoint
		server.product.published
		some script in scripts_of_start
		manager := manager_in(script)
	],
	[object.union(
		{
			"reason": sprintf("The script runs %s, and what it installs is in the container alone: scripts run on the first start only, and the next container lacks it", [manager]),
			"cure": "Build an image with the packages",
		},
		object.filter(script, ["path", "resource"]),
	) |
		layout == "bitnami"
		by_entrypoint
		some script in scripts_of_start
		manager := manager_in(script)
	],
)

manager_in(script) := found[0][1] if {
	endswith(script.name, ".sh")
	not regex.match(`\bsudo\b|\|\||\bid -u\b|\bEUID\b`, script.text)
	found := regex.find_all_string_submatch_n(`(?m)^[ \t]*(?:(?:if|then|export|DEBIAN_FRONTEND=\S+)\s+)*(apt-get|apt|apk|yum|dnf|microdnf)\s+(?:-\S+\s+)*(?:update|install|add)\b`, script.text, 1)
	count(found) > 0
}

# ------------------------------------------------------------------------------------------------------ line ends

foreign_line_ends := [object.union(
	{
		"reason": sprintf("The lines of the script end as Windows has them, and the shell takes the carriage return for a part of each command: %s", [ends_there]),
		"cure": "Save it with LF alone (dos2unix)",
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	layout in {"docker", "bitnami"}
	by_entrypoint
	some script in scripts_of_start
	endswith(script.name, ".sh")
	contains(script.text, "\r\n")
]

# ------------------------------------------------------------------------------------------------------------ SQL

# Bitnami's image hands a file to psql and goes on at an error.
foreign_statements := [object.union(
	{"reason": sprintf("%s, which is a syntax error%s", [found.what, after_error]), "cure": found.instead, "level": level_of_error},
	object.filter(script, ["path", "resource"]),
) |
	by_entrypoint
	layout in {"docker", "bitnami"}
	some script in scripts_of_start
	regex.match(`\.(sh|sql)$`, script.name)
	found := sql.foreign(script.text)[0]
]

after_error := sprintf(": %s", [ends_there]) if layout == "docker"

after_error := ", and what it is to make is missing" if layout != "docker"

level_of_error := "error" if layout == "docker"

level_of_error := "warning" if layout != "docker"

# psql is called without variables for a file of SQL, and leaves the name of one that is not set as it stands.
unset_words := [object.union(
	{"reason": sprintf("%s is a variable of psql, and the image sets none for files of SQL: a syntax error%s", [found[1], after_error]), "cure": "Write a script that ends in .sh and calls psql -v", "level": level_of_error},
	object.filter(script, ["path", "resource"]),
) |
	by_entrypoint
	layout in {"docker", "bitnami"}
	some script in scripts_of_start
	endswith(script.name, ".sql")
	not regex.match(`(?m)^\s*\\(set|getenv|gset|i|ir|include)\b|\\gset`, script.text)
	found := regex.find_all_string_submatch_n(`(?i)\b(?:password|user|role|database|owner|to|schema|authorization)\s+(:["']?[a-z_][a-z0-9_]*["']?)(?:\s|;|$)`, without_strings(sql.plain(script.text)), 1)[0]
]

without_strings(text) := regex.replace(text, `(^|[^:])'[^']*'`, "$1''")

# ------------------------------------------------------------------------------------------------------------ modes

# Files of a ConfigMap or a Secret belong to root; with fsGroup its group may read them too.
unreadable_scripts := [{
	"reason": sprintf("The files at %s have mode %s and belong to root, and the image reads scripts as postgres: %s", [mounted.directory, mode_shown(mode), ends_there]),
	"cure": "Leave defaultMode out",
	"level": "error",
	"path": array.concat(volumes[mounted.name].path, [field]),
} |
	layout == "docker"
	by_entrypoint
	server.product.published
	not grouped
	some mounted in mounts
	mounted.directory == "/docker-entrypoint-initdb.d"
	some field in ["configMap", "secret", "projected"]
	mode := get_mode(volumes[mounted.name].volume, field)
	mode % 8 < 4
	mode > 0
]

get_mode(volume, field) := number if {
	number := object.get(volume, [field, "defaultMode"], 420)
	is_number(number)
	count(object.get(volume, [field, "items"], [])) == 0
}

mode_shown(mode) := sprintf("0%d%d%d", [(mode - (mode % 64)) / 64, ((mode % 64) - (mode % 8)) / 8, mode % 8])
