package walguard.lib.fact_test

import data.walguard.lib.fact

test_origins if {
	fact.written(1, ["a"]) == {"value": 1, "origin": "written", "path": ["a"]}
	fact.operator(1, ["a"]) == {"value": 1, "origin": "operator", "path": ["a"]}
	fact.text_at({"a": false}, ["a"]) == {"value": "off", "origin": "written", "path": ["a"]}
	not fact.text_at({"a": []}, ["a"])
}

test_nearest if {
	fact.nearest({"a": {"b": {"c": 1}}}, ["a", "b", "c"]) == ["a", "b", "c"]
	fact.nearest({"a": {"b": {}}}, ["a", "b", "c"]) == ["a", "b"]
	fact.nearest({}, ["a", "b"]) == []
	fact.nearest({"a": [{"b": 1}]}, ["a", 0, "b"]) == ["a", 0, "b"]
}
