package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Clients that look for this server at a name of its namespace which no Service has; see lost_clients of walguard.model.
at_no_service := [object.union_n([
	{
		"client": one.client,
		"reason": sprintf("%s at %s, and no Service of this namespace has the name", [relation, asked.host]),
		"cure": sprintf("Write %s", [own_name(asked.as_spelt)]),
	},
	{"level": "error" | self_contained(asked.host)},
	object.filter(asked, ["path", "resource"]),
]) |
	count(services) > 0
	some one in asking_for_names
	some asked in one.asked
	not pooler_by_name(one, asked.host)
	without_service(asked.host)
	not brought_by_another(asked.host)
	relation := relations(one, asked)[0]
]

own_name(as_spelt) := hosts[0] if not contains(as_spelt, ".")

own_name(as_spelt) := regex.replace(as_spelt, `^[^.]+`, hosts[0]) if contains(as_spelt, ".")

# Its Service may stand in files that are not here, as those of a pooler do.
pooler_by_name(one, host) if {
	not one.secret
	regex.match(beside_servers, host)
}

beside_servers := `pool|bouncer|pgcat|odyssey|prox|-r[wo]?$|replica|read|standby|slave`

self_contained(host) if {
	not regex.match(beside_servers, host)
	all_by_kubernetes
}

all_by_kubernetes if {
	not inventory.served
	k8s.namespace
	every version in inventory.versions(k8s.namespace) {
		regex.match(of_kubernetes, version)
	}
}

of_kubernetes := `^(v1|(apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io|cert-manager\.io|external-secrets\.io|monitoring\.coreos\.com|route\.openshift\.io)/.*)$`

# What an operator or a chart makes begins with the name of its object.
brought_by_another(host) if {
	some version, kinds in get.map(inventory.handed, ["namespace", k8s.namespace])
	not regex.match(of_kubernetes, version)
	some _, objects in kinds
	some name, _ in objects
	startswith(host, name)
}

# What makes one of them a client of this server, the surest first.
relations(one, asked) := [relation_words |
	some [relation_words, true] in [
		["has the password of this server and looks for it", object.get(one, "secret", false)],
		["has the password of this server and looks for it", is_true(one, asked, "source")],
		["has the password of this server and looks for it", is_true(one, asked, "password")],
		["asks for the role and the database of this server", is_true(one, asked, "names")],
		[sprintf("looks for this server by the name of its %s,", [k8s.kind]), is_true(one, asked, "workload")],
	]
]

is_true(one, asked, way) if {
	not one.home
	related(way, one, asked)
} else := false

# The login of this server, spelt out in an address.
related("password", _, asked) if {
	password := environment_value("POSTGRES_PASSWORD")
	login_name := environment_value("POSTGRES_USER")
	count(password) > 5
	contains(asked.text, sprintf("//%s:%s@", [login_name, password]))
}

# Which many servers have alike.
related("names", _, asked) if {
	the_only_server
	asked.user == made_role
	asked.database == made_database
}

related("names", one, asked) if {
	the_only_server
	variable := told(one, [asked.prefix], ["USER", "USERNAME", "USER_NAME", "LOGIN"])
	variable.value == made_role
	other := told(one, [asked.prefix], ["NAME", "DB", "DATABASE", "DBNAME", "DB_NAME", "DATABASE_NAME"])
	other.value == made_database
}

related("workload", _, asked) if {
	the_only_server
	asked.host == k8s.name
	not k8s.name in hosts
}

the_only_server if {
	all_by_kubernetes
	count([1 |
		some made in workloads.lasting
		not workloads.itself(made)
		some one in get.list(made.pod, "containers")
		is_for_postgres(one)
	]) == 0
}

environment_value(name) := value if {
	some variable in get.list(container, "env")
	get.string(variable, "name") == name
	value := said_by(variable)
} else := value if {
	some source in get.list(container, "envFrom")
	some key, value in texts_of_source(source)
	key == name
}

# Containers of the namespace that name a host of it, with what they say.
asking_for_names := [object.union_n([
	{"client": one.made.words, "container": one.container, "variables": {as_spelt.name: as_spelt | some as_spelt in known}, "asked": asked},
	{"secret": true | takes_password_of_server(one.container)},
	{"home": true | some as_spelt in known; some host in hosts_in(as_spelt); leads_home(host.as_spelt)},
]) |
	some one in workloads.containers
	not workloads.itself(one.made)
	known := array.concat(variables_known(one), sources_known(one))
	asked := [object.union(host, {"host": name, "name": as_spelt.name, "text": as_spelt.text, "path": as_spelt.path, "resource": one.made.resource}) |
		some as_spelt in known
		some host in hosts_in(object.union(as_spelt, {"container": one.container}))
		name := in_this_namespace(host.as_spelt)
	]
	count(asked) > 0
]

