package walguard.checks.manifest.duplicate_key_test

import data.walguard.checks.manifest.duplicate_key as check

noticed(notices) := found if found := check.findings with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db"}, "spec": {"instances": 1}}, "notices": notices}}

test_key_and_merge if {
	noticed([
		{"path": ["spec", "list", 0, "a"], "first_line": 4, "second_line": 6, "by": "key"},
		{"path": ["spec", "b"], "first_line": 7, "second_line": 8, "by": "merge"},
	]) == {
		{"path": ["spec", "list", 0, "a"], "message": "spec.list[0].a is written twice, on lines 4 and 6: the last one counts. Keep the one that is meant."},
		{"path": ["spec", "b"], "message": "spec.b is replaced by a merge, on lines 7 and 8: the last one counts. Keep the one that is meant."},
	}
}

test_silent_where_no_text_is_read if {
	noticed([]) == set()
	check.findings == set() with input as {"kind": "Cluster"}
}

found(object) := given if given := check.findings with input as {"review": {"object": object, "notices": [{"path": ["data", "url"], "first_line": 4, "second_line": 6, "by": "key"}]}}

test_of_something_else if {
	found({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "alerting"}, "data": {"url": "eA==", "password": "eA=="}}) == set()
	found({"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "vectors"}, "spec": {"clusterDef": "milvus", "componentSpecs": [{"name": "proxy"}]}}) == set()
	count(found({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "db"}, "spec": {"template": {"spec": {"volumes": []}}}})) == 1
}

test_labels_of_another_program if {
	of_kafka := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "kafka"}, "spec": {"template": {"spec": {"volumes": []}}}}
	every path in [["metadata", "annotations"], ["spec", "template", "metadata", "labels"]] {
		check.findings == set() with input as {"review": {"object": of_kafka, "notices": [{"path": path, "first_line": 4, "second_line": 6, "by": "key"}]}}
	}
}

test_labels_of_a_cluster if count(noticed([{"path": ["metadata", "annotations"], "first_line": 4, "second_line": 6, "by": "key"}])) == 1
