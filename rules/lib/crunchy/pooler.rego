package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.pgbouncer as ini_settings
import data.walguard.lib.placeholder
import data.walguard.lib.pooling
import data.walguard.lib.sessions
import data.walguard.lib.startup
import data.walguard.lib.text
import data.walguard.lib.workloads

# ---------------------------------------------------------------------------------------------------------- pooler

pgbouncer := object.get(spec, ["proxy", "pgBouncer"], null)

pooler := object.union_n([
	fact.written(true, ["spec", "proxy", "pgBouncer"]),
	{"connections": n |
		copies := shared.whole(object.get(pgbouncer, "replicas", 1))
		n := copies * shared.whole(object.get(pgbouncer, ["config", "global", "default_pool_size"], "20"))
	},
]) if {
	is_object(pgbouncer)
}

# Its auth_query passes over superusers, of which PgBouncer's own user would be one otherwise (internal/pgbouncer/postgres.go). Where all users are superusers no one is left;
# one among others may be there for administration alone.
pooler_faults := array.concat(array.concat(array.concat(superusers_only, array.concat(superuser_among_others, superuser_of_the_server)), unread_settings), array.concat(array.concat(refused_without_tls, refused_with_tls), array.concat(startup.refused(strict_poolers), without_floats)))

superusers_only := [object.union(
	{
		"reason": sprintf("PgBouncer lets no superuser in, and every user here is one: \"no such user\" or \"password authentication failed\" for %s", [text.list(names, "and")]),
		"cure": sprintf("Leave SUPERUSER out of options of users[%d], or connect to the primary's Service", [superusers[0]]),
		"path": ["spec", "users", superusers[0], "options"],
	},
	{"level": "error" | come_by_it(names)},
) |
	is_object(pgbouncer)
	not get.boolean(pgbouncer, "exposeSuperusers")
	not get.present(pgbouncer, ["config", "global", "auth_query"])
	not get.present(pgbouncer, ["config", "global", "auth_type"])
	users := get.list(spec, "users")
	superusers := [i | some i, user in users; regex.match(`(?i)\bsuperuser\b`, get.string(user, "options"))]
	count(superusers) > 0
	count([1 | some i, user in users; not i in superusers; object.get(user, "name", "") != "postgres"]) == 0
	names := [name | some i in superusers; name := get.string(users[i], "name")]
	not passed_by(names)
]

# One among others that a workload is seen to use is there for more than administration.
superuser_among_others := [{
	"reason": sprintf("PgBouncer lets no superuser in, and a workload here logs in as %s through it: \"no such user\" or \"password authentication failed\"", [name]),
	"cure": "Let it take another user or the primary's Service, or set spec.proxy.pgBouncer.exposeSuperusers to true",
	"path": ["spec", "users", i],
	"level": "error",
} |
	is_object(pgbouncer)
	not get.boolean(pgbouncer, "exposeSuperusers")
	not get.present(pgbouncer, ["config", "global", "auth_query"])
	not get.present(pgbouncer, ["config", "global", "auth_type"])
	count(superusers_only) == 0
	some i, user in get.list(spec, "users")
	name := get.string(user, "name")
	regex.match(`(?i)^postgres;|\bsuperuser\b`, sprintf("%s;%s", [name, get.text(object.get(user, "options", ""))]))
	come_by_it([name])
]

# Whether somebody gave it a password or not.
superuser_of_the_server := [{
	"reason": sprintf("PgBouncer lets no superuser in, and %s logs in as postgres through it: \"no such user\" or \"password authentication failed\"", [one.client]),
	"cure": sprintf("Let it take another user or %s-primary%s", [k8s.name, exposing]),
	"path": one.path,
	"resource": one.resource,
	"level": "error",
} |
	is_object(pgbouncer)
	not get.boolean(pgbouncer, "exposeSuperusers")
	not get.present(pgbouncer, ["config", "global", "auth_query"])
	not get.present(pgbouncer, ["config", "global", "auth_type"])
	count(superuser_among_others) == 0
	some one in sessions.as_role({sprintf("%s-pgbouncer", [k8s.name])}, "postgres")
]

exposing := ", or set spec.proxy.pgBouncer.exposeSuperusers to true" if k8s.kind == "PerconaPGCluster"

exposing := "" if k8s.kind != "PerconaPGCluster"

# Who is found goes to the primary, and nobody comes by the pooler, which Percona's operator creates whether it is asked for or not.
passed_by(names) if {
	some one in workloads.containers
	some variable in get.list(one.container, "env")
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	get.string(reference, "key") in {"host", "jdbc-uri", "uri"}
	get.string(reference, "name") in secrets_of(names)
	not come_by_it(names)
}

