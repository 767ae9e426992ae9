package walguard.lib.sessions

import data.walguard.lib.client
import data.walguard.lib.image
import data.walguard.lib.workloads

# Prepared statements; poolers that do not follow them say what would ("follow").
forgotten(poolers) := [object.union(
	{
		"reason": sprintf("%s prepares statements (%s), and PgBouncer does not follow them with pool_mode %s: \"prepared statement does not exist\"", [one.made.words, how, pooler.mode]),
		"cure": concat("", [pooler.follow, ", or ", off]),
		"level": level_of_habit(one.container, how),
	},
	object.filter(pooler, ["path", "resource"]),
) |
	some pooler in poolers
	pooler.follow
	some one in workloads.calling
	one.list == "containers"
	asks(one.container, pooler.names)
	[how, off] := preparing(one.container, {said.name: {"value": said.text} | some said in client.texts(one.container)}, pooler.names)
]

# METADATA
# description: What a driver does may be said otherwise in files of the image, but not Prisma's, nor that of a program that is known to prepare.
level_of_habit(container, how) := "error" if {
	how == client.program_of(container)[1].prepares[0]
} else := "error" if {
	how in {"Prisma", "pgx, cache_statement"}
} else := "warning"

# METADATA
# description: The minor release of PgBouncer that a tag names, or -1.
released(reference) := array.concat([to_number(match[1]) | some match in regex.find_all_string_submatch_n(`(?:^v?|-pgbouncer|^(?:ubi|centos)[0-9]+-)1\.([0-9]{1,2})(?:[.-]|$)`, image.tag(reference), 1)], [-1])[0] if image.tag(reference)

released(reference) := -1 if not image.tag(reference)

# METADATA
# description: What lets PgBouncer of this image follow prepared statements, where it does not with this max_prepared_statements ("" where none is written).
unlike(reference, kept) := followed(released(reference), kept)

followed(release, _) := "Take PgBouncer 1.24 or newer" if {
	release >= 0
	release < 21
}

followed(release, kept) := "Set max_prepared_statements to 200" if {
	kept == "0"
	not release in numbers.range(0, 20)
} else := "Set max_prepared_statements to 200" if {
	release in {21, 22, 23}
	kept == ""
}

# METADATA
# description: |
#   What the driver of a container prepares unless it is told otherwise, where one of its variables, {name: {"value"}}, shows which it is, and how it is told. `names`: of the pooler's Services.
preparing(container, variables_of, names) := program.prepares if {
	program := client.program_of(container)[1]
	not regex.match(`(?i)prepareThreshold=0|prepared_?statements(_enabled)?=(false|0)\b|disable_prepared_statements=true|preferQueryMode=simple`, texts(variables_of))
} else := ["JDBC", "add prepareThreshold=0 to its address"] if {
	some variable in variables_of
	by_driver(variable.value, `jdbc:postgresql://`, names)
	not regex.match(`prepareThreshold=0|preferQueryMode=simple`, texts(variables_of))
} else := ["asyncpg", "set statement_cache_size=0 in the client"] if {
	some variable in variables_of
	by_driver(variable.value, `postgresql\+asyncpg://`, names)
	not regex.match(`(?i)statement_cache_size`, texts(variables_of))
} else := ["Prisma", "add pgbouncer=true to its address"] if {
	some variable in variables_of
	by_driver(variable.value, `postgres(?:ql)?://`, names)
	regex.match(`[?&](schema|connection_limit|pool_timeout)=`, variable.value)
	not regex.match(`[?&]pgbouncer=true(&|$)`, variable.value)
} else := [sprintf("pgx%s", [mode]), "set default_query_exec_mode=exec in its address"] if {
	some variable in variables_of
	by_driver(variable.value, `postgres(?:ql)?://`, names)
	regex.match(`[?&](default_query_exec_mode|statement_cache_(mode|capacity)|pool_(max_conns|min_conns|max_conn_[a-z_]+|health_check_period))=`, variable.value)
	not regex.match(`default_query_exec_mode=(cache_describe|describe_exec|exec|simple_protocol)|statement_cache_mode=describe|statement_cache_capacity=0|(?i)simple_?protocol`, texts(variables_of))
	mode := {true: ", cache_statement", false: ""}[regex.match(`default_query_exec_mode=cache_statement|statement_cache_mode=prepare`, variable.value)]
} else := ["psycopg 3", "set prepare_threshold to None in the client"] if {
	some variable in variables_of
	by_driver(variable.value, `postgresql\+psycopg(?:_async)?://`, names)
	not regex.match(`(?i)prepare_threshold`, texts(variables_of))
} else := ["R2DBC", "set preparedStatementCacheQueries=0 in its address"] if {
	some variable in variables_of
	by_driver(variable.value, `r2dbc:(?:pool:)?postgresql://`, names)
	not regex.match(`preparedStatementCacheQueries=0`, texts(variables_of))
} else := ["Npgsql, Max Auto Prepare", "take Max Auto Prepare out"] if {
	some variable in variables_of
	regex.match(`(?i)(^|;)\s*Max Auto Prepare\s*=\s*[1-9]`, variable.value)
	leads(names, regex.find_all_string_submatch_n(`(?i)(?:^|;)\s*(?:Host|Server)\s*=\s*([A-Za-z0-9.-]+)`, variable.value, 1)[0][1])
} else := ["PDO", "set PDO::ATTR_EMULATE_PREPARES in the client"] if {
	some variable in variables_of
	host := regex.find_all_string_submatch_n(`^pgsql:(?:[^'"]*;)?\s*host=([A-Za-z0-9.-]+)`, variable.value, 1)[0][1]
	leads(names, host)
} else := ["Rails", "set prepared_statements: false in its database.yml"] if {
	some name, _ in variables_of
	name in of_rails
	not regex.match(`(?i)prepared_?statements`, texts(variables_of))
}

of_rails := {"RAILS_ENV", "RAILS_LOG_TO_STDOUT", "RAILS_MASTER_KEY", "RAILS_MAX_THREADS", "RAILS_SERVE_STATIC_FILES"}

texts(variables_of) := concat("\n", [sprintf("%s=%s", [name, variable.value]) | some name, variable in variables_of])

by_driver(value, scheme, names) if {
	host := regex.find_all_string_submatch_n(sprintf(`^%s(?:[^/@?]*@)?([A-Za-z0-9.-]+)`, [scheme]), value, 1)[0][1]
	leads(names, host)
}
