package walguard.operators.cnpg.webhook_replication_test

import data.walguard.operators.cnpg.webhook

among(spec, objects) := {[refusal.reason, refusal.path] | some refusal in found} if {
	found := webhook.refusals with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders", "namespace": "shop"},
			"spec": object.union({"instances": 1, "storage": {"size": "10Gi"}}, spec),
		}},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": objects}}},
	}
}

belonging(kind, name, spec) := {name: {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": object.union({"name": "p", "dbname": "app", "cluster": {"name": "orders"}}, spec)}}

target(one) := {"Publication": belonging("Publication", "a", {"target": one})}

test_target_of_a_publication if {
	among({}, target({"allTables": true, "objects": []})) == {["target has both allTables and objects", ["spec", "target"]]}
	among({}, target({"objects": [{"table": {"name": "a"}, "tablesInSchema": "b"}]})) == {["an entry of objects has both table and tablesInSchema", ["spec", "target", "objects", 0]]}
	among({}, target({"objects": [{"table": {"name": "a", "columns": ["id"]}}, {"tablesInSchema": "b"}]})) == {["objects has columns of a table beside tablesInSchema, which PostgreSQL does not take together", ["spec", "target", "objects"]]}
	every one in [{"allTables": true}, {"objects": [{"table": {"name": "a"}}, {"tablesInSchema": "b"}]}, {"allTables": true, "objects": [], "${MORE}": 1}] {
		among({}, target(one)) == set()
	}
}

test_one_name_for_two if {
	among({}, two({})) == {["Publication a is called p in PostgreSQL too, and the operator takes each name once in a cluster", ["spec", "name"]]}
	among({}, two({"dbname": "other"})) != set()
	among({}, two({"name": "q"})) == set()
	among({}, two({"cluster": {"name": "others"}})) == set()
}

two(more) := {"Publication": object.union(belonging("Publication", "a", {"target": {"allTables": true}}), belonging("Publication", "b", object.union({"target": {"allTables": true}}, more)))}

catalogued(extensions, images) := among(
	{"imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "all", "major": 18}, "postgresql": {"extensions": extensions}},
	{"ImageCatalog": {"all": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ImageCatalog", "metadata": {"name": "all", "namespace": "shop"}, "spec": {"images": images}}}},
)

eighteen := {"major": 18, "image": "ghcr.io/cloudnative-pg/postgresql:18.1-minimal-trixie"}

test_catalogue if {
	catalogued([], [eighteen, eighteen]) == {["two images are for PostgreSQL 18", ["spec", "images"]]}
	catalogued([{"name": "vector"}], [eighteen]) == {["extension vector has no image.reference, and ImageCatalog all has none for PostgreSQL 18 either", ["spec", "postgresql", "extensions", 0]]}
	catalogued([{"name": "vector"}], [object.union(eighteen, {"extensions": [{"name": "vector", "image": {"reference": "v:1"}}]})]) == set()
	catalogued([{"name": "vector", "image": {"reference": "v:1"}}], [eighteen]) == set()
	catalogued([{"name": "vector"}], [object.union(eighteen, {"extensions": "${EXTENSIONS}"})]) == set()
}
