package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.pooling as read_poolers
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# What PgCat, PgDog and Odyssey do not start with, in files of a ConfigMap or a Secret in sight.
unreadable_files := [{
	"reason": fault.reason,
	"cure": fault.cure,
	"level": "error",
	"path": file.path,
	"resource": file.resource,
} |
	some made in workloads.all
	made.kind in {"DaemonSet", "Deployment", "StatefulSet"}
	some one in get.list(made.pod, "containers")
	name := read_poolers.program(one)
	some file in readable_files.mounted(one, get.list(made.pod, "volumes"))
	before_this_server(made, file.text)
	not placeholder.holds(file.text)
	not regex.match(`[$][{(]|\{[{%]`, file.text)
	some fault in read_poolers.unreadable(name, file)
]

# One that is reviewed by itself may have its server anywhere.
before_this_server(made, _) if {
	client_alone
	workloads.itself(made)
}

before_this_server(made, text) if {
	not client_alone
	not workloads.itself(made)
	some found in regex.find_n(`["'][A-Za-z0-9][A-Za-z0-9.-]*["']`, text, -1)
	leads_home(trim(found, `"'`))
}

# Users that PgCat has no pool for.
unknown_users := [{
	"reason": sprintf("%s logs in as %s, and PgCat knows %s for pool %s alone (\"No pool configured for database\")", [caller.client, match[1], concat(", ", sort(users)), match[3]]),
	"cure": sprintf("Add a user %s to it", [match[1]]),
	"level": "error",
	"path": pooler.file.path,
	"resource": pooler.file.resource,
} |
	some pooler in pooling_by_toml
	read_poolers.program(pooler.container) == "pgcat"
	names := services_of(pooler.made)
	some caller in client_containers
	some variable in caller.variables
	some match in regex.find_all_string_submatch_n(`^postgres(?:ql)?(?:\+[a-z0-9]+)?://([^:/@?%]+)(?::[^/@?]*)?@([A-Za-z0-9.-]+)(?::[0-9]+)?/([A-Za-z0-9_-]+)(?:\?|$)`, variable.value, 1)
	sessions.leads(names, match[2])
	users := {pair[1] |
		some section in read_poolers.sections(pooler.file.text)
		regex.match(sprintf(`^pools\.("%s"|%s)\.users\.[^.]+$`, [match[3], match[3]]), section.name)
		some pair in section.pairs
		pair[0] == "username"
	}
	count(users) > 0
	not match[1] in users
]
