package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   Clients that connect without TLS to a server or a pooler that lets nobody in without it ("tls_only" and "tls_only_poolers" of walguard.model), or to a service that does not: {"client", "asks": as it is
#   written, "of": who lets nobody in, "because": what says so, "level": where it is no error, "path", "resource"}. Containers of Deployments, StatefulSets, Jobs and CronJobs of the namespace.
plain := [object.union(object.remove(door, ["names", "written"]), {"client": one.name, "asks": asks, "path": array.concat(one.path, variable.at), "resource": one.resource}) |
	some door in doors
	names := door.names
	some one in containers_of(names)
	some variable in said_by(one.container, names)
	asks := refuses_tls(variable.name, variable.text, one, names)
]

# METADATA
# description: |
#   Clients of these whose program connects without TLS unless a variable asks for it, and has none: {"client", "program", "cure", "of", "because", "level", "path", "resource"}. Their other variables are all
#   written there.
plain_by_default := [object.union(object.remove(door, ["names"]), {"client": one.name, "program": program, "cure": family[cure_field(family)], "path": array.concat(one.path, ["env"]), "resource": one.resource}) |
	some door in doors
	not door.written
	names := door.names
	some one in containers_of(names)
	count(get.list(one.container, "envFrom")) == 0
	values := object.union({name: object.get(variable, "value", "") | some variable in get.list(one.container, "env"); name := get.string(variable, "name")}, made_values(one.container, names))
	some program, family in plain_programs
	runs(family, one.container)
	named(regex.replace(get.text(object.get(values, family.host, "")), `:[0-9]+$`, ""), names)
	count([1 | some name, pattern in family.with; not regex.match(pattern, get.text(object.get(values, name, "")))]) == 0
	count([1 | some name, _ in values; regex.match(family.tls, name)]) == 0
	not values.PGSSLMODE
]

# With a CA of the operator's own.
cure_field(family) := "private" if {
	family.private
	model.cluster.authority
} else := "cure"

runs(family, _) if not family.image

runs(family, container) if regex.match(family.image, image.repository(get.string(container, "image")))

doors := array.concat(array.concat(managed_services, zalandos), array.concat(
	[{"of": "the server", "because": because(only.value), "names": {name | some name in only.hosts}} | only := model.cluster.tls_only],
	[{"of": "PgBouncer", "because": because(only.rule), "names": {name | some name in only.hosts}} | some only in get.list(model.cluster, "tls_only_poolers")],
))

because(rule) := sprintf(" (\"%s\")", [rule])

# Services that others run, by the whole name of a host that a client by itself calls.
managed_services := [object.union(object.remove(service, ["not"]), {"names": names}) |
	some domain, service in {
		"db.ondigitalocean.com": {"of": "DigitalOcean", "because": ""},
		"aivencloud.com": {"of": "Aiven", "because": ""},
		"neon.tech": {"of": "Neon", "because": ""},
		# It can be turned off there.
		"postgres.database.azure.com": {"of": "Azure", "because": " unless require_secure_transport is off there", "level": "warning"},
		# So it is by default since 15, and in Aurora since 17, which another name tells; a proxy has a setting of its own. What says nothing of TLS may know that it is off.
		"rds.amazonaws.com": {"of": "RDS", "because": " unless rds.force_ssl is off there, as it is by default before 15", "level": "warning", "not": `\.(cluster|proxy)-`, "written": true},
	}
	names := {name |
		some name in called_abroad
		endswith(name, sprintf(".%s", [domain]))
		not regex.match(object.get(service, "not", `^$`), name)
	}
	count(names) > 0
]

# A client by itself that has the Secret of a role which Zalando's operator makes, USER.CLUSTER.credentials.postgresql.acid.zalan.do, and calls that cluster: Spilo's pg_hba.conf ends with "hostnossl all all all reject".
zalandos := [{"of": "Zalando's operator", "because": " unless its pg_hba says otherwise", "level": "warning", "names": names} |
	model.cluster.client
	names := {host |
		some one in containers_of(hosts)
		some variable in get.list(one.container, "env")
		some match in regex.find_all_string_submatch_n(`\.([a-z0-9-]+)\.credentials\.postgresql\.acid\.zalan\.do$`, get.string(variable, ["valueFrom", "secretKeyRef", "name"]), 1)
		some said in array.concat(client.texts(one.container), client.words(one.container))
		some host in regex.find_n(`[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*`, said.text, -1)
		split(host, ".")[0] in {match[1], sprintf("%s-pooler", [match[1]]), sprintf("%s-repl", [match[1]])}
	}
	count(names) > 0
]

called_abroad := {name |
	some one in containers_of(hosts)
	some variable in array.concat(client.texts(one.container), client.words(one.container))
	some name in regex.find_n(`[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`, variable.text, -1)
	split(name, ".")[0] in hosts
}

# The defaults of conf/defaults.ini of Grafana, @n8n/config of n8n, kong/templates/kong_defaults.lua of Kong, common/persistence/sql/sqlplugin/postgresql of Temporal, modules/setting/database.go of Gitea,
# atc/atccmd of Concourse, pkg/config of Vikunja, src/common/dao/pgsql.go of Harbor, api/src/database of Directus, packages/server/src/DataSource.ts of Flowise.
plain_programs := {
	"Concourse": {"host": "CONCOURSE_POSTGRES_HOST", "with": {}, "tls": `^CONCOURSE_POSTGRES_SSLMODE$`, "cure": "Set CONCOURSE_POSTGRES_SSLMODE to require"},
	"Directus": {"image": `(^|/)directus/directus$`, "host": "DB_HOST", "with": {"DB_CLIENT": `^(pg|postgres)$`}, "tls": `^DB_(SSL|CONNECTION_STRING)`, "cure": "Set DB_SSL__REJECT_UNAUTHORIZED, or DB_SSL to true"},
	"Flowise": {"image": `(^|/)flowiseai/flowise$`, "host": "DATABASE_HOST", "with": {"DATABASE_TYPE": `^postgres$`}, "tls": `^DATABASE_SSL`, "cure": "Set DATABASE_SSL to true", "private": "Set DATABASE_SSL_KEY_BASE64 to the CA"},
	"Gitea": {"host": "GITEA__database__HOST", "with": {"GITEA__database__DB_TYPE": `^postgres$`}, "tls": `^GITEA__database__SSL_MODE$`, "cure": "Set GITEA__database__SSL_MODE to require"},
	"Grafana": {"host": "GF_DATABASE_HOST", "with": {"GF_DATABASE_TYPE": `^postgres$`}, "tls": `^GF_DATABASE_(SSL_MODE|URL)`, "cure": "Set GF_DATABASE_SSL_MODE to require"},
	"Harbor": {"image": `(^|/)goharbor/harbor-(core|jobservice)$`, "host": "POSTGRESQL_HOST", "with": {}, "tls": `^POSTGRESQL_SSLMODE$`, "cure": "Set POSTGRESQL_SSLMODE to require"},
	"Kong": {"host": "KONG_PG_HOST", "with": {}, "tls": `^KONG_PG_SSL$`, "cure": "Set KONG_PG_SSL to on"},
	"Temporal": {"host": "POSTGRES_SEEDS", "with": {}, "tls": `^SQL_TLS`, "cure": "Set SQL_TLS_ENABLED to true"},
	"Temporal's SQL tool": {"host": "SQL_HOST", "with": {"SQL_PLUGIN": `^postgres`}, "tls": `^SQL_TLS`, "cure": "Set SQL_TLS to true"},
	"Vikunja": {"host": "VIKUNJA_DATABASE_HOST", "with": {"VIKUNJA_DATABASE_TYPE": `^postgres$`}, "tls": `^VIKUNJA_DATABASE_SSLMODE$`, "cure": "Set VIKUNJA_DATABASE_SSLMODE to require"},
	"n8n": {"host": "DB_POSTGRESDB_HOST", "with": {}, "tls": `^DB_POSTGRESDB_SSL`, "cure": "Set DB_POSTGRESDB_SSL_ENABLED to true", "private": "Set DB_POSTGRESDB_SSL_CA_FILE to the CA, or DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED to false"},
}

# postgres_exporter puts the scheme, the user and the password before it.
refuses_tls("DATA_SOURCE_URI", value, _, names) := "sslmode=disable" if {
	regex.match(`[?&]sslmode=disable(?:&|$)`, value)
	not contains(value, "://")
	leads_to(concat("", ["postgresql://", value]), names)
}

refuses_tls(_, value, _, names) := [words |
	some words, pattern in words_without_tls
	regex.match(pattern, value)
	leads_to(value, names)
][0]

# Of libpq, asyncpg by SQLAlchemy, Npgsql and R2DBC.
words_without_tls := {
	"SSL Mode=disable": `(?i)(?:^|;)\s*SSL ?Mode\s*=\s*Disable\s*(?:;|$)`,
	"ssl=disable": `^postgresql\+asyncpg://.*[?&]ssl=disable(?:&|$)`,
	"sslMode=disable": `^r2dbc:.*[?&]sslMode=disable(?:&|$)`,
	"sslmode=disable": `(?:[?&]|(?:^|\s))sslmode=disable(?:[&\s]|$)`,
}

refuses_tls("PGSSLMODE", "disable", one, names) := "PGSSLMODE=disable" if named(known(one.container, names).PGHOST, names)

# METADATA
# description: |
#   Clients that refuse TLS to a server that speaks it and lets them in without: {"client", "asks", "path", "resource"}. A proxy of a service mesh beside them may encrypt what they send.
unencrypted := [{"client": one.name, "asks": asks, "path": array.concat(one.path, variable.at), "resource": one.resource} |
	speaks_tls
	not model.cluster.tls_only
	count([1 | some rule in hba.rules(model.cluster.hba); rule.type in {"hostnossl", "hostssl"}]) == 0
	names := {name | some name in model.cluster.hosts}
	some one in containers_of(names)
	some variable in said_by(one.container, names)
	asks := refuses_tls(variable.name, variable.text, one, names)
	not meshed(one)
]

speaks_tls if model.cluster.managed.ssl == "on"

speaks_tls if model.written.ssl.text in {"on", "true", "yes", "1"}

meshed(one) if regex.match(`istio|linkerd|consul|kuma`, json.marshal(get.map(workloads.template(one.made), "metadata")))

meshed(_) if regex.match(`istio|linkerd|consul|kuma`, json.marshal(get.map(inventory.own_namespace, "metadata")))

# As programs call it that put the address together themselves.
refuses_tls(name, value, one, names) := sprintf("%s=%s", [name, value]) if {
	name != "PGSSLMODE"
	regex.match(`^([A-Z0-9]+_)*(PG|POSTGRES|POSTGRESQL|DB|DATABASE|SQL)_?(USE_|ENABLE_)?SSL(_?MODE|_?ENABLED?)?$`, name)
	get.lower_case(value) in {"false", "disable", "disabled", "off", "no", "0"}
	some other, host in known(one.container, names)
	regex.match(`HOST|SERVER|ADDR`, other)
	named(regex.replace(host, `:[0-9]+$`, ""), names)
}

# METADATA
# description: |
#   Clients that go to a Service which leads nowhere ("empty_hosts" of walguard.model): {"client", "host", "reason", "cure", "path", "resource"}.
lost := [object.union(object.filter(empty, ["reason", "cure"]), {"client": one.name, "host": empty.name, "path": array.concat(one.path, variable.at), "resource": one.resource}) |
	some empty in model.cluster.empty_hosts
	some one in containers_of(hosts)
	some variable in array.concat(client.texts(one.container), client.words(one.container))
	contains(variable.text, empty.name)
	called(variable, {empty.name})
	not placeholder.holds(variable.text)
]

called(variable, names) if leads_to(variable.text, names)

called(variable, names) if {
	regex.match(`HOST|SERVER|ADDR`, variable.name)
	named(regex.replace(variable.text, `:[0-9]+$`, ""), names)
}

# METADATA
# description: |
#   Clients that verify the name of their host (verify-full) where the certificate behind it does not have it ("other_doors" of walguard.model): {"client", "asks": as it is written, "of": what is behind the
#   host, "host", "cure", "path", "resource"}.
misnamed := [object.union({"client": one.name, "of": door.of, "cure": beside.cure, "path": array.concat(one.path, variable.at), "resource": one.resource}, asked) |
	beside := model.cluster.other_doors
	some one in containers_of(hosts)
	some variable in array.concat(client.texts(one.container), client.words(one.container))
	contains(variable.text, "verify-full")
	asked := verified(variable, one)
	some door in beside.doors
	named(asked.host, {door.name})
	count([1 | some name in beside.names; covers(name, asked.host)]) == 0
]

verified(variable, _) := {"asks": "sslmode=verify-full", "host": found[1]} if {
	regex.match(`(?:[?&]|(?:^|\s))sslmode=verify-full(?:[&\s]|$)`, variable.text)
	some found in regex.find_all_string_submatch_n(`(?:^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?|(?:^|\s)host=)([A-Za-z0-9.-]+)`, trim_space(variable.text), 1)
}

verified(variable, one) := {"asks": sprintf("%s=verify-full", [variable.name]), "host": regex.replace(called[0], `:[0-9]+$`, "")} if {
	variable.text == "verify-full"
	regex.match(`SSL_?MODE$`, variable.name)
	called := [text |
		some other in get.list(one.container, "env")
		regex.match(`HOST|SERVER|ADDR`, get.string(other, "name"))
		text := get.string(other, "value")
	]
	count(called) == 1
}

covers(name, host) if get.lower_case(name) == get.lower_case(host)

covers(name, host) if {
	startswith(name, "*.")
	trim_prefix(name, "*") == substring(host, indexof(host, "."), -1)
}

# METADATA
# description: |
#   Clients that log in with a certificate and no password, where every line of pg_hba.conf that lets them in asks for one ("password_only" of walguard.model): {"client", "path",
#   "resource"}.
certificates := [{"client": one.name, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.resource} |
	names := {name | some name in model.cluster.password_only.hosts}
	some one in containers_of(names)
	count(get.list(one.container, "envFrom")) == 0
	count([1 | some variable in get.list(one.container, "env"); regex.match(`PASS|PGSERVICE`, get.upper_case(get.string(variable, "name")))]) == 0
	some i, variable in get.list(one.container, "env")
	value := get.string(variable, "value")
	regex.match(`(?:[?&]|(?:^|\s))sslcert=`, value)
	not regex.match(`pass(word|file)=|://[^@/\s:]+:[^@/\s]+@`, value)
	not regex.match(`user=(streaming_replica|cnpg_pooler_pgbouncer|_crunchyrepl|primaryuser)\b`, value)
	leads_to(value, names)
]

# METADATA
# description: |
#   Clients that insist on TLS and have no certificate of their own, where the first line of pg_hba.conf that is theirs wants one (method cert, clientcert): {"client", "text", "path", "resource"}. A line
#   before it for other addresses, or for members of a role, may be theirs as well, and makes it unknown.
uncertified := [{"client": one.name, "text": first.text, "path": array.concat(one.path, ["env"]), "resource": one.resource} |
	lines := get.list(model.cluster, "hba")
	count([1 | some entry in lines; wants_certificate(entry.line)]) > 0
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	encrypted := [rule | some rule in hba.rules(lines); rule.type in {"host", "hostssl"}; not hba.own(rule)]
	some one in containers_of(hosts)
	not regex.match(`(?i)ssl_?(root)?(cert|key)|\.postgresql|/certs?\b|/tls\b`, json.marshal(one.container))
	login := encrypted_login(environment.values(one.container))
	first := [rule | some rule in encrypted; may_be_for(rule, login)][0]
	hba.everywhere(first)
	count([1 | some user in first.users; user in {"all", login.role}]) == count(first.users)
	wants_certificate(first.text)
]

wants_certificate(line) if regex.match(`(\s|^)cert(\s|$)|\bclientcert=["']?(1|verify-(ca|full))\b`, line)

may_be_for(rule, login) if {
	count([1 | some user in rule.users; regex.match(`^([+/].*|all)$`, user)]) + count([1 | some user in rule.users; user == login.role]) > 0
	count([1 | some database in rule.databases; database in {"all", login.database, "sameuser", "samerole", "samegroup"}]) > 0
}

encrypted_login(values) := {"role": values.PGUSER, "database": object.get(values, "PGDATABASE", values.PGUSER)} if {
	named(values.PGHOST, hosts)
	values.PGSSLMODE in {"require", "verify-ca", "verify-full"}
}

encrypted_login(values) := {"role": found[0][1], "database": found[0][3]} if {
	not values.PGHOST
	found := [match |
		some name in sort(object.keys(values))
		some match in regex.find_all_string_submatch_n(`^postgres(?:ql)?(?:\+[a-z0-9]+)?://([^:/@?]+)(?::[^/@]*)?@([A-Za-z0-9.-]+)(?::[0-9]+)?/([A-Za-z0-9_-]+)\?(?:[^\s]*&)?sslmode=(?:require|verify-ca|verify-full)(?:&|$)`, values[name], 1)
		named(match[2], hosts)
	]
	count(found) > 0
}

leads_to(value, names) if {
	found := regex.find_all_string_submatch_n(`(?:^(?:jdbc:|r2dbc:(?:pool:)?)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?|(?:^|\s)host=|(?i:(?:^|;)\s*(?:Host|Server)\s*=\s*))([A-Za-z0-9.-]+)`, trim_space(value), 1)
	named(found[0][1], names)
}

# With a namespace behind it, which must be this one.
named(host, names) if host in names

named(host, names) if {
	parts := split(host, ".")
	parts[0] in names
	parts[1] == model.cluster.namespace
}

containers_of(names) := [object.union(one, {"name": get.string(one.container, "name"), "resource": one.made.resource}) |
	count(names) > 0
	some one in workloads.calling
	one.list == "containers"
]

# METADATA
# description: |
#   PgBouncers that connect without TLS to a server that lets nobody in without it: {"client", "asks", "path", "resource"}. Their pgbouncer.ini stands in a ConfigMap or a Secret,
#   or is written from variables by the image. Since 1.20 the default of server_tls_sslmode is prefer, before it was disable (NEWS.md).
poolers := [object.union({"client": one.made.words, "asks": asks}, object.remove(ini, ["text"])) |
	names := {name | some name in model.cluster.tls_only.hosts}
	some one in containers_of(names)
	pgbouncer := get.string(one.container, "image")
	image.name(pgbouncer) == "pgbouncer"
	some ini in files_of(one)
	some found in regex.find_all_string_submatch_n(`(?m)^[^;#\n]*\bhost\s*=\s*'?([A-Za-z0-9.-]+)`, ini.text, -1)
	named(found[1], names)
	not regex.match(`(?m)^\s*%include`, ini.text)
	asks := in_the_clear(ini.text, pgbouncer)
]

poolers_by_variables := [{"client": one.made.words, "asks": asks, "path": array.concat(one.path, path), "resource": one.resource} |
	names := {name | some name in model.cluster.tls_only.hosts}
	some one in containers_of(names)
	pgbouncer := get.string(one.container, "image")
	image.name(pgbouncer) == "pgbouncer"
	count(get.list(one.container, "envFrom")) == 0
	count(get.list(one.container, "command")) == 0
	listed := get.list(one.container, "env")
	values := {name: [i, object.get(listed[i], "value", null)] |
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
	}
	some name in ["DB_HOST", "DATABASE_URL", "POSTGRESQL_HOST"]
	leads_here(values[name][1], names)
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`pgbouncer`, get.string(mounted, "mountPath"))]) == 0
	[asks, path] := mode_of_variables(values, pgbouncer)
]

