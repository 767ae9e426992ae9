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

x_judged := {"check": "a/x", "severity": "error", "message": "m", "path": ["p"], "resource": resource}

x := object.union(x_judged, {"action": "deny"})

y := {"check": "a/y", "severity": "info", "action": "audit", "message": "n", "path": ["q"], "resource": resource}

test_severities if {
	verdict.findings == {x, y} with input as {"review": {"object": object_after}}
		with index.findings as found
		with catalogue as checks
}

test_administrator_decides if {
	chosen := {"checks": {"a/x": {"severity": "off"}, "a/y": {"severity": "error"}}}
	verdict.findings == {object.union(y, {"severity": "error", "action": "deny"})} with input as {"review": {"object": object_after}, "parameters": chosen}
		with index.findings as found
		with catalogue as checks
}

test_finding_about_another_object if {
	other := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "n", "name": "conf"}
	verdict.findings == {{"check": "a/x", "severity": "error", "action": "deny", "message": "m", "path": ["data"], "resource": other}} with input as {"review": {"object": object_after}}
		with index.findings as {"a/x": {{"message": "m", "path": ["data"], "resource": other}}}
		with catalogue as checks
}

update := {"review": {"operation": "UPDATE", "object": object_after, "oldObject": object_before}}

test_ratchet_demotes_what_was_there if {
	verdict.findings == {object.union(x, {"severity": "warning", "action": "warn", "ratcheted": true}), y} with input as update
		with index.findings as found
		with catalogue as checks
}

# An inventory in `data` (Gatekeeper's, conftest's) is there for the old object too: an empty one in the input would hide it.

