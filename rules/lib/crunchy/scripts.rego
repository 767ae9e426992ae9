package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sql
import data.walguard.lib.text

# METADATA
# description: The SQL of databaseInitSQL, where the ConfigMap is in sight, as walguard.model has script_faults and extensions.
script_facts(loaded) := object.union_n([
	{"script_faults": found | found := array.concat(array.concat(in_postgres, after_restore), array.concat(of_the_superuser, cron_elsewhere)); count(found) > 0},
	{"extensions": found | found := created(loaded); count(found) > 0},
	{"preloaded_besides": sort(loaded)},
])

# psql is told no database, so that it is the superuser's (internal/controller/postgrescluster/postgres.go, reconcileDatabaseInitSQL).
in_postgres := [object.union(
	{
		"reason": sprintf("databaseInitSQL runs in database postgres until it says \\c, so that %s there and not in %s", [told, text.list(applications, "or")]),
		"cure": sprintf("Begin the SQL with \\c %s", [applications[0]]),
	},
	object.filter(initial_sql, ["path", "resource"]),
) |
	count(applications) > 0
	beginning := regex.replace(sql.plain(initial_sql.text), `(?s)(^|\n)[ \t]*\\c(onnect)?\b.*`, "")
	not placeholder.unknown(beginning)
	told := application_objects(beginning)
]

# reconcileDatabaseInitSQL runs it once in every new cluster, a restored one included, and again as long as psql fails, which it does when the script says so.
after_restore := [object.union(
	{
		"reason": sprintf("databaseInitSQL runs in what is restored from dataSource as well, where %s has been done already: with ON_ERROR_STOP it fails, and the operator tries again without end", [found]),
		"cure": "Take databaseInitSQL out, or write a script that can run twice",
		"level": "warning",
	},
	object.filter(initial_sql, ["path", "resource"]),
) |
	count({"pgbackrest", "postgresCluster", "volumes"} & object.keys(get.map(spec, "dataSource"))) > 0
	regex.match(`(?im)^\s*\\set\s+ON_ERROR_STOP([ \t]+(on|1|true|yes)\b|[ \t]*$)`, initial_sql.text)
	found := regex.replace(trim_space(regex.find_n(`(?im)^\s*create\s+(role|user|schema|(unlogged\s+)?table|extension|database|type|sequence)\s+([^i\s]|i[^f\s]|if[^\s])[^\s;(]*`, initial_sql.text, 1)[0]), `\s+`, " ")
]

# psql runs it as postgres, to whom belongs what it creates; who else is to use it may be said elsewhere.
of_the_superuser := [object.union(
	{
		"reason": sprintf("databaseInitSQL creates %s in %s as postgres, and nothing there grants it to anybody: permission denied for the users of spec.users", [left.what, connected[1]]),
		"cure": sprintf("Write SET ROLE %s behind \\c, or give it to that user", [get.text_at(users[0], "name")]),
	},
	object.union(object.filter(initial_sql, ["path", "resource"]), {"level": "info"}),
) |
	connected := regex.find_all_string_submatch_n(`(?m)^[ \t]*\\c(?:onnect)?[ \t]+"?([a-z0-9_-]+)"?[ \t]*;?[ \t]*$`, initial_sql.text, 1)[0]
	connected[1] in applications
	left := sql.ungranted(regex.replace(initial_sql.text, `(?m)^[ \t]*\\(c|connect|set|echo)\b[^\n]*$`, ""))
	not placeholder.unknown(initial_sql.text)
	count([1 | some user in users; regex.match(`(?i)\bsuperuser\b`, object.get(user, "options", ""))]) == 0
	not "postgres" in [get.string(user, "name") | some user in users]
	not placeholder.holds(get.text_at(users[0], "name"))
]

# psql is in the database of the last \c before it; "can only create extension in database postgres" (pg_cron--1.0.sql). Where it is not loaded, that is another finding.
cron_elsewhere := [object.union(
	{
		"reason": sprintf("databaseInitSQL creates pg_cron in database %s, and it can be created in that of cron.database_name alone, %s: there is none, and cron.schedule fails", [database, home_of_cron]),
		"cure": sprintf("Set cron.database_name: %s among the parameters", [database]),
		"level": "error",
	},
	object.filter(initial_sql, ["path", "resource"]),
) |
	count([1 | some listed in preloads; contains(listed, "pg_cron")]) > 0
	not placeholder.unknown(initial_sql.text)
	code := sql.plain(initial_sql.text)
	before := regex.split(`(?i)\bcreate\s+extension\s+(if\s+not\s+exists\s+)?"?pg_cron\b`, code)
	count(before) == 2
	not regex.match(`(?i)cron\.database_name|\\(i|ir|include|include_relative|if)\b`, code)
	database := database_after(before[0])
	count([1 | some told in [database, home_of_cron]; placeholder.holds(told)]) == 0
	database != home_of_cron
]

database_after(text) := "postgres" if {
	not regex.match(`\\c`, text)
} else := found[count(found) - 1][1] if {
	found := regex.find_all_string_submatch_n(`(?m)^[ \t]*\\c(?:onnect)?[ \t]+"?([A-Za-z0-9_-]+)"?[ \t]*;?[ \t]*$`, text, -1)
	count(found) == count(regex.find_n(`\\c`, text, -1))
}

home_of_cron := array.concat(
	[written |
		some path in [array.concat(patroni_path, ["cron.database_name"]), ["spec", "config", "parameters", "cron.database_name"]]
		written := get.text_at(k8s.object, path)
	],
	["postgres"],
)[0]

application_objects(beginning) := sprintf("extension %s is created", [extensions[0]]) if {
	extensions := sort([extension | some extension in sql.extensions_in(beginning); extension in sql.of_applications])
	count(extensions) > 0
} else := sprintf("table %s is created", [found[0][1]]) if {
	found := regex.find_all_string_submatch_n(`(?i)(?:^|;)\s*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([a-z0-9_.]+)`, beginning, 1)
	count(found) > 0
} else := "schemas and their privileges are changed" if {
	regex.match(`(?i)(^|;)\s*(create\s+schema|(grant|alter\s+default\s+privileges)\b[^;]*\bon\s+(all\s+)?(tables?|schema|sequences?)\b)`, beginning)
}

# The databases of spec.users; without the field one with the name of the cluster.
applications := [database |
	some user in get.list(spec, "users")
	some database in get.list(user, "databases")
	is_string(database)
	database != "postgres"
	not placeholder.unknown(database)
] if {
	get.present(spec, "users")
}

applications := [k8s.name] if not get.present(spec, "users")

# Libraries that the operator loads by itself aside. The lists of both sections are joined.
created(loaded) := [object.union(
	{"name": extension, "consequence": "the rest of databaseInitSQL, which the operator tries again and again"},
	object.filter(initial_sql, ["path", "resource"]),
) |
	some extension in sort([name | some name in sql.extensions_in(sql.plain(initial_sql.text))])
	not extension in loaded
	count([1 | some listed in preloads; contains(listed, extension)]) == 0
	count([1 | some listed in preloads; placeholder.unknown(listed)]) == 0
]

preloads := [listed |
	some path in [array.concat(patroni_path, ["shared_preload_libraries"]), ["spec", "config", "parameters", "shared_preload_libraries"]]
	listed := get.text_at(k8s.object, path)
]
