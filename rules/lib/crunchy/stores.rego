package walguard.lib.crunchy

import data.walguard.lib.barman
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# METADATA
# description: Why pgBackRest cannot use its repositories; see walguard.model, unusable_stores.
unusable_stores := array.concat(
	array.concat(array.concat(website_endpoints, unread_credentials), array.concat(without_value, doubled)),
	array.concat(misnamed_buckets, array.concat(bucket_in_host, plain_http)),
)

website_endpoints := [{
	"path": array.concat(pgbackrest, ["repos", i, "s3", "endpoint"]),
	"reason": sprintf("The endpoint %s serves web pages, not the API of S3, so that nothing is archived or backed up", [endpoint]),
	"cure": sprintf("Write %s", [regex.replace(endpoint, `s3-website[.-]`, "s3.")]),
} |
	some i, repository in repositories
	endpoint := get.string(repository, ["s3", "endpoint"])
	contains(endpoint, "s3-website")
]

# Of the style "host", pgBackRest's default, the bucket becomes the first label of the host.
doubled := [{
	"path": array.concat(pgbackrest, ["repos", i, "s3", "endpoint"]),
	"reason": sprintf("The endpoint %s begins with bucket %s, which pgBackRest adds once more: nothing is archived or backed up", [endpoint, bucket]),
	"cure": sprintf("Write %s", [concat("", [found[1], found[3]])]),
} |
	some i, repository in repositories
	endpoint := get.string(repository, ["s3", "endpoint"])
	bucket := get.string(repository, ["s3", "bucket"])
	not get.present(k8s.object, array.concat(global_path, [sprintf("%s-s3-uri-style", [get.text_at(repository, "name")])]))
	count([1 | some text in [endpoint, bucket]; placeholder.unknown(text)]) == 0
	found := barman.bucket_of_host(endpoint)
	found[2] == bucket
]

# The same, where the host with the bucket in front has no address: the Services of a cluster and bare addresses have none below them, and MinIO answers to such names only when it is told its
# domain. A file of credentials may choose the style as well.
bucket_in_host := [object.union(
	{
		"path": array.concat(pgbackrest, ["repos", i, "s3", "endpoint"]),
		"reason": sprintf("pgBackRest looks for the bucket at %s.%s, a name that %s: it creates no stanza, and nothing is archived or backed up", [bucket, host, unfound[kind]]),
		"cure": sprintf("Set %s-s3-uri-style: path in %s", [name, concat(".", global_path)]),
	},
	{"level": "warning" | kind == "minio"},
) |
	some i, repository in repositories
	endpoint := get.string(repository, ["s3", "endpoint"])
	bucket := get.string(repository, ["s3", "bucket"])
	name := get.string(repository, "name")
	count([1 | some text in [endpoint, bucket, name]; placeholder.holds(text)]) == 0
	count([1 |
		some option in ["s3-uri-style", "storage-host", "s3-host"]
		get.present(k8s.object, array.concat(global_path, [sprintf("%s-%s", [name, option])]))
	]) == 0
	count([1 | some variable in get.list(k8s.object, array.concat(pgbackrest, ["env"])); regex.match(`_(URI_STYLE|HOST)$`, get.string(variable, "name"))]) == 0
	not get.present(k8s.object, array.concat(pgbackrest, ["envFrom"]))
	count([1 | some text in credentials; regex.match(`-(s3-uri-style|storage-host|s3-host)\b`, text)]) == 0
	host := regex.replace(endpoint, `^https?://|(:[0-9]+)?/?$`, "")
	kind := host_kind(host)
]

host_kind(host) := "address" if regex.match(`^[0-9]+(\.[0-9]+){3}$`, host)

host_kind(host) := "service" if regex.match(`^[a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?$`, host)

host_kind(host) := "minio" if {
	regex.match(`(^|[.-])minio[.-]`, host)
	not regex.match(`\.svc(\.|$)`, host)
}

unfound := {
	"address": "is none",
	"service": "a Service does not have",
	"minio": "resolves only where MinIO and the DNS are set up for it",
}

# What the files of pgBackRest's configuration say, where they are in sight.
credentials := [text |
	some source in get.list(k8s.object, array.concat(pgbackrest, ["configuration"]))
	some field, kind in {"secret": "Secret", "configMap": "ConfigMap"}
	found := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
	some place in ["data", "stringData"]
	some _, written in get.map(found, place)
	text := plain(kind, place, written)
]

plain("Secret", "data", written) := base64.decode(written) if base64.is_valid(written)

plain(_, "stringData", written) := written if is_string(written)

plain("ConfigMap", "data", written) := written if is_string(written)

# Other protocols than TLS since 2.58 ("HTTP support for S3, GCS, and Azure"); before, "expected protocol 'https' in URL".
plain_http := [{
	"path": array.concat(pgbackrest, ["repos", i, kind, "endpoint"]),
	"reason": sprintf("The endpoint %s is without TLS, and the pgBackRest %d.%d of the image speaks to stores over TLS only: nothing is archived or backed up", [endpoint, version[0], version[1]]),
	"cure": "Give the store a certificate and write https://, or take an image of pgBackRest 2.58 or newer",
} |
	version := image_version
	version[0] == 2
	version[1] < 58
	some i, repository in repositories
	some kind in ["s3", "gcs", "azure"]
	endpoint := get.string(repository, [kind, "endpoint"])
	startswith(endpoint, "http://")
]