test_ratchet_leaves_what_is_new if {
	expected := {x}
	judged := {x_judged}
	verdict.findings == expected with input as update
		with verdict.judged as judged
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

# ------------------------------------------------------------------------------------- what a configuration decides

now := "2026-06-15T12:00:00Z"

judged_by(configuration) := found if found := judged_of(configuration, {"object": object_after})

judged_of(configuration, review) := found if {
	found := verdict.findings with input as {"review": review, "parameters": configuration, "now": now}
		with index.findings as {"a/x": {{"message": "m", "path": ["p"]}}}
		with catalogue as checks
}

waiver(fields) := object.union({"check": "a/x", "resource": {"name": "c"}, "reason": "legacy", "owner": "dba", "expires": "2026-06-16"}, fields)

waived(waivers) := {f.waived | some f in judged_by({"waivers": waivers}); f.action == "none"; f.severity == "error"}

mark(i) := {"reason": "legacy", "owner": "dba", "expires": "2026-06-16", "waiver": i}

test_waiver if {
	judged_by({"waivers": [waiver({})]}) == {object.union(x_judged, {"action": "none", "waived": mark(0)})}
	waived([waiver({"check": "a/y"}), waiver({"check": "a/"}), waiver({})]) == {mark(1)}
	waived([waiver({"resource": {"namespace": "?", "kind": "Clu*", "name": "c"}})]) == {mark(0)}
	waived([waiver({"expires": "2026-06-15T12:00:01Z"})])[_].expires == "2026-06-15T12:00:01Z"
	waived([waiver({"expires": "2026-06-15T14:00:01+02:00"})])[_].owner == "dba"
}

test_waiver_that_does_not_cover if {
	waived([
		waiver({"expires": "2026-06-15"}),
		waiver({"expires": "2026-06-15T12:00:00Z"}),
		waiver({"expires": "soon"}),
		waiver({"expires": 2027}),
		waiver({"check": "a"}),
		waiver({"check": "b/"}),
		waiver({"resource": {"name": "c", "namespace": "m"}}),
		waiver({"resource": {"kind": "cluster"}}),
		waiver({"resource": {"name": ["c"]}}),
		waiver({"resource": "c"}),
		object.remove(waiver({}), ["resource"]),
		object.remove(waiver({}), ["reason"]),
		object.remove(waiver({}), ["owner"]),
		object.remove(waiver({}), ["expires"]),
		object.union(object.remove(waiver({}), ["resource"]), {"resource": {}}),
		"junk",
	]) == set()
	waived("junk") == set()
}

test_waiver_of_the_resource_whose_review_led_to_the_finding if {
	found := verdict.findings with input as {"review": {"object": object_after}, "parameters": {"waivers": [waiver({})]}, "now": now}
		with index.findings as {"a/x": {{"message": "m", "path": [], "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "n", "name": "conf"}}}}
		with catalogue as checks
	{f.action | some f in found} == {"none"}
}

# The request says where an object goes that does not say it itself.
test_waiver_by_the_namespace_of_the_request if {
	bare := {"apiVersion": "g/v1", "kind": "Cluster", "metadata": {"name": "c"}}
	scope := {"waivers": [waiver({"resource": {"namespace": "n", "name": "c"}})]}
	{f.action | some f in judged_of(scope, {"object": bare, "namespace": "n"})} == {"none"}
	{f.action | some f in judged_of(scope, {"object": bare})} == {"deny"}
}

test_expired_waiver_leaves_the_ratchet if {
	expired := {"waivers": [waiver({"expires": "2026-06-15"})]}
	{f.action | some f in judged_of(expired, {"operation": "UPDATE", "object": object_after, "oldObject": object_before})} == {"warn"}
}

actions(configuration) := {f.action | some f in judged_by(configuration)}

test_modes if {
	actions({}) == {"deny"}
	actions({"mode": "enforce"}) == {"deny"}
	actions({"mode": "warn"}) == {"warn"}
	actions({"mode": "audit"}) == {"audit"}
	actions({"mode": "loud"}) == {"deny"}
}

by(severity, rest) := actions(object.union({"checks": {"a/x": {"severity": severity}}}, rest))

test_actions_by_severity if {
	by("warning", {}) == {"warn"}
	by("warning", {"mode": "audit"}) == {"audit"}
	by("info", {}) == {"audit"}
	by("info", {"showInfo": true}) == {"warn"}
	by("info", {"showInfo": true, "mode": "audit"}) == {"audit"}
}

asked(exemptions, user) := {f.action | some f in judged_of({"exemptions": exemptions}, {"object": object_after, "userInfo": user})}

test_exemptions if {
	asked({"users": ["velero"]}, {"username": "velero"}) == {"audit"}
	asked({"users": ["system:serviceaccount:velero:*"]}, {"username": "system:serviceaccount:velero:server"}) == {"audit"}
	asked({"groups": ["ops"]}, {"username": "a", "groups": ["dev", "ops"]}) == {"audit"}
	asked({"groups": ["ops"]}, {"username": "ops", "groups": ["dev", 1]}) == {"deny"}
	asked({"users": ["velero"]}, {}) == {"deny"}
	asked({"users": "velero"}, {"username": "velero"}) == {"deny"}
	asked("velero", {"username": "velero"}) == {"deny"}
}

namespaces(entries) := {"namespaces": entries}

test_namespaces_by_name if {
	actions(namespaces([{"names": ["n"], "mode": "warn"}])) == {"warn"}
	actions(namespaces([{"names": ["m", "?"], "mode": "audit"}])) == {"audit"}
	actions(namespaces([{"names": ["m"], "mode": "warn"}])) == {"deny"}
	actions(namespaces([{"mode": "warn"}, {"names": [], "mode": "warn"}, "junk", {"names": "n", "mode": "warn"}])) == {"deny"}
	actions(namespaces([{"names": ["n"], "mode": "warn"}, {"names": ["*"], "mode": "audit"}, {"names": ["n"]}])) == {"audit"}
	judged_by(namespaces([{"names": ["n"], "checks": {"a/x": {"severity": "off"}}}])) == set()
	judged_by(namespaces([{"names": ["n"], "checks": {"a/x": {"severity": false}}}])) == set()
}

labelled(labels) := {"metadata": {"name": "n", "labels": labels}}

test_namespaces_by_label if {
	by_label := namespaces([{"matchLabels": {"tier": "dev"}, "mode": "warn"}])
	{f.action | some f in judged_of(by_label, {"object": object_after, "namespaceObject": labelled({"tier": "dev", "a": "b"})})} == {"warn"}
	{f.action | some f in judged_of(by_label, {"object": object_after, "namespaceObject": labelled({"tier": "prod"})})} == {"deny"}
	{f.action | some f in judged_of(by_label, {"object": object_after})} == {"deny"}
	both := namespaces([{"names": ["m"], "matchLabels": {"tier": "dev"}, "mode": "warn"}])
	{f.action | some f in judged_of(both, {"object": object_after, "namespaceObject": labelled({"tier": "dev"})})} == {"deny"}
}

test_namespace_in_sight if {
	found := verdict.findings with input as {
		"review": {"object": object_after},
		"parameters": namespaces([{"matchLabels": {"tier": "dev"}, "mode": "warn"}]),
		"inventory": {"cluster": {"v1": {"Namespace": {"n": {"metadata": {"labels": {"tier": "dev"}}}}}}},
	}
		with index.findings as {"a/x": {{"message": "m", "path": ["p"]}}}
		with catalogue as checks
	{f.action | some f in found} == {"warn"}
}

# A client by itself answers for itself and for what it reads.
about_others(kind, name) := found if {
	other := {"apiVersion": "apps/v1", "kind": kind, "namespace": "n", "name": name}
	found := verdict.findings with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "n"}}}}
		with model.cluster as {"change": true, "client": true}
		with index.findings as {"a/x": {{"message": "m", "path": ["data"], "resource": other}}}
		with catalogue as checks
}

test_findings_of_a_client if {
	every kind, name in {"ConfigMap": "conf", "Secret": "conf", "Deployment": "app"} {
		[f.resource.name | some f in about_others(kind, name)] == [name]
	}
	every kind, name in {"Deployment": "other", "StatefulSet": "app", "Service": "app"} {
		about_others(kind, name) == set()
	}
}
