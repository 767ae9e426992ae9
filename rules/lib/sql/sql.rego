# METADATA
# description: SQL that a superuser runs when a cluster is created, as far as it sets parameters.
# related_resources:
#   - https://www.postgresql.org/docs/current/sql-altersystem.html
#   - https://www.postgresql.org/docs/current/sql-alterrole.html
package walguard.lib.sql

import data.walguard.lib.get
import data.walguard.lib.text as texts

# METADATA
# description: |
#   The parameters that a text sets by ALTER SYSTEM and ALTER ROLE ALL, [{"name", "value"} and the place], and of those that hide corruption also by
#   ALTER DATABASE and ALTER ROLE, and for a function: a session that has them writes what it read. Of session_replication_role and synchronous_commit by ALTER DATABASE too. Other parameters of one role are its own business.
settings(text, place) := array.concat(first, [one | some one in array.concat(settings_in(whole(text), place), settings_in(put_together, place)); not one in first]) if {
	said := plain(text)
	put_together := folded(said)
	regex.match(setting, put_together)
	first := settings_in(single(said), place)
} else := []

setting := `(?i)\b(alter|create)\b[\s\S]*\bset\b`

settings_in(said, place) := [object.union({"name": found[1], "value": value}, place) |
	some pattern in [of_system, of_session, of_database, of_everybody]
	some found in regex.find_all_string_submatch_n(pattern, said, -1)
	value := unquoted(found[2])
	not contains(value, "$")
	not startswith(value, ":")
	get.lower_case(value) != "default"
]

of_system := `(?i)\balter\s+system\s+set\s+\\?"?([a-z_][a-z0-9_.]*)\\?"?\s*(?:=|\bto\b)\s*\+?\s*('(?:[^'\n]|'')*'|\\?"[\w.-]+\\?"|[^\s;"'\\)]+)`

of_session := `(?i)\b(?:alter\s+(?:database|role|user|function|procedure|routine)|create\s+(?:or\s+replace\s+)?(?:function|procedure))\s[^;]*?\bset\s+\\?"?(zero_damaged_pages|ignore_checksum_failure)\\?"?\s*(?:=|\bto\b)\s*\+?\s*('[^'\n]*'|\\?"\w+\\?"|[a-z0-9]+)`

# Of a role it may be on purpose: the one that applies changes.
of_database := `(?i)\balter\s+database\s[^;]*?\bset\s+\\?"?(session_replication_role|synchronous_commit)\\?"?\s*(?:=|\bto\b)\s*('[^'\n]*'|\\?"\w+\\?"|[a-z0-9_]+)`

of_everybody := `(?i)\balter\s+(?:role|user)\s+all\s+(?:in\s+database\s+\S+\s+)?set\s+\\?"?([a-z_][a-z0-9_.]*)\\?"?\s*(?:=|\bto\b)\s*\+?\s*('(?:[^'\n]|'')*'|\\?"[\w.-]+\\?"|[^\s;"'\\)$]+)`

unquoted(text) := replace(substring(text, 1, count(text) - 2), "''", "'") if startswith(text, "'")

unquoted(text) := trim(text, `\"`) if not startswith(text, "'")

# METADATA
# description: |
#   Statements at the beginning of a line that put the name of a role, database or schema in the quotes of a string ('app'), as MySQL has them: a syntax error. psql's :'name' is none of
#   them, and neither is a word of a shell.
names_in_quotes(text) := [trim_space(found[0]) | some found in regex.find_all_string_submatch_n(quoted_name, text, -1)]

quoted_name := `(?im)^[ \t]*(?:(?:create|alter|drop)[ \t]+(?:user|role|database|schema)[ \t]+(?:if[ \t]+(?:not[ \t]+)?exists[ \t]+)?|grant[ \t][^;'"\n]*[ \t]to[ \t]+)'[^'\n]*'`