leads_here(value, names) if named(value, names)

leads_here(value, names) if leads_to(value, names)

mode_of_variables(values, _) := written_disable(values)[0] if count(written_disable(values)) > 0

# Of edoburu's image, which leaves the line out; Bitnami's has a default of its own.
mode_of_variables(values, pgbouncer) := [left_out, ["env"]] if {
	count(written_disable(values)) == 0
	image.repository(pgbouncer) == "docker.io/edoburu/pgbouncer"
	before_prefer(pgbouncer)
	not "SERVER_TLS_SSLMODE" in object.keys(values)
}

written_disable(values) := [[sprintf("%s=disable", [name]), ["env", values[name][0], "value"]] |
	some name in ["SERVER_TLS_SSLMODE", "PGBOUNCER_SERVER_TLS_SSLMODE"]
	get.lower_case(values[name][1]) == "disable"
]

in_the_clear(text, _) := "server_tls_sslmode=disable" if regex.match(`(?m)^\s*server_tls_sslmode\s*=\s*disable\s*$`, text)

in_the_clear(text, pgbouncer) := left_out if {
	not regex.match(`(?m)^\s*server_tls_sslmode\s*=`, text)
	before_prefer(pgbouncer)
}

left_out := "no server_tls_sslmode, which before PgBouncer 1.20 means disable"

before_prefer(pgbouncer) if regex.match(`^v?1\.(\d|1\d)(\.|-|$)`, image.tag(pgbouncer))

files_of(one) := [{"path": entry.path, "resource": k8s.reference(found), "text": entry.text} |
	some mounted in get.list(one.container, "volumeMounts")
	some volume in get.list(one.made.pod, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	some source in files.sources(volume)
	found := files.holder(source)
	some entry in files.entries(found)
	contains(entry.text, "[databases]")
]
