package walguard.lib.keys

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The same of a Secret that a controller makes of one object in sight, where that object writes all of its keys.
lacking("Secret", name, key) := {"kind": "Secret", "name": name, "key": key, "keys": sort(written)} if {
	not placeholder.holds(name)
	not placeholder.holds(key)
	not inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	sources := makers(name)
	count(sources) == 1
	written := keys_made_by(sources[0])
	count(written) > 0
	not key in written
	count([1 | some one in written; placeholder.unknown(one)]) == 0
}

makers(name) := [made |
	some [version, kind] in [["external-secrets.io/v1", "ExternalSecret"], ["external-secrets.io/v1beta1", "ExternalSecret"], ["bitnami.com/v1alpha1", "SealedSecret"]]
	some made in inventory.list(k8s.namespace, version, kind)
	object.get(made, ["spec", "target", "name"], get.string(made, ["metadata", "name"])) == name
]

# What somebody else merges into the Secret, and what is taken as a whole from a store, nobody sees.
keys_made_by(made) := object.keys(get.map(made, ["spec", "encryptedData"])) | object.keys(get.map(made, ["spec", "template", "data"])) if {
	made.kind == "SealedSecret"
	not copied(made, ["spec", "template"])
}

# Data of the template stand instead of what was fetched, unless they are merged with it (external-secrets, pkg/controllers/externalsecret/externalsecret_controller_template.go).
keys_made_by(made) := {key | some one in fetched; key := get.string(one, "secretKey"); not replaced(template)} | object.keys(get.map(template, "data")) if {
	made.kind == "ExternalSecret"
	object.get(made, ["spec", "target", "creationPolicy"], "Owner") in {"Owner", "Orphan"}
	count(get.list(made, ["spec", "dataFrom"])) == 0
	not copied(made, ["spec", "target", "template"])
	template := get.map(made, ["spec", "target", "template"])
	count(get.list(template, "templateFrom")) == 0
	fetched := get.list(made, ["spec", "data"])
}

replaced(template) if {
	count(get.map(template, "data")) > 0
	object.get(template, "mergePolicy", "Replace") == "Replace"
}

copied(made, _) if filled(made)

copied(made, template) if filled(get.map(made, template))
