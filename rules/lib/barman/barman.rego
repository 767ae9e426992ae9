# METADATA
# description: |
#   What the programs of Barman Cloud refuse of a barmanObjectStore before anything reaches the store: a place whose URL is not one of its provider
#   (barman/cloud_providers), an endpoint without a scheme (boto3), an option and its value in one argument (argparse).
# related_resources:
#   - https://github.com/EnterpriseDB/barman/tree/master/barman/cloud_providers
package walguard.lib.barman

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.store as store_endpoint

# METADATA
# description: The faults of a store at a path, as walguard.model wants unusable_stores.
faults(store, path) := array.concat(
	array.concat(array.concat(places(store, path), endpoints(store, path)), array.concat(arguments(store, path), doubled(store, path))),
	array.concat(array.concat(credentials(store, path), without(store, path)), ended(store, path)),
)

# A program that only says something, or tries the connection.
ended(store, path) := [{
	"path": array.concat(path, [section, field, i]),
	"reason": sprintf("\"%s\" ends %s before it does anything, and it succeeds: %s", [argument, program, consequence]),
	"cure": "Take it out",
} |
	some [section, field, program, consequence] in [
		["data", "additionalCommandArgs", "barman-cloud-backup", "no base backup is stored"],
		["wal", "archiveAdditionalCommandArgs", "barman-cloud-wal-archive", "no WAL is stored, and PostgreSQL removes it"],
	]
	some i, argument in get.list(store, [section, field])
	is_string(argument)
	ends(argument)
]

# Help, the version, a try of the connection. argparse takes any beginning of a word that is no other's, and short options in one word.
ends(argument) if regex.match(`^(--hel?p?|--versi?o?n?|--tes?t?|-[qv]*[Vt][a-zA-Z]*)$`, argument)

places(store, path) := [{
	"path": array.concat(path, ["destinationPath"]),
	"reason": sprintf("%s is not a place in %s, so that nothing is archived, backed up or read there", [place, provider.name]),
	"cure": sprintf("Write %s", [provider.form]),
} |
	written := [field | some field, _ in providers; get.present(store, field)]
	count(written) == 1
	provider := providers[written[0]]
	place := get.string(store, "destinationPath")
	not placeholder.holds(place)
	not regex.match(provider.taken, place)
	not regex.match(`\$[{(]`, place)
]

providers := {
	"azureCredentials": {
		"name": "Azure Blob Storage",
		"taken": `^https?://([^/]+\.blob\.core\.windows\.net/[^/]+|[^/]+/[^/]+/[^/]+)`,
		"form": "https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH",
	},
	"googleCredentials": {
		"name": "Google Cloud Storage",
		"taken": `^(gs://|https://console\.cloud\.google\.com/storage/browser/)[^/]+`,
		"form": "gs://BUCKET/PATH",
	},
	"s3Credentials": {"name": "S3", "taken": `^[sS]3://[^/]+`, "form": "s3://BUCKET/PATH"},
}

endpoints(store, path) := [{
	"path": array.concat(path, ["endpointURL"]),
	"reason": sprintf("The endpoint %s has no scheme, which boto3 refuses, so that nothing is archived, backed up or read there", [endpoint]),
	"cure": sprintf("Write https://%s, or http:// where the store has no TLS", [endpoint]),
} |
	get.present(store, "s3Credentials")
	endpoint := get.string(store, "endpointURL")
	not placeholder.holds(endpoint)
	not contains(endpoint, "://")
	not regex.match(`\$[{(]`, endpoint)
]

arguments(store, path) := [{
	"path": array.concat(path, [section, field, i]),
	"reason": sprintf("\"%s\" reaches Barman Cloud as one word, which it does not know: %s", [argument, consequence]),
	"cure": sprintf("Write \"%s\"", [regex.replace(argument, `^(\S+)\s+`, "$1=")]),
} |
	some [section, field, consequence] in [
		["data", "additionalCommandArgs", "every base backup fails"],
		["data", "restoreAdditionalCommandArgs", "nothing can be restored"],
		["wal", "archiveAdditionalCommandArgs", "no WAL is archived, and it fills the volume"],
		["wal", "restoreAdditionalCommandArgs", "no WAL can be restored"],
	]
	some i, argument in get.list(store, [section, field])
	is_string(argument)
	not placeholder.holds(argument)
	regex.match(`^--[A-Za-z0-9-]+\s+\S`, argument)
]

