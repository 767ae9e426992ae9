package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.operators.cnpg
import data.walguard.operators.cnpg.release

# What the definitions of Publication and ImageCatalog refuse (x-kubernetes-validations of api/v1/publication_types.go, imagecatalog_types.go).
found contains {
	"by": "The API server",
	"path": array.concat(["spec", "target"], fault[0]),
	"resource": k8s.reference(one),
	"reason": fault[1],
	"cure": fault[2],
} if {
	some one in logical("Publication")
	target := get.map(one, ["spec", "target"])
	count([1 | some name, _ in target; placeholder.holds(name)]) == 0
	some fault in target_faults(target)
}

target_faults(target) := array.concat(
	[[[], "target has both allTables and objects", "Leave one of them"] | get.present(target, "allTables"); get.present(target, "objects")],
	array.concat(
		[[["objects", i], "an entry of objects has both table and tablesInSchema", "Write an entry for each"] |
			some i, one in get.list(target, "objects")
			get.present(one, "table")
			get.present(one, "tablesInSchema")
		],
		[[["objects"], "objects has columns of a table beside tablesInSchema, which PostgreSQL does not take together", "Leave the columns out, or list the tables"] |
			count([1 | some one in get.list(target, "objects"); get.present(one, ["table", "columns"])]) > 0
			count([1 | some one in get.list(target, "objects"); get.present(one, "tablesInSchema")]) > 0
		],
	),
)

found contains {
	"by": "The API server",
	"path": ["spec", "images"],
	"resource": k8s.reference(release.catalogue),
	"reason": sprintf("two images are for PostgreSQL %d", [major]),
	"cure": "Leave one of each major",
} if {
	cnpg.catalogued_major.value
	images := get.list(release.catalogue, ["spec", "images"])
	some i, image in images
	major := get.number(image, "major")
	count([1 | some other in array.slice(images, 0, i); other.major == major]) == 1
}

# ensureManagedResourceExclusivity (api/v1/generic_funcs.go): the one that comes second is never applied, whatever database either is for.
found contains {
	"path": ["spec", "name"],
	"resource": k8s.reference(one),
	"reason": sprintf("%s %s is called %s in PostgreSQL too, and the operator takes each name once in a cluster", [kind, others[0], name]),
	"cure": "Give it another spec.name, or leave one of the two",
} if {
	some kind in ["Publication", "Subscription"]
	some one in logical(kind)
	name := get.string(one, ["spec", "name"])
	not placeholder.unknown(name)
	others := [get.string(other, ["metadata", "name"]) |
		some other in logical(kind)
		get.string(other, ["spec", "name"]) == name
		get.string(other, ["metadata", "name"]) < get.string(one, ["metadata", "name"])
	]
	count(others) > 0
}

logical(kind) := [one |
	cnpg.operator
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
]

# ResolveFromCatalog (pkg/utils/extensions/extensions.go): 'extension … found in the Cluster Spec but no ImageVolumeSource.Reference is defined', and no pod is made.
found contains {
	"path": ["spec", "postgresql", "extensions", i],
	"reason": sprintf("extension %s has no image.reference, and %s %s has none for PostgreSQL %d either", [name, get.string(release.catalogue, "kind"), get.string(release.catalogue, ["metadata", "name"]), major]),
	"cure": "Write image.reference, or add it to extensions of that image in the catalogue",
} if {
	extensions := get.list(cnpg.spec, ["postgresql", "extensions"])
	count(extensions) > 0
	major := cnpg.catalogued_major.value
	images := [one | some one in get.list(release.catalogue, ["spec", "images"]); one.major == major]
	count(images) == 1
	some i, extension in extensions
	not get.present(extension, ["image", "reference"])
	name := get.string(extension, "name")
	not placeholder.holds(name)
	count([1 |
		some one in get.list(images[0], "extensions")
		get.string(one, "name") == name
		get.present(one, ["image", "reference"])
	]) == 0
	not get.unknown(images[0], "extensions")
}
