package walguard.lib.crunchy

import data.walguard.lib.barman
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.store as store_endpoint

# METADATA
# description: Why pgBackRest cannot use its repositories; see walguard.model, unusable_stores.
unusable_stores := [one |
	some found in [
		website_endpoints, unread_credentials, without_value, doubled, refused_values, refused_restores, refused_backups, misnamed_buckets, bucket_in_host, plain_http, without_passphrase, too_deep,
		one_place, plain_services, closed_ports, untargeted, keyless, dotted, empty_source, untrusted, untrusted_source, restored_twice, beside_volumes, left_out,
	]
	some one in found
]

# The certificates of S3 and of its like are for *.HOST, and the star stands for one label (pgBackRest, src/common/io/tls/client.c).
dotted := [{
	"path": array.concat(store.path, ["s3", "bucket"]),
	"reason": sprintf("Bucket %s has dots, so that pgBackRest looks for it at %s.%s, which no certificate for *.%s is valid for: %s", [bucket, bucket, host, host, store.beginning]),
	"cure": sprintf("Set %s-s3-uri-style: path in %s", [store.name, concat(".", array.concat(store.section, ["global"]))]),
} |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	bucket := get.string(store.repository, ["s3", "bucket"])
	contains(bucket, ".")
	count([1 | some text in [endpoint, bucket, store.name]; placeholder.holds(text)]) == 0
	not option_written(store, ["s3-uri-style", "storage-host", "s3-host", "storage-verify-tls", "s3-verify-tls"])
	not startswith(get.lower_case(endpoint), "http://")
	host := regex.replace(endpoint, `^https?://|(:[0-9]+)?/?$`, "")
	not startswith(host, sprintf("%s.", [bucket]))
	not host_kind(host)
]

# reconcileDataSource (internal/controller/postgrescluster/cluster.go) goes by dataSource as soon as the restore in place is switched off again: under an id of its own, which is another than that of the restore,
# so that the cluster is shut down and prepared for one more. Percona's operator switches it off when the restore has ended, and makes a PerconaPGRestore for dataSource itself.
restored_twice := [object.union(
	{
		"reason": sprintf("%s restores the cluster in place while it has a dataSource still: when that is over, the operator takes dataSource for one more restore, shuts the cluster down and begins it anew from there", [restore.name]),
		"cure": "Take spec.dataSource out first",
		"level": "warning",
	},
	object.filter(restore, ["path", "resource"]),
) |
	count({"pgbackrest", "postgresCluster"} & object.keys(get.map(spec, "dataSource"))) > 0
	some restore in restores_in_place
]

restores_in_place := array.concat(
	[{"name": "backups.pgbackrest.restore", "path": path} |
		path := array.concat(pgbackrest, ["restore", "enabled"])
		get.boolean(k8s.object, path)
	],
	[{"name": sprintf("PerconaPGRestore %s", [made.metadata.name]), "path": ["spec", "pgCluster"], "resource": k8s.reference(made)} |
		some made in inventory.list(k8s.namespace, "pgv2.percona.com/v2", "PerconaPGRestore")
		k8s.group == "pgv2.percona.com"
		get.string(made, ["spec", "pgCluster"]) == k8s.name
		made.metadata.name != sprintf("%s-bootstrap", [k8s.name])
		not object.get(made, ["status", "state"], "") in {"Succeeded", "Failed"}
	],
)

# pgBackRest's manual, restore, --target: required when --type is lsn, name, time or xid.
untargeted := [{
	"path": words.path,
	"reason": sprintf("The restore has --type=%s and no --target, which pgBackRest asks for then, so that nothing is restored", [kind]),
	"cure": "Add --target, a moment with its time zone where the type is time",
} |
	some words in restore_words
	runs(words)
	kind := regex.find_all_string_submatch_n(`--type[= ]["']?(time|xid|name|lsn)\b`, words.text, 1)[0][1]
	not regex.match(`--target[= ]`, words.text)
	not placeholder.holds(words.text)
]

runs(words) if words.path[1] == "dataSource"

