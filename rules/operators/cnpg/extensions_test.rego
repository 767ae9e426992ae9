package walguard.operators.cnpg_extensions_test

import data.walguard.operators.cnpg

read(image, extensions) := found if {
	found := cnpg.cluster with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"imageName": image, "postgresql": {"extensions": extensions}},
	}}}
}

vector(tag) := [{"name": "vector", "image": {"reference": concat("", ["ghcr.io/cloudnative-pg/pgvector:", tag])}}]

minimal := "ghcr.io/cloudnative-pg/postgresql:18.1-minimal-trixie"

test_images_of_extensions if {
	read(minimal, vector("0.8.1-18-trixie")).libraries_brought == ["vector"]
	not read(minimal, vector("0.8.1-18-trixie")).libraries_mounted
	not read(minimal, vector("0.8.1-18-trixie")).wrong_images
	read(minimal, [{"name": "own", "image": {"reference": "example.com/own:1"}}]).libraries_mounted
	read(minimal, [{"name": "of_the_catalogue"}]).libraries_mounted
	not read(minimal, []).libraries_brought
}

test_image_of_another_major if {
	read(minimal, vector("0.8.1-19-trixie")).wrong_images == [{
		"reason": "The image ghcr.io/cloudnative-pg/pgvector:0.8.1-19-trixie of extension vector is for PostgreSQL 19, and the cluster has 18: the server does not load its libraries (\"incompatible library\")",
		"cure": "Take the image for 18",
		"path": ["spec", "postgresql", "extensions", 0, "image", "reference"],
	}]
	not read(minimal, vector("0.8.1")).wrong_images
	not read("example.com/postgres", vector("0.8.1-19-trixie")).wrong_images
}

test_image_of_another_debian if {
	read("ghcr.io/cloudnative-pg/postgresql:18.1-minimal-bookworm", vector("0.8.1-18-trixie")).wrong_images == [{
		"reason": "The image ghcr.io/cloudnative-pg/pgvector:0.8.1-18-trixie of extension vector is built on trixie, and the server's on bookworm, whose libraries are others: the server may not load it (\"version `GLIBC_…' not found\")",
		"cure": "Take both for bookworm",
		"path": ["spec", "postgresql", "extensions", 0, "image", "reference"],
		"level": "warning",
	}]
	not read("ghcr.io/cloudnative-pg/postgresql:18.1", vector("0.8.1-18-trixie")).wrong_images
	not read("ghcr.io/cloudnative-pg/postgresql:18.1-minimal-bookworm", vector("0.8.1")).wrong_images
}

test_before_eighteen if {
	read("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie", vector("0.8.1-17-trixie")).wrong_images == [{
		"reason": "The operator writes extension_control_path for images of extensions, which PostgreSQL 17 does not know: no instance starts (\"unrecognized configuration parameter\")",
		"cure": "Take PostgreSQL 18, or a server's image that has them",
		"path": ["spec", "postgresql", "extensions"],
	}]
	not read("example.com/patched:17.6", vector("0.8.1-17-trixie")).wrong_images
}

test_tag_that_begins_with_another_number if {
	read("example.com/db/postgis:64", []).wrong_images == [{
		"reason": "The tag begins with 64, which the operator takes for the major of PostgreSQL: it writes allow_alter_system, and a server older than 17 does not start",
		"cure": "Begin the tag with the major (17.6-1), or use imageCatalogRef",
		"path": ["spec", "imageName"],
		"level": "error",
	}]
	not read("example.com/db/postgis:64", []).major
	{fault.level | some fault in read("example.com/db/postgis:20251110", []).wrong_images} == {"warning"}
	not read("example.com/db/postgis:16-3.4-64", []).wrong_images
	not read("example.com/db/postgis:19beta1", []).wrong_images
	not read("example.com/db/postgis:v64", []).wrong_images
	not read("example.com/db/postgis:${TAG}", []).wrong_images
	not read("example.com/db/postgis:64@sha256:0123abcd", []).major
}

postgis(fields) := [object.union({"name": "postgis", "image": {"reference": "ghcr.io/cloudnative-pg/postgis-extension:3.6.1-18-trixie"}}, fields)]

# Libraries of PostGIS are linked with others of its image.
test_libraries_that_the_linker_does_not_find if {
	every fields in [{}, {"dynamic_library_path": ["system", "lib"]}, {"ld_library_path": ["lib"]}] {
		read(minimal, postgis(fields)).wrong_images == [{
			"reason": "Extension postgis is mounted without ld_library_path, so that its libraries do not find those that the image has below /system (libgeos_c.so.1): CREATE EXTENSION fails",
			"cure": "Write ld_library_path: [system] beside its image",
			"path": ["spec", "postgresql", "extensions", 0],
		}]
	}
	every fields in [{"ld_library_path": ["system"]}, {"ld_library_path": ["${DIRECTORY}"]}, {"image": {"reference": "example.com/postgis:1"}}] {
		not read(minimal, postgis(fields)).wrong_images
	}
	not read(minimal, [{"name": "postgis"}]).wrong_images
}

scratch(libraries, fields) := found if {
	found := cnpg.cluster with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"imageName": minimal, "postgresql": {
			"shared_preload_libraries": libraries,
			"extensions": [object.union({"name": "vchord", "image": {"reference": "ghcr.io/tensorchord/vchord-scratch:pg18-v1.1.1"}}, fields)],
		}},
	}}}
}

libraries_of_debian := {"dynamic_library_path": ["/usr/lib/postgresql/18/lib/"]}

controls_of_debian := {"extension_control_path": ["usr/share/postgresql/18"]}

# Made to be copied into the image of a server.
test_image_with_another_layout if {
	scratch(["vchord.so"], {}).wrong_images == [{
		"reason": "The image of extension vchord has its libraries in /usr/lib/postgresql/18/lib, and the operator looks in /lib: no instance starts (\"could not access file\")",
		"cure": "Write dynamic_library_path: [usr/lib/postgresql/18/lib] and extension_control_path: [usr/share/postgresql/18] beside the image",
		"level": "error",
		"path": ["spec", "postgresql", "extensions", 0],
	}]
	scratch([], {}).wrong_images == [{
		"reason": "The image of extension vchord has its files in /usr/lib/postgresql/18/lib and /usr/share/postgresql/18, and the operator looks elsewhere: CREATE EXTENSION fails",
		"cure": "Write dynamic_library_path: [usr/lib/postgresql/18/lib] and extension_control_path: [usr/share/postgresql/18] beside the image",
		"level": "warning",
		"path": ["spec", "postgresql", "extensions", 0],
	}]
	scratch(["vchord"], libraries_of_debian).wrong_images == [{
		"reason": "The image of extension vchord has its files in /usr/share/postgresql/18, and the operator looks elsewhere: CREATE EXTENSION fails",
		"cure": "Write extension_control_path: [usr/share/postgresql/18] beside the image",
		"level": "warning",
		"path": ["spec", "postgresql", "extensions", 0],
	}]
	every fields in [object.union(libraries_of_debian, controls_of_debian), object.union(controls_of_debian, {"dynamic_library_path": ["${LIBRARIES}"]})] {
		not scratch(["vchord.so"], fields).wrong_images
	}
	not scratch(["vchord.so"], {"image": {"reference": "ghcr.io/tensorchord/vchord:pg18-v1.1.1"}}).wrong_images
}
