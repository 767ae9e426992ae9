package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sql

# SQL of the first start that fails, or that changes another database than it is for; see walguard.model. The instance manager sends each entry and each file over a
# connection, as one message without arguments, not through psql (pkg/management/postgres/initdb.go, executeQueries).
facts contains {"script_faults": script_faults} if count(script_faults) > 0

script_faults := array.concat(array.concat(array.concat(failing, misspoken), array.concat(elsewhere, made_elsewhere_by_sql)), array.concat(array.concat(dropped, cron_elsewhere), array.concat(premature, of_the_superuser)))

failing := [object.union({"reason": sprintf(reason, [script.title]), "cure": cure, "level": "error"}, object.filter(script, ["path", "resource"])) |
	some script in scripts
	[reason, cure] := failure(script.text)
]

# Other databases' SQL, and names that are quoted otherwise than PostgreSQL quotes them.
misspoken := [object.union({"reason": sprintf("%s: %s, which is a syntax error, and the first start fails", [script.title, fault.what]), "cure": fault.instead, "level": "error"}, object.filter(script, ["path", "resource"])) |
	some script in scripts
	not failure(script.text)
	fault := array.concat(
		sql.foreign(script.text),
		[{"what": sprintf("%s puts a name in the quotes of a string", [statement]), "instead": "Write the name bare or in double quotes"} | some statement in sql.names_in_quotes(script.text)],
	)[0]
]

scripts := [script |
	initialised
	some script in array.concat(entries, referenced)
	not placeholder.unknown(script.text)
]

entries := [{"field": field, "title": field, "text": text, "path": ["spec", "bootstrap", "initdb", field, i]} |
	some field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]
	some i, text in get.list(spec, ["bootstrap", "initdb", field])
	is_string(text)
]

referenced := [{
	"field": trim_suffix(field, "Refs"),
	"title": sprintf("%s of %s %s", [key, kind, name]),
	"text": text,
	"path": [part, key],
	"resource": k8s.reference(found),
} |
	some field in ["postInitSQLRefs", "postInitTemplateSQLRefs", "postInitApplicationSQLRefs"]
	some [list, kind, part] in [["configMapRefs", "ConfigMap", "data"], ["secretRefs", "Secret", "stringData"]]
	some ref in get.list(spec, ["bootstrap", "initdb", field, list])
	name := get.string(ref, "name")
	key := get.string(ref, "key")
	found := inventory.namespaced_object(k8s.namespace, "v1", kind, name)
	text := get.string(found, [part, key])
]

failure(text) := [
	sprintf("%%s has %s, a command of psql, and the operator does not use psql: the first start fails", [meta]),
	"Write SQL; what is for the database of the application goes into postInitApplicationSQL",
] if {
	meta := concat("", array.slice(regex.find_all_string_submatch_n(meta_command, text, 1)[0], 1, 3))
}

failure(text) := [
	"%s has COPY … FROM stdin with its rows, which only psql can send: the first start fails",
	"Write INSERT, or load the dump when the cluster runs",
] if {
	not regex.match(meta_command, text)
	regex.match(`(?im)^\s*copy\s[^;]*\sfrom\s+stdin\b`, text)
}

# PostgreSQL runs several statements of one message in one transaction.
failure(text) := [
	sprintf("%%s has %s beside other statements, which run in one transaction: PostgreSQL refuses that, and the first start fails", [get.upper_case(alone)]),
	"Give the statement an entry of its own",
] if {
	not regex.match(meta_command, text)
	bare := regex.replace(text, `--[^\n]*`, "")
	not regex.match(`\$[A-Za-z_]*\$|/\*`, bare)
	statements := [statement | some part in split(bare, ";"); statement := trim_space(part); statement != ""]
	count(statements) > 1
	alone := [regex.replace(found, `\s+`, " ") | some statement in statements; some found in regex.find_n(outside_transactions, statement, 1)][0]
}

meta_command := `(?m)^\s*(\\(?:c|connect|i|ir|include|include_relative|set|unset|gset|echo|qecho|if|elif|else|endif|copy|timing|q|quit|x|pset|encoding|o|restrict|unrestrict|d[a-z]*|l|getenv|prompt))(?:[\s;]|$)|(\\gexec)(?:[\s;]|$)`

outside_transactions := `(?i)^(create|drop)\s+database\b|^(create|drop)\s+tablespace\b|^alter\s+system\b`

# postInitSQL runs in database postgres.
elsewhere := [object.union(
	{
		"reason": sprintf("postInitSQL runs in database postgres, so that %s, the database of the application, gets no extension %s", [of_application, extension]),
		"cure": "Move it to postInitApplicationSQL",
		"path": script.path,
	},
	{"level": level | level := level_of_extension(extension)},
) |
	some script in scripts
	script.field == "postInitSQL"
	some extension in sql.extensions_in(script.text)
	extension in sql.of_applications
	not extension in created_for_application
	of_application != "postgres"
]

level_of_extension(extension) := level_of_place.level if {
	extension in sql.of_superusers
} else := "info" if {
	level_of_place.level == "info"
}

# A superuser creates its own in the database of the application, and who names no database may have another one.
level_of_place := [{"level": "error"}, {}, {"level": "info"}][count([1 | by_superuser]) + count([1 | not get.present(spec, ["bootstrap", "initdb", "database"])])]

by_superuser if get.boolean(spec, "enableSuperuserAccess")

by_superuser if {
	some role in get.list(spec, ["managed", "roles"])
	privileged(role)
}

