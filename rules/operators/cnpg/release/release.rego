# METADATA
# description: |
#   Which image a cluster of CloudNativePG runs, what becomes of its data when that changes, and what the operator will take away.
#   Since 1.26 a new major in imageName or in the catalogue starts pg_upgrade, between images of one distribution only
#   (docs/src/postgres_upgrades.md); older operators refuse the change.
package walguard.operators.cnpg.release

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image as images
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.operators
import data.walguard.operators.cnpg

# METADATA
# description: The facts of walguard.model that this is about.
facts := object.union_n([
	{"upgrade": {"by": "operator", "one_distribution": true} | count(cnpg.spec) > 0},
	{"image": found | found := image},
	{"image_major": found | found := image_major},
	{"copied_without_image": {"path": ["spec", "bootstrap", "recovery"], "field": "no imageName"} |
		get.present(cnpg.spec, ["bootstrap", "recovery"])
		not get.present(cnpg.spec, "imageName")
		not get.present(cnpg.spec, "imageCatalogRef")
	},
	{"image_of_the_day": {"path": ["spec"], "field": "imageName"} |
		count(cnpg.spec) > 0
		not copied
		not get.present(cnpg.spec, "imageName")
		not get.present(cnpg.spec, "imageCatalogRef")
	},
	{"collation": found | found := collation},
	{"archive_program": found | found := archive_program},
	{"removals": removals | count(removals) > 0},
])

image := fact.written(cnpg.image_name, ["spec", "imageName"]) if not cnpg.catalogued_major

image := catalogued[0]

# The tag of an image of the project begins with its version; the operator goes by the entry (GetPostgresqlMajorVersion).
image_major := object.union({"value": number, "consequence": "the instances run the one, and the operator writes their settings for the other", "cure": "Correct the entry of the catalogue"}, object.filter(image, ["path", "resource"])) if {
	cnpg.catalogued_major
	images.name(image.value) in {"postgis", "postgresql"}
	number := images.major(image.value)
	number > 9
	number < 30
}

# Of two entries of one major, which the operator's schema refuses, the first.
catalogued := [object.union(fact.written(entry.image, ["spec", "images", i, "image"]), {"resource": k8s.reference(catalogue)}) |
	some i, entry in get.list(catalogue, ["spec", "images"])
	is_object(entry)
	entry.major == cnpg.catalogued_major.value
	is_string(entry.image)
]

catalogue := inventory.namespaced_object(k8s.namespace, k8s.api_version, "ImageCatalog", get.string(cnpg.spec, ["imageCatalogRef", "name"])) if {
	get.string(cnpg.spec, ["imageCatalogRef", "kind"]) == "ImageCatalog"
}

catalogue := inventory.cluster_object(k8s.api_version, "ClusterImageCatalog", get.string(cnpg.spec, ["imageCatalogRef", "name"])) if {
	get.string(cnpg.spec, ["imageCatalogRef", "kind"]) == "ClusterImageCatalog"
}

# initdb is told C unless somebody says otherwise (api/v1/cluster_defaults.go); a copy of another cluster has that one's.
collation := fact.operator("C", ["spec", "bootstrap", "initdb", "localeCollate"]) if {
	count(cnpg.spec) > 0
	not copied
	every option in ["localeCollate", "locale", "localeProvider", "options"] {
		not get.present(cnpg.spec, ["bootstrap", "initdb", option])
	}
}

collation := fact.text_at(k8s.object, ["spec", "bootstrap", "initdb", "localeCollate"]) if {
	not copied
	not get.present(cnpg.spec, ["bootstrap", "initdb", "options"])
	get.string(cnpg.spec, ["bootstrap", "initdb", "localeCollate"])
}

copied if get.present(cnpg.spec, ["bootstrap", "recovery"])

copied if get.present(cnpg.spec, ["bootstrap", "pg_basebackup"])

# Without a plugin the instance manager calls the programs of the image.
archive_program := fact.written("barman-cloud-wal-archive", ["spec", "backup", "barmanObjectStore"]) if {
	cnpg.in_tree_store
	not cnpg.skips_archiving
	count(cnpg.archiver_plugins) == 0
}

removals := [object.union(object.filter(row, ["of", "what", "release", "instead"]), {"path": path}) |
	some row in operators.removals.rows
	row.group == k8s.group
	path := array.concat(["spec"], split(row.field, "."))
	is_used(object.get(k8s.object, path, null))
]

is_used(value) if is_object(value)

is_used(true)
