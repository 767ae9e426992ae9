package walguard.verdict_test

import data.walguard.catalogue
import data.walguard.index
import data.walguard.model
import data.walguard.verdict

object_before := {"apiVersion": "g/v1", "kind": "Cluster", "metadata": {"name": "c", "namespace": "n", "labels": {"v": "old"}}}

object_after := object.union(object_before, {"metadata": {"labels": {"v": "new"}}})

resource := {"apiVersion": "g/v1", "kind": "Cluster", "namespace": "n", "name": "c"}

checks := {"checks": {"a/x": {"severity": "error"}, "a/y": {"severity": "warning"}}}

found := {"a/x": {{"message": "m", "path": ["p"]}}, "a/y": {{"message": "n", "path": ["q"], "severity": "info"}}}

x := {"check": "a/x", "severity": "error", "message": "m", "path": ["p"], "resource": resource}

y := {"check": "a/y", "severity": "info", "message": "n", "path": ["q"], "resource": resource}

test_severities if {
	verdict.findings == {x, y} with input as {"review": {"object": object_after}}
		with index.findings as found
		with catalogue as checks
}

test_administrator_decides if {
	chosen := {"checks": {"a/x": {"severity": "off"}, "a/y": {"severity": "error"}}}
	verdict.findings == {object.union(y, {"severity": "error"})} with input as {"review": {"object": object_after}, "parameters": chosen}
		with index.findings as found
		with catalogue as checks
}

test_finding_about_another_object if {
	other := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "n", "name": "conf"}
	verdict.findings == {{"check": "a/x", "severity": "error", "message": "m", "path": ["data"], "resource": other}} with input as {"review": {"object": object_after}}
		with index.findings as {"a/x": {{"message": "m", "path": ["data"], "resource": other}}}
		with catalogue as checks
}

update := {"review": {"operation": "UPDATE", "object": object_after, "oldObject": object_before}}

test_ratchet_demotes_what_was_there if {
	verdict.findings == {object.union(x, {"severity": "warning", "ratcheted": true}), y} with input as update
		with index.findings as found
		with catalogue as checks
}

test_ratchet_leaves_what_is_new if {
	new := {x}
	verdict.findings == new with input as update
		with verdict.judged as new
		with verdict.old_errors as {["a/x", resource, ["elsewhere"]]}
}

test_change_answers_for_what_it_changes if {
	elsewhere := {"apiVersion": "g/v1", "kind": "Cluster", "namespace": "n", "name": "changed"}
	several := {"a/x": {
		{"message": "m", "path": ["p"]},
		{"message": "a default of the cluster", "path": []},
		{"message": "of the cluster", "path": ["spec"], "resource": elsewhere},
	}}
	verdict.findings == {x} with input as {"review": {"object": object_after}}
		with index.findings as several
		with catalogue as checks
		with model.cluster as {"change": true}
}
