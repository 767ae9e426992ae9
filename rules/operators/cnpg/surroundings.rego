package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder
import data.walguard.lib.store

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

facts contains {"hosts": [concat("-", [k8s.name, role]) | some role in ["rw", "ro", "r"]]} if operator

# pkg/management/url/url.go
facts contains {"traffic": array.concat(
	[{"port": 8000, "from": "operator", "other_names": {"postgresql", "metrics"}, "consequence": "it learns nothing of their state, starts no standby and does not fail over"}],
	array.concat(
		[{"port": 5432, "from": "instances", "other_names": {"status", "metrics"}, "consequence": "standbys cannot stream"} | instances.value > 1],
		[object.union(
			{"port": 8000, "from": "instances", "other_names": {"postgresql", "metrics"}},
			{"level": "info", "consequence": "a primary that loses the API server takes itself for isolated and stops"},
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
	],
	[one |
		count(plugged) > 0
		some one in [
			{"name": "the operator", "labels": operator_labels, "way": "Egress", "ports": {9090}, "what": "the Barman Cloud plugin (port 9090)", "consequence": "clusters that name it are not reconciled, and nothing is archived"},
			{"name": "the Barman Cloud plugin", "labels": {"app": "barman-cloud"}, "way": "Ingress", "ports": {9090}, "what": "the operator (port 9090)", "consequence": "clusters that name the plugin are not reconciled, and nothing is archived"},
		]
	],
)} if {
	operator
}

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

missing_keys := array.concat(array.concat(of_owner, of_stores), array.concat(array.concat(of_files, of_authorities), of_poolers))

# The operator signs the certificate of PgBouncer's own user with it, and goes no further with the cluster when it cannot (internal/controller/cluster_create.go, reconcilePoolerSecrets). A Pooler with a query or
# a Secret of one's own needs none (IsAutomatedIntegration), nor does one whose Secret is there already.
of_poolers := [object.union(found, {
	"path": ["spec", "certificates", "clientCASecret"],
	"consequence": sprintf("the operator signs the certificate of Pooler %s with it, fails with \"missing ca.key secret data\", and leaves the cluster as it is", [pooled[0]]),
	"cure": "Put ca.key into the Secret, or give the Pooler authQuery and authQuerySecret",
}) |
	operator
	get.present(spec, ["certificates", "replicationTLSSecret"])
	name := get.string(spec, ["certificates", "clientCASecret"])
	pooled := [get.string(one, ["metadata", "name"]) |
		some one in inventory.list(k8s.namespace, k8s.api_version, "Pooler")
		get.string(one, ["spec", "cluster", "name"]) == k8s.name
		is_object(object.get(one, ["spec", "pgbouncer"], null))
		count([1 | some field in ["authQuery", "authQuerySecret", "serverTLSSecret"]; get.present(one, ["spec", "pgbouncer", field])]) == 0
	]
	count(pooled) > 0
	not inventory.namespaced_object(k8s.namespace, "v1", "Secret", sprintf("%s-pooler", [k8s.name]))
	some found in without_authority(name)
]

# The operator creates the owner from it, and creates one itself where none is named (pkg/management/postgres/initdb.go).
of_owner := [object.union(found, {"path": array.concat(path, ["name"]), "consequence": "the cluster is not created"}) |
	operator
	some path in [["spec", "bootstrap", "initdb", "secret"], ["spec", "superuserSecret"]]
	name := get.string(k8s.object, array.concat(path, ["name"]))
	some key in ["username", "password"]
	found := keys.lacking("Secret", name, key)
]

of_stores := [object.union(found, {"path": array.concat(path, ["key"]), "consequence": "nothing is archived or backed up"}) |
	operator
	store := ["spec", "backup", "barmanObjectStore"]
	some below in [
		["s3Credentials", "accessKeyId"],
		["s3Credentials", "secretAccessKey"],
		["s3Credentials", "region"],
		["azureCredentials", "connectionString"],
		["azureCredentials", "storageAccount"],
		["azureCredentials", "storageKey"],
		["azureCredentials", "storageSasToken"],
		["googleCredentials", "applicationCredentials"],
		["endpointCA"],
	]
	path := array.concat(store, below)
	reference := get.map(k8s.object, path)
	found := keys.lacking("Secret", get.string(reference, "name"), get.string(reference, "key"))
]

of_files := [object.union(found, {"path": array.concat(path, [i, "key"]), "consequence": "the cluster is not created"}) |
	operator
	some field in ["postInitSQLRefs", "postInitApplicationSQLRefs", "postInitTemplateSQLRefs"]
	some list, kind in {"secretRefs": "Secret", "configMapRefs": "ConfigMap"}
	path := ["spec", "bootstrap", "initdb", field, list]
	some i, reference in get.list(k8s.object, path)
	found := keys.lacking(kind, get.string(reference, "name"), get.string(reference, "key"))
]

# The operator signs with it what nobody gives it (internal/controller/cluster_pki.go, ensureServerCASecret and ensureClientCASecret).
of_authorities := [object.union(found, {
	"path": ["spec", "certificates", authority],
	"consequence": sprintf("without %s the operator signs the certificate of %s itself, fails with \"missing ca.key secret data\" and starts no instance", [leaf, whose]),
	"cure": sprintf("Name a Secret with that certificate in %s", [leaf]),
}) |
	operator
	some authority, [leaf, whose] in {
		"serverCASecret": ["serverTLSSecret", "the server"],
		"clientCASecret": ["replicationTLSSecret", "streaming_replica"],
	}
	not get.present(spec, ["certificates", leaf])
	name := get.string(spec, ["certificates", authority])
	some found in without_authority(name)
]

without_authority(name) := [found | found := keys.lacking("Secret", name, "ca.key")] if not certified(name)

# Nothing in a Certificate puts ca.key into its Secret.
without_authority(name) := [{"kind": "Secret", "name": name, "key": "ca.key", "keys": ["tls.crt", "tls.key"]}] if certified(name)

certified(name) if {
	some certificate in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate")
	get.string(certificate, ["spec", "secretName"]) == name
	not placeholder.unknown(name)
}