# METADATA
# description: |
#   Names and passwords of roles and databases that a script of the shell takes from a variable which it does not set and which is not among those that are defined: [{"name": of the variable, "reason": a sentence without the full
#   stop}].
undefined(text, defined) := [{"name": name, "reason": sprintf("The script takes the %s from $%s, which nothing defines: %s", [what, name, emptied[what]])} |
	code := regex.replace(text, `(?m)^\s*(#|--)[^\n]*$`, "")
	not regex.match(`(?m)^\s*(source|\.|eval|set\s+-a)\s`, code)
	some [name, what] in {[match[2], kinds_of_names[regex.replace(get.lower_case(match[1]), `^create\s+|[\s']+$`, "")]] |
		some match in regex.find_all_string_submatch_n(`(?i)\b(password\s+'|create\s+user\s+|create\s+role\s+|create\s+database\s+)\\?"?\$\{?([a-z_][a-z0-9_]*)\}?\\?["']?(?:\s|;|$)`, code, -1)
	}
	not name in defined
	not regex.match(sprintf(`(?m)\b%s(=|:-|:=|:\?)|\b(read|for|local|declare|export|getenv|file_env|printf -v)\s[^\n]*\b%s\b`, [name, name]), text)
]

kinds_of_names := {"password": "password", "user": "name", "role": "name", "database": "name"}

emptied := {
	"name": "the statement is a syntax error, and the first start ends there",
	"password": "the role gets none, and nobody logs in as it",
}

# METADATA
# description: |
#   Statements at the beginning of a line that other databases have and PostgreSQL does not, [{"what": in words, "instead": a sentence without the full stop}]. A comment and the body of a function are none.
foreign(text) := [{"what": sprintf(kind.what, [regex.replace(trim_space(found[1]), `\s+`, " ")]), "instead": kind.instead} |
	code := regex.replace(plain(text), `(?s)[$]([a-z_]*)[$].*?[$]([a-z_]*)[$]`, " ")
	some kind in foreign_kinds
	some found in regex.find_all_string_submatch_n(kind.pattern, code, 1)
]

foreign_kinds := [
	{
		"pattern": `(?im)^[ \t]*(create[ \t]+database[ \t]+if[ \t]+not[ \t]+exists)\b`,
		"what": "PostgreSQL has no %s",
		"instead": "Write CREATE DATABASE alone: scripts run once, on an empty volume",
	},
	{
		"pattern": `(?im)^[ \t]*(create[ \t]+(?:user|role|group)[ \t]+if[ \t]+not[ \t]+exists|create[ \t]+if[ \t]+not[ \t]+exists[ \t]+(?:user|role|database))\b`,
		"what": "PostgreSQL has no %s",
		"instead": "Write CREATE ROLE alone: scripts run once, on an empty volume",
	},
	{
		"pattern": `(?im)^[ \t]*(use[ \t]+[a-z_"\x60][a-z0-9_"\x60-]*)[ \t]*;`,
		"what": "PostgreSQL has no %s",
		"instead": `Write \connect and the name of the database`,
	},
	{
		"pattern": `(?im)^[ \t]*(flush[ \t]+privileges|create[ \t]+user[ \t]+[^;\n]*\bidentified[ \t]+by)\b`,
		"what": "%s is of MySQL",
		"instead": "Write CREATE USER name PASSWORD 'password', and no FLUSH PRIVILEGES",
	},
	{
		"pattern": `(?im)^[ \t]*((?:create|alter|drop)[ \t]+(?:database|extension|role|schema|user)[ \t]+(?:if[ \t]+(?:not[ \t]+)?exists[ \t]+)?[a-z_][a-z0-9_]*(?:-[a-z0-9_]+)+)(?:[\s;]|$)`,
		"what": "%s has a hyphen in a name without quotes",
		"instead": "Put the name into double quotes",
	},
	{
		"pattern": `(?im)^[ \t]*((?:create[ \t]+database|alter[ \t]+(?:database|schema)|grant)[ \t](?:[^;'\n-]|-[^;'\n-])*[ \t](?:owner|owner[ \t]+to|to)[ \t]+[a-z_][a-z0-9_]*(?:-[a-z0-9_]+)+)(?:[\s;]|$)`,
		"what": "%s has a hyphen in a name without quotes",
		"instead": "Put the name into double quotes",
	},
]

