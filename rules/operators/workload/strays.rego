package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Clients that come to no database, though the server stands beside them; see lost_clients of walguard.model.

# The name of this server's Service, in another namespace than that of the server whose password they have, and nothing that leads here.
gone_elsewhere := [object.union(
	{
		"client": one.client,
		"reason": sprintf("has the password of this server and looks for it at %s, in another namespace than this one (%s)", [at.host, k8s.namespace]),
		"cure": sprintf("Write %s.%s.svc", [parts[1], k8s.namespace]),
	},
	object.filter(at, ["path", "resource"]),
) |
	get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.unknown(k8s.namespace)
	some one in sharing_clients
	count([1 | some name, variable in one.variables; is_string(before_host(name)); leads_home(regex.replace(variable.value, `:5432$`, ""))]) == 0
	count([1 | some url in one.urls; leads_home(url.host)]) == 0
	some at in array.concat(
		[object.union(variable, {"host": variable.value}) | some name, variable in one.variables; is_string(before_host(name))],
		one.urls,
	)
	parts := regex.find_all_string_submatch_n(`^([a-z][a-z0-9-]*)\.([a-z0-9][a-z0-9-]*)\.svc(?:\.cluster\.local)?\.?$`, at.host, 1)[0]
	count([1 | some service in services; get.string(service, ["metadata", "name"]) == parts[1]]) > 0
	parts[2] != k8s.namespace
	not inventory.namespaced_object(parts[2], "v1", "Service", parts[1])
]

# postgres_exporter puts user and password before DATA_SOURCE_URI; without them its driver (lib/pq) asks the system who it is: "Could not detect default username".
nameless_exporters := [object.union(
	{
		"client": sprintf("Container %s", [shared.name_or(one.container, one.number)]),
		"reason": "has no user to log in as (DATA_SOURCE_USER is not set)",
		"outcome": "there are no metrics",
		"cure": "Set DATA_SOURCE_USER",
		"level": "error",
		"path": array.concat(one.path, ["env", i, "value"]),
	},
	object.filter(one, ["resource"]),
) |
	some one in clients
	some [i, host] in addresses_without_user(one.container)
	counts_here(host, one.names)
]

counts_here(host, names) if is_here(host, names)

# One by itself has its server anywhere.
counts_here(_, _) if client_alone

# [its place in env, the host], where nothing else says who is to log in.
addresses_without_user(exporter) := [[i, parts[1]] |
	regex.match(`postgres(ql)?[-_]exporter`, get.string(exporter, "image"))
	count(get.list(exporter, "envFrom")) == 0
	count([1 | some word in get.list(exporter, "args"); contains(get.text(word), "config.file")]) == 0
	count([1 | some variable in get.list(exporter, "env"); get.string(variable, "name") in names_of_user]) == 0
	some i, variable in get.list(exporter, "env")
	get.string(variable, "name") == "DATA_SOURCE_URI"
	parts := regex.find_all_string_submatch_n(`^([A-Za-z0-9.-]+)(?::[0-9]+)?(?:/[A-Za-z0-9_-]*)?(?:\?([^,]*))?$`, get.string(variable, "value"), 1)[0]
	not regex.match(`(^|&)user=`, parts[2])
]

names_of_user := {"DATA_SOURCE_NAME", "DATA_SOURCE_USER", "DATA_SOURCE_USER_FILE", "DATA_SOURCE_URI_FILE", "PGUSER"}

# The name of the Deployment itself, as Docker Compose would have it, and no Service leads to its pods, among files that have Services.
without_a_service := [object.union(
	{
		"client": one.made.words,
		"reason": sprintf("looks for this server at %s, the name of the %s, and no Service has that name", [k8s.name, k8s.kind]),
		"cure": sprintf("Create a Service %s that selects its pods", [k8s.name]),
		"path": array.concat(one.path, ["env", i, "value"]),
	},
	{"resource": one.made.resource},
) |
	server
	k8s.kind == "Deployment"
	count(services) == 0
	count(inventory.list(k8s.namespace, "v1", "Service")) > 0
	not inventory.namespaced_object(k8s.namespace, "v1", "Service", k8s.name)
	not governs(k8s.name)
	some one in workloads.containers
	not workloads.itself(one.made)
	some i, variable in get.list(one.container, "env")
	k8s.name in asked_hosts(get.string(variable, "name"), get.string(variable, "value"))
]

asked_hosts(name, value) := {value} if is_string(before_host(name))

asked_hosts(name, value) := {match[1] | some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)(?::[0-9]+)?(?:[/?]|$)`, value, 1)} if not before_host(name)

# Of a client that has the server's password and another name for it.
strayed(host) := {
	"reason": sprintf("has the password of this server and looks for it at %s, and no Service of this namespace has the name", [host]),
	"cure": sprintf("Write %s", [hosts[0]]),
}