runs(words) if {
	words.path[1] == "backups"
	get.boolean(k8s.object, array.concat(pgbackrest, ["restore", "enabled"]))
}

# METADATA
# description: What a store may refuse; see walguard.model, store_refusals. The annotations of the cluster's own are those of its service accounts (rbac.go, pgbackrest.go).
store_refusals := array.concat(array.concat(refused_keys, roleless), [object.union(fault, {"path": path}) |
	some store in stores
	path := option_of(store, "s3-key-type")
	get.string(k8s.object, path) == "auto"
	fault := store_endpoint.asks_the_node(path[count(path) - 1], get.map(spec, ["metadata", "annotations"]), "its service accounts")
])

# The webhook of EKS gives a pod AWS_ROLE_ARN and the file of its token by the annotation of its service account.
roleless := [{
	"path": path,
	"reason": sprintf("%s=web-id takes the role of the service accounts, and spec.metadata.annotations gives them none (eks.amazonaws.com/role-arn): unless they are annotated by hand, %s", [path[count(path) - 1], store.end]),
	"cure": "Add the annotation with the ARN of a role",
	"level": "warning",
} |
	some store in stores
	path := option_of(store, "s3-key-type")
	get.string(k8s.object, path) == "web-id"
	contains(get.string(store.repository, ["s3", "endpoint"]), ".amazonaws.com")
	not get.present(spec, ["metadata", "annotations", "eks.amazonaws.com/role-arn"])
	not get.unknown(spec, ["metadata", "annotations"])
	not option_written(store, ["role-arn"])
]

# A bucket of S3 is read with keys, or by a role of the pod (key-type).
keyless := [{
	"path": array.concat(store.path, ["s3"]),
	"reason": sprintf("pgBackRest is given no keys for %s: dataSource.pgbackrest has no configuration, and global has neither %s-s3-key nor %s-s3-key-type (those below spec.backups are not read here), so that nothing is restored", [store.name, store.name, store.name]),
	"cure": sprintf("Name the Secret of the keys in configuration, or set %s-s3-key-type: web-id or auto where the pod has a role", [store.name]),
} |
	some store in stores
	store.section == source_section
	is_object(object.get(store.repository, "s3", null))
	count(get.list(k8s.object, array.concat(source_section, ["configuration"]))) == 0
	not get.unknown(k8s.object, array.concat(source_section, ["configuration"]))
	not placeholder.holds(store.name)
	count([1 | some variable in get.list(k8s.object, array.concat(pgbackrest, ["env"])); contains(get.string(variable, "name"), "_S3_KEY")]) == 0
	not get.present(k8s.object, array.concat(pgbackrest, ["envFrom"]))
	every option in ["s3-key", "s3-key-type"] {
		not get.present(k8s.object, option_of(store, option))
	}
]

# The repositories of the cluster, and the one in a bucket that it is restored from.
stores := array.concat(
	[{
		"repository": repository,
		"name": get.text_at(repository, "name"),
		"path": array.concat(pgbackrest, ["repos", i]),
		"section": pgbackrest,
		"end": "nothing is archived or backed up",
		"beginning": "it creates no stanza, and nothing is archived or backed up",
	} |
		some i, repository in repositories
		is_object(repository)
	],
	[{
		"repository": repository,
		"name": get.text_at(repository, "name"),
		"path": array.concat(source_section, ["repo"]),
		"section": source_section,
		"end": "nothing is restored",
		"beginning": "it finds no backup, and nothing is restored",
	} |
		repository := get.map(k8s.object, array.concat(source_section, ["repo"]))
		count(repository) > 0
	],
)

source_section := ["spec", "dataSource", "pgbackrest"]

option_of(store, option) := array.concat(store.section, ["global", sprintf("%s-%s", [store.name, option])])

website_endpoints := [{
	"path": array.concat(store.path, ["s3", "endpoint"]),
	"reason": sprintf("The endpoint %s serves web pages, not the API of S3, so that %s", [endpoint, store.end]),
	"cure": sprintf("Write %s", [regex.replace(endpoint, `s3-website[.-]`, "s3.")]),
} |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	contains(endpoint, "s3-website")
]

