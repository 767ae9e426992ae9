package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.outsider
import data.walguard.lib.pgbouncer as ini_settings
import data.walguard.lib.placeholder
import data.walguard.lib.pooling
import data.walguard.lib.script
import data.walguard.lib.sessions
import data.walguard.lib.startup
import data.walguard.lib.workloads

# ---------------------------------------------------------------------------------------------------------- pooler

# METADATA
# description: The Poolers of the cluster, whatever they lead to.
own_poolers := [o |
	some o in inventory.list(k8s.namespace, k8s.api_version, "Pooler")
	get.string(o, ["spec", "cluster", "name"]) == k8s.name
]

# Pods with the labels of pkg/specs/pgbouncer/deployments.go behind a Service of the Pooler's name.
facts contains {"pooler_pods": [{"host": o.metadata.name, "labels": {"cnpg.io/poolerName": o.metadata.name}} | some o in own_poolers]} if count(own_poolers) > 0

# Those whose metrics the operator has nobody collect, with the labels of pkg/specs/pgbouncer/deployments.go; a template may have more.
facts contains {"pooler_metrics": [{
	"name": name,
	"selector": sprintf("%s/poolerName: %s", [operator.annotations, name]),
	"labels": object.union(get.map(o, ["spec", "template", "metadata", "labels"]), {
		concat("/", [operator.annotations, "cluster"]): k8s.name,
		concat("/", [operator.annotations, "podRole"]): "pooler",
		concat("/", [operator.annotations, "poolerName"]): name,
	}),
	"path": ["metadata", "name"],
	"resource": k8s.reference(o),
} |
	some o in own_poolers
	name := o.metadata.name
	not get.boolean(o, ["spec", "monitoring", "enablePodMonitor"])
	not get.unknown(o, ["spec", "monitoring", "enablePodMonitor"])
]} if {
	count(own_poolers) > 0
	not inventory.served
}

# PgBouncer's container has what the template gives it, and no resources otherwise (pkg/specs/pgbouncer/deployments.go).
facts contains {"bare_poolers": [{"name": o.metadata.name, "path": ["spec"], "resource": k8s.reference(o)} |
	some o in own_poolers
	containers := get.list(o, array.concat(pods_of_pooler, ["containers"]))
	count([1 | some one in containers; says_resources(one)]) == 0
	not get.unknown(o, ["spec", "template"])
	not get.unknown(o, pods_of_pooler)
	not get.present(o, array.concat(pods_of_pooler, ["resources"]))
]} if {
	count(own_poolers) > 0
}

says_resources(container) if count(get.map(container, "resources")) > 0

says_resources(container) if not is_object(object.get(container, "resources", {}))

facts contains {"own_monitor": true} if get.boolean(spec, ["monitoring", "enablePodMonitor"])

# Those before the primary; the others open connections to standbys.
poolers := [o |
	some o in own_poolers
	object.get(o, ["spec", "type"], "rw") == "rw"
]

pooler := object.union_n([
	{"value": true, "origin": "written", "path": ["spec", "instances"], "resource": k8s.reference(poolers[0])},
	{"connections": total |
		sizes := [n | some o in poolers; n := pool_size(o)]
		count(sizes) == count(poolers)
		total := sum(sizes)
	},
]) if {
	count(poolers) > 0
}

pooler := fact.operator(false, ["spec"]) if {
	count(spec) > 0
	inventory.complete
	count(poolers) == 0
}

# PgBouncer asks the server for the secret of a user's password, and LDAP users have none there; the lines of pg_hba.conf for LDAP come last, after those that
# are written (pkg/postgres/configuration.go).
facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := array.concat(array.concat(array.concat(users_of_ldap, of_a_service), array.concat(of_no_service, of_no_standby)), array.concat(array.concat(unread_settings, startup.refused(strict_poolers)), array.concat(array.concat(by_own_query, poolers_of_an_import), array.concat(beside_pgbouncer, without_image))))

# Names are for the webhook to refuse; it lets any value pass, which is written into pgbouncer.ini as it is (pkg/management/pgbouncer/config/config.go).
unread_settings := [object.union(
	{"reason": sprintf("%s: nobody gets in through Pooler %s", [fault.reason, object.get(o, ["metadata", "name"], "")]), "path": ["spec", "pgbouncer", "parameters", fault.name], "resource": k8s.reference(o)},
	object.filter(fault, ["cure", "level"]),
) |
	some o in own_poolers
	some fault in ini_settings.faults(get.map(o, ["spec", "pgbouncer", "parameters"]))
	not fault.unknown
]

