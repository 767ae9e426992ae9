package walguard.operators.cnpg.webhook

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.operators.cnpg
import data.walguard.operators.cnpg.release
import data.walguard.postgres

# ValidateAwsCredentials of barman-cloud (pkg/api/config.go); the plugin has no webhook and takes the role. What both stop at is in walguard.lib.barman.
found contains {
	"path": ["spec", "backup", "barmanObjectStore", "s3Credentials"],
	"reason": "s3Credentials have keys and inheritFromIAMRole",
	"cure": "Leave one of them",
} if {
	given := get.map(cnpg.spec, ["backup", "barmanObjectStore", "s3Credentials"])
	get.boolean(given, "inheritFromIAMRole")
	get.present(given, "accessKeyId")
	get.present(given, "secretAccessKey")
}

# validateEnv
found contains {
	"path": ["spec", "env", i, "name"],
	"reason": sprintf("the variable %s is reserved for the operator", [name]),
	"cure": "Take it out; parameters and the place of the data have fields of their own",
} if {
	some i, variable in get.list(cnpg.spec, "env")
	name := get.string(variable, "name")
	not placeholder.unknown(name)
	regex.match(`^(CNPG_.*|PG.*|POD_NAME|NAMESPACE|CLUSTER_NAME)$`, get.upper_case(name))
}

# validateTablespaceNames
found contains {
	"path": ["spec", "tablespaces", i, "name"],
	"reason": sprintf("%s is not a name of a tablespace that it takes", [name]),
	"cure": "Write letters, digits and \"_\", no digit first and no pg_ in front",
} if {
	some i, tablespace in get.list(cnpg.spec, "tablespaces")
	name := get.string(tablespace, "name")
	not placeholder.holds(name)
	not taken_for_tablespace(name)
}

taken_for_tablespace(name) if {
	regex.match(`^[a-zA-Z_][a-zA-Z0-9_$]*$`, name)
	not startswith(name, "pg_")
}

found contains {
	"path": ["spec", "tablespaces", i, "name"],
	"reason": sprintf("two tablespaces are called %s", [name]),
	"cure": "Give them different names",
} if {
	tablespaces := get.list(cnpg.spec, "tablespaces")
	some i, tablespace in tablespaces
	name := get.string(tablespace, "name")
	not placeholder.unknown(name)
	count([1 | some k, other in tablespaces; k < i; get.lower_case(get.string(other, "name")) == get.lower_case(name)]) == 1
}

# validatePrimaryUpdateStrategy
found contains {
	"path": ["spec", "primaryUpdateStrategy"],
	"reason": "primaryUpdateStrategy is supervised with a single instance",
	"cure": "Take it out, or run more instances",
} if {
	get.string(cnpg.spec, "primaryUpdateStrategy") == "supervised"
	cnpg.instances.value == 1
}

# validateLDAP
found contains {
	"path": ["spec", "postgresql", "ldap"],
	"reason": "ldap has bindAsAuth and bindSearchAuth",
	"cure": "Leave one of them",
} if {
	every way in ["bindAsAuth", "bindSearchAuth"] {
		get.present(cnpg.spec, ["postgresql", "ldap", way])
	}
}

# validateImageName
found contains {
	"path": ["spec", "imageName"],
	"reason": "the image has the tag latest, by which it sees no upgrade",
	"cure": "Write the version of PostgreSQL into the tag",
} if {
	image.tag(get.string(cnpg.spec, "imageName")) == "latest"
}

found contains {
	"path": ["spec", "imageName"],
	"reason": "the image has a digest and no tag, by which it knows the version",
	"cure": "Write the version of PostgreSQL in front of it, as in name:17.6@sha256:…",
} if {
	reference := get.string(cnpg.spec, "imageName")
	not placeholder.holds(reference)
	image.digest(reference)
	not image.tag(reference)
}

