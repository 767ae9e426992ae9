package walguard.model.addresses

import data.walguard.lib.get
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   Clients that connect without TLS to a server that lets nobody in without it ("tls_only" of walguard.model): {"client", "asks": as it is written, "path", "resource"}. Containers of
#   Deployments, StatefulSets, Jobs and CronJobs of the namespace.
plain := [{"client": one.name, "asks": asks, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.resource} |
	names := {name | some name in model.cluster.tls_only.hosts}
	some one in containers_of(names)
	some i, variable in get.list(one.container, "env")
	value := get.string(variable, "value")
	asks := refuses_tls(get.string(variable, "name"), value, one, names)
]

refuses_tls(_, value, _, names) := "sslmode=disable" if {
	regex.match(`(?:[?&]|(?:^|\s))sslmode=disable(?:[&\s]|$)`, value)
	leads_to(value, names)
}

refuses_tls("PGSSLMODE", "disable", one, names) := "PGSSLMODE=disable" if {
	some variable in get.list(one.container, "env")
	get.string(variable, "name") == "PGHOST"
	named(get.string(variable, "value"), names)
}

# As programs call it that put the address together themselves.
refuses_tls(name, value, one, names) := sprintf("%s=%s", [name, value]) if {
	name != "PGSSLMODE"
	regex.match(`^([A-Z0-9]+_)*(PG|POSTGRES|POSTGRESQL|DB|DATABASE)_?(USE_|ENABLE_)?SSL(_?MODE|_?ENABLED?)?$`, name)
	get.lower_case(value) in {"false", "disable", "disabled", "off", "no", "0"}
	some variable in get.list(one.container, "env")
	regex.match(`HOST|SERVER|ADDR`, get.string(variable, "name"))
	named(regex.replace(get.string(variable, "value"), `:[0-9]+$`, ""), names)
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

leads_to(value, names) if {
	found := regex.find_all_string_submatch_n(`(?:^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?|(?:^|\s)host=)([A-Za-z0-9.-]+)`, trim_space(value), 1)
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
	some one in workloads.containers
	one.list == "containers"
]
