package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.outsider
import data.walguard.lib.pooling
import data.walguard.lib.workloads

# What runs no server and changes one is judged as that change, by what it says: whose server it is need not be in sight.

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"partial": true,
	"by_hand": true,
	"parameters": [setting | some one in outsiders; some setting in one.settings],
	"parameters_path": outsider_path,
	"parameter_values": "text",
	"defaults": {},
} if {
	changes
}

# METADATA
# description: True of an object that runs no server and is to be said something of.
concerns_servers if changes

# What it says by itself of a server that is not in sight.
facts contains {"client": true} if client_alone

client_alone if {
	workloads.alone
	not server
	not generated
}

concerns_servers if kept_by_patroni_alone

changes if client_alone

changes if {
	not server
	count(array.concat(array.concat(outsiders, doors_of_outsiders), array.concat(array.concat(links_of_outsiders, cuts_of_outsiders), array.concat(array.concat(open_poolers, unseen_poolers), lone_faults)))) > 0
}

facts contains {"unread": unread_of_outsiders} if count(unread_of_outsiders) > 0

unread_of_outsiders := array.concat(
	[object.union(
		{"source": sprintf("what container %s runs", [one.name]), "path": one.path, "severity": severity_of_outsider(one)},
		{"reason": sprintf("it %s", [one.unread]), "cure": "Set parameters where the server's own resource says them"},
	) |
		some one in outsiders
		one.unread
	],
	[{"source": sprintf("what container %s runs", [one.name]), "path": one.path, "severity": severity_of_size(one), "reason": sprintf("it sets %s by ALTER SYSTEM, whatever the server has room for", [setting.name]), "cure": "Set it where the server's own resource says it"} |
		some one in outsiders
		not one.unread
		some setting in one.settings
		get.lower_case(setting.name) in {"max_connections", "max_slot_wal_keep_size", "max_wal_size", "shared_buffers", "wal_keep_size"}
	],
)

severity_of_size(one) := "warning" if one.dangerous

severity_of_size(one) := inventory.unread if not one.dangerous

severity_of_outsider(one) := outsider.severity(one, inventory.unread)

outsider_path := workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]

outsiders := outsider.found(k8s.object, outsider_path) if {
	outsider_path
	not server
	not generated
} else := []

# A pooler by itself answers for what it lets in, whoever's server is behind it.
facts contains {"open_poolers": open_poolers} if count(open_poolers) > 0

facts contains {"open_poolers": poolers_of_map} if count(poolers_of_map) > 0

facts contains {"hba_unread": unseen_poolers} if {
	count(unseen_poolers) > 0
	not server
}

open_poolers := [{"pooler": sprintf("%s in container %s", [open.program, shared.name_or(one.container, one.index)]), "text": open.text, "cure": cure_of_pooler, "level": "warning", "path": one.path} |
	some one in pooling_containers
	some open in pooling.of_container(one.container, get.list(k8s.object, array.concat(outsider_path, ["volumes"])))
]

cure_of_pooler := "Let it ask for passwords (scram-sha-256), or listen on 127.0.0.1"

unseen_poolers := [object.union(place, {"path": one.path}) |
	some one in pooling_containers
	some place in pooling.unseen(one.container, get.list(k8s.object, array.concat(outsider_path, ["volumes"])))
]

pooling_containers := [{"container": one, "index": i, "path": array.concat(outsider_path, ["containers", i])} |
	outsider_path
	not generated
	some i, one in get.list(k8s.object, array.concat(outsider_path, ["containers"]))
	is_object(one)
]

# Lines of pg_hba.conf that it writes for a server.
facts contains {"hba_added": [{"source": sprintf("What container %s runs", [one.name]), "text": one.text, "path": one.path} | some one in doors_of_outsiders]} if count(doors_of_outsiders) > 0

doors_of_outsiders := outsider.doors(k8s.object, outsider_path) if {
	outsider_path
	not server
	not generated
} else := []

facts contains {"lost": links_of_outsiders} if count(links_of_outsiders) > 0

links_of_outsiders := outsider.linked(k8s.object, outsider_path) if {
	outsider_path
	not server
	not generated
} else := []

# Files that a server needs to recover.
facts contains {"cuts": cuts_of_outsiders} if count(cuts_of_outsiders) > 0

cuts_of_outsiders := outsider.cuts(k8s.object, outsider_path) if {
	outsider_path
	not server
	not generated
} else := []
