package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.store
import data.walguard.lib.workloads

facts contains {"hosts": [concat("-", [k8s.name, role]) | some role in ["rw", "ro", "r"]]} if operator

facts contains {"authority": {"secret": sprintf("%s-ca", [k8s.name])}} if {
	operator
	not get.present(spec, "certificates")
}

# The operator gives the server passwords as they are.
facts contains {"scram": true} if {
	operator
	major.value >= 14
}

facts contains {"visits": [{"port": 8000, "by": `^cloudnative-pg$`, "consequence": "it learns nothing of their state, starts no standby and does not fail over", "labels": "spec.inheritedMetadata.labels", "path": ["metadata", "namespace"]}]} if operator

# pkg/management/url/url.go
facts contains {"traffic": array.concat(
	[{"port": 8000, "from": "operator", "other_names": {"postgresql", "metrics"}, "consequence": "it learns nothing of their state, starts no standby and does not fail over"}],
	array.concat(
		[{"port": 5432, "from": "instances", "other_names": {"status", "metrics"}, "consequence": "standbys cannot stream"} | instances.value > 1],
		[object.union(
			{"port": 8000, "from": "instances", "other_names": {"postgresql", "metrics"}},
			{"level": "warning", "consequence": "a primary that loses the API server takes itself for isolated and stops"},
		) |
			instances.value > 1
			asks_the_others
		],
	),
)} if {
	operator
}

# pkg/management/postgres/webserver/probes/liveness.go, since 1.27: reachable standbys tell a primary that it is not alone.
asks_the_others if get.boolean(spec, ["probes", "liveness", "isolationCheck", "enabled"])

asks_the_others if not get.present(spec, ["probes", "liveness", "isolationCheck", "enabled"])

# internal/cmd/manager/instance/run: it waits for the API server before anything else; a standby finds the primary by the name of its Service.
facts contains {"reaches": reaches} if operator

reaches := array.concat(array.concat([api_server], outside_stores), [need | instances.value > 1; some need in [
	{"ports": {53, 5353, 8053}, "to": "names", "what": "DNS (port 53)", "consequence": "standbys do not find the primary"},
	{"ports": {5432}, "to": "instances", "what": "the other instances (port 5432)", "consequence": "standbys cannot stream"},
]])

# What it archives to and is recovered from, by barman-cloud in the pods of the instances.
outside_stores := [need |
	not proxied(get.list(spec, "env"))
	needs := {need |
		some [settings, variables] in stores_of_instances
		not proxied(variables)
		some need in store_needs(settings)
	}
	some need in needs
]

stores_of_instances := array.concat(
	[[settings, []] |
		some path in array.concat([["spec", "backup", "barmanObjectStore"]], [["spec", "externalClusters", i, "barmanObjectStore"] | some i, _ in get.list(spec, "externalClusters")])
		settings := get.map(k8s.object, path)
	],
	[[get.map(found, ["spec", "configuration"]), get.list(found, ["spec", "instanceSidecarConfiguration", "env"])] |
		some name in store_names
		found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
	],
)

store_needs(settings) := [need |
	startswith(get.string(settings, "destinationPath"), "s3://")
	need := store.outside(object.get(settings, "endpointURL", ""))
]

# Traffic of a proxy goes elsewhere.
proxied(variables) if {
	some variable in variables
	get.upper_case(get.string(variable, "name")) in {"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"}
}

# What other pods need for the cluster, in whatever namespace they are: the operator, by the labels of its manifest and its chart, and the plugin (internal/cnpi/plugin/connection/remote.go). The
# operator asks the plugin over gRPC before it does anything with a Cluster that names it.
facts contains {"outposts": array.concat(
	[
		{"name": "the operator", "labels": operator_labels, "way": "Egress", "ports": {8000}, "what": "the instances (port 8000)", "consequence": "it learns nothing of their state, starts no standby and does not fail over"},
		{"name": "the operator", "labels": operator_labels, "way": "Egress", "ports": api_server.ports, "what": "the API server (port 443, often 6443 behind it)", "consequence": "it does nothing"},

		# config/webhook/manifests.yaml: failurePolicy Fail. The chart lets one choose its port, of those that clouds let through.
		{"name": "the operator", "labels": operator_labels, "way": "Ingress", "ports": {4443, 8443, 9443, 10250}, "what": "the API server (webhooks, port 9443)", "consequence": "no Cluster can be created or changed (\"context deadline exceeded\"), but by an API server on its own node"},
	],
	[one |
		count(plugged) > 0
		some one in [
			{"name": "the operator", "labels": operator_labels, "way": "Egress", "ports": {9090}, "what": "the Barman Cloud plugin (port 9090)", "consequence": "clusters that name it are not reconciled, and nothing is archived"},
			{"name": "the Barman Cloud plugin", "labels": {"app": "barman-cloud"}, "way": "Ingress", "ports": {9090}, "what": "the operator (port 9090)", "consequence": "clusters that name the plugin are not reconciled, and nothing is archived"},
		]
	],
)} if operator

operator_labels := {"app.kubernetes.io/name": "cloudnative-pg"}

plugged := [plugin |
	some plugin in get.list(spec, "plugins")
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	not disabled(plugin)
]

api_server := {
	"ports": {443, 6443, 8443, 16443},
	"to": "api",
	"what": "the API server (port 443, often 6443 behind it)",
	"consequence": "the instance manager does not learn what to run, and no instance starts",
}

# Up to 1.30 pkg/specs/jobs.go creates instances by Jobs whose pods carry no role.
facts contains {"helpers": [{
	"name": "the Jobs that create and restore instances",
	"labels": {concat("/", [operator.annotations, "cluster"]): k8s.name},
	"lacking": {concat("/", [operator.annotations, "podRole"])},
	"reaches": reaches_of_jobs,
}]} if {
	operator
}

reaches_of_jobs := [object.union(api_server, {"consequence": "up to release 1.30 of the operator no instance is created"})]

facts contains {"annotations": {"path": ["spec", "inheritedMetadata", "annotations"], "volume": "pgdata"}} if operator

facts contains {"snapshot_classes": [{"name": name, "path": path} |
	some field in ["className", "walClassName"]
	path := ["spec", "backup", "volumeSnapshot", field]
	name := get.string(k8s.object, path)
]} if {
	operator
	get.present(k8s.object, ["spec", "backup", "volumeSnapshot"])
}

# A label of former releases (docs/src/release_notes/old/v1.21.md: "Stop supporting the postgresql label"): a Service that selects it was written for them, and has had no endpoints since.
facts contains {"stray_services": stray_services} if count(stray_services) > 0

stray_services := [{
	"service": get.string(service, ["metadata", "name"]),
	"label": "postgresql",
	"wanted": k8s.name,
	"carried_label": concat("/", [operator.annotations, "cluster"]),
	"carried": k8s.name,
	"path": ["spec", "selector", "postgresql"],
	"resource": k8s.reference(service),
} |
	operator
	not get.present(spec, ["inheritedMetadata", "labels", "postgresql"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	get.string(service, ["spec", "selector", "postgresql"]) == k8s.name
	count([1 | some made in workloads.all; workloads.labels(made).postgresql == k8s.name]) == 0
]
