package walguard.operators.workload

import data.walguard.lib.text

# Users that scripts of the first start create and give a database's privileges, of which none is to create tables in schema public since PostgreSQL 15.
facts contains {"schemaless_users": schemaless} if count(schemaless) > 0

schemaless := [object.union(
	{"name": user_of_grant, "databases": [database], "cure": sprintf("Let it own the database (ALTER DATABASE %s OWNER TO %s), or grant it ALL ON SCHEMA public there", [database, user_of_grant])},
	object.union(object.filter(script, ["path", "resource"]), {"level": "error" | used(database, user_of_grant)}),
) |
	layout in {"docker", "bitnami"}
	by_entrypoint
	some script in scripts_of_start
	some [database, user_of_grant] in pairs_of(script.text)
	not regex.match(`(?i)^(public|postgres)$`, user_of_grant)
	regex.match(sprintf(`(?i)\bcreate\s+(user|role)\s+(if\s+not\s+exists\s+)?"?%s(["\s;]|$)`, [text.literal(user_of_grant)]), sql_of_start)
	not may_create(database, user_of_grant)
]

# A program in sight logs in as the user and asks for the database.
used(database, user_of_grant) if {
	some one in client_containers
	count([1 | some _, variable in one.variables; variable.value == user_of_grant]) > 0
	some _, variable in one.variables
	regex.match(sprintf(`(^|/)%s(\?|$)`, [text.literal(database)]), variable.value)
}

used(database, user_of_grant) if {
	some one in client_containers
	some _, variable in one.variables
	regex.match(sprintf(`^postgres(ql)?(\+[a-z0-9]+)?://%s[:@][^\s]*/%s(\?|$)`, [text.literal(user_of_grant), text.literal(database)]), variable.value)
}

granted := `(?i)\bgrant\s+(?:all(?:\s+privileges)?|create)[^;]*?\son\s+database\s+\\?"?([^\s";\\]+)\\?"?\s+to\s+\\?"?([^\s";\\]+)`

# By a GRANT, or by their one name.
pairs_of(words_of_script) := {[match[1], match[2]] | some match in regex.find_all_string_submatch_n(granted, words_of_script, -1)} | {[match[1], match[1]] |
	some match in regex.find_all_string_submatch_n(`(?i)\bcreate\s+database\s+\\?"?([a-z_][a-z0-9_]*)\\?"?`, words_of_script, -1)
}

sql_of_start := concat("\n", [script.text | some script in scripts_of_start])

# Any schema, an owner or a membership may be what lets it.
may_create(_, _) if regex.match(`(?i)\b(create|alter)\s+schema\b|\bcreatedb\b.*(-O|--owner)|\balter\s+role\s+\S+\s+superuser|\breassign\s+owned\b`, sql_of_start)

# A right in schema public is one in the database where it is given: for a database that the scripts make and do not go to, in another one.
may_create(database, _) if {
	regex.match(`(?i)\bschema\s+\\?"?public\b`, sql_of_start)
	not passed_by(database)
}

passed_by(database) if {
	regex.match(sprintf(`(?i)\bcreate\s+database\s+\\?"?%s(\\?"|[\s;]|$)`, [text.literal(database)]), sql_of_start)
	not regex.match(`(?i)\\c(onnect)?\s|PGDATABASE|postgres(ql)?://|dbname|dblink|\.sql\b`, without_users)
	not first_of(["PGDATABASE"])
	not unknown(["PGDATABASE"])
	every line in split(without_users, "\n") {
		stays(line)
	}
}

# The user that psql logs in as is mostly a variable.
without_users := regex.replace(sql_of_start, `(-U|--username)[ =]*["']?\$\{?[A-Z_]+\}?["']?`, "")

# psql without the name of a database among its words.
stays(line) if not regex.match(`\bpsql\b`, line)

stays(line) if regex.match(`^\s*psql(\s+(-[qtAXw1]*c\s*""|-[qtAXw1]+|-v\s+\S+|-U\s*\S+|--username[ =]\S+|--no-password|<<-?\s*\S+))*\s*;?\s*(\|\|\s*true)?$`, regex.replace(line, `'[^']*'|"(\\.|[^"\\])*"`, `""`))

may_create(database, _) if regex.match(sprintf(`(?is)\b(create|alter)\s+database\s+\\?"?%s\\?"?[^;]*\bowner\b`, [text.literal(database)]), sql_of_start)

may_create(_, user_of_grant) if regex.match(sprintf(`(?i)\b(create|alter)\s+(user|role)\s+\\?"?%s\b[^;]*\ssuperuser\b`, [text.literal(user_of_grant)]), sql_of_start)

may_create(_, user_of_grant) if regex.match(sprintf(`(?i)\bgrant\s+\\?"?[^\s";]+\s+to\s+\\?"?%s\b`, [text.literal(user_of_grant)]), sql_of_start)
