package walguard.lib.index_test

import data.walguard.lib.index

backup(name, spec) := {"apiVersion": "v1", "kind": "Backup", "metadata": {"name": name}, "spec": spec}

test_objects_are_found_by_the_cluster_they_name if {
	objects := {name: backup(name, spec) |
		some name, spec in {
			"a1": {"cluster": {"name": "a"}},
			"a2": {"cluster": {"name": "a"}},
			"b1": {"pgCluster": "b"},
			"c1": {"sgCluster": "c"},
			"c2": {"sgShardedCluster": "c"},
			"none": {"cluster": {"name": 1}},
			"broken": "text",
		}
	}
	index.by_cluster(objects) == {"a": [objects.a1, objects.a2], "b": [objects.b1], "c": [objects.c1, objects.c2]}
	index.by_cluster({}) == {}
}

test_copies_are_found_in_every_namespace if {
	recovered := {"spec": {"bootstrap": {"recovery": {"source": "a"}}}}
	clone := {"spec": {"clone": {"cluster": "a"}}}
	made := {"spec": {"dataSource": {"postgresCluster": {"clusterName": "a"}}}}
	new := {"spec": {"bootstrap": {"initdb": {}}}}
	index.copies({
		"m": {"a/v1": {"Cluster": {"x": recovered, "y": new}}, "b/v1": {"postgresql": {"z": clone}}},
		"n": {"c/v1": {"PostgresCluster": {"x": made}, "Backup": {"x": recovered}}},
	}) == [
		{"apiVersion": "a/v1", "kind": "Cluster", "object": recovered},
		{"apiVersion": "b/v1", "kind": "postgresql", "object": clone},
		{"apiVersion": "c/v1", "kind": "PostgresCluster", "object": made},
	]
	index.copies_of({"x": recovered, "y": new}) == [recovered]
	index.copies({}) == []
}
