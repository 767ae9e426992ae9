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

test_namespaces_that_name_a_host_of_another if {
	index.callers({
		"db": {},
		"other": {},
		"3d": {},
		"a": {"apps/v1": {"Deployment": {"app": {"spec": {"env": [{"value": "postgres://u@pg-rw.db.svc:5432/x"}]}}}}},
		"b": {"batch/v1": {"CronJob": {"dump": {"spec": {"command": ["pg_dump", "-h", "pg-rw.db"]}}}}},
		"c": {"v1": {"ConfigMap": {"env": {"data": {"DB_HOST": "pg-rw.db", "n": 1}}}}},
		"d": {"v1": {"Secret": {"env": {"data": {"HOST": base64.encode("pg-rw.db:5432"), "broken": "%"}}}}},
		"e": {"v1": {"Secret": {"env": {"stringData": {"HOST": "pg.db, pg.other"}}}}},
		"f": {"apps/v1": {"StatefulSet": {"app": {"spec": {"env": [{"value": "www.db.example.com"}, {"value": "pg-rw.f"}, {"value": "pg.elsewhere"}, {"value": "pg.3d:5432"}]}}}}},
	}) == {"db": ["a", "b", "c", "d", "e"], "other": ["e"], "3d": ["f"]}
}