# METADATA
# description: True where a text says ALTER SYSTEM in a way that settings does not read, or puts its statements together so that nobody can read them.
unreadable(text) if count(regex.find_n(`(?i)\balter\s+system\s+set\b`, but_for_schemas(text), -1)) > count(regex.find_n(of_system, but_for_schemas(text), -1))

unreadable(text) if {
	some found in regex.find_all_string_submatch_n(of_system, folded(but_for_schemas(text)), -1)
	regex.match(`^:|[$]`, found[2])
}

# Immich's SQL for extensions of vectors: ALTER SYSTEM SET search_path TO "$user", public, vectors.
but_for_schemas(text) := regex.replace(plain(text), `(?i)\balter\s+system\s+set\s+\\?"?search_path\\?"?\s*(=|\bto\b)[^;\n]*`, "")

unreadable(text) if regex.match(composed, regex.replace(plain(text), harmless, " "))

# A comment within the statement that plain leaves there: to the end of a line, or one in another.
unreadable(text) if {
	regex.match(`(?is)\balter\s*(/\*|--)[^;]*\bsystem\b`, text)
	not regex.match(`(?i)\balter\s+system\b`, plain(text))
}

unreadable(text) if regex.match(`(?i)\balter\s+system(\s*--[^\n]*\n)+\s*set\b`, text)

# A statement that is no part of a comment, though it looks so: in a string, behind a string or a comment that holds the beginning of another one, on a line that goes on with "#", which
# is an operator, or behind a carriage return, which ends a comment.
unreadable(text) if {
	regex.match(`(?i)\balter\s+(system|database|role|user)\b`, text)
	count(regex.find_n(altering, code(uncommented(text)), -1)) > count(regex.find_n(altering, plain(text), -1))
}

unreadable(text) if regex.match(`(?im)^[ \t]*#[ \t]*[\w.'"()]*[ \t]*;[^\n]*\balter\s+(system|database|role|user)\b`, text)

unreadable(text) if obscured(text)

# What COPY reads is no comment.
unreadable(text) if {
	regex.match(`(?i)\bcopy\s[^;]*\bfrom\s+(pg)?stdin\b`, text)
	regex.match(`(?m)^[^\n]*/\*`, text)
	regex.match(`(?i)\balter\s+system\b`, text)
	not regex.match(`(?i)\balter\s+system\b`, plain(text))
}

altering := `(?i)\balter\s+(system|database|role|user)\s`

code(text) := concat("", [kept(one) | some one in regex.find_n(token, regex.replace(spaced(text), `(?m)^[ \t]*#.*$`, ""), -1)])

token := `--[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/|'(?:[^']|'')*'|"[^"]*"|[$]\w*[$][^$]*[$]\w*[$]|[^-/'"$]+|[-/'"$]`

kept(one) := " " if regex.match(`^(--|/\*)`, one)

kept(one) := one if not regex.match(`^(--|/\*)`, one)

# A vertical tab is white space since PostgreSQL 16, and a shell takes a backslash at the end of a line out, with the line break.
spaced(text) := texts.unbroken(replace(text, "\u000b", " "))

# What a function sets, whoever calls it.
unreadable(text) if regex.match(`(?is)\bcreate\s+(or\s+replace\s+)?(function|procedure)\b.*\b(set_config\s*\(\s*'|set\s+(local\s+|session\s+)?"?)(zero_damaged_pages|ignore_checksum_failure)\b`, plain(text))

# METADATA
# description: The tablespaces that a text makes, a list of {"name", "value"}, the directory.
tablespaces(text) := [{"name": sprintf("Tablespace %s%s", [found[1], found[2]]), "value": found[3]} |
	some found in regex.find_all_string_submatch_n(`(?i)\bcreate\s+tablespace\s+(?:\\?"([^"\n]*?)\\?"|([^\s"\\;]+))\s[^;]*?\blocation\s+'(/[^'\n$]+)'`, plain(text), -1)
]