variables_known(one) := [{"name": name, "text": raw, "value": value, "path": array.concat(one.path, array.concat(["env", i], [field | some field in ["value", "valueFrom"]; get.present(listed[i], [field])])), "resource": one.made.resource} |
	listed := get.list(one.container, "env")
	some name, i in get.last_of_each([[get.upper_case(of), k] | some k, variable in listed; of := get.string(variable, "name")])
	raw := said_by(listed[i])
	value := login.bare(raw)
]

sources_known(one) := [{"name": get.upper_case(name), "text": raw, "value": login.bare(raw), "path": array.concat(one.path, ["envFrom", i]), "resource": one.made.resource} |
	some i, source in get.list(one.container, "envFrom")
	some name, raw in texts_of_source(source)
	count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == name]) == 0
]

texts_of_source(source) := {concat("", [prefix, key]): raw |
	prefix := object.get(source, "prefix", "")
	some [field, kind] in [["configMapRef", "ConfigMap"], ["secretRef", "Secret"]]
	holder := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
	some part in ["data", "stringData"]
	some key, _ in get.map(holder, part)
	raw := text_in(kind, holder, key)
}

text_in("ConfigMap", holder, key) := get.string(holder, ["data", key])

text_in("Secret", holder, key) := login.raw(holder, key)

# [{"as_spelt": the host as it is written, "prefix"? of the variable, "user"? and "database"? of an address}]
hosts_in(as_spelt) := [{"as_spelt": match[2], "user": match[1], "database": match[3]} |
	some match in regex.find_all_string_submatch_n(`^["']?(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:([^:@/\s]*)@)?([A-Za-z0-9.-]+)(?::[0-9]+)?(?:/([A-Za-z0-9_-]*)|\?|["']?$)`, as_spelt.value, 1)
] if {
	contains(as_spelt.value, "://")
} else := [{"as_spelt": match[1]} |
	some match in regex.find_all_string_submatch_n(`(?i)(?:^|[;\s])host=([a-z0-9.-]+)(?:[;\s]|$)`, as_spelt.value, 1)
] if {
	regex.match(`(?i)(dbname|database|user|username)=`, as_spelt.value)
} else := [{"as_spelt": trim_suffix(as_spelt.value, ":5432"), "prefix": prefix_or_name(as_spelt.name)}] if {
	names_a_host(object.get(as_spelt, "container", {}), as_spelt.name)
} else := []

prefix_or_name(name) := before_host(name)

prefix_or_name(name) := name if not before_host(name)

# One word, or one with this namespace behind it.
in_this_namespace(as_spelt) := as_spelt if {
	regex.match(`^[a-z][a-z0-9-]*$`, as_spelt)
	as_spelt != "localhost"
	not placeholder.holds(as_spelt)
}

in_this_namespace(as_spelt) := name if {
	get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.unknown(k8s.namespace)
	parts := split(trim_suffix(as_spelt, "."), ".")
	name := parts[0]
	regex.match(`^[a-z][a-z0-9-]*$`, name)
	parts[1] == k8s.namespace
	not without_service_behind(parts)
}

# The name of a pod before that of its Service, or a name of the outside.
without_service_behind(parts) if not concat(".", array.slice(parts, 2, count(parts))) in {"", "svc", "svc.cluster.local"}

without_service_behind(parts) if {
	count(parts) == 2
	not without_service(parts[1])
}

# From the key that the server takes its own from.
takes_password_of_server(client_container) if {
	some variable in get.list(client_container, "env")
	get.map(variable, ["valueFrom", "secretKeyRef"]) in password_references
	regex.match(`PASS`, get.upper_case(get.string(variable, "name")))
}

# All of the Secret, which may be of more than one server.
related("source", one, asked) if {
	regex.match(`PG|POSTGRES`, get.upper_case(concat(" ", [asked.name, regex.replace(asked.text, `:.*`, "")])))
	some source in get.list(one.container, "envFrom")
	some reference in password_references
	reference.name == get.string(source, ["secretRef", "name"])
}
