package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.operators.cnpg.release
import data.walguard.postgres

# Images of extensions (postgresql.extensions), which the operator mounts into the pods of PostgreSQL 18 and later (docs/src/imagevolume_extensions.md).

# [{"name", "reference"?, "path"}]; one without a reference has that of the catalogue.
extension_images := [object.union({"name": get.string(one, "name"), "path": ["spec", "postgresql", "extensions", i]}, reference_of(one)) |
	some i, one in get.list(spec, ["postgresql", "extensions"])
	is_object(one)
]

reference_of(one) := {"reference": reference} if {
	reference := get.string(one, ["image", "reference"])
	not placeholder.unknown(reference)
} else := {}

# They bring what is known of CloudNativePG's own; of any other it is unknown.
facts contains {"libraries_mounted": true} if libraries_mounted

libraries_mounted if {
	some one in extension_images
	not brought_by(one)
}

brought_by(one) := image.brought(one.reference)

facts contains {"libraries_brought": sort({name | some one in extension_images; some name in brought_by(one)})} if {
	count(extension_images) > 0
	not libraries_mounted
}

facts contains {"wrong_images": wrong_images} if count(wrong_images) > 0

wrong_images := array.concat(array.concat([misread_tag | misread_tag], array.concat(without_their_libraries, of_another_layout)), array.concat(array.concat(without_control_path, array.concat(of_another_major, of_another_debian)), array.concat(of_another_ancestor, dumped_by_an_older)))

# GetPostgresqlMajorVersion (api/v1/cluster_funcs.go), FromTag of machinery: the digits that a tag begins with are the major, whatever they count. From 17 on the operator writes allow_alter_system.
# A date may stand before a server that is new enough, until the next one is taken for an upgrade.
misread_tag := {
	"reason": sprintf("The tag begins with %s, which the operator takes for the major of PostgreSQL: it writes allow_alter_system, and a server older than 17 does not start", [number]),
	"cure": "Begin the tag with the major (17.6-1), or use imageCatalogRef",
	"path": ["spec", "imageName"],
	"level": {true: "error", false: "warning"}[count(number) < 4],
} if {
	operator
	not catalogued_major
	number := regex.find_all_string_submatch_n(`^([0-9]{1,15})`, image.tag(image_name), 1)[0][1]
	to_number(regex.replace(number, `^0+([0-9])`, "$1")) > postgres.major_max + 2
	not placeholder.holds(image_name)
}

# CreatePostgresqlConfiguration (pkg/postgres/configuration.go) writes it whatever the major is.
without_control_path := [{
	"reason": sprintf("The operator writes extension_control_path for images of extensions, which PostgreSQL %d does not know: no instance starts (\"unrecognized configuration parameter\")", [major.value]),
	"cure": "Take PostgreSQL 18, or a server's image that has them",
	"path": ["spec", "postgresql", "extensions"],
} |
	operator
	count(extension_images) > 0
	major.value < 18
	image.repository(release.image.value) in {"ghcr.io/cloudnative-pg/postgresql", "ghcr.io/cloudnative-pg/postgis"}
]

of_another_major := [{
	"reason": sprintf("The image %s of extension %s is for PostgreSQL %d, and the cluster has %d: the server does not load its libraries (\"incompatible library\")", [one.reference, one.name, made_for, major.value]),
	"cure": sprintf("Take the image for %d", [major.value]),
	"path": array.concat(one.path, ["image", "reference"]),
} |
	operator
	major.value > 17
	some one in extension_images
	made_for := image.extension_major(one.reference)
	made_for != major.value
]

