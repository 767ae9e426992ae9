package walguard.lib.client

import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: 'What a container runs of them: [title, {as above}].'
program_of(container) := [title, programs[title]] if {
	title := [found | some name in [last_parts(container), regex.replace(last_parts(container), `^.*/`, "")]; found := titles[name]][0]
	regex.match(object.get(programs[title], "tags", ""), tag_of(get.string(container, "image")))
}

# METADATA
# description: The last two parts of the repository of a container's image.
last_parts(container) := concat("/", array.slice(parts, count(parts) - 2, count(parts))) if {
	parts := split(image.repository(get.string(container, "image")), "/")
	count(parts) > 1
} else := image.repository(get.string(container, "image"))

# By the last parts of their repositories.
titles := {repository: title |
	some title, program in programs
	some repository in program.images
}

# METADATA
# description: The tag of an image, or what stands for one.
tag_of(reference) := image.tag(reference)

tag_of(reference) := "latest" if not image.tag(reference)

# METADATA
# description: True of a container whose program asks for PostgreSQL, whatever its variables are called.
postgres_alone(container) if {
	program_of(container)[1].only
	count([1 | some _, value in environment.values(container); regex.match(`(?i)mysql|mariadb|oceanbase`, value)]) == 0
}

# Names that the program does not read, where it has none of what it reads.
renamed(container) := [object.union(
	{
		"name": one.name,
		"fault": sprintf("is not one of %s's variables: without %s it takes %s", [title, meant[0], told(meant[1])]),
		"cure": sprintf("Rename it to %s", [meant[0]]),
		"at": one.at,
	},
	weight(program, meant[1], known_value(object.get(values, one.name, ""))),
) |
	[title, program] := program_of(container)
	by_variables_alone(container, program)
	given := names(container)
	count(given & object.get(program, "instead", set())) == 0
	values := environment.values(container)
	some one in places(container)
	meant := program.renamed[one.name]
	object.get(values, one.name, "") != meant[1]
	count(given & {meant[0], sprintf("%s_FILE", [meant[0]]), sprintf("%s__FILE", [meant[0]])}) == 0
]

# Names of another image of the same program; the first of them tells it.
unread(container) := array.slice(
	[{"name": one.name, "fault": sprintf("is for another image: %s %s", [title, row.instead]), "cure": row.cure, "level": object.get(row, "level", "warning"), "at": one.at} |
		[title, program] := program_of(container)
		row := program.unread
		regex.match(object.get(row, "tags", ""), tag_of(get.string(container, "image")))
		some one in places(container)
		one.name in row.names
		not said_otherwise(container, program, object.get(row, "unless", set()))
	],
	0, 1,
)

# By the variables that it reads, or where nobody has looked.
said_otherwise(container, program, unless) if {
	count(unless) > 0
	not by_variables_alone(container, program)
}

said_otherwise(container, _, unless) if count(names(container) & unless) > 0

# Certificates of the machine that they were tried on, or of images that have no file but their program's; the root certificate tells it first.
unbrought(container) := array.slice(
	[object.union(
		{"name": one.name, "fault": sprintf("names %s, and nothing is mounted there: %s", [file, outcome_of_missing[option]]), "cure": "Mount the Secret with the certificates, and write the path of its mount", "at": one.at},
		{"level": "warning" | not option == "rootcert"},
	) |
		some one in texts(container)
		contains(one.text, "ssl")
		some option in ["rootcert", "cert"]
		some match in regex.find_all_string_submatch_n(concat("", [`(?:^|[\s?&])ssl`, option, `=(/[^\s&'"$]+)`]), one.text, 1)
		file := match[1]
		never_there(file, container)
		asked_for(option, one.text)
		count([1 | some mounted in get.list(container, "volumeMounts"); directory := trim_suffix(get.string(mounted, "mountPath"), "/"); startswith(concat("", [file, "/"]), concat("", [directory, "/"]))]) == 0
	],
	0, 1,
)

# libpq passes over a root certificate that is missing unless it is to verify by it.
asked_for("rootcert", address) if regex.match(`sslmode=verify-(ca|full)\b`, address)

