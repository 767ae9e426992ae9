# METADATA
# description: |
#   Programs of another namespace that look for this server by a name without a namespace: the resolver of a pod looks for it in the pod's own. Among files alone, since a live cluster has what it has.
# related_resources:
#   - https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#namespaces-of-services
package walguard.model.abroad

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   '{"client": in words, "asked": the name, "namespace": its own, "own": the name that leads here, "level"?: severity where nothing there makes Services but what is in sight, "path", "resource"}'. Where something in that
#   namespace may make a Service of the name, nothing is known; nor by a name that many servers have, or where the pod has names and domains of its own.
lost := [object.union({"level": "error" | plain_alone(namespace)}, {
	"client": sprintf("%s %s", [kind, get.string(made, ["metadata", "name"])]),
	"asked": host,
	"namespace": namespace,
	"own": sprintf("%s.%s", [host, k8s.namespace]),
	"path": array.concat(path, ["containers", c, "env", i, "value"]),
	"resource": k8s.reference(made),
}) |
	count(names) > 0
	inventory.handed.namespace
	inventory.few_namespaces
	get.string(k8s.object, ["metadata", "namespace"])
	some [api_version, kind] in [["apps/v1", "Deployment"], ["apps/v1", "StatefulSet"], ["batch/v1", "CronJob"], ["batch/v1", "Job"]]
	some made in inventory.in_all_files(api_version, kind)
	namespace := get.string(made, ["metadata", "namespace"])
	namespace != k8s.namespace
	count([1 | some text in [namespace, k8s.namespace]; placeholder.unknown(text)]) == 0
	path := workloads.pods[sprintf("%s %s", [api_version, kind])]
	count([1 | some field in ["dnsConfig", "hostAliases"]; get.present(made, array.concat(path, [field]))]) == 0
	some c, container in get.list(made, array.concat(path, ["containers"]))
	some i, variable in get.list(container, "env")
	host := host_of(get.upper_case(get.string(variable, "name")), get.string(variable, "value"))
	host in names
	not brought(namespace, host)

	# Of several servers of the name it may mean any, or one that is not among the files.
	count(inventory.holders("v1", "Service", host) - {k8s.namespace}) == 0
]

# What a Service of a database is called, whoever's it is.
names := {host |
	some host in get.list(model.cluster, "hosts")
	not regex.match(`^(postgres(ql)?|pg|db|database|pgbouncer|timescaledb|postgis)(-?[0-9]+)?(-(db|server|service|svc|headless|primary|master|rw|ro|r|0))?$`, host)
	not placeholder.unknown(host)
}

# PGHOST and the like, and addresses.
host_of(name, value) := regex.replace(value, `:[0-9]+$`, "") if {
	regex.match(`(HOST|HOSTNAME|SERVER|ADDR|ADDRESS)$`, name)
} else := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@/\s]*@)?([a-z0-9-]+)(?:[:/?]|$)`, value, 1)[0][1]

# A Service, or something that may bring one: what an operator or a chart makes begins with the name of its object.
brought(namespace, host) if {
	some version, kinds in get.map(inventory.handed, ["namespace", namespace])
	some kind, objects in kinds
	some name, _ in objects
	brings(version, kind, name, host)
}

brings("v1", "Service", name, name)

brings(version, _, name, host) if {
	not regex.match(plain, version)
	startswith(host, name)
}

plain := `^(v1|(apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io|cert-manager\.io|external-secrets\.io|monitoring\.coreos\.com|route\.openshift\.io)/.*)$`

plain_alone(namespace) if {
	every version, _ in get.map(inventory.handed, ["namespace", namespace]) {
		regex.match(plain, version)
	}
}