doubled(store, path) := [{
	"path": array.concat(path, ["endpointURL"]),
	"reason": sprintf("The endpoint %s begins with bucket %s, which the client adds once more: backups go astray, and no restore finds them", [endpoint, bucket]),
	"cure": sprintf("Write %s", [concat("", [found[1], found[3]])]),
} |
	get.present(store, "s3Credentials")
	endpoint := get.string(store, "endpointURL")
	place := get.string(store, "destinationPath")
	count([1 | some text in [endpoint, place]; placeholder.holds(text)]) == 0
	bucket := regex.find_all_string_submatch_n(`^[sS]3://([^/]+)`, place, 1)[0][1]
	found := bucket_of_host(endpoint)
	found[2] == bucket
]

# METADATA
# description: |
#   [whole, scheme, first label, rest] of the endpoint of a store whose first label may be a bucket. Not of one that is a word of the provider's own, nor of a host of
#   two labels such as minio.storage, a Service.
bucket_of_host(endpoint) := found if {
	found := regex.find_all_string_submatch_n(`^((?:https?://)?)([A-Za-z0-9-]+)\.((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::[0-9]+)?)/?$`, endpoint, 1)[0]
	not regex.match(`^s3([.-]|$)|^(minio|storage|obs|oss|cos|objects?|garage|ceph|rgw|seaweedfs)$`, found[2])
	not regex.match(`(^|\.)svc(\.|$|:)|\.local(:|$)|\.internal(:|$)`, found[3])
}

# envSetCloudCredentials of barman-cloud (pkg/credentials/env.go): a role of the pod must be asked for.
credentials(store, path) := [{
	"path": array.concat(path, ["s3Credentials"]),
	"reason": sprintf("s3Credentials %s, so that nothing is archived, backed up or read there", [fault]),
	"cure": "Write accessKeyId and secretAccessKey, or inheritFromIAMRole: true where the pod has a role",
} |
	given := store.s3Credentials
	is_object(given)
	not get.boolean(given, "inheritFromIAMRole")
	not get.unknown(given, "inheritFromIAMRole")
	keys := [name | some name in ["accessKeyId", "secretAccessKey"]; object.get(given, name, null) != null]
	fault := {0: "name no keys", 1: sprintf("have %s alone", [concat("", keys)])}[count(keys)]
]

# The same of a store without any ("no credentials defined"): it takes neither the environment nor the account of the pod unless a provider is named.
without(store, path) := array.concat(without_any(store, path), without_key(store, path))

without_any(store, path) := [{
	"path": path,
	"reason": sprintf("The store at %s has no credentials, not even those of the pod, so that nothing is archived, backed up or read there", [place]),
	"cure": cure_of_provider(place),
} |
	place := get.string(store, "destinationPath")
	not placeholder.unknown(place)
	count([1 | some field, _ in store; field in object.keys(providers)]) == 0
	count([1 | some field, _ in store; placeholder.holds(field)]) == 0
]

without_key(store, path) := [{
	"path": array.concat(path, ["googleCredentials"]),
	"reason": "googleCredentials name no key, so that nothing is archived, backed up or read there",
	"cure": "Write applicationCredentials, or gkeEnvironment: true where the pod has an account",
} |
	get.present(store, "googleCredentials")
	given := get.map(store, "googleCredentials")
	not get.boolean(given, "gkeEnvironment")
	not get.unknown(store, "googleCredentials")
	not get.unknown(given, "gkeEnvironment")
	not get.present(given, "applicationCredentials")
]

