package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder

# Secrets and ConfigMaps in sight without a key that the operator or a pod asks for; see walguard.model.
facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

missing_keys := array.concat(
	array.concat(array.concat(of_owner, of_stores), array.concat(array.concat(of_files, of_authorities), of_poolers)),
	array.concat(array.concat(of_roles, of_sources), array.concat(array.concat(of_pods, of_metrics), of_certificates)),
)

# The operator creates the owner from it, and creates one itself where none is named (pkg/management/postgres/initdb.go).
of_owner := array.concat(
	lacking_login(["spec", "bootstrap", "initdb", "secret"], "the cluster is not created"),
	[found |
		get.boolean(spec, "enableSuperuserAccess")
		some found in lacking_login(["spec", "superuserSecret"], "the operator sets no password of postgres or of the owner of the database")
	],
)

# superuserSecret is read with enableSuperuserAccess alone, and before the owner's (refreshCredentialsFromSecret of internal/management/controller/instance_controller.go).
lacking_login(path, consequence) := [object.union(found, {"path": array.concat(path, ["name"]), "consequence": consequence}) |
	operator
	name := get.string(k8s.object, array.concat(path, ["name"]))
	some key in ["username", "password"]
	found := keys.lacking("Secret", name, key)
]

# GetUserPasswordFromSecret (internal/management/utils/secrets.go) asks for both keys of each role, and of the owner of a database that was recovered or copied.
of_roles := array.concat(
	[object.union(found, {"path": array.concat(path, [i, "passwordSecret", "name"]), "consequence": sprintf("the operator does not create role %s or set its password", [get.string(role, "name")])}) |
		operator
		path := ["spec", "managed", "roles"]
		some i, role in get.list(k8s.object, path)
		object.get(role, "ensure", "present") == "present"
		some key in ["username", "password"]
		found := keys.lacking("Secret", get.string(role, ["passwordSecret", "name"]), key)
	],
	[object.union(found, {"path": path, "consequence": "the operator does not set the password of the owner"}) |
		operator
		some way in ["recovery", "pg_basebackup"]
		path := ["spec", "bootstrap", way, "secret", "name"]
		some key in ["username", "password"]
		found := keys.lacking("Secret", get.string(k8s.object, path), key)
	],
)

of_stores := array.concat(
	of_store(k8s.object, ["spec", "backup", "barmanObjectStore"], "nothing is archived or backed up"),
	array.concat(
		[found |
			some i, external in get.list(spec, "externalClusters")
			get.string(external, "name") in sources_in_use
			some found in of_store(k8s.object, ["spec", "externalClusters", i, "barmanObjectStore"], "nothing is restored from there")
		],
		[object.union(found, {"resource": k8s.reference(store)}) |
			some name, consequence in stores_in_use
			store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
			some found in of_store(store, ["spec", "configuration"], consequence)
		],
	),
)

# The ObjectStores of the plugin: the one that is archived to, and the one that is restored from.
stores_in_use := object.union(
	{name: "nothing is restored from there" |
		some external in get.list(spec, "externalClusters")
		get.string(external, "name") in sources_in_use
		name := get.string(external, ["plugin", "parameters", "barmanObjectName"])
	},
	{name: "nothing is archived or backed up" |
		some plugin in get.list(spec, "plugins")
		not disabled(plugin)
		name := get.string(plugin, ["parameters", "barmanObjectName"])
	},
)

of_store(holder, path, consequence) := [object.union(found, {"path": array.concat(at, ["key"]), "consequence": consequence}) |
	operator
	store := get.map(holder, path)
	count(store) > 0
	some below in [
		["s3Credentials", "accessKeyId"],
		["s3Credentials", "secretAccessKey"],
		["s3Credentials", "region"],
		["s3Credentials", "sessionToken"],
		["azureCredentials", "connectionString"],
		["azureCredentials", "storageAccount"],
		["azureCredentials", "storageKey"],
		["azureCredentials", "storageSasToken"],
		["googleCredentials", "applicationCredentials"],
		["endpointCA"],
	]
	reference := get.map(store, below)
	found := keys.lacking("Secret", get.string(reference, "name"), get.string(reference, "key"))
	at := array.concat(path, below)
]