# Of the style "host", pgBackRest's default, the bucket becomes the first label of the host.
doubled := [{
	"path": array.concat(store.path, ["s3", "endpoint"]),
	"reason": sprintf("The endpoint %s begins with bucket %s, which pgBackRest adds once more: %s", [endpoint, bucket, store.end]),
	"cure": sprintf("Write %s", [concat("", [found[1], found[3]])]),
} |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	bucket := get.string(store.repository, ["s3", "bucket"])
	not get.present(k8s.object, option_of(store, "s3-uri-style"))
	count([1 | some text in [endpoint, bucket]; placeholder.unknown(text)]) == 0
	found := barman.bucket_of_host(endpoint)
	found[2] == bucket
]

# The same, where the host with the bucket in front has no address: the Services of a cluster and bare addresses have none below them, and MinIO answers to such names only when it is told its
# domain. A file of credentials may choose the style as well.
bucket_in_host := [object.union(
	{
		"path": array.concat(store.path, ["s3", "endpoint"]),
		"reason": sprintf("pgBackRest looks for the bucket at %s.%s, a name that %s: %s", [bucket, host, unfound[kind], store.beginning]),
		"cure": sprintf("Set %s-s3-uri-style: path in %s", [store.name, concat(".", array.concat(store.section, ["global"]))]),
	},
	{"level": "warning" | kind == "minio"},
) |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	bucket := get.string(store.repository, ["s3", "bucket"])
	count([1 | some text in [endpoint, bucket, store.name]; placeholder.holds(text)]) == 0
	not option_written(store, ["s3-uri-style", "storage-host", "s3-host"])
	host := regex.replace(endpoint, `^https?://|(:[0-9]+)?/?$`, "")
	kind := host_kind(host)
]

# archive_command runs pgBackRest in the pods of the instances, which write to the bucket themselves.
outside_stores := [need |
	needs := {need |
		some store in stores
		store.section == pgbackrest
		not option_written(store, ["storage-host", "s3-host", "gcs-endpoint"])
		need := store_endpoint.outside(endpoint_of(store.repository))
	}
	some need in needs
]

endpoint_of(repository) := get.string(repository, ["s3", "endpoint"])

endpoint_of(repository) := "storage.googleapis.com" if get.present(repository, "gcs")

# Some option of the repository is written: below global, as a variable or in a file that pgBackRest is given.
option_written(store, options) if {
	some option in options
	get.present(k8s.object, option_of(store, option))
}

option_written(store, options) if {
	some option in options
	suffix := concat("", ["_", replace(upper(option), "-", "_")])
	some variable in get.list(k8s.object, array.concat(store.section, ["env"]))
	endswith(get.string(variable, "name"), suffix)
}

option_written(store, _) if get.present(k8s.object, array.concat(store.section, ["envFrom"]))

option_written(store, options) if {
	some text in credentials(store.section)
	some option in options
	contains(text, concat("", ["-", option]))
}

host_kind(host) := "address" if regex.match(`^[0-9]+(\.[0-9]+){3}$`, host)

host_kind(host) := "service" if regex.match(`^[a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?$`, host)

host_kind(host) := "minio" if {
	regex.match(`(^|[.-])minio[a-z0-9]*[.-]`, host)
	not regex.match(`\.svc(\.|$)`, host)
}

unfound := {
	"address": "is none",
	"service": "a Service does not have",
	"minio": "resolves only where MinIO and the DNS are set up for it",
}

# What the files of pgBackRest's configuration say, where they are in sight.
credentials(section) := [text |
	some source in get.list(k8s.object, array.concat(section, ["configuration"]))
	some field, kind in {"secret": "Secret", "configMap": "ConfigMap"}
	found := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
	some place in ["data", "stringData"]
	some _, written in get.map(found, place)
	text := plain(kind, place, written)
]

plain("Secret", "data", written) := base64.decode(written) if base64.is_valid(written)

plain(_, "stringData", written) := written if is_string(written)