# Of crunchy-pgbackrest:ubi9-2.54.2-2534 and percona-pgbackrest:2.58.0-1.
image_version := [to_number(found[1]), to_number(found[2])] if {
	reference := get.string(k8s.object, array.concat(pgbackrest, ["image"]))
	contains(reference, "pgbackrest:")
	found := regex.find_all_string_submatch_n(`[:-](2)\.([0-9]{1,2})[.-]`, reference, 1)[0]
}

# getExternalRepoConfigs writes them into pgbackrest.conf as they are (internal/pgbackrest/config.go), and pgBackRest stops at a key without a value (src/config/parse.c).
without_value := [{
	"path": array.concat(pgbackrest, ["repos", i, kind, field]),
	"reason": sprintf("The %s of the repository is empty, and pgBackRest refuses a configuration whose key has no value: nothing is archived or backed up", [field]),
	"cure": cures_of_empty[field],
} |
	some i, repository in repositories
	some [kind, field] in [["s3", "bucket"], ["s3", "endpoint"], ["s3", "region"], ["gcs", "bucket"], ["azure", "container"]]
	object.get(repository, [kind, field], null) == ""
]

cures_of_empty := {
	"bucket": "Write its name",
	"container": "Write its name",
	"endpoint": "Write the host of the store",
	"region": "Write the region; for stores that know none any word will do, such as us-east-1",
}

# --config-include-path takes files whose names end in .conf (src/config/parse.c). Keys of S3 need not come from there: a role of the pod or global
# may have them.
unread_credentials := [{
	"path": array.concat(pgbackrest, ["configuration"]),
	"reason": sprintf("pgBackRest reads files that end in .conf, and %s %s has none, so that it never gets the keys of %s and nothing is archived or backed up", [
		keyed[0].kind,
		keyed[0].name,
		unkeyed[0],
	]),
	"cure": sprintf("Put them into a key such as s3.conf, as lines below [global]: %s-s3-key=…", [unkeyed[0]]),
} |
	count(unkeyed) > 0
	sources := get.list(k8s.object, array.concat(pgbackrest, ["configuration"]))
	count(sources) > 0
	keyed := [found | some source in sources; found := given(source)]
	count(keyed) == count(sources)
	count([1 | some found in keyed; some name in found.files; endswith(name, ".conf")]) == 0
]

# Repositories of S3 whose keys must come from a file.
unkeyed := [name |
	some repository in repositories
	is_object(object.get(repository, "s3", null))
	name := get.string(repository, "name")
	count([1 |
		some option in ["s3-key", "s3-key-type"]
		get.present(k8s.object, array.concat(global_path, [sprintf("%s-%s", [name, option])]))
	]) == 0
]

# The files that a source of the projected volume makes, where its object is in sight and nothing fills it in later.
given(source) := {"kind": kind, "name": name, "files": files} if {
	some [field, kind, key] in [["secret", "Secret", "stringData"], ["configMap", "ConfigMap", "binaryData"]]
	name := get.string(source, [field, "name"])
	found := inventory.namespaced_object(k8s.namespace, "v1", kind, name)
	keys := object.keys(get.map(found, "data")) | object.keys(get.map(found, key))
	count(keys) > 0
	count([1 | some one in keys; placeholder.unknown(one)]) == 0
	files := projected(get.list(source, [field, "items"]), keys)
}

projected([], keys) := keys

projected(items, _) := {path | some item in items; path := get.string(item, "path")} if count(items) > 0

# An image of pgBackRest that is older than what both operators run, "pgbackrest server" of 2.37 (internal/pgbackrest/reconcile.go).
outdated := [{
	"path": array.concat(pgbackrest, ["image"]),
	"reason": sprintf("The image has pgBackRest %s.%s, which has no command \"server\" by which the pods talk to the repository: archiving and backups fail", [version[1], version[2]]),
	"cure": "Take an image of pgBackRest 2.37 or newer, best the one that the operator brings: leave the field out",
} |
	reference := get.string(k8s.object, array.concat(pgbackrest, ["image"]))
	contains(reference, "pgbackrest:")
	version := regex.find_all_string_submatch_n(`-(2)\.([0-9]{1,2})-[0-9]+$`, reference, 1)[0]
	to_number(version[2]) < 37
]

misnamed_buckets := [{
	"path": array.concat(pgbackrest, ["repos", i, kind, "bucket"]),
	"reason": sprintf("%s is not the name of a bucket, so that nothing is archived or backed up", [bucket]),
	"cure": sprintf("Write the name alone, and a path in it as %s-path below global", [get.string(repository, "name")]),
} |
	some i, repository in repositories
	some kind in ["s3", "gcs"]
	bucket := get.string(repository, [kind, "bucket"])
	not placeholder.holds(bucket)
	regex.match(`[:/]`, bucket)
]
