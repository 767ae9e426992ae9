package walguard.lib.finding_test

import data.walguard.lib.finding

written := {"name": "fsync", "text": "off", "origin": "written", "path": ["spec", "a/b~c", 0]}

test_at if {
	finding.at(written, "m") == {"message": "m", "path": ["spec", "a/b~c", 0]}
	finding.at(object.union(written, {"resource": {"name": "x"}}), "m") == {"message": "m", "path": ["spec", "a/b~c", 0], "resource": {"name": "x"}}
	finding.at_path(["x"], "m") == {"message": "m", "path": ["x"]}
}

test_additions if {
	finding.with_severity({"message": "m"}, "info") == {"message": "m", "severity": "info"}
	finding.with_facts({"message": "m"}, {"size_bytes": 1}) == {"message": "m", "facts": {"size_bytes": 1}}
	finding.with_fix({"message": "m"}, []) == {"message": "m", "fix": []}
}

test_set_parameter if {
	finding.set_parameter(written, "on") == [{"op": "replace", "path": "/spec/a~1b~0c/0", "value": "on"}]
	finding.set_parameter({"name": "fsync", "origin": "operator", "path": ["spec"]}, "on") == [{"op": "add", "path": "/spec/fsync", "value": "on"}]
	not finding.set_parameter({"name": "fsync", "origin": "operator", "path": []}, "on")
}
