package walguard.checks.image.version_unknown_test

import data.walguard.checks.image.version_unknown as check
import data.walguard.lib.image_manifest_test as images

findings(image) := found if found := check.findings with input as images.workload(image)

test_no_number if {
	findings("example.com/db/postgres:v2.1.0") == {{
		"message": "The image example.com/db/postgres:v2.1.0 does not show its PostgreSQL version: parameters are checked by what 12 to 19 have in common.",
		"path": images.image_path,
	}}
	count(findings("postgres@sha256:0123abcd")) == 1
}

test_newer if {
	findings("postgres:99") == {{
		"message": "PostgreSQL 99 is newer than walguard knows: it is checked as 19. Make sure that the version exists, and update walguard.",
		"path": images.image_path,
	}}
}

test_known if {
	findings("postgres:19") == set()
	findings("postgres:17.6") == set()
}

test_filled_in_later if {
	findings("${IMAGE}") == set()
	findings("postgres:${TAG}") == set()
	findings("{{ .Values.image }}") == set()
}

test_said_by_floating_tag if findings("postgres:latest") == set()

nothing_named(api, spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": api, "kind": "Cluster", "metadata": {"name": "orders"}, "spec": spec}}}

# The operator fills in its own default once, when the cluster is made (api/v1/cluster_defaults.go).
test_nothing_named if {
	nothing_named("postgresql.cnpg.io/v1", {"instances": 1}) == {{
		"message": "No imageName: a new cluster gets the operator's default image, which is of another major in later releases. Write the image that runs, so that this manifest makes the same server again.",
		"path": ["spec"],
	}}
	nothing_named("postgresql.cnpg.io/v1", {"instances": 1, "imageName": "${IMAGE}"}) == set()
	nothing_named("postgresql.cnpg.io/v1", {"instances": 1, "imageCatalogRef": {"kind": "ImageCatalog", "name": "catalogue", "major": 17}}) == set()
	nothing_named("postgresql.cnpg.io/v1", {}) == set()
}

recovered(spec) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders"},
	"spec": object.union({"instances": 1, "bootstrap": {"recovery": {"backup": {"name": "b"}}}}, spec),
}}}

test_recovered_without_an_image if {
	recovered({}) == {{
		"message": "The cluster is recovered, and nothing says of which major: the operator's image of the day (no imageName) may be another one than the backup's, and the server does not start then. Write the image of the backup.",
		"path": ["spec", "bootstrap", "recovery"],
	}}
	recovered({"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}) == set()
	recovered({"imageCatalogRef": {"name": "catalogue", "kind": "ImageCatalog", "major": 17}}) == set()
}

changed(old, new) := {[f.severity, f.message, f.path] | some f in found; f.severity} if found := check.findings with input as images.change(old, new)

digest := "postgres@sha256:0123abcd"

# Of two changes through such an image neither shows that the major is another one.
test_through_an_image_that_does_not_show_it if {
	changed("postgres:16.9", digest) == {["warning", "PostgreSQL 16 becomes postgres@sha256:0123abcd, whose version is not shown: if it is another major, the server refuses the data. Write the tag with the version as well.", images.image_path]}
	changed(digest, "postgres:17.6") == {["warning", "postgres@sha256:0123abcd, whose version is not shown, becomes PostgreSQL 17: if the data are of another major, the server refuses them. Look at PG_VERSION in the data directory first.", images.image_path]}
	changed(digest, digest) == set()
	every image in ["postgres:17.6", "postgres:latest", "postgres:${TAG}"] {
		changed(image, "postgres:17.6") == set()
		changed("postgres:17.6", image) == set()
	}
	count(findings(digest)) == 1
	at_an_operator := check.findings with input as images.cluster_change("ghcr.io/cloudnative-pg/postgresql:16.9", "ghcr.io/cloudnative-pg/postgresql@sha256:0123abcd", {})
	{f | some f in at_an_operator; f.severity} == set()
}