plain("ConfigMap", "data", written) := written if is_string(written)

# repo-path is what holds archive/ and backup/, each with a directory for the stanza (pgBackRest's manual, repo-path).
too_deep := [{
	"path": option_of(store, "path"),
	"reason": sprintf("%s-path leads into a directory of the repository: pgBackRest looks for archive/ and backup/ below it and finds no backup.info there, so that %s", [store.name, store.end]),
	"cure": sprintf("Write %s", [root]),
} |
	some store in stores
	written := get.string(k8s.object, option_of(store, "path"))
	not placeholder.holds(written)
	root := repository_root(store, written)
]

# A backup set, or the directory of the stanza.
repository_root(store, written) := or_slash(regex.replace(written, `(/backup(/[^/]+)?)?/[0-9]{8}-[0-9]{6}F(_[0-9]{8}-[0-9]{6}[DI])?(/.*)?$`, "")) if {
	regex.match(`/[0-9]{8}-[0-9]{6}F(_[0-9]{8}-[0-9]{6}[DI])?(/|$)`, written)
} else := or_slash(regex.replace(written, `/(backup|archive)/[^/]+/?$`, "")) if {
	store.section == source_section
	stanza := object.get(k8s.object, array.concat(source_section, ["stanza"]), "db")
	some directory in ["backup", "archive"]
	endswith(trim_right(written, "/"), sprintf("/%s/%s", [directory, stanza]))
}

or_slash("") := "/"

or_slash(path) := path if path != ""

# Two repositories of one bucket and path are one to pgBackRest, which knows them by what lies there.
one_place := [{
	"path": array.concat(pgbackrest, ["repos", other.index]),
	"reason": sprintf("%s and %s are one place (%s): both back up there, and each expires what the other keeps", [names[0], names[1], other.place]),
	"cure": sprintf("Give %s another %s-path in %s", [names[1], names[1], concat(".", global_path)]),
	"level": "warning",
} |
	some one in own_places
	some other in own_places
	one.index < other.index
	one.archive == other.archive
	not placeholder.holds(one.place)
	names := [get.text_at(repositories[place.index], "name") | some place in [one, other]]
]

# pgBackRest speaks TLS to every store whose endpoint does not say otherwise.
plain_services := [{
	"path": array.concat(store.path, ["s3", "endpoint"]),
	"reason": sprintf("pgBackRest speaks TLS to %s, and what answers at port %d of Service %s speaks HTTP: %s", [endpoint, number, found.name, store.beginning]),
	"cure": sprintf("Give the store a certificate, and set %s-storage-verify-tls: n or %s-storage-ca-file where its issuer is not a public one", [store.name, store.name]),
} |
	some [store, endpoint, found, number] in of_services
	store_endpoint.plain(found, number)
]

closed_ports := [{
	"path": array.concat(store.path, ["s3", "endpoint"]),
	"reason": sprintf("The endpoint %s means port %d, which Service %s does not have: %s", [endpoint, number, found.name, store.beginning]),
	"cure": sprintf("Write the port that it has behind the name, %s:%d", [regex.replace(endpoint, `:[0-9]+/?$`, ""), get.number(found.service.spec.ports[0], "port")]),
} |
	some [store, endpoint, found, number] in of_services
	store_endpoint.without_port(found, number)
]

of_services := [[store, endpoint, found, object.get(found, "number", 443)] |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	not startswith(endpoint, "http://")
	not option_written(store, ["storage-host", "s3-host", "storage-port", "s3-port"])
	found := store_endpoint.service(trim_prefix(endpoint, "https://"), k8s.namespace)
]