# Built on Debian's releases, of which an older one lacks the libc that the newer one's libraries ask for ("version `GLIBC_2.38' not found"), and either may lack what else they are linked with.
of_another_debian := [{
	"reason": sprintf("The image %s of extension %s is built on %s, and the server's on %s, whose libraries are others: the server may not load it (\"version `GLIBC_…' not found\")", [one.reference, one.name, theirs, ours]),
	"cure": sprintf("Take both for %s", [ours]),
	"path": array.concat(one.path, ["image", "reference"]),
	"level": "warning",
} |
	operator
	count(extension_images) > 0
	ours := debian_of(release.image.value)
	some one in extension_images
	theirs := debian_of(one.reference)
	theirs != ours
]

debian_of(reference) := regex.find_all_string_submatch_n(`-(bullseye|bookworm|trixie|forky)$`, image.tag(reference), 1)[0][1]

# What libraries of theirs are linked with lies in a directory of the image that the dynamic linker has to be told of (metadata.hcl of postgres-extensions-containers); dynamic_library_path is PostgreSQL's.
# An entry of a catalogue has the field of its own.
without_their_libraries := [{
	"reason": sprintf("Extension %s is mounted without ld_library_path, so that its libraries do not find those that the image has below /%s (libgeos_c.so.1): CREATE EXTENSION fails", [one.name, directory]),
	"cure": sprintf("Write ld_library_path: [%s] beside its image", [directory]),
	"path": one.path,
} |
	operator
	not get.present(spec, ["imageCatalogRef"])
	some one in extension_images
	directory := linked_with[image.repository(one.reference)]
	entry := get.list(spec, ["postgresql", "extensions"])[one.path[3]]
	written := get.list(entry, "ld_library_path")
	count([1 | some place in written; place == directory]) == 0
	count([1 | some place in written; placeholder.holds(place)]) == 0
]

linked_with := {"ghcr.io/cloudnative-pg/postgis-extension": "system"}

# Images that were made to be copied into that of a server have their files where Debian has them, and the operator looks in lib and share (getDynamicLibraryPath and getRuntimeExtensionControlPath of
# pkg/postgres/configuration.go; https://docs.vectorchord.ai/vectorchord/admin/kubernetes.html).
of_another_layout := [object.union(fault, {"path": one.path}) |
	operator
	not get.present(spec, ["imageCatalogRef"])
	some one in extension_images
	library := layouts[image.repository(one.reference)]
	major.value > 17
	entry := get.list(spec, ["postgresql", "extensions"])[one.path[3]]
	fault := fault_of_layout(library, one.name, misplaced(entry, {
		"dynamic_library_path": sprintf("usr/lib/postgresql/%d/lib", [major.value]),
		"extension_control_path": sprintf("usr/share/postgresql/%d", [major.value]),
	}))
]

misplaced(entry, wanted) := {field: place |
	some field, place in wanted
	written := get.list(entry, field)
	count([1 | some other in written; trim(get.text(other), "/") == place]) == 0
	count([1 | some other in written; placeholder.holds(other)]) == 0
}

fault_of_layout(library, name, lost) := {
	"reason": sprintf("The image of extension %s has its libraries in /%s, and the operator looks in /lib: no instance starts (\"could not access file\")", [name, lost.dynamic_library_path]),
	"cure": cure_of_layout(lost),
	"level": "error",
} if {
	lost.dynamic_library_path
	library in {trim_suffix(get.text(other), ".so") | some other in named_libraries}
} else := {
	"reason": sprintf("The image of extension %s has its files in /%s, and the operator looks elsewhere: CREATE EXTENSION fails", [name, concat(" and /", [place | some place in lost])]),
	"cure": cure_of_layout(lost),
	"level": "warning",
} if {
	count(lost) > 0
}

cure_of_layout(lost) := sprintf("Write %s beside the image", [text.list([sprintf("%s: [%s]", [field, place]) | some field, place in lost], "and")])

# tensorchord/VectorChord-images puts Debian's packages into them.
layouts := {sprintf("%s/tensorchord/%s-scratch", [registry, library]): library |
	some registry in ["docker.io", "ghcr.io"]
	some library in ["pg_tokenizer", "vchord", "vchord_bm25"]
}
