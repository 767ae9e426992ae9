package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.sessions

# Clients of a PgBouncer that gives them another server connection for each transaction, whose drivers prepare statements in one and run them in the next. PgBouncer follows them since
# 1.21 where max_prepared_statements is above 0, which is the default since 1.24.
facts contains {"prepared": clients_of_sessions} if count(clients_of_sessions) > 0

clients_of_sessions := array.concat(array.concat(prepared, of_sessions), deallocating)

# What a program does in a session of its own, whatever the pooler follows.
of_sessions := sessions.lost(array.concat(
	[object.union_n([
		object.filter(pool, ["mode", "path", "resource"]),
		{"names": services_of(pool.made)},
		{"forgets": true | sessions.unlike(get.string(pool.container, "image"), pool.kept)},
		object.filter(pool, ["resets"]),
	]) |
		some pool in transactional
	],
	[{"mode": "transaction", "names": services_of(one.made), "path": one.file.path, "resource": one.file.resource} |
		some one in pooling_by_toml
		image.name(get.string(one.container, "image")) == "pgcat"
		{match[1] | some match in regex.find_all_string_submatch_n(`(?m)^\s*pool_mode\s*=\s*"([a-z]+)"`, one.file.text, -1)} == {"transaction"}
	],
))

prepared := [{
	"reason": sprintf("%s prepares statements (%s), and PgBouncer does not follow them with pool_mode %s: \"prepared statement does not exist\"", [asking.client, how, pool.mode]),
	"cure": concat("", [pool.cure, ", or ", off]),
	"level": sessions.level_of_habit(asking.container, how),
	"path": pool.path,
	"resource": pool.resource,
} |
	some pool in forgetful
	some asking in asking_by(services_of(pool.made))
	[how, off] := sessions.preparing(asking.container, asking.variables, services_of(pool.made))
]

# With pgbouncer=true Prisma begins with DEALLOCATE ALL, which PgBouncer follows since 1.22 only.
deallocating := [{
	"reason": sprintf("%s has pgbouncer=true, with which Prisma says DEALLOCATE ALL, and PgBouncer 1.21 goes on with what it has prepared: \"prepared statement PGBOUNCER_… does not exist\"", [asking.client]),
	"cure": "Take PgBouncer 1.22 or newer, or leave pgbouncer=true out",
	"level": "error",
	"path": pool.path,
	"resource": pool.resource,
} |
	some pool in transactional
	sessions.released(get.string(pool.container, "image")) == 21
	not pool.kept in {"", "0"}
	some asking in asking_by(services_of(pool.made))
	some variable in asking.variables
	regex.match(`^postgres(ql)?://.*[?&]pgbouncer=true(&|$)`, variable.value)
]

forgetful := [object.union(one, {"cure": cure}) |
	some one in transactional
	cure := sessions.unlike(get.string(one.container, "image"), one.kept)
]

transactional := array.concat(
	[object.union_n([
		{"made": of_file.made, "path": of_file.path, "resource": k8s.reference(of_file.source), "container": container_of},
		sessions.of_ini(of_file.text),
	]) |
		some of_file in pooling_by_file
		some container_of in get.list(of_file.made, ["spec", "template", "spec", "containers"])
		image.name(get.string(container_of, "image")) == "pgbouncer"
	],
	[object.union_n([
		{"made": of_variables.made, "path": of_variables.path, "resource": k8s.reference(of_variables.made), "container": of_variables.container},
		sessions.of_variables(of_variables.container, of_variables.values),
	]) |
		some of_variables in pooling
		image.name(get.string(of_variables.container, "image")) == "pgbouncer"
	],
)
