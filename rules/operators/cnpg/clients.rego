package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.lib.workloads

# Programs that take the name of the cluster for that of a Service; see walguard.model. The operator makes NAME-rw, NAME-ro and NAME-r (pkg/specs/services.go).
facts contains {"lost_clients": lost_clients} if count(lost_clients) > 0

lost_clients := [{
	"client": one.made.words,
	"reason": sprintf("asks for the host %s, and the Services of the cluster are %s-rw, %s-ro and %s-r", [k8s.name, k8s.name, k8s.name, k8s.name]),
	"cure": sprintf("Write %s-rw", [k8s.name]),
	"path": array.concat(one.path, ["env", i, "value"]),
	"resource": one.made.resource,
} |
	operator
	not placeholder.holds(k8s.name)
	not served_by_another
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	value := get.string(variable, "value")
	contains(value, k8s.name)

	# It has the variables of Immich's server, and reads none.
	not contains(object.get(one.container, "image", ""), "/immich-machine-learning")
	asks_for_it(get.string(variable, "name"), value)
]

asks_for_it(name, value) if {
	regex.match(`(?i)(pg|postgres|db|database|sql).*(host|server|addr)`, name)
	regex.match(sprintf(`^%s(:[0-9]+)?$`, [host_alone]), value)
}

asks_for_it(_, value) if regex.match(sprintf(`^(jdbc:)?postgres(ql)?(\+[a-z0-9]+)?://([^@/\s]*@)?%s(:[0-9]+)?(/|$)`, [host_alone]), value)

host_alone := sprintf(`%s(\.%s(\.svc(\.cluster\.local)?)?)?`, [text.literal(k8s.name), text.literal(k8s.namespace)])

# A Service by hand, one that the cluster asks for, a Pooler's, or one of a server or a release that is called so.
served_by_another if inventory.namespaced_object(k8s.namespace, "v1", "Service", k8s.name)

served_by_another if inventory.namespaced_object(k8s.namespace, k8s.api_version, "Pooler", k8s.name)

served_by_another if {
	some service in get.list(spec, ["managed", "services", "additional"])
	get.string(service, ["serviceTemplate", "metadata", "name"]) == k8s.name
}

served_by_another if {
	some made in workloads.all
	made.name == k8s.name
}
