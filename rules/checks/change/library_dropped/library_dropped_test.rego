package walguard.checks.change.library_dropped_test

import data.walguard.checks.change.library_dropped as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

loading(names) := manifests.review({}, {"postgresql": {"shared_preload_libraries": names}})

test_dropped if {
	check.findings == {{
		"message": "shared_preload_libraries loses vectors: what its extension keeps in the database (types, indexes, jobs) cannot be used or dumped without it. Keep it until DROP EXTENSION is done.",
		"path": ["spec", "postgresql", "shared_preload_libraries"],
	}} with input as updated(loading(["vectors.so", "auto_explain"]), loading(["vchord.so"]))
}

zalando(text) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"postgresql": {"version": "17", "parameters": {"shared_preload_libraries": text}}},
}}}

test_parameter if {
	found := check.findings with input as updated(zalando("bg_mon, timescaledb,pg_cron"), zalando("bg_mon"))
	{[f.path, contains(f.message, "pg_cron and timescaledb")] | some f in found} == {[["spec", "postgresql", "parameters", "shared_preload_libraries"], true]}
}

test_kept if {
	check.findings == set() with input as updated(loading(["vectors.so"]), loading(["vectors", "vchord"]))
	check.findings == set() with input as updated(loading(["auto_explain"]), loading([]))
}

test_silent_without_the_old_one if check.findings == set() with input as loading(["vchord.so"])

of_image(name) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": name}]}}},
}}}

# The images preload by their own command.
test_image if {
	found := check.findings with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), of_image("tensorchord/vchord-postgres:pg16-v0.4.3"))
	{contains(f.message, "loses vectors") | some f in found} == {true}
	check.findings == set() with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), of_image("ghcr.io/immich-app/postgres:16-vectorchord0.4.3-pgvectors0.3.0"))
	check.findings == set() with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), of_image("registry.example.com/own/postgres:16"))
}

with_argument(object_, text) := json.patch(object_, [{"op": "add", "path": "/review/object/spec/template/spec/containers/0/args", "value": ["-c", concat("=", ["shared_preload_libraries", text])]}])

# Of the new image nothing is known, but its parameter says what is loaded.
test_image_of_ones_own_with_the_parameter if {
	own := of_image("registry.example.com/own/postgres:16")
	{[contains(f.message, "loses vectors:"), f.path] | some f in check.findings} == {[true, ["spec", "template", "spec", "containers", 0, "args", 1]]} with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), with_argument(own, "auto_explain"))
	check.findings == set() with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), with_argument(own, "auto_explain, 'vectors.so'"))
	check.findings == set() with input as updated(of_image("tensorchord/pgvecto-rs:pg16-v0.3.0"), own)
}

# Every library that keeps something in the database, and some that keep nothing.
test_what_holds_data if {
	every name, holds in {
		"age": true, "citus": true, "pg_cron": true, "pg_search": true, "pglogical": true, "timescaledb": true, "vchord": true, "vectors": true,
		"auto_explain": false, "pg_stat_statements": false, "pgaudit": false, "pg_prewarm": false,
	} {
		found := check.findings with input as updated(zalando(name), zalando("bg_mon"))
		count(found) == 1 == holds
	}
}