secrets_of(names) := {sprintf("%s-pguser-%s", [k8s.name, name]) | some name in names}

# They are written into pgbouncer.ini as they are (internal/pgbouncer/config.go, clusterINI).
unread_settings := [object.union(
	{"reason": sprintf("%s: nobody gets in through PgBouncer", [fault.reason]), "path": array.concat(global_settings, [fault.name])},
	object.filter(fault, ["cure", "level"]),
) |
	is_object(pgbouncer)
	some fault in ini_settings.faults(get.map(k8s.object, global_settings))
]

# What is written takes the place of the operator's own extra_float_digits; a file of one's own may say more.
strict_poolers := [{
	"names": {sprintf("%s-pgbouncer", [k8s.name])},
	"passes": {trim_space(name) | some value in said; some name in split(value, ",")},
	"option": "spec.proxy.pgBouncer.config.global.ignore_startup_parameters",
} |
	is_object(pgbouncer)
	count(get.list(pgbouncer, ["config", "files"])) == 0
	said := [object.get(k8s.object, array.concat(global_settings, ["ignore_startup_parameters"]), "extra_float_digits"), object.get(k8s.object, array.concat(global_settings, ["track_extra_parameters"]), "")]
	every value in said {
		is_string(value)
		not placeholder.holds(value)
	}
]

without_floats := [{
	"reason": sprintf("ignore_startup_parameters takes the place of the operator's extra_float_digits, which the driver of %s always sends: PgBouncer refuses it with \"unsupported startup parameter\"", [one.client]),
	"cure": "Write extra_float_digits there too",
	"level": "error",
	"path": array.concat(global_settings, ["ignore_startup_parameters"]),
} |
	some pooler_of in strict_poolers
	not "extra_float_digits" in pooler_of.passes
	one := [found | some found in startup.asking(pooler_of.names); found.jdbc][0]
]

global_settings := ["spec", "proxy", "pgBouncer", "config", "global"]

# A workload of the namespace has the address of PgBouncer in its environment, and the Secret of one of them.
come_by_it(names) if {
	some one in workloads.containers
	variables := get.list(one.container, "env")
	some address in variables
	regex.match(sprintf(`(^|[/@])%s-pgbouncer(\.%s(\.svc(\.cluster\.local)?)?)?\.?([:/]|$)`, [text.literal(k8s.name), text.literal(k8s.namespace)]), get.string(address, "value"))
	some variable in variables
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) in secrets_of(names)
}

# A workload of the namespace takes the address of PgBouncer from the Secret of one of them.
come_by_it(names) if {
	some one in workloads.containers
	some variable in get.list(one.container, "env")
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	startswith(get.string(reference, "key"), "pgbouncer-")
	get.string(reference, "name") in secrets_of(names)
}

pooler_tls := ["spec", "proxy", "pgBouncer", "config", "global", "server_tls_sslmode"]

# METADATA
# description: PgBouncer asks its clients for TLS (client_tls_sslmode of internal/pgbouncer/config.go), where nothing written takes its place; see walguard.model. A file of one's own does not.
tls_only_poolers := [{"hosts": [sprintf("%s-pgbouncer", [k8s.name])], "rule": "client_tls_sslmode = require"} |
	is_object(pgbouncer)
	not get.present(k8s.object, array.concat(global_settings, ["client_tls_sslmode"]))
	not get.unknown(k8s.object, global_settings)
]

# "hostssl all _crunchypgbouncer all scram-sha-256" and "host all _crunchypgbouncer all reject" come before all other lines (internal/pgbouncer/postgres.go).
refused_without_tls := [{
	"reason": "server_tls_sslmode is disable, and the lines of pg_hba.conf that the operator puts first reject PgBouncer's own user without TLS: nobody gets in through PgBouncer",
	"cure": "Leave server_tls_sslmode out",
	"path": pooler_tls,
	"level": "error",
} |
	is_object(pgbouncer)
	get.lower_case(get.string(k8s.object, pooler_tls)) == "disable"
]

# PgBouncer logs users in over TLS (server_tls_sslmode verify-full).
refused_with_tls := [{
	"reason": sprintf("PgBouncer logs users in over TLS, and %s: nobody gets in through PgBouncer", [{true: sprintf("\"%s\" is for connections without it", [rules[0].text]), false: "all lines of pg_hba are for connections without it"}[count(rules) == 1]]),
	"cure": "Write host for those that come with and without TLS, or hostssl",
	"path": rules[0].path,
	"level": "error",
} |
	is_object(pgbouncer)
	not get.present(k8s.object, pooler_tls)
	rules := [rule | some rule in hba.rules(hba_lines); rule.type != "local"]
	count(rules) > 0
	count([1 | some rule in rules; rule.type != "hostnossl"]) == 0
	count([1 | some entry in hba_lines; regex.match(`^\s*(@?include|\$\{|\{\{)`, entry.line)]) == 0
]