asked_for("cert", _)

outcome_of_missing := {"rootcert": "\"root certificate file does not exist\"", "cert": "the client sends no certificate"}

never_there(file, _) if startswith(file, "/Users/")

# A static program, and no files beside it.
never_there(file, container) if {
	image.repository(get.string(container, "image")) == "docker.io/postgrest/postgrest"
	not regex.match(`^/etc/(ssl|pki)/`, file)
}

# What stands in a file of an earlier start, and what may be what the program takes anyhow, is less.
weight(program, otherwise, value) := {"level": "warning"} if {
	unsure(program, otherwise, value)
} else := {}

unsure(program, _, _) if program.kept

unsure(_, otherwise, "") if otherwise != "none"

# What is no value of a variable.
told(otherwise) := otherwise if otherwise in {"H2", "SQLite", "none"}

told(otherwise) := sprintf("%q", [otherwise]) if not otherwise in {"H2", "SQLite", "none"}

known_value(value) := value if not placeholder.unknown(value)

known_value(value) := "" if placeholder.unknown(value)

# A word for PostgreSQL that the program does not know.
kinds(container) := [{
	"name": kind.variable,
	"fault": sprintf("is %q, and %s knows PostgreSQL as %s: %s", [value, title, kind.value, kind.wrong]),
	"cure": sprintf("Write %s", [kind.value]),
	"at": one.at,
} |
	[title, program] := program_of(container)
	not says_more(container)
	kind := program.kind
	some one in places(container)
	one.name == kind.variable
	value := environment.values(container)[one.name]
	regex.match(`(?i)^(pg|pgsql|psql|postgres|postgresdb|postgresql)[0-9]*$`, value)
	not value in kind.taken
]

# A driver that the image lacks, where nothing installs it.
driverless(container, volumes) := [object.union(
	{
		"fault": sprintf("names PostgreSQL, and %s's image has no %s for it (\"No module named '%s'\")", [title, program.driver, program.driver]),
		"cure": sprintf("Take an image that has it, or install %s-binary before", [program.driver]),
	},
	one,
) |
	[title, program] := program_of(container)
	program.driver
	seen := files.mounted(container, volumes)
	not installs(container, seen, program)
	one := array.concat(
		[object.filter(said, ["name", "at"]) |
			some said in array.concat(texts(container), words(container))
			regex.match(`^postgresql(\+psycopg2)?://`, said.text)
		],
		[{"name": regex.replace(file.file, `^.*/`, ""), "at": ["volumeMounts"]} |
			some file in seen
			regex.match(program.settings, file.text)
		],
	)[0]
]

installs(container, seen, _) if {
	some said in array.concat([one.text | some one in words(container)], [file.text | some file in seen])
	regex.match(`\b(pip3?|uv|poetry|conda)\b`, said)
}

installs(container, _, _) if {
	some mounted in get.list(container, "volumeMounts")
	regex.match(`site-packages|\.venv|^/(usr|opt|venv)`, get.string(mounted, "mountPath"))
}

installs(container, _, program) if {
	"PYTHONPATH" in names(container)
	not regex.match(object.get(program, "modules", `^$`), object.get(environment.values(container), "PYTHONPATH", "?"))
}

# A script that nobody has seen may.
installs(container, seen, program) if {
	some said in words(container)
	some script in regex.find_n(`(?:/[A-Za-z0-9_.-]+)+\.sh\b`, said.text, -1)
	not script in ({file.file | some file in seen} | object.get(program, "scripts", set()))
}

# Words of other databases, and what was nearly written.
no_modes(container) := [object.union(
	{
		"name": one.name,
		"fault": sprintf("is %q, and there is no such sslmode: it does not connect", [one.text]),
		"cure": sprintf("Write %s", [modes_meant[get.lower_case(one.text)]]),
		"at": one.at,
	},
	{"level": "warning" | not regex.match(`PG|POSTGRES`, one.name)},
) |
	some one in texts(container)
	regex.match(`(PG|POSTGRES|DB|DATABASE|SQL)[A-Z0-9_]*SSL_?MODE$`, one.name)
	one.name != "PGSSLMODE"
	modes_meant[get.lower_case(one.text)]
	count([1 | some [_, program] in [program_of(container)]; program.taken[one.name]]) == 0
]