# The operator adds two to what each passes over (pkg/management/pgbouncer/config/config.go).
strict_poolers := [{
	"names": {o.metadata.name},
	"passes": ({"extra_float_digits", "options"} | {trim_space(name) | some value in said; some name in split(value, ",")}),
	"option": sprintf("ignore_startup_parameters of Pooler %s", [o.metadata.name]),
} |
	some o in own_poolers
	said := [get.string(o, ["spec", "pgbouncer", "parameters", name]) | some name in ["ignore_startup_parameters", "track_extra_parameters"]]
	count([1 | some value in said; placeholder.holds(value)]) == 0
]

# The operator makes the function and the role of PgBouncer where a Pooler names neither query nor secret (IsAutomatedIntegration of api/v1/pooler_funcs.go), and somebody may
# have made them by hand.
by_own_query := [{
	"reason": sprintf("Pooler %s has its own authQuery, and the operator makes neither user_search nor its role then: unless somebody does in database postgres, no login succeeds", [o.metadata.name]),
	"cure": "Take authQuery and authQuerySecret out, or create both in postInitSQL",
	"level": "info",
	"path": ["spec", "pgbouncer", "authQuery"],
	"resource": k8s.reference(o),
} |
	operator
	some o in own_poolers
	contains(get.string(o, ["spec", "pgbouncer", "authQuery"]), "user_search(")
	initialised
	not inventory.served
	not get.present(spec, ["bootstrap", "initdb", "import"])
	count([1 | some one in own_poolers; automated(one)]) == 0
	count([1 | some field, _ in get.map(spec, ["bootstrap", "initdb"]); endswith(field, "Refs")]) == 0
	count([1 |
		some field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]
		some statement in get.list(spec, ["bootstrap", "initdb", field])
		makes_query(statement)
	]) == 0
]

automated(o) if {
	every field in ["authQuery", "authQuerySecret", "serverTLSSecret"] {
		not get.present(o, ["spec", "pgbouncer", field])
	}
}

# Or is not in sight.
makes_query(statement) if contains(statement, "user_search")

makes_query(statement) if placeholder.holds(statement)

makes_query(statement) if not is_string(statement)

users_of_ldap := [{
	"reason": "Pooler asks the server for secrets of passwords, and users of LDAP have none there: their logins fail through it, though they succeed on the cluster's Services",
	"cure": "Let these users connect to the cluster's own Services, or give the Pooler pg_hba lines with ldap (PgBouncer 1.25)",
	"level": "error",
	"path": ["spec", "postgresql", "ldap"],
} |
	is_object(object.get(spec, ["postgresql", "ldap"], null))
	count(poolers) > 0
	count(get.list(spec, ["postgresql", "pg_hba"])) == 0
	count([1 | some o in poolers; not get.present(o, ["spec", "pgbouncer", "pg_hba"])]) > 0
]

# The Service of a Pooler has its name, and the one that is there already is changed whoever's it is (internal/controller/pooler_update.go, reconcileService).
of_a_service := [{
	"reason": sprintf("Pooler %s has the name of the cluster's own Service, which then leads to PgBouncer: standbys, PgBouncer itself and applications find no server there", [name]),
	"cure": sprintf("Give it another name, such as %s-pooler-%s", [k8s.name, object.get(o, ["spec", "type"], "rw")]),
	"level": "error",
	"path": ["metadata", "name"],
	"resource": k8s.reference(o),
} |
	operator
	some o in inventory.list(k8s.namespace, k8s.api_version, "Pooler")
	name := o.metadata.name
	name in {sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["rw", "ro", "r"]}
	not placeholder.holds(name)
]

# PgBouncer asks the cluster's own Service of the Pooler's type, whatever others select the same pods (pkg/management/pgbouncer/config/data.go); that of the primary cannot be left out.
of_no_service := [{
	"reason": sprintf("Pooler %s of type %s connects to Service %s-%s, which spec.managed.services leaves out: nobody gets in through it", [o.metadata.name, type, k8s.name, type]),
	"cure": sprintf("Take %s out of disabledDefaultServices", [type]),
	"level": "error",
	"path": ["spec", "type"],
	"resource": k8s.reference(o),
} |
	some o in own_poolers
	type := get.string(o, ["spec", "type"])
	type in get.list(spec, ["managed", "services", "disabledDefaultServices"])
	type != "rw"
]