# Other protocols than TLS since 2.58 ("HTTP support for S3, GCS, and Azure"); before, "expected protocol 'https' in URL".
plain_http := [{
	"path": array.concat(store.path, [kind, "endpoint"]),
	"reason": sprintf("The endpoint %s is without TLS, and the pgBackRest %d.%d of the image speaks to stores over TLS only: %s", [endpoint, version[0], version[1], store.end]),
	"cure": "Give the store a certificate and write https://, or take an image of pgBackRest 2.58 or newer",
} |
	version := image_version
	version[0] == 2
	version[1] < 58
	some store in stores
	some kind in ["s3", "gcs", "azure"]
	endpoint := get.string(store.repository, [kind, "endpoint"])
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
	"reason": sprintf("%s has no command \"server\" by which the pods talk to the repository: archiving and backups fail", [without_server(get.string(k8s.object, array.concat(pgbackrest, ["image"])))]),
	"cure": "Take an image of pgBackRest 2.37 or newer, best the one that the operator brings: leave the field out",
} |
	not former_operator
]

without_server(reference) := sprintf("The image has pgBackRest %s.%s, which", [version[1], version[2]]) if {
	contains(reference, "pgbackrest:")
	version := regex.find_all_string_submatch_n(`-(2)\.([0-9]{1,2})-[0-9]+$`, reference, 1)[0]
	to_number(version[2]) < 37
}

# Tags of PGO 4 have the releases of PostgreSQL and of PGO: centos8-13.6-4.7.5, with pgBackRest 2.31 to 2.38 and scripts of another start.
without_server(reference) := sprintf("The image is that of PGO %s, whose pgBackRest", [release[1]]) if {
	release := regex.find_all_string_submatch_n(`pgbackrest:(?:centos|ubi)[0-9]+-[0-9]{1,2}\.[0-9]+-(4\.[0-9]+\.[0-9]+)$`, reference, 1)[0]
}

# Release 5.0, whose pods talk to the repository by SSH, is installed by a file beside this one: it comes with such an image itself.
former_operator if {
	some made in inventory.in_all_files("apps/v1", "Deployment")
	some one in get.list(made, ["spec", "template", "spec", "containers"])
	some variable in get.list(one, "env")
	get.string(variable, "name") == "RELATED_IMAGE_PGBACKREST"
	without_server(get.string(variable, "value"))
}

misnamed_buckets := [{
	"path": array.concat(store.path, [kind, "bucket"]),
	"reason": sprintf("%s is not the name of a bucket, so that %s", [bucket, store.end]),
	"cure": sprintf("Write the name alone, and a path in it as %s-path below global", [store.name]),
} |
	some store in stores
	some kind in ["s3", "gcs"]
	bucket := get.string(store.repository, [kind, "bucket"])
	not placeholder.holds(bucket)
	regex.match(`[:/]`, bucket)
]

# The volume of a repository is mounted at /pgbackrest/repoN, and what stands in global comes after what the operator writes (internal/pgbackrest/config.go).
beside_volumes := [{
	"path": array.concat(global_path, [option]),
	"reason": sprintf("%s is %s, and %s: no backup and no WAL lasts there", [option, value, where]),
	"cure": sprintf("Leave %s out", [option]),
} |
	some repository in get.list(k8s.object, array.concat(pgbackrest, ["repos"]))
	name := get.string(repository, "name")
	some [suffix, kept, where] in array.concat(
		[["path", sprintf("^(/pgbackrest/%s(/|$)|[^/])", [name]), sprintf("the volume of %s is mounted at /pgbackrest/%s", [name, name])] | get.present(repository, "volume")],
		[["type", "^(s3|gcs|azure|sftp)$", sprintf("%s has no volume", [name])] | not get.present(repository, "volume")],
	)
	option := sprintf("%s-%s", [name, suffix])
	value := get.string(k8s.object, array.concat(global_path, [option]))
	not regex.match(kept, value)
	not placeholder.holds(value)
]

# Backups without these are no copies of a server.
left_out := [{
	"path": array.concat(global_path, ["exclude"]),
	"reason": sprintf("exclude is %s, and pgBackRest leaves it out of every backup: none of them can be restored", [value]),
	"cure": "Leave exclude out",
} |
	value := get.string(k8s.object, array.concat(global_path, ["exclude"]))
	regex.match(`^/?(base|global|pg_(commit_ts|multixact|tblspc|twophase|xact)|PG_VERSION|[*.])?/?$|^/?(base|global)/`, trim_space(value))
]
