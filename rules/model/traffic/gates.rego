package walguard.model.traffic

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model.dumps

# METADATA
# description: |
#   What no policy lets a client out to that is reviewed by itself, as its server is elsewhere: a pooler of the namespace, or the port of a server that is not in sight. As kept_from.
kept_from_elsewhere := missed([{
	"name": sprintf("the pods of %s", [made.words]),
	"labels": labels,
	"lacking": set(),
	"all": true,
	"reaches": [need |
		some name in sort(workloads.called)
		need := need_of(name, made)
	],
} |
	workloads.unaccompanied
	some made in workloads.clients
	workloads.itself(made)
	count([1 | some job in dumps.all; job.resource == made.resource]) == 0
	labels := workloads.labels(made)
	count([1 | some value in labels; placeholder.holds(value)]) == 0
])

need_of(name, _) := need_of_pooler(inventory.namespaced_object(k8s.namespace, "v1", "Service", name))

need_of(name, made) := {
	"ports": ports,
	"to": "elsewhere",
	"what": sprintf("its server (port %d)", [min(asked)]),
	"consequence": "its connections time out",
	"inside": inside,
} if {
	not inventory.namespaced_object(k8s.namespace, "v1", "Service", name)
	asked := ports_asked(name, made)

	# Behind a Service that is not in sight a pooler may listen on another one.
	inside := count([1 | some said in said_by(made); in_cluster(said, name)]) > 0
	ports := asked | {port | inside; some port in [5432, 6432]}
}

in_cluster(said, name) if {
	some match in regex.find_all_string_submatch_n(`(^|[@/=\s])([A-Za-z0-9-]+)((?:\.[A-Za-z0-9-]+)*)`, said, -1)
	match[2] == name
	regex.match(`^(\.[a-z0-9-]+)?(\.svc(\..*)?)?$`, match[3])
}

said_by(made) := [said |
	some list in ["initContainers", "containers"]
	some one in get.list(made.pod, list)
	said := array.concat([value | some _, value in environment.values(one)], [word.text | some word in client.words(one)])[_]
]

# What stands behind the host, and what variables call the port of a database.
ports_asked(name, made) := found if {
	found := {to_number(port) |
		some port in array.concat(
			[match[2] |
				some said in said_by(made)
				some match in regex.find_all_string_submatch_n(`(?:^|[@/=\s,])([A-Za-z0-9-]+)(?:\.[A-Za-z0-9-]+)*:([0-9]{2,5})(?:[/?,\s"']|$)`, said, -1)
				match[1] == name
			],
			[value |
				some list in ["initContainers", "containers"]
				some one in get.list(made.pod, list)
				some variable, value in environment.values(one)
				regex.match(`(DB|DATABASE|PG|POSTGRES|POSTGRESQL|SQL)_?[A-Z_]*PORT$`, variable)
				regex.match(`^[0-9]{2,5}$`, value)
			],
		)
	}
	count(found) > 0
} else := {5432}

# All labels of its pods stand in the template.
need_of_pooler(service) := {
	"ports": ports,
	"to": "pooler",
	"labels": labels,
	"what": sprintf("pooler %s (port %d)", [get.string(service, ["metadata", "name"]), min(ports)]),
	"consequence": "its connections time out",
} if {
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	poolers := [found |
		some kind in ["DaemonSet", "Deployment", "StatefulSet"]
		some made in inventory.list(k8s.namespace, "apps/v1", kind)
		found := get.map(made, ["spec", "template", "metadata", "labels"])
		object.subset(found, wanted)
		some one in get.list(made, ["spec", "template", "spec", "containers"])
		regex.match(`bouncer|pgpool|pgcat|pgdog|odyssey`, get.string(one, "image"))
	]
	count(poolers) == 1
	labels := poolers[0]
	targets := [object.get(one, "targetPort", object.get(one, "port", null)) | some one in get.list(service, ["spec", "ports"])]
	ports := {port | some port in targets; is_number(port)}
	count(targets) == count([1 | some port in targets; is_number(port)])
	count(ports) > 0
}

answered("pooler", _)

answered("elsewhere", _)

goes_to(peers, need) if {
	need.to == "pooler"
	some peer in peers
	get.present(peer, "podSelector")
	count([1 |
		some label, value in get.map(peer, ["podSelector", "matchLabels"])
		object.get(need.labels, label, null) != value
		not placeholder.holds(value)
	]) == 0
}

# Where it is, nobody knows: its port is what tells. What has a name of the world is no pod.
goes_to(peers, need) if {
	need.to == "elsewhere"
	some peer in peers
	may_be_there(peer, need)
}

may_be_there(_, need) if need.inside

may_be_there(peer, _) if count(object.keys(peer) - {"namespaceSelector", "podSelector"}) > 0

# METADATA
# description: Clients of the cluster that are let out to it and not to DNS, by whose names they call it. As kept_from.
kept_from_names := [object.union(need, {"client": client_of_it.name, "together": "the server's name is not found, and they do not connect"}) |
	count(policies_out) > 0
	some client_of_it in clients
	pods := {"name": sprintf("the pods of %s", [client_of_it.name]), "labels": client_of_it.labels, "lacking": set(), "all": true}
	count(missed([object.union(pods, {"reaches": [need_of_server(client_of_it.labels, "")]})])) == 0
	some need in missed([object.union(pods, {"reaches": [{"ports": resolvers, "to": "names", "what": "DNS (port 53)", "consequence": "the server's name is not found, and it does not connect"}]})])
	count([1 | some job in dumps.jobs; client_of_it.name == sprintf("CronJob %s", [job.resource.name])]) == 0
]
