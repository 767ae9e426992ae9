# METADATA
# description: |
#   What the programs of Barman Cloud refuse of a barmanObjectStore before anything reaches the store: a place whose URL is not one of its provider
#   (barman/cloud_providers), an endpoint without a scheme (boto3), an option and its value in one argument (argparse).
# related_resources:
#   - https://github.com/EnterpriseDB/barman/tree/master/barman/cloud_providers
package walguard.lib.barman

import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: The faults of a store at a path, as walguard.model wants unusable_stores.
faults(store, path) := array.concat(
	array.concat(array.concat(places(store, path), endpoints(store, path)), array.concat(arguments(store, path), doubled(store, path))),
	credentials(store, path),
)

places(store, path) := [{
	"path": array.concat(path, ["destinationPath"]),
	"reason": sprintf("%s is not a place in %s, so that nothing is archived, backed up or read there", [place, provider.name]),
	"cure": sprintf("Write %s", [provider.form]),
} |
	written := [field | some field, _ in providers; get.present(store, field)]
	count(written) == 1
	provider := providers[written[0]]
	place := get.string(store, "destinationPath")
	not placeholder.unknown(place)
	not regex.match(provider.taken, place)
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
	not placeholder.unknown(endpoint)
	not contains(endpoint, "://")
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
	not placeholder.unknown(argument)
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
	count([1 | some text in [endpoint, place]; placeholder.unknown(text)]) == 0
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

# METADATA
# description: |
#   What may come of the checksums that boto3 sends since 1.36 to a store that is written to, where nothing in its environment (a list of variables) says "when_required":
#   Amazon takes them, Google refuses them, and of others some do (plugin-barman-cloud, web/docs/object_stores.md).
checksums(store, path, environment) := [object.union(verdict, {"path": array.concat(path, ["endpointURL"])}) |
	get.present(store, "s3Credentials")
	endpoint := get.string(store, "endpointURL")
	not placeholder.unknown(endpoint)
	count([1 | some variable in environment; get.string(variable, "name") == "AWS_REQUEST_CHECKSUM_CALCULATION"]) == 0
	verdict := verdicts[kind_of(get.lower_case(endpoint))]
]

verdicts := {
	"google": {
		"reason": "Google Cloud Storage refuses the checksums that boto3 sends to it since 1.36 (\"SignatureDoesNotMatch\"), so that nothing is archived or backed up",
		"cure": "Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required, or use gs:// with googleCredentials",
		"level": "warning",
	},
	"other": {
		"reason": "Some stores other than Amazon's refuse the checksums that boto3 sends since 1.36 (\"x-amz-content-sha256\", InvalidDigest), and nothing is archived or backed up then",
		"cure": "If that happens, set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required",
		"level": "info",
	},
}

kind_of(endpoint) := "google" if regex.match(`^https?://storage\.googleapis\.com([:/]|$)`, endpoint)

# A host of one label is a Service, and so is one of svc; what is behind most of them takes checksums by now, but for gateways of Ceph.
kind_of(endpoint) := "other" if {
	not regex.match(`^https?://storage\.googleapis\.com([:/]|$)`, endpoint)
	not regex.match(`amazonaws\.com`, endpoint)
	not within(endpoint)
}

within(endpoint) if {
	regex.match(`^https?://([a-z0-9-]+|[a-z0-9.-]+\.svc(\.[a-z0-9.-]+)?|[a-z0-9-]+\.[a-z0-9-]+)([:/]|$)`, endpoint)
	not contains(endpoint, "rgw")
}
