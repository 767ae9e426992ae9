package walguard.lib.finding_test

import data.walguard.lib.finding

written := {"name": "fsync", "text": "off", "origin": "written", "path": ["spec", "a/b~c", 0]}

test_at if {
	finding.at(written, "m") == {"message": "m", "path": ["spec", "a/b~c", 0]}
	finding.at(object.union(written, {"resource": {"name": "x"}}), "m") == {"message": "m", "path": ["spec", "a/b~c", 0], "resource": {"name": "x"}}
	finding.at(object.union(written, {"line": 7}), "m") == {"message": "m", "path": ["spec", "a/b~c", 0], "line": 7}
	finding.at_path(["x"], "m") == {"message": "m", "path": ["x"]}
}

test_additions if {
	finding.with_severity({"message": "m"}, "info") == {"message": "m", "severity": "info"}
	finding.with_facts({"message": "m"}, {"size_bytes": 1}) == {"message": "m", "facts": {"size_bytes": 1}}
	finding.with_fix({"message": "m"}, []) == {"message": "m", "fix": []}
}

fixed(setting) := object.get(found, "fix", "none") if {
	found := finding.with_parameter({"message": "m"}, setting, "on") with input as {"review": {"object": {"spec": {"parameters": {}}}}}
}

test_with_parameter if {
	fixed({"name": "fsync", "origin": "written", "path": ["spec", "a/b~c", "Fsync"]}) == [{"op": "replace", "path": "/spec/a~1b~0c/Fsync", "value": "on"}]
	fixed({"name": "fsync", "origin": "written", "path": ["updates", 0, "value"]}) == [{"op": "replace", "path": "/updates/0/value", "value": "on"}]
	fixed({"name": "fsync", "origin": "operator", "path": ["spec", "parameters"]}) == [{"op": "add", "path": "/spec/parameters/fsync", "value": "on"}]
}

test_with_parameter_without_a_place if {
	fixed({"name": "fsync", "origin": "written", "path": ["data", "postgresql.conf"]}) == "none"
	fixed({"name": "fsync", "origin": "operator", "path": ["metadata", "annotations"]}) == "none"
	fixed({"name": "fsync", "origin": "operator", "path": ["spec", "postgresql", "parameters"]}) == "none"
	fixed({"name": "fsync", "origin": "operator", "path": []}) == "none"
}

resized(volume) := object.get(found, "suggestion", "none") if {
	found := finding.with_suggested_size({"message": "m"}, object.union({"size_bytes": 1, "size_path": ["spec", "size"]}, volume), "20Gi") with input as {"review": {"object": {"spec": {"size": "1Gi"}}}}
}

test_with_suggested_size if {
	operations := [{"op": "replace", "path": "/spec/size", "value": "20Gi"}]
	resized({}) == operations
	resized({"disk": {"rejections": []}}) == operations
	resized({"disk": {"rejections": ["at least 20Gi"]}}) == "none"
	resized({"resource": {"name": "x"}}) == "none"
	resized({"size_path": ["spec", "absent"]}) == "none"
}

valued(finding, path) := object.get(found, "fix", "none") if {
	found := finding_with_value(finding, path) with input as {"review": {"object": {"spec": {"a": 1, "text": "x"}}}}
}

finding_with_value(f, path) := finding.with_value(f, path, 5)

test_with_value if {
	valued({"message": "m"}, ["spec", "a"]) == [{"op": "replace", "path": "/spec/a", "value": 5}]
	valued({"message": "m"}, ["spec", "b"]) == [{"op": "add", "path": "/spec/b", "value": 5}]
	valued({"message": "m"}, ["spec", "text"]) == "none"
	valued({"message": "m"}, ["spec"]) == "none"
	valued({"message": "m"}, ["spec", "text", "b"]) == "none"
	valued({"message": "m"}, ["spec", "absent", "b"]) == "none"
	valued({"message": "m", "resource": {"name": "x"}}, ["spec", "a"]) == "none"
}

test_with_related if {
	places := [
		[{"path": ["spec", "cpu"]}, "16 cores"],
		[{"path": ["metadata", "name"], "resource": {"name": "fast"}, "origin": "written"}, "the class"],
		[{"path": ["spec", "b"], "origin": "operator"}, "a default"],
		[{"path": ["spec", "a"]}, "the same place"],
	]
	finding.with_related({"message": "m", "path": ["spec", "a"]}, places) == {"message": "m", "path": ["spec", "a"], "related": [
		{"path": ["spec", "cpu"], "message": "16 cores"},
		{"path": ["metadata", "name"], "resource": {"name": "fast"}, "message": "the class"},
	]}
	finding.with_related({"message": "m", "path": ["spec", "a"]}, []) == {"message": "m", "path": ["spec", "a"]}
}