# A statement that is the result of another one, which does not begin as people write it.
unreadable(text) if {
	some found in regex.find_all_string_submatch_n(`([^;]*)\\gexec`, plain(text), -1)
	not regex.match(told, found[1])
}

told := `(?is)'\s*(create|drop|grant|revoke|comment|analyze|vacuum|reindex|refresh|truncate|insert|update|delete|select|call|set|alter\s+(database|role|user|group|table|schema|default|extension|index|view|materialized|sequence|function|procedure|routine|type|domain|publication|subscription|server|foreign|event|policy|operator|large))\b`

# A program within the database, in a language that may do whatever the server may.
unreadable(text) if {
	regex.match(`(?i)\blanguage\s+'?(plpython[23]?u|plperlu|pltclu|plsh)\b`, text)
	regex.match(`(?i)\b(open|system|subprocess|popen|exec|qx|unlink|rename|pathlib|shutil|ctypes|importlib|__import__|eval)\b|\x60|\bplsh\b`, text)
}

unreadable(text) if count(forced(text)) > 0

# Code of a file.
unreadable(text) if regex.match(`(?i)\blanguage\s+'?c'?\s+[^;]*\bas\s+e?'/|\bas\s+e?'/[^;]*\blanguage\s+'?c\b|\bload\s+e?'/|\bset\s+"?((session|local)_preload_libraries|dynamic_library_path)"?\s*(=|\bto\b)[^;]*/`, plain(text))

# psql gives a shell what stands between backticks, and all that it shows to the pager.
unreadable(text) if {
	some line in regex.find_n(`(?m)(?:^|[\s;])\\[a-z_]+\s[^\n]*\x60`, text, -1)
	some found in regex.find_all_string_submatch_n(`\x60([^\x60]+)\x60`, line, -1)
	not brings(replace(found[1], "'", "''"))
	regex.match(sprintf(`%s|(^|[;&|])\s*[.]?/`, [acting]), regex.replace(found[1], `[0-9]?>\s*(&[0-9]|/dev/null)`, ""))
}

unreadable(text) if regex.match(sprintf(`\\setenv\s+\w*PAGER\s[^\n]*(%s)`, [acting]), text)

acting := `>|\b(tee|cp|mv|dd|ln|install|eval|source|(ba|da)?sh|pg_ctl|python[0-9.]*|perl|xargs|rsync|tar|curl|wget|uniq|iconv|lz4|zstd|sed|awk)\b|\bpsql\s[^\x60]*(-\w*f|--file)`

composed := concat("|", [
	`(?i)\bexecute\s[^;]*(\|\||\bchr\(|\bdecode\()`,
	`(?i)\bexecute\s[^;]*(zero_damaged_pages|ignore_checksum_failure|\bset\s+%)`,
	`(?i)\bset\s+"?(zero_damaged_pages|ignore_checksum_failure)"?\s+from\s+current\b`,
	`(?i)(^|;)\s*set\s+(session\s+|local\s+)?"?(zero_damaged_pages|ignore_checksum_failure)"?\s*(=|\bto\b)\s*'?(on|true|yes|1|t)\b`,
	`(?i)\|\|[^;]{0,300}\\gexec`,
	`(^|[\s;])\\!`,
	`(?m)(^|[\s;])\\(o|g|w)\s*\|`,
	`(?i)\bcopy\b[^;]*\bto\s+(program\s+)?((e|u&)?['$]|:['"]?[a-z_])`,
	`(?im)\\copy\b[^\n]*\bto\s+['"]?[^\s'"(]*\.conf\b`,
	`(?im)(^|[\s;])\\(o|g|w)\s+['"]?\S*\.conf\b`,
	`(?i)\bpg_read_file\b|\blo_export"?\s*\(|\bpg_file_write\s*\(`,
	`(?i)\b(insert\s+into|update)\s+(pg_catalog\.)?"?pg_db_role_setting\b`,
	`(?i)\bdblink(_exec|_send_query)?\s*\([^;]*,[^;]*(\|\||\bchr\(|\bformat\()`,
	`(?i)\bcron\.(schedule|schedule_in_database|alter_job)\s*\([^;]*(\|\||\bchr\(|\bformat\(|\bdecode\()`,
	`(?i)\b(insert\s+into|update)\s+cron\.job\b[^;]*(\|\||\bchr\(|\bformat\(|\bdecode\()`,
	masking_calls,
	`(?im)(^|;)[ \t]*:['"]?[a-z_][a-z0-9_]*['"]?[ \t\n;]|\balter\s+[:%$]`,
])