# The Service of the standbys has no endpoints where there are none, and none of those that are left out is there.
of_no_standby := [{
	"reason": sprintf("Pooler %s of type ro connects to Service %s-ro, which leads to standbys alone, and 1 instance has none: nobody gets in through it", [o.metadata.name, k8s.name]),
	"cure": "Write type: rw, or run 2 instances or more",
	"level": "error",
	"path": ["spec", "type"],
	"resource": k8s.reference(o),
} |
	instances.value == 1
	some o in own_poolers
	get.string(o, ["spec", "type"]) == "ro"
]

facts contains {"empty_hosts": empty_hosts} if count(empty_hosts) > 0

empty_hosts := array.concat(
	[{"name": sprintf("%s-%s", [k8s.name, role]), "reason": "which spec.managed.services leaves out", "cure": sprintf("Take %s out of disabledDefaultServices", [role])} |
		operator
		some role in ["ro", "r"]
		role in get.list(spec, ["managed", "services", "disabledDefaultServices"])
		not by_hand(sprintf("%s-%s", [k8s.name, role]))
	],
	[{"name": sprintf("%s-ro", [k8s.name]), "reason": "which leads to standbys alone, and 1 instance has none", "cure": sprintf("Write %s-rw, or run 2 instances or more", [k8s.name])} |
		instances.value == 1
		not "ro" in get.list(spec, ["managed", "services", "disabledDefaultServices"])
	],
)

by_hand(name) if inventory.namespaced_object(k8s.namespace, "v1", "Service", name)

by_hand(name) if {
	some one in get.list(spec, ["managed", "services", "additional"])
	get.string(one, ["serviceTemplate", "metadata", "name"]) == name
}

# Whatever they lead to; PgBouncer takes 100 unless told otherwise, in each of its instances.
facts contains {"pooler_limits": pooler_limits} if count(pooler_limits) > 0

pooler_limits := [{
	"hosts": [o.metadata.name],
	"clients": each * instances_of(o),
	"written": shared.pooler_limit("max_client_conn", each, instances_of(o), count(written) > 0),
	"each": instances_of(o),
	"cure": "Set max_client_conn of the Pooler to %d",
	"path": array.concat(["spec", "pgbouncer"], written),
	"resource": k8s.reference(o),
} |
	operator
	some o in own_poolers
	not scaled(o)
	each := pgbouncer_number(o, "max_client_conn", "100")
	written := [part | get.present(o, ["spec", "pgbouncer", "parameters", "max_client_conn"]); some part in ["parameters", "max_client_conn"]]
]

# By somebody else.
scaled(o) if count(workloads.scalers("Pooler", o.metadata.name)) > 0

# PgBouncer opens 20 unless told otherwise, in each of its instances.
pool_size(o) := instances_of(o) * pgbouncer_number(o, "default_pool_size", "20")

instances_of(o) := shared.whole(object.get(o, ["spec", "instances"], 1))

pgbouncer_number(o, name, otherwise) := shared.whole(object.get(o, ["spec", "pgbouncer", "parameters", name], otherwise))

# The operator's auth_type is hba, with lines of its own that ask for a password behind those of the Pooler; another one that is written takes its place (pkg/management/pgbouncer/config/config.go).
facts contains {"open_poolers": opened} if count(opened) > 0

opened := array.concat(open_poolers, array.concat(opened_by_command, opened_by_file))

# A command or a configuration of one's own, unless that says in sight who gets in.
facts contains {"hba_unread": unread_starts} if count(unread_starts) > 0

unread_starts := [{"source": sprintf("what container pgbouncer of Pooler %s runs", [o.metadata.name]), "path": array.concat(pods_of_pooler, ["containers", i]), "resource": k8s.reference(o)} |
	some [o, i, container] in started_otherwise
	count(pooling.by_command(container)) == 0
	count(types_of_files(o, container)) == 0
]

opened_by_file := [{
	"pooler": sprintf("PgBouncer of Pooler %s", [o.metadata.name]),
	"text": sprintf("auth_type %s", [small]),
	"cure": "Leave the command out",
	"path": array.concat(pods_of_pooler, ["containers", i]),
	"resource": k8s.reference(o),
} |
	some [o, i, container] in started_otherwise
	some type in types_of_files(o, container)
	small := pooling.open_type(type)
]