pooler := fact.operator(false, ["spec", "proxy"]) if {
	count(spec) > 0
	not is_object(pgbouncer)
}

# METADATA
# description: How many clients PgBouncer takes, 100 in each replica unless it is told otherwise; see walguard.model. A file of one's own may say it too.
pooler_limits := [{
	"hosts": [sprintf("%s-pgbouncer", [k8s.name])],
	"clients": each * copies,
	"written": shared.pooler_limit("max_client_conn", each, copies, count(written) > 0),
	"each": copies,
	"cure": "Set spec.proxy.pgBouncer.config.global.max_client_conn to \"%d\"",
	"path": array.concat(["spec", "proxy", "pgBouncer"], written),
} |
	is_object(pgbouncer)
	count(get.list(pgbouncer, ["config", "files"])) == 0
	copies := shared.whole(object.get(pgbouncer, "replicas", 1))
	each := shared.whole(object.get(k8s.object, limit_path, "100"))
	written := [part | get.present(k8s.object, limit_path); some part in ["config", "global", "max_client_conn"]]
]

limit_path := ["spec", "proxy", "pgBouncer", "config", "global", "max_client_conn"]

# METADATA
# description: |
#   What lets clients into PgBouncer without a password: auth_type among its options, which come after a pgbouncer.ini of one's own (internal/pgbouncer/config.go); see walguard.model.
open_poolers := [object.union({"pooler": "PgBouncer", "text": sprintf("auth_type %s", [small]), "cure": "Leave auth_type out"}, type_in_force.place) |
	small := pooling.open_type(type_in_force.value)
]

type_in_force := {"value": value, "place": {"path": type_path}} if {
	is_object(pgbouncer)
	value := get.text_at(k8s.object, type_path)
} else := {"value": value, "place": object.filter(file, ["path", "resource"])} if {
	file := own_files[count(own_files) - 1]
	value := pooling.said(file.text, "auth_type")
}

type_path := array.concat(global_settings, ["auth_type"])

own_files := pooling_files("/etc/pgbouncer/pgbouncer.ini")

# Of two files in one place the later is taken.
pooling_files(path) := [file |
	is_object(pgbouncer)
	some part in get.list(pgbouncer, ["config", "files"])
	some file in files.of({"directory": "/etc/pgbouncer"}, {"projected": {"sources": [part]}})
	file.file == path
]

# METADATA
# description: The lines of the file that auth_hba_file names; see walguard.model.
pooler_lines := [{"pooler": "PgBouncer", "lines": hba.of_text(file.text, object.filter(file, ["path", "resource"]))} |
	lines_named
	found := pooling_files(lines_named)
	file := found[count(found) - 1]
]

lines_named := mount.clean(get.string(k8s.object, lines_path)) if {
	get.lower_case(type_in_force.value) == "hba"
	get.string(k8s.object, lines_path)
}

lines_path := array.concat(global_settings, ["auth_hba_file"])

# METADATA
# description: What may say it and is not in sight; see "hba_unread" of walguard.model.
pooler_unread := array.concat(
	[{"source": sprintf("%s of PgBouncer (auth_hba_file)", [lines_named]), "path": lines_path, "severity": inventory.unread} |
		lines_named
		count(pooling_files(lines_named)) == 0
	],
	[{"source": sprintf("%s %s/%s, which PgBouncer includes", [source.kind, k8s.namespace, source.name]), "path": ["spec", "proxy", "pgBouncer", "config", "files", i], "severity": inventory.unread} |
		is_object(pgbouncer)
		not get.present(k8s.object, type_path)
		some i, part in get.list(pgbouncer, ["config", "files"])
		some source in files.source_of(part)
		not files.holder(source)
		includes_settings(source.items)
	],
)

includes_settings([])

includes_settings(items) if {
	some item in items
	get.string(item, "path") == "pgbouncer.ini"
}

# METADATA
# description: What clients of PgBouncer do that needs a session of their own, which pool_mode, session by default, does not give them; see "prepared" of walguard.model.
lost_sessions := sessions.lost([object.union(
	{"names": {sprintf("%s-pgbouncer", [k8s.name])}, "mode": mode, "path": array.concat(global_settings, ["pool_mode"]), "resource": k8s.reference(k8s.object)},
	{"follow": cure | cure := sessions.unlike(object.get(pgbouncer, "image", ""), get.text(object.get(k8s.object, array.concat(global_settings, ["max_prepared_statements"]), "")))},
) |
	is_object(pgbouncer)
	mode := get.string(k8s.object, array.concat(global_settings, ["pool_mode"]))
	mode in {"transaction", "statement"}
])
