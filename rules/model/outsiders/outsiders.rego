# METADATA
# description: |
#   What other workloads of the namespace set of the cluster under review behind its resource: by ALTER SYSTEM over one of its Services, or in the files of a claim of its data.
#   "setting" is a list of {"source", "path", "resource", "severity", "reason", "cure"} as "unread" of walguard.model has them.
package walguard.model.outsiders

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.outsider
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.claims

setting := [{
	"source": sprintf("what %s runs", [made.words]),
	"path": one.path,
	"resource": made.resource,
	"severity": outsider.severity(one, inventory.unread),
	"reason": way,
	"cure": "Remove it, and set parameters in the cluster's own resource",
} |
	model.cluster
	not model.cluster.change
	some made in workloads.all
	not workloads.itself(made)
	some one in outsider.found(made.object, made.path)
	way := way_of(one)
]

way_of(one) := "it writes the server's configuration on a claim of its data" if {
	one.unread == "writes the server's configuration on a volume"
	some name in one.claims
	ours(name)
} else := sprintf("it sets %s by ALTER SYSTEM", [names[0]]) if {
	names := [setting_of.name | some setting_of in one.settings]
	count(names) > 0
	altered
	addressed(one.said)
} else := sprintf("it %s", [one.unread]) if {
	one.unread != "writes the server's configuration on a volume"
	altered
	addressed(one.said)
}

# Where the server refuses ALTER SYSTEM nothing comes of it.
altered if object.get(model.cluster, ["managed", "allow_alter_system"], "on") != "off"

# By a Service of the cluster, or, where its Services are not known, by what begins with its name.
addressed(said) if {
	some host in names_in(said)
	known(split(host, ".")[0])
}

names_in(said) := [found[1] |
	some found in regex.find_all_string_submatch_n(`(?:\s-h\s*|--host[= ]|\bhost[= ]|@|//|[A-Z_]*(?:HOST|ADDR|SERVER)[A-Z_]*=)["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, said, -1)
]

known(host) if host in get.list(model.cluster, "hosts")

known(host) if {
	count(get.list(model.cluster, "hosts")) == 0
	host == model.cluster.name
}

known(host) if {
	count(get.list(model.cluster, "hosts")) == 0
	startswith(host, sprintf("%s-", [model.cluster.name]))
}

ours(name) if regex.match(model.cluster.data_claims, name)

ours(name) if {
	some claim in claims.claims
	claim.role == "data"
	claim.resource.kind == "PersistentVolumeClaim"
	claim.resource.name == name
}
