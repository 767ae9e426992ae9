package walguard.checks.image.libc_changed_test

import data.walguard.checks.image.libc_changed as check
import data.walguard.lib.image_manifest_test as images

changed(old, new) := found if found := check.findings with input as images.change(old, new)

test_glibc if {
	changed("postgres:17-bookworm", "postgres:17-trixie") == {{
		"message": "bookworm (glibc 2.36) becomes trixie (glibc 2.41), which sorts text differently: indexes on text can miss rows or take duplicates. After the change run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION, in every database.",
		"path": images.image_path,
	}}
}

messages(old, new) := {split(f.message, ",")[0] | some f in changed(old, new)}

test_another_library if {
	messages("postgres:17-alpine", "postgres:17") == {"alpine (musl) becomes glibc"}
	messages("postgres:17.6", "postgres:17.6-alpine3.22") == {"glibc becomes alpine (musl)"}
}

# musl sorts by the bytes: between it and glibc nearly every index on text is wrong.
test_error_between_libraries if {
	{f.severity | some f in changed("postgres:17-alpine", "postgres:17")} == {"error"}
	{f.severity | some f in changed("postgres:17.6", "postgres:17.6-alpine3.22")} == {"error"}
}

of_bitnami(tag) := images.set_of({"name": "postgresql", "image": sprintf("bitnami/postgresql:%s", [tag]), "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]})

bitnami(old, new) := {split(f.message, ",")[0] |
	some f in check.findings with input as {"review": {"operation": "UPDATE", "object": of_bitnami(new), "oldObject": of_bitnami(old)}}
}

test_numbers_of_debian if {
	bitnami("16.3.0-debian-11-r19", "16.4.0-debian-12-r9") == {"bullseye (glibc 2.31) becomes bookworm (glibc 2.36)"}
	bitnami("16.3.0-debian-12-r2", "16.4.0-debian-12-r9") == set()
	bitnami("16.3.0-debian-77-r2", "16.4.0-debian-12-r9") == set()
}

test_same if {
	changed("postgres:16-trixie", "postgres:16.4-trixie") == set()
	changed("postgres:17-alpine3.21", "postgres:17-alpine3.22") == set()
}

test_not_known if {
	changed("postgres:17", "postgres:17-trixie") == set()
	changed("example.com/db/postgres:17", "example.com/db/postgres:17-alpine") == set()
}

with_arguments(text, old, new) := found if {
	container := {"name": "postgres", "image": old, "env": [{"name": "POSTGRES_INITDB_ARGS", "value": text}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}
	review := {"review": {
		"operation": "UPDATE",
		"object": images.set_of(object.union(container, {"image": new})),
		"oldObject": images.set_of(container),
	}}
	found := check.findings with input as review
}

test_sorted_by_another if {
	with_arguments("--locale=C", "postgres:17-bookworm", "postgres:17-trixie") == set()
	with_arguments("--no-locale", "postgres:17-bookworm", "postgres:17-trixie") == set()
	with_arguments("--lc-collate C --data-checksums", "postgres:17-bookworm", "postgres:17-trixie") == set()
	with_arguments("--locale-provider=icu --icu-locale=en", "postgres:17-bookworm", "postgres:17-trixie") == set()
	count(with_arguments("--locale=de_DE.UTF-8", "postgres:17-bookworm", "postgres:17-trixie")) == 1
}

of_cluster(spec) := found if {
	found := check.findings with input as images.cluster_change("ghcr.io/cloudnative-pg/postgresql:17-standard-bookworm", "ghcr.io/cloudnative-pg/postgresql:17-standard-trixie", spec)
}

test_operator_that_asks_for_c if {
	of_cluster({}) == set()
	of_cluster({"bootstrap": {"initdb": {"database": "app"}}}) == set()
	{f.path | some f in of_cluster({"bootstrap": {"initdb": {"localeCollate": "en_US.UTF-8"}}})} == {["spec", "imageName"]}
	count(of_cluster({"bootstrap": {"recovery": {"source": "old"}}})) == 1
}