cure_of_provider(place) := cure if {
	some prefix, cure in {
		"s3://": "Write s3Credentials with keys, or with inheritFromIAMRole: true where the pod has a role",
		"gs://": "Write googleCredentials with a key, or with gkeEnvironment: true where the pod has an account",
		"http": "Write azureCredentials with keys, or with inheritFromAzureAD: true where the pod has an identity",
	}
	startswith(get.lower_case(place), prefix)
} else := "Write s3Credentials, googleCredentials or azureCredentials"

# METADATA
# description: |
#   What a store that is written to may refuse of what Barman Cloud sends, as walguard.model wants store_refusals, given the environment of the program (a list of
#   variables).
refusals(store, path, environment) := [fault |
	get.present(store, "s3Credentials")
	endpoint := get.lower_case(get.string(store, "endpointURL"))
	not placeholder.holds(endpoint)
	names := {get.string(variable, "name") | some variable in environment}
	some fault in array.concat(array.concat(checksums(endpoint, path, names), encryption(store, endpoint, path)), array.concat(region(store, endpoint, path, names), keys_of_r2(store, endpoint, path)))
]

# The checksums that boto3 sends since 1.36 where nothing says "when_required": Amazon takes them, Google refuses them, and of others some do (plugin-barman-cloud,
# web/docs/object_stores.md).
checksums(endpoint, path, names) := [object.union(verdict, {"path": array.concat(path, ["endpointURL"])}) |
	not "AWS_REQUEST_CHECKSUM_CALCULATION" in names
	verdict := verdicts[kind_of(endpoint)]
]

# Encryption by the store with keys of its own, which --encryption asks for (SSE-S3, SSE-KMS).
encryption(store, endpoint, path) := [object.union(verdict, {"path": array.concat(path, [section, "encryption"]), "cure": "Take encryption out, or have the store encrypt"}) |
	verdict := encrypting(endpoint)
	section := [one | some one in ["wal", "data"]; get.string(store, [one, "encryption"]) in {"AES256", "aws:kms"}][0]
]

encrypting(endpoint) := {
	"reason": sprintf("%s refuses what it shall encrypt with keys of its own, for it has none, so that nothing is archived or backed up", [name]),
	"level": "warning",
} if {
	name := [name | some host, name in {"your-objectstorage.com": "Object Storage of Hetzner", "linodeobjects.com": "Object Storage of Linode"}; contains(endpoint, host)][0]
}

encrypting(endpoint) := {
	"reason": "MinIO refuses what it shall encrypt unless it is given a KMS (\"Server side encryption specified but KMS is not configured\"), and nothing is archived or backed up then",
	"level": "info",
} if {
	regex.match(`^https?://([^/]*minio|[^/]+:9000(/|$))`, endpoint)
}

# The Secret is one of the namespace.
keys_of_r2(store, endpoint, path) := [object.union(verdict, {"path": array.concat(path, ["s3Credentials", "accessKeyId"])}) |
	named := get.map(store, ["s3Credentials", "accessKeyId"])
	name := get.string(named, "name")
	key := get.string(named, "key")
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	verdict := store_endpoint.key_of_r2(endpoint, login.field(secret, key), sprintf("key %s of Secret %s", [key, name]))
]

# A signature holds for a region, and boto3 takes us-east-1 where nothing names one.
region(store, endpoint, path, names) := [object.union(verdict, {"path": array.concat(path, ["s3Credentials"])}) |
	object.get(store, ["s3Credentials", "region"], null) == null
	count(names & {"AWS_DEFAULT_REGION", "AWS_REGION"}) == 0
	verdict := unregional(endpoint)
]

# METADATA
# description: What a store may refuse where no region is named, given its endpoint; as walguard.model wants store_refusals, but for the cure.
unregional(endpoint) := [settled(verdict) | some host, verdict in regional; regex.match(host, endpoint)][0] if {
	some host, verdict in regional
	regex.match(host, endpoint)
	not suits(verdict)
} else := {
	"reason": sprintf("No region is named, and boto3 signs for us-east-1 then, while the endpoint is that of %s: a store that compares the two refuses it, and nothing is archived or backed up then", [named]),
	"cure": sprintf("Name the key of a Secret that holds the region, as %s, in s3Credentials.region", [named]),
	"level": "info",
} if {
	named := region_of(endpoint)
	named != "us-east-1"
}