modes_meant := {"disabled": "disable", "enabled": "require", "preferred": "prefer", "required": "require"}

# Words for what libpq and its kin call otherwise.
untaken(container) := [{
	"name": one.name,
	"fault": sprintf("is %q, and %s takes %s alone", [one.text, title, text.list(sort(row[1]), "and")]),
	"cure": "Write require, or disable where the server has no TLS",
	"at": one.at,
} |
	[title, program] := program_of(container)
	for_postgres(container, program)
	some one in texts(container)
	row := program.taken[one.name]
	regex.match(row[0], tag_of(get.string(container, "image")))
	not placeholder.unknown(one.text)
	not contains(one.text, "$")
	not one.text in row[1]
]

# The same in a file of settings.
untaken_in_files(container, volumes) := [{
	"name": sprintf("%s in %s", [program.ini.option, regex.replace(file.file, `^.*/`, "")]),
	"fault": sprintf("is %q, and %s takes %s alone", [match[1], title, text.list(sort(row[1]), "and")]),
	"cure": "Write require, or disable where the server has no TLS",
	"at": ["volumeMounts"],
} |
	some file in settings(container, volumes)
	[title, program] := program_of(container)
	row := program.taken[program.ini.variable]
	regex.match(row[0], tag_of(get.string(container, "image")))
	not program.ini.variable in names(container)
	some match in regex.find_all_string_submatch_n(program.ini.word, file.text, 1)
	not match[1] in row[1]
]

# METADATA
# description: The files of settings of a container that say that its database is PostgreSQL.
settings(container, volumes) := [file |
	ini := program_of(container)[1].ini
	some file in files.mounted(container, volumes)
	regex.match(ini.kind, file.text)
]

# METADATA
# description: The sources of data that Grafana is to show from PostgreSQL, as the files of a container provision them, [{"file", "text"}].
provisioned(container, volumes) := [{"file": file.file, "text": text_of} |
	program_of(container)[0] == "Grafana"
	some file in files.mounted(container, volumes)
	some text_of in regex.split(`(?m)^\s*-\s`, file.text)
	regex.match(`(?m)^\s*type:\s*["']?(grafana-postgresql-datasource|postgres)\b`, text_of)
]

# Its pages look for the database below jsonData alone since 12.2, and its server finds it beside as well.
beside_data(container, volumes) := array.slice(
	[{
		"name": sprintf("A data source in %s", [regex.replace(source.file, `^.*/`, "")]),
		"fault": "has its database beside jsonData, where the pages of Grafana have not looked since 12.2 (\"no default database configured\")",
		"cure": "Write it below jsonData",
		"level": "warning",
		"at": ["volumeMounts"],
	} |
		regex.match(`^(12\.([2-9]|1[0-9])\.|1[3-9]\.|latest$)`, tag_of(get.string(container, "image")))
		some source in provisioned(container, volumes)
		regex.match(`(?m)^\s*database:\s*\S`, source.text)
		not regex.match(`(?s)jsonData:.*\n\s*database:`, source.text)
	],
	0, 1,
)

for_postgres(_, program) if not program.kind

for_postgres(container, program) if environment.values(container)[program.kind.variable] in program.kind.taken

# An address that a program puts together of what nobody has encoded.
composed(container) := [{
	"name": one.name,
	"fault": sprintf("has a %q, and %s puts it into an address as it is: the rest is read as another part of it (P1013)", [mark, title]),
	"cure": sprintf("Write %s with %s for it, or take letters and digits", [program.composes.into, encoded[mark]]),
	"at": one.at,
} |
	[title, program] := program_of(container)
	by_variables_alone(container, program)
	not program.composes.into in names(container)
	some one in texts(container)
	one.name in program.composes.variables
	not placeholder.unknown(one.text)
	not contains(one.text, "$(")
	mark := regex.find_n(`[/?#]`, one.text, 1)[0]
]

