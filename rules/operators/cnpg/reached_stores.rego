package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Stores that the pods cannot come to as they are written.
unreached_stores := array.concat(array.concat(untrusted_in_tree, untrusted_of_plugins), array.concat(untrusted_beside, plugin_elsewhere))

# No public authority signs a name of the cluster's own, and the images trust public ones alone: "certificate verify failed".
untrusted(settings) := host if {
	endpoint := get.string(settings, "endpointURL")
	not placeholder.holds(endpoint)
	found := regex.find_all_string_submatch_n(`^https://([a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?)(:[0-9]+)?(/.*)?$`, endpoint, 1)[0]
	host := found[1]
	not get.present(settings, "endpointCA")
}

authority_named(variables) if {
	some variable in variables
	get.string(variable, "name") in {"AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"}
}

untrusted_store(host, below) := {
	"path": array.concat(below, ["endpointURL"]),
	"reason": sprintf("%s is a name of the cluster's own, for which no public authority gives a certificate, and endpointCA is not written: \"certificate verify failed\", nothing is archived or backed up", [host]),
	"cure": "Name the Secret with the CA of the store in endpointCA",
}

# An image of one's own may have the CA.
untrusted_in_tree := [untrusted_store(host, below) |
	operator
	some below in array.concat([["spec", "backup", "barmanObjectStore"]], [["spec", "externalClusters", i, "barmanObjectStore"] | some i, _ in get.list(spec, "externalClusters")])
	host := untrusted(get.map(k8s.object, below))
	not of_ones_own
	not authority_named(get.list(spec, "env"))
	count(get.list(spec, "envFrom")) == 0
]

of_ones_own if get.present(spec, "imageCatalogRef")

of_ones_own if {
	image_name
	not image.name(image_name) == "postgresql"
}

untrusted_of_plugins := [object.union(untrusted_store(host, ["spec", "configuration"]), {"resource": k8s.reference(found)}) |
	some name in store_names
	found := inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)
	host := untrusted(get.map(found, ["spec", "configuration"]))
	not authority_named(get.list(found, ["spec", "instanceSidecarConfiguration", "env"]))
]

# A store with a CA of its own has it for whoever reads there: what a cluster is recovered from as well as what it archives to.
untrusted_beside := [object.union(
	{
		"path": array.concat(one.path, ["endpointURL"]),
		"reason": sprintf("%s names the CA of %s in endpointCA, and %s does not: \"certificate verify failed\", nothing is archived, backed up or read there", [other.what, endpoint, one.what]),
		"cure": "Name the same Secret in endpointCA",
	},
	object.filter(one, ["resource"]),
) |
	operator
	some one in stores_with_endpoints
	not get.present(one.store, "endpointCA")
	endpoint := get.string(one.store, "endpointURL")
	startswith(endpoint, "https://")
	not placeholder.holds(endpoint)

	# That is said of it already.
	not untrusted(one.store)
	not authority_named(one.variables)
	other := [trusting | some trusting in stores_with_endpoints; get.present(trusting.store, "endpointCA"); get.string(trusting.store, "endpointURL") == endpoint][0]
]

stores_with_endpoints := array.concat(
	[{"store": get.map(k8s.object, path), "path": path, "what": what, "variables": get.list(spec, "env")} |
		count(get.list(spec, "envFrom")) == 0
		some [path, what] in array.concat(
			[[["spec", "backup", "barmanObjectStore"], "spec.backup"]],
			[[["spec", "externalClusters", i, "barmanObjectStore"], sprintf("external cluster %s", [get.string(one, "name")])] | some i, one in get.list(spec, "externalClusters")],
		)
	],
	[{"store": get.map(found, ["spec", "configuration"]), "path": ["spec", "configuration"], "what": sprintf("ObjectStore %s", [name]), "variables": get.list(found, ["spec", "instanceSidecarConfiguration", "env"]), "resource": k8s.reference(found)} |
		some name in store_names
		found := inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)
	],
)

# The operator looks for plugins by the Services of its own namespace (internal/controller/plugin_controller.go).
plugin_elsewhere := [{
	"path": ["spec", "plugins", i, "name"],
	"reason": sprintf("The Barman Cloud plugin is in namespace %s, and the operator in %s, which knows the plugins of its own namespace alone: \"plugin is not available\", nothing is archived or backed up", [min(plugins_at), min(operators_at)]),
	"cure": sprintf("Install the plugin in %s", [min(operators_at)]),
} |
	some i, plugin in get.list(spec, "plugins")
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	not disabled(plugin)
	count(plugins_at) > 0
	count(operators_at) > 0
	count(plugins_at & operators_at) == 0
]

plugins_at := running_at(`/plugin-barman-cloud[:@]`)

operators_at := running_at(`/cloudnative-pg/cloudnative-pg[:@]`)

running_at(pattern) := {namespace |
	count(plugged) > 0
	some deployment in inventory.everywhere("apps/v1", "Deployment")
	some container in get.list(deployment, ["spec", "template", "spec", "containers"])
	regex.match(pattern, get.string(container, "image"))
	namespace := get.string(deployment, ["metadata", "namespace"])
	not placeholder.holds(namespace)
}