# METADATA
# description: The extensions that a text creates.
extensions_in(text) := {found[1] | some found in regex.find_all_string_submatch_n(`create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([a-z0-9_-]+)`, get.lower_case(text), -1)}

# METADATA
# description: |
#   What a text creates at the beginning of a statement and leaves to who runs it, {"what": "table t", "level"?}: nothing in the text may give anything to a role, no GRANT, no owner, no other role. Of a schema alone it is
#   info, since its privileges are often given when the tables are there. Undefined where a part of the text is put together while it runs.
ungranted(text) := {"what": sprintf("table %s", [tables[0]])} if {
	tables := left_to_creator(text, "table")
	count(tables) > 0
} else := {"what": sprintf("schema %s", [schemas[0]]), "level": "info"} if {
	schemas := left_to_creator(text, "schema")
	count(schemas) > 0
}

left_to_creator(text, kind) := [replace(found[1], `"`, "") | some found in regex.find_all_string_submatch_n(sprintf(`(?im)(?:^|;)\s*create\s+%s\s+(?:if\s+not\s+exists\s+)?"?([a-z_][a-z0-9_]*"?(?:\."?[a-z_][a-z0-9_]*)?)`, [kind]), bare, -1)] if {
	bare := regex.replace(text, `--[^\n]*`, "")
	not regex.match(`(?i)\b(grant|owner|authorization|set\s+(local\s+|session\s+)?role|session_authorization|reassign)\b|\$|\\`, bare)
}

# METADATA
# description: |
#   Extensions whose types, functions and indexes a schema uses. Others look at the whole server, such as pg_stat_statements, and belong where monitoring connects.
of_applications := {
	"btree_gin", "btree_gist", "citext", "cube", "earthdistance", "fuzzystrmatch", "hstore", "intarray", "isn", "ltree", "pg_trgm", "pg_uuidv7", "pgcrypto", "postgis",
	"postgis_topology", "rum", "tablefunc", "timescaledb", "unaccent", "uuid-ossp", "vchord", "vector", "vectors",
}

# METADATA
# description: Those of them that a superuser alone creates. The owner of a database creates the others in it, as migrations of applications do.
of_superusers := {"earthdistance", "pg_uuidv7", "postgis", "postgis_topology", "rum", "timescaledb", "vchord", "vectors"}

# METADATA
# description: |
#   A text without the statements that stand in a comment behind another one (SELECT 1; -- ALTER SYSTEM …), up to the end of the line, a quote or the next statement. What may cut such a text to
#   pieces before it runs is left as it is.
uncommented(text) := text if regex.match(rewriting, text)

uncommented(text) := regex.replace(text, `(?i)(;[ \t]*)--[ \t]*alter\s+(?:system|database|role|user)\b[^\n\r"'$;\\]*`, "$1") if not regex.match(rewriting, text)

rewriting := `(?i)\\gexec|\bexecute\b|\b(eval|sed|g?awk|cut|tail|tr|rev|replace|substr|substring|right|trim)\b|[$][{]\w+[#%/:]|\[[0-9:-]+\]`

# Comments go: between statements, within one, and on lines of their own (a shell's too).
plain(text) := spelled(regex.replace(regex.replace(spaced(uncommented(text)), `(?m)^[ \t]*(--([ \t].*)?|#.*)$`, ""), `/\*[^*]*\*+([^/*][^*]*\*+)*/`, " "))