encoded := {"#": "%23", "%": "%25", "/": "%2F", "?": "%3F", "@": "%40"}

# METADATA
# description: 'The first character of the password in an address that some programs cannot read there: an "@", or a "%" before what is no number.'
mark_of(address) := substring(found[0], 0, 1) if {
	password := regex.find_all_string_submatch_n(`^postgres(?:ql)?://[^:/?#@]*:([^/?#]*)@[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?]|$)`, address, 1)[0][1]
	not regex.match(`\$\(|\$\{|\{\{|[<>]`, password)
	found := regex.find_n(`@|%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`, password, 1)
}

# METADATA
# description: True of a container whose program is known not to read this one.
cannot_read(container, mark) if mark in program_of(container)[1].strict

unencoded(container) := [{
	"name": one.name,
	"fault": sprintf("has a password with a %q in its address, which %s reads as the end of it or as the beginning of a number", [mark, program_of(container)[0]]),
	"cure": sprintf("Write %s for it", [encoded[mark]]),
	"at": one.at,
} |
	program_of(container)[1].strict
	some one in texts(container)
	not placeholder.unknown(one.text)
	mark := mark_of(one.text)
	cannot_read(container, mark)
]

# What begins with none though it must, or with one though the program writes it itself.
schemes(container) := array.concat(
	[{"name": one.name, "fault": sprintf("has no scheme, %s", [row[0]]), "cure": sprintf("Begin it with %s", [row[1]]), "at": one.at} |
		[_, program] := program_of(container)
		for_postgres(container, program)
		some one in texts(container)
		row := program.schemeless[one.name]
		regex.match(`^([^\s:/@=]+:[^\s@/(]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:[0-9]{2,5}(/\S*)?$`, one.text)
	],
	[{"name": one.name, "fault": sprintf("begins with %s, which %s writes before it itself: it looks for a host of that name", [match[0], title]), "cure": "Begin it with the host", "level": "warning", "at": one.at} |
		[title, program] := program_of(container)
		some one in texts(container)
		one.name in program.unschemed
		some match in regex.find_all_string_submatch_n(`^postgres(?:ql)?://`, one.text, 1)
	],
)

# METADATA
# description: Variables for a host, to which the program adds the port of another one.
ports_apart := {
	"AIRFLOW_DATABASE_HOST": "AIRFLOW_DATABASE_PORT_NUMBER",
	"AUTHENTIK_POSTGRESQL__HOST": "AUTHENTIK_POSTGRESQL__PORT",
	"DB_POSTGRESDB_HOST": "DB_POSTGRESDB_PORT",
	"KC_DB_URL_HOST": "KC_DB_URL_PORT",
	"KEYCLOAK_DATABASE_HOST": "KEYCLOAK_DATABASE_PORT",
	"KONG_PG_HOST": "KONG_PG_PORT",
	"MB_DB_HOST": "MB_DB_PORT",
	"PAPERLESS_DBHOST": "PAPERLESS_DBPORT",
	"POSTGRES_SEEDS": "DB_PORT",
}

# A command that speaks of it may take it to pieces, and an address goes before it.
with_ports(container) := [{
	"name": one.name,
	"fault": sprintf("is %s, and the program adds a port to it: it looks for a host of that name", [one.text]),
	"cure": sprintf("Write %s, and the port into %s", [match[1], ports_apart[one.name]]),
	"at": one.at,
} |
	count(names(container) & {"KC_DB_URL", "MB_DB_CONNECTION_URI"}) == 0
	some one in texts(container)
	ports_apart[one.name]
	some match in regex.find_all_string_submatch_n(`^([A-Za-z0-9][A-Za-z0-9.-]*):[0-9]+$`, one.text, 1)
	not contains(json.marshal([get.list(container, "command"), get.list(container, "args")]), one.name)
]

