package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.store as store_endpoint

# What a standby cluster is copied from, where that is a repository: "pgbackrest restore --repo=N" with the number of standby.repoName (internal/pgbackrest/reconcile.go, ReplicaCreateCommand).
# A host beside it is the second way, so that the cluster begins all the same.
empty_source := own_volume

source_name := get.string(spec, ["standby", "repoName"]) if {
	standby
	not get.string(spec, ["standby", "host"])
}

source_path := ["spec", "standby", "repoName"]

# A volume is the cluster's own, and only what it has archived itself is there: nothing, before it has a database. One that a claim names may be another's.
own_volume := [{
	"path": source_path,
	"reason": sprintf("The standby is to be copied from %s, a new volume of its own, in which the primary has put no backup: no instance starts", [source_name]),
	"cure": "Name a repository in the bucket that the primary archives to, or write standby.host",
} |
	not get.string(k8s.object, ["status", "patroni", "systemIdentifier"])
	some repository in repositories
	get.text_at(repository, "name") == source_name
	claim := get.map(repository, ["volume", "volumeClaimSpec"])
	count(claim) > 0
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef", "selector"]; get.present(claim, field)]) == 0
	not get.present(spec, ["dataSource", "volumes"])
]

# No public authority signs a name of the cluster's own, and the images trust public ones alone: "unable to verify certificate presented by". A file of the configuration that is not in sight may say otherwise.
untrusted := [{
	"path": array.concat(store.path, ["s3", "endpoint"]),
	"reason": sprintf("%s is a name of the cluster's own, for which no public authority gives a certificate, and none is named: pgBackRest cannot verify it, and %s", [host, store.end]),
	"cure": sprintf("Mount the CA and set %s-storage-ca-file in %s", [store.name, concat(".", array.concat(store.section, ["global"]))]),
} |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	not placeholder.holds(endpoint)
	not placeholder.holds(store.name)
	found := regex.find_all_string_submatch_n(`^(https://)?([a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?)(:[0-9]+)?/?$`, endpoint, 1)[0]
	host := found[2]
	not option_written(store, ["storage-verify-tls", "s3-verify-tls", "storage-ca-file", "storage-ca-path", "s3-ca-file", "s3-ca-path", "storage-host", "s3-host"])
	count(credentials(store.section)) > 0
	count(credentials(store.section)) == count(get.list(k8s.object, array.concat(store.section, ["configuration"])))
	not spoken_plainly(endpoint)
]

# What the repository of the cluster's own backups is told of a store's certificate is not told to what is restored from there (spec.dataSource.pgbackrest.global is a configuration of its own). A file of it that is
# not in sight may say it.
untrusted_source := [{
	"path": array.concat(one.path, ["s3", "endpoint"]),
	"reason": sprintf("%s has %s for %s, and %s has neither that nor a CA: pgBackRest cannot verify the certificate there, and nothing is restored", [concat(".", array.slice(other.section, 1, count(other.section))), told, endpoint, concat(".", array.slice(one.section, 1, count(one.section)))]),
	"cure": sprintf("Write %s-%s into %s too", [one.name, regex.replace(told, `^repo[0-9]+-`, ""), concat(".", array.concat(one.section, ["global"]))]),
	"level": level,
} |
	some one in stores
	one.section == source_section
	endpoint := get.string(one.repository, ["s3", "endpoint"])
	not placeholder.holds(endpoint)
	not option_written(one, certificate_options)
	count(untrusted) == 0
	some other in stores
	other.section != source_section
	get.string(other.repository, ["s3", "endpoint"]) == endpoint
	told := [sprintf("%s-%s", [other.name, option]) | some option in certificate_options; get.present(k8s.object, option_of(other, option))][0]
	level := level_of_source(one)
]

level_of_source(store) := "error" if all_in_sight(store)

level_of_source(store) := "warning" if not all_in_sight(store)

certificate_options := ["storage-verify-tls", "s3-verify-tls", "storage-ca-file", "storage-ca-path", "s3-ca-file", "s3-ca-path"]

all_in_sight(store) if count(credentials(store.section)) >= count(get.list(k8s.object, array.concat(store.section, ["configuration"])))

# That is said of it already.
spoken_plainly(endpoint) if {
	found := store_endpoint.service(trim_prefix(endpoint, "https://"), k8s.namespace)
	store_endpoint.plain(found, object.get(found, "number", 443))
}