of_files := [object.union(found, {"path": array.concat(path, [i, "key"]), "consequence": "the cluster is not created"}) |
	operator
	some field in ["postInitSQLRefs", "postInitApplicationSQLRefs", "postInitTemplateSQLRefs"]
	some list, kind in {"secretRefs": "Secret", "configMapRefs": "ConfigMap"}
	path := ["spec", "bootstrap", "initdb", field, list]
	some i, reference in get.list(k8s.object, path)
	found := keys.lacking(kind, get.string(reference, "name"), get.string(reference, "key"))
]

# How another server is reached (pkg/management/external/utils.go, readSecretKeyRef: "missing key … in secret").
of_sources := [object.union(found, {"path": ["spec", "externalClusters", i, field, "key"], "consequence": sprintf("nothing connects to %s", [get.string(external, "name")])}) |
	operator
	some i, external in get.list(spec, "externalClusters")
	get.string(external, "name") in sources_in_use
	some field in ["password", "sslKey", "sslCert", "sslRootCert"]
	reference := get.map(external, field)
	found := keys.lacking("Secret", get.string(reference, "name"), get.string(reference, "key"))
]

# The pods of the instances get these as they are.
of_pods := array.concat(
	[found | operator; some found in keys.of_environment(["spec"], spec)],
	[object.union(found, {"path": array.concat(path, [i, field, "items", k, "key"]), "consequence": "the pod does not start"}) |
		operator
		path := ["spec", "projectedVolumeTemplate", "sources"]
		some i, source in get.list(k8s.object, path)
		some field, kind in {"secret": "Secret", "configMap": "ConfigMap"}
		object.get(source, [field, "optional"], false) != true
		some k, item in get.list(source, [field, "items"])
		found := keys.lacking(kind, get.string(source, [field, "name"]), get.string(item, "key"))
	],
)

# "Missing key in configMap", in the log of the instance (internal/management/controller/instance_controller.go, reconcileMonitoringQueries).
of_metrics := [object.union(found, {"path": ["spec", "monitoring", field, i, "key"], "consequence": "its queries are left out, and their metrics are missing", "level": "warning"}) |
	operator
	some field, kind in {"customQueriesConfigMap": "ConfigMap", "customQueriesSecret": "Secret"}
	some i, asked in get.list(spec, ["monitoring", field])
	found := keys.lacking(kind, get.string(asked, "name"), get.string(asked, "key"))
]

# internal/controller/cluster_pki.go, verifyCAValidity and validateLeafCertificate: what is named there must have its certificate.
of_certificates := [object.union(found, {"path": ["spec", "certificates", field], "consequence": "the operator fails with \"missing secret data\" and starts no instance"}) |
	operator
	some field, names in {
		"serverCASecret": ["ca.crt"],
		"serverTLSSecret": ["tls.crt", "tls.key"],
		"clientCASecret": ["ca.crt"],
		"replicationTLSSecret": ["tls.crt", "tls.key"],
	}
	some key in names
	found := keys.of_certificate(get.string(spec, ["certificates", field]), key)
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

# The operator signs the certificate of PgBouncer's own user with it, and goes no further with the cluster when it cannot (internal/controller/cluster_create.go, reconcilePoolerSecrets). A Pooler with a query or
# a Secret of one's own needs none (IsAutomatedIntegration), nor does one whose Secret is there already.
of_poolers := [object.union(found, {
	"path": ["spec", "certificates", "clientCASecret"],
	"consequence": sprintf("the operator signs the certificate of Pooler %s with it, and stops at \"missing ca.key secret data\"", [pooled[0]]),
	"cure": "Add ca.key, or give the Pooler authQuery and authQuerySecret",
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

without_authority(name) := [found | found := keys.lacking("Secret", name, "ca.key")] if not certified(name)

# Nothing in a Certificate puts ca.key into its Secret.
without_authority(name) := [{"kind": "Secret", "name": name, "key": "ca.key", "keys": ["tls.crt", "tls.key"]}] if certified(name)

certified(name) if {
	some certificate in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate")
	get.string(certificate, ["spec", "secretName"]) == name
	not placeholder.unknown(name)
}