started_otherwise := [[o, i, container] |
	some o in own_poolers
	some i, container in get.list(o, array.concat(pods_of_pooler, ["containers"]))
	get.string(container, "name") == "pgbouncer"
	count(array.concat(get.list(container, "command"), get.list(container, "args"))) > 0
]

types_of_files(o, container) := [found[1] |
	some file in files.mounted(container, get.list(o, array.concat(pods_of_pooler, ["volumes"])))
	file.file in array.concat(get.list(container, "command"), get.list(container, "args"))
	some found in regex.find_all_string_submatch_n(`(?m)^\s*auth_type\s*=\s*(\w+)`, file.text, 1)
]

# The template of its pods may give PgBouncer another command.
opened_by_command := [{
	"pooler": sprintf("PgBouncer of Pooler %s", [o.metadata.name]),
	"text": open.text,
	"cure": "Leave the command out",
	"path": array.concat(pods_of_pooler, ["containers", i]),
	"resource": k8s.reference(o),
} |
	some o in own_poolers
	some i, container in get.list(o, array.concat(pods_of_pooler, ["containers"]))
	is_object(container)
	some open in pooling.by_command(container)
]

pods_of_pooler := ["spec", "template", "spec"]

# SQL that PgBouncer runs on its connections, as whoever logged in.
unread_poolers := array.concat(unread_pods_of_poolers, [{"source": sprintf("the %s of Pooler %s", [name, get.string(o, ["metadata", "name"])]), "path": ["spec", "pgbouncer", "parameters", name], "resource": k8s.reference(o), "severity": severity_of_query(query)} |
	some o in own_poolers
	some name in ["server_reset_query", "server_check_query"]
	query := get.string(o, ["spec", "pgbouncer", "parameters", name])
	script.sets_for_session(query)
])

severity_of_query(query) := "warning" if script.dangerous(query)

severity_of_query(query) := inventory.unread if not script.dangerous(query)

# What other containers of it do to a server.
unread_pods_of_poolers := [object.union(
	{"source": sprintf("what container %s runs", [one.name]), "path": one.path, "resource": k8s.reference(o), "severity": severity_of_outsider(one)},
	{"reason": reason | reason := sprintf("it %s", [one.unread])},
) |
	some o in own_poolers
	get.present(o, pods_of_pooler)
	some one in outsider.found(o, pods_of_pooler)
]

severity_of_outsider(one) := "warning" if count(one.settings) > 0

severity_of_outsider(one) := outsider.severity(one, inventory.unread) if count(one.settings) == 0

open_poolers := [{
	"pooler": sprintf("PgBouncer of Pooler %s", [o.metadata.name]),
	"text": sprintf("auth_type %s", [small]),
	"cure": "Leave auth_type out",
	"path": ["spec", "pgbouncer", "parameters", "auth_type"],
	"resource": k8s.reference(o),
} |
	some o in own_poolers
	small := pooling.open_type(get.string(o, ["spec", "pgbouncer", "parameters", "auth_type"]))
]

facts contains {"pooler_lines": pooler_lines} if count(pooler_lines) > 0

pooler_lines := [{"pooler": sprintf("Pooler %s", [o.metadata.name]), "lines": lines} |
	some o in own_poolers
	get.lower_case(object.get(o, ["spec", "pgbouncer", "parameters", "auth_type"], "hba")) == "hba"
	lines := [object.union(line, {"resource": k8s.reference(o)}) | some line in hba.listed(o, ["spec", "pgbouncer", "pg_hba"])]
	count(lines) > 0
]

# What its clients do that needs a session of their own; see walguard.model.
facts contains {"prepared": lost_sessions} if count(lost_sessions) > 0

lost_sessions := sessions.lost([object.union(
	{"names": {name}, "mode": mode, "path": ["spec", "pgbouncer", "poolMode"], "resource": k8s.reference(o)},
	{"follow": cure |
		image := [get.string(container, "image") | some container in get.list(o, ["spec", "template", "spec", "containers"]); get.string(container, "name") == "pgbouncer"]
		cure := sessions.unlike(concat("", image), get.text(object.get(o, ["spec", "pgbouncer", "parameters", "max_prepared_statements"], "")))
	},
) |
	some o in own_poolers
	name := get.string(o, ["metadata", "name"])
	mode := get.string(o, ["spec", "pgbouncer", "poolMode"])
	mode in {"transaction", "statement"}
])
