package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.store as store_endpoint

# A repository with a cipher has a passphrase (pgBackRest, repo-cipher-pass: required where repo-cipher-type is not none), which the operator does not make.
without_passphrase := [{
	"path": option_of(store, "cipher-type"),
	"reason": sprintf("%s-cipher-type is %s, and nothing says %s-cipher-pass, which pgBackRest requires then: %s", [store.name, cipher, store.name, store.end]),
	"cure": sprintf("Write %s-cipher-pass into a Secret of %s", [store.name, concat(".", array.concat(store.section, ["configuration"]))]),
} |
	some store in stores
	cipher := get.string(k8s.object, option_of(store, "cipher-type"))
	cipher == "aes-256-cbc"
	not placeholder.holds(store.name)
	not option_written(store, ["cipher-pass"])
	all_in_sight(store.section)
]

# Everything that pgBackRest is given besides, as it will be.
all_in_sight(section) if {
	not get.unknown(k8s.object, array.concat(section, ["configuration"]))
	every source in get.list(k8s.object, array.concat(section, ["configuration"])) {
		some field, kind in {"secret": "Secret", "configMap": "ConfigMap"}
		found := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
		not unfinished(found)
	}
}

# A later step decrypts it or fills it in.
unfinished(found) if get.present(found, "sops")

unfinished(found) if count(get.map(found, "data")) + count(get.map(found, "stringData")) == 0

unfinished(found) if placeholder.holds(json.marshal(object.filter(found, ["data", "stringData"])))

# The keys of R2 by their length, where the file that pgBackRest is given has them.
refused_keys := [object.union(store_endpoint.key_of_r2(endpoint, key, sprintf("%s-s3-key", [store.name])), {"path": array.concat(store.path, ["s3", "endpoint"])}) |
	some store in stores
	endpoint := get.string(store.repository, ["s3", "endpoint"])
	some text in credentials(store.section)
	some found in regex.find_all_string_submatch_n(sprintf(`(?m)^[ \t]*%s-s3-key[ \t]*=[ \t]*([^\s]+)[ \t]*$`, [store.name]), text, 1)
	key := found[1]
]