# "invalid version tag": FromTag asks for a number at its beginning.
found contains {
	"path": ["spec", "imageName"],
	"reason": sprintf("the tag %s does not begin with the version of PostgreSQL, which it reads there (\"invalid version tag\")", [tag]),
	"cure": "Write the version in front of it, as in 17.6-custom, or name the image and its major in an ImageCatalog",
} if {
	reference := get.string(cnpg.spec, "imageName")
	not placeholder.holds(reference)
	tag := image.tag(reference)
	tag != "latest"
	not regex.match(`^[0-9]`, tag)
}

# validateBootstrapRecoveryDataSource, validateVolumeSnapshotSource
found contains {
	"path": array.concat(snapshots_path, [field]),
	"reason": sprintf("volumeSnapshots.%s is neither a VolumeSnapshot of snapshot.storage.k8s.io nor a PersistentVolumeClaim", [field]),
	"cure": "Write kind: VolumeSnapshot and apiGroup: snapshot.storage.k8s.io",
} if {
	some field in ["storage", "walStorage"]
	source := object.get(k8s.object, array.concat(snapshots_path, [field]), null)
	is_object(source)
	of := [object.get(source, "apiGroup", ""), object.get(source, "kind", "")]
	count([1 | some word in of; placeholder.holds(word)]) == 0
	not of in [["snapshot.storage.k8s.io", "VolumeSnapshot"], ["", "PersistentVolumeClaim"]]
}

found contains {
	"path": array.concat(snapshots_path, ["walStorage"]),
	"reason": "volumeSnapshots.walStorage is there and spec.walStorage is not",
	"cure": "Write walStorage as the cluster had it whose snapshot this is",
} if {
	get.present(k8s.object, array.concat(snapshots_path, ["walStorage"]))
	not get.present(cnpg.spec, "walStorage")
}

snapshots_path := ["spec", "bootstrap", "recovery", "volumeSnapshots"]

# validateWalSizeConfiguration; of max_wal_size wal/max_wal_vs_volume says it.
found contains {
	"path": ["spec", "postgresql", "parameters", "min_wal_size"],
	"reason": sprintf("min_wal_size=%s is not less than the WAL volume of %s", [written, get.text(size)]),
	"cure": "Lower it, or enlarge walStorage",
} if {
	written := parameter("min_wal_size")
	size := object.get(cnpg.spec, ["walStorage", "size"], null)
	bytes := quantity.bytes(size)
	bytes > 0
	postgres.memory_bytes(written, "MB") >= bytes
}

# validateHibernationAnnotation
found contains {
	"path": ["metadata", "annotations", key],
	"reason": sprintf("%s is \"%s\"", [key, value]),
	"cure": "Write \"on\" or \"off\"",
} if {
	key := concat("/", [cnpg.operator.annotations, "hibernation"])
	value := get.string(k8s.annotations, key)
	not placeholder.holds(value)
	not value in {"on", "off"}
}

# validatePgFailoverSlots
found contains {
	"path": ["spec", "postgresql", "parameters", names[0]],
	"reason": "pg_failover_slots needs hot_standby_feedback=on",
	"cure": "Set hot_standby_feedback among the parameters",
} if {
	names := [name | some name, _ in get.map(cnpg.spec, ["postgresql", "parameters"]); startswith(name, "pg_failover_slots.")]
	count(names) > 0
	not feedback
	not placeholder.holds(parameter_or_empty("hot_standby_feedback"))
}

feedback if cluster.boolean(parameter("hot_standby_feedback"))

parameter_or_empty(name) := object.get(cnpg.spec, ["postgresql", "parameters", name], "")

# The operator knows a plugin by its whole name ("requested plugin is not available"), and no other one takes barmanObjectName.
found contains {
	"path": array.concat(path, ["name"]),
	"reason": sprintf("there is no plugin %s", [name]),
	"cure": "Write barman-cloud.cloudnative-pg.io",
} if {
	some path in array.concat(
		[["spec", "plugins", i] | some i, _ in get.list(cnpg.spec, "plugins")],
		[["spec", "externalClusters", i, "plugin"] | some i, _ in get.list(cnpg.spec, "externalClusters")],
	)
	get.present(k8s.object, array.concat(path, ["parameters", "barmanObjectName"]))
	name := get.string(k8s.object, array.concat(path, ["name"]))
	name != "barman-cloud.cloudnative-pg.io"
	regex.match(`^(plugin-)?barman(-cloud)?(-plugin)?$`, split(name, ".")[0])
}