# Celery takes what stands before "://" for the name of a module.
results(container) := [object.union(
	{
		"name": one.name,
		"fault": sprintf("begins with %s, and Celery looks for a module of that name (\"No module named '%s'\")", [match[1], match[1]]),
		"cure": sprintf("Begin it with db+%s", [match[0]]),
		"at": one.at,
	},
	{"level": "warning" | one.name == "CELERY_RESULT_BACKEND"},
) |
	some one in texts(container)
	one.name in {"AIRFLOW__CELERY__RESULT_BACKEND", "CELERY_RESULT_BACKEND"}
	some match in regex.find_all_string_submatch_n(`^(postgres(?:ql)?)(?:\+[a-z0-9]+)?://`, one.text, 1)
]

# METADATA
# description: 'What the entrypoint of a program stops at: [{"reason", "cure", "outcome", "at"}].'
stops(container) := array.concat(
	[{"reason": sprintf("has no %s, and the entrypoint of its image stops there", [wanted[0]]), "cure": sprintf("Set %s", [wanted[0]]), "outcome": program.ending, "at": []} |
		[_, program] := program_of(container)
		by_variables_alone(container, program)
		some wanted in program.wants
		count(names(container) & {name | some name in wanted}) == 0
	],
	[{"reason": sprintf("has %s %s, and the entrypoint of its image takes %s", [one.name, open_value(one.name, value), what]), "cure": sprintf("Write %s", [right]), "outcome": program.ending, "at": one.at} |
		[_, program] := program_of(container)
		by_variables_alone(container, program)
		some one in places(container)
		value := environment.values(container)[one.name]
		not placeholder.holds(value)
		not contains(value, "$(")
		[what, right] := objection(program, one.name, value, container)
	],
)

# METADATA
# description: 'Programs that take a database only where all of some variables are there, and have some of them: as stops.'
half_named(container) := [{"reason": sprintf("has %s and no %s, and %s takes PostgreSQL only with all of them", [given[0], missing[0], title]), "cure": sprintf("Set %s", [missing[0]]), "outcome": program.together.otherwise, "at": []} |
	[title, program] := program_of(container)
	program.together
	by_variables_alone(container, program)
	given := [name | some name in program.together.names; has(container, name)]
	missing := [name | some name in program.together.names; not has(container, name)]
	count(given) > 1
	count(missing) > 0
]

has(container, name) if count(names(container) & {name, sprintf("%s_FILE", [name])}) > 0

# What nobody else is to know is not repeated.
open_value(name, value) := sprintf("of %d characters", [count(value)]) if regex.match(`KEY|PASS|SECRET|TOKEN`, name)

open_value(name, value) := sprintf("%q", [value]) if not regex.match(`KEY|PASS|SECRET|TOKEN`, name)

objection(program, name, value, container) := [row[1], row[2]] if {
	row := program.words[name]
	not regex.match(row[0], value)
} else := [row.taken, row.cure] if {
	row := program.refused[name]
	regex.match(row.tags, tag_of(get.string(container, "image")))
	regex.match(row.pattern, value)
	count(names(container) & row.unless) == 0
}

# The variables of a container by where they are said.
places(container) := array.concat(
	[{"name": name, "at": ["env", k]} | some name, k in get.named(get.list(container, "env"))],
	[{"name": name, "at": ["envFrom", k]} |
		some k, source in get.list(container, "envFrom")
		some name, _ in environment.entries(source)
	],
)

names(container) := {one.name | some one in places(container)}

# Neither words of a command nor files say it otherwise, and all variables are in sight.
by_variables_alone(container, program) if {
	not says_more(container)
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(object.get(program, "files", `conf|\.ini$|/etc|\.env$`), get.string(mounted, "mountPath"))]) == 0
	count([1 | some source in get.list(container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	count([1 | some name in names(container); regex.match(`[^A-Za-z0-9_.-]`, name)]) == 0
}

says_more(container) if {
	some field in ["command", "args"]
	some word in get.list(container, field)
	regex.match(`db|database|conf|host|url|(^|/)(ba|da|a)?sh$`, get.text(word))
}