# METADATA
# description: The region that an endpoint has in its name behind "s3", as fr-par or europe-3, where its store is neither Amazon's, which redirects, nor Wasabi's, which takes any.
region_of(endpoint) := found[0][1] if {
	found := regex.find_all_string_submatch_n(`^(?:https?://)?s3[.-]([a-z]{2,}(?:-[a-z]+)*-?[0-9]+)\.[a-z0-9.-]+(?:[:/]|$)`, endpoint, 1)
	not contains(endpoint, "amazonaws.com")
	not contains(endpoint, "wasabisys.com")
}

regional := {
	`^https?://([^/]+\.)?s3\.[a-z0-9-]+\.(io\.)?cloud\.ovh\.(net|us)([:/]|$)`: {
		"reason": "No region is named, and boto3 signs for us-east-1 then, which OVHcloud refuses (\"AuthorizationHeaderMalformed\"), so that nothing is archived or backed up",
		"cure": "Name the key of a Secret that holds the region, as gra, in s3Credentials.region",
		"level": "warning",
	},
	`^https?://[^/]*garage`: {
		"reason": "No region is named, and boto3 signs for us-east-1 then, which Garage refuses (\"400 Bad Request\") unless us-east-1 is its s3_region: nothing is archived or backed up then",
		"cure": "Name the key of a Secret that holds the region, \"garage\" by default, in s3Credentials.region",
		"level": "warning",
	},
	`^https?://[^/]+:3900(/|$)`: {
		"reason": "No region is named, and boto3 signs for us-east-1 then, which Garage refuses (\"400 Bad Request\") unless us-east-1 is its s3_region: nothing is archived or backed up then",
		"cure": "Name the key of a Secret that holds the region, \"garage\" by default, in s3Credentials.region",
		"level": "info",
	},
	`^https?://([^/]+\.)?scw\.cloud([:/]|$)`: {
		"reason": "No region is named, and boto3 signs for us-east-1 then, which Scaleway refuses (\"400 Bad Request\"), so that nothing is archived or backed up",
		"cure": "Name the key of a Secret that holds the region, as fr-par, in s3Credentials.region",
		"level": "warning",
	},
}

when_required := "Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required"

verdicts := {
	"google": {
		"reason": "Google Cloud Storage refuses the checksums of boto3 1.36 and later (\"SignatureDoesNotMatch\"): no backup is stored",
		"cure": sprintf("%s, or use gs://", [when_required]),
		"level": "warning",
	},
	"backblaze": {
		"reason": "Backblaze B2 refuses the checksums of boto3 1.36 and later (\"Unsupported header 'x-amz-sdk-checksum-algorithm'\"): no backup is stored",
		"cure": when_required,
		"level": "warning",
	},
	"other": {
		"reason": "Some stores refuse the checksums of boto3 1.36 and later (\"x-amz-content-sha256\", InvalidDigest): no backup is stored then",
		"cure": "If that happens, set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required",
		"level": "info",
	},
}

# A host of one label is a Service, and so is one of svc; what is behind most of them takes checksums by now, but for gateways of Ceph.
kind_of(endpoint) := "google" if {
	regex.match(`^https?://storage\.googleapis\.com([:/]|$)`, endpoint)
} else := "backblaze" if {
	regex.match(`\.backblazeb2\.com([:/]|$)`, endpoint)
} else := "other" if {
	not regex.match(`amazonaws\.com`, endpoint)
	not within(endpoint)
}

within(endpoint) if {
	regex.match(`^https?://([a-z0-9-]+|[a-z0-9.-]+\.svc(\.[a-z0-9.-]+)?|[a-z0-9-]+\.[a-z0-9-]+)([:/]|$)`, endpoint)
	not contains(endpoint, "rgw")
}