# The operator goes on with nothing before it has found the image (internal/controller/cluster_image.go).
found contains {
	"path": ["spec", "imageCatalogRef", "major"],
	"reason": sprintf("%s %s has no image of PostgreSQL %d", [get.string(release.catalogue, "kind"), get.string(release.catalogue, ["metadata", "name"]), major]),
	"cure": "Add it to the catalogue, or name a major that is there",
} if {
	major := cnpg.catalogued_major.value
	images := get.list(release.catalogue, ["spec", "images"])
	count(images) > 0
	count([1 | some one in images; object.get(one, "major", major) == major]) == 0
	count([1 | some one in images; get.unknown(one, "major")]) == 0
}

# The same where there is no such catalogue. One that is not in sight may be made elsewhere; it is reported where the name is in use, by a catalogue of the other kind or of another namespace alone.
found contains {
	"path": array.concat(["spec", "imageCatalogRef"], other.field),
	"reason": sprintf("there is no %s %s%s, only %s: the operator makes no pod before it has found the image", [kind, name, other.here, other.words]),
	"cure": other.cure,
} if {
	not release.catalogue
	name := get.string(cnpg.spec, ["imageCatalogRef", "name"])
	not placeholder.unknown(name)
	kind := get.string(cnpg.spec, ["imageCatalogRef", "kind"])
	other := other_catalogue(kind, name)
}

other_catalogue("ImageCatalog", name) := {
	"field": ["kind"],
	"here": " in the namespace",
	"words": "a ClusterImageCatalog of that name",
	"cure": "Write kind: ClusterImageCatalog",
} if {
	inventory.cluster_object(k8s.api_version, "ClusterImageCatalog", name)
} else := {
	"field": ["name"],
	"here": " in the namespace",
	"words": sprintf("one in %s", [place]),
	"cure": sprintf("Create it in %s, or make it a ClusterImageCatalog", [k8s.namespace]),
} if {
	get.string(k8s.object, ["metadata", "namespace"])
	place := [namespace |
		some one in inventory.everywhere(k8s.api_version, "ImageCatalog")
		get.string(one, ["metadata", "name"]) == name
		namespace := get.string(one, ["metadata", "namespace"])
		not placeholder.holds(namespace)
		count([1 | some user in inventory.list(namespace, k8s.api_version, "Cluster"); get.string(user, ["spec", "imageCatalogRef", "name"]) == name]) == 0
	][0]
}

other_catalogue("ClusterImageCatalog", name) := {
	"field": ["kind"],
	"here": "",
	"words": "an ImageCatalog of that name in the namespace",
	"cure": "Write kind: ImageCatalog",
} if {
	inventory.namespaced_object(k8s.namespace, k8s.api_version, "ImageCatalog", name)
}

# validateExtensions
found contains {
	"path": ["spec", "postgresql", "extensions", i],
	"reason": sprintf("extension %s has no image.reference, and there is no imageCatalogRef that could name one", [name]),
	"cure": "Write image.reference",
} if {
	not get.present(cnpg.spec, "imageCatalogRef")
	some i, one in get.list(cnpg.spec, ["postgresql", "extensions"])
	name := get.string(one, "name")
	not placeholder.unknown(name)
	not get.unknown(one, ["image"])
	object.get(one, ["image", "reference"], "") == ""
}

found contains {
	"path": ["spec", "postgresql", "extensions", i, "name"],
	"reason": sprintf("extension %s is there twice", [name]),
	"cure": "Leave one of them",
} if {
	extensions := get.list(cnpg.spec, ["postgresql", "extensions"])
	some i, one in extensions
	name := get.string(one, "name")
	not placeholder.unknown(name)
	some j, other in extensions
	j < i
	get.string(other, "name") == name
}