# What belongs to one database, and rights in it; the owner has them anyhow. What looks at the whole server has its schema and functions where monitoring connects.
made_elsewhere_by_sql := [object.union(
	{
		"reason": sprintf("postInitSQL runs in database postgres, so that %s, the database of the application, gets no %s", [of_application, what]),
		"cure": "Move it to postInitApplicationSQL",
		"path": script.path,
	},
	object.union({"resource": script.resource | script.resource}, {"level": level | level := level_of_place.level; startswith(what, "table")}),
) |
	some script in scripts
	script.field == "postInitSQL"
	of_application != "postgres"
	not placeholder.unknown(of_application)
	what := of_one_database(code_of(script))
]

of_one_database(code) := sprintf("%s %s", [get.lower_case(found[1]), replace(found[2], `"`, "")]) if {
	found := regex.find_all_string_submatch_n(`(?im)(?:^|;)\s*create\s+(?:unlogged\s+)?(table)\s+(?:if\s+not\s+exists\s+)?("?[a-z_][\w.]*)`, code, 1)[0]
} else := "default privileges" if {
	regex.match(`(?im)(?:^|;)\s*alter\s+default\s+privileges\b`, code)
} else := sprintf("rights of %s in schema %s", [found[2], found[1]]) if {
	found := regex.find_all_string_submatch_n(`(?im)(?:^|;)\s*grant\s[^;]*?\son\s+(?:all\s+\w+\s+in\s+)?schema\s+"?([\w]+)"?\s+to\s+"?([\w]+)`, code, 1)[0]
	found[1] == "public"
	not found[2] in {initial_owner, "public"}
	not for_monitoring
}

for_monitoring if {
	some script in scripts
	regex.match(`(?i)\bpg_(monitor|read_all_\w+|stat_\w+)\b|\bcreate\s+(or\s+replace\s+)?function\b`, script.text)
}

of_application := name if name := get.string(spec, ["bootstrap", "initdb", "database"])

of_application := "app" if not get.present(spec, ["bootstrap", "initdb", "database"])

created_for_application := {extension |
	some script in scripts
	script.field != "postInitSQL"
	some extension in sql.extensions_in(script.text)
} | {get.string(extension, "name") |
	some database in inventory.list(k8s.namespace, k8s.api_version, "Database")
	some extension in get.list(database, ["spec", "extensions"])
}

# reconcileExtensions runs at each start of the primary, in all databases (pkg/postgres/configuration.go, ManagedExtensions and IsUsed: by the parameters alone).
dropped := [object.union(
	{
		"reason": sprintf("CloudNativePG drops %s again: it keeps an extension that it manages only while a parameter of its own is set, and none begins with %s", [extension, extension]),
		"cure": sprintf("Set %s among the parameters, with which the operator loads and creates it, and take the statement out", [kept_by_parameter[extension]]),
	},
	object.filter(script, ["path", "resource"]),
) |
	some script in scripts
	some extension in sql.extensions_in(script.text)
	kept_by_parameter[extension]
	loaded_anyhow(extension)
	parameters := get.map(spec, ["postgresql", "parameters"])
	count([1 | some name, _ in parameters; startswith(name, sprintf("%s.", [extension]))]) == 0
	count([1 | some name, _ in parameters; placeholder.unknown(name)]) == 0
]

kept_by_parameter := {"pg_stat_statements": "pg_stat_statements.track: top", "pgaudit": "pgaudit.log"}

# CREATE EXTENSION pgaudit fails where the library is not loaded, which is another finding.
loaded_anyhow("pg_stat_statements")

loaded_anyhow("pgaudit") if "pgaudit" in named_libraries

# pg_cron is created in one database only: "can only create extension in database postgres" (pg_cron--1.0.sql). The parameters are in force before this SQL runs (initdb.go).
cron_elsewhere := [object.union(
	{
		"reason": sprintf("%s creates pg_cron in database %s, and it can be created in the one that cron.database_name says alone, %s: the first start fails", [script.title, database, home_of_cron]),
		"cure": sprintf("Set cron.database_name: %s among the parameters", [application_database]),
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	some script in scripts
	database := {"postInitSQL": "postgres", "postInitTemplateSQL": "template1", "postInitApplicationSQL": application_database}[script.field]
	code := regex.replace(script.text, `--[^\n]*`, "")
	not contains(code, "$")
	"pg_cron" in sql.extensions_in(code)
	elsewhere_than_cron(database)
]

# Databases beside that of the application.
cron_elsewhere_by_object := [{
	"path": ["spec", "extensions", i],
	"resource": k8s.reference(database),
	"reason": sprintf("Database %s is not applied: pg_cron can be created in the database that cron.database_name says alone, %s", [database.metadata.name, home_of_cron]),
	"cure": sprintf("Set cron.database_name: %s among the parameters of the cluster", [name]),
} |
	operator
	some database in of_cluster("Database")
	object.get(database, ["spec", "ensure"], "present") == "present"
	not get.present(database, ["status", "applied"])
	name := get.string(database, ["spec", "name"])
	some i, extension in get.list(database, ["spec", "extensions"])
	get.string(extension, "name") == "pg_cron"
	object.get(extension, "ensure", "present") == "present"
	elsewhere_than_cron(name)
]

# Where it is not loaded, that is another finding (parameters/preload_missing).
elsewhere_than_cron(database) if {
	"pg_cron" in named_libraries
	database != home_of_cron
	not placeholder.unknown(database)
	not placeholder.unknown(home_of_cron)
	count([1 | some name, _ in get.map(spec, ["postgresql", "parameters"]); placeholder.unknown(name)]) == 0
}

home_of_cron := object.get(spec, ["postgresql", "parameters", "cron.database_name"], "postgres")
