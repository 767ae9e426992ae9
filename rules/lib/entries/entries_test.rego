package walguard.lib.entries_test

import data.walguard.lib.entries

of(name, value) := [f.reason | some f in found] if found := entries.faults({"spec": {name: value}}, ["spec", name]) with input as {}

test_secrets_for_images if {
	of("imagePullSecrets", ["regcred"]) == ["imagePullSecrets has the text regcred in place of a map"]
	of("imagePullSecrets", {"name": "regcred"}) == ["imagePullSecrets is a map"]
	of("imagePullSecrets", [{"name": "regcred"}]) == []
	of("imagePullSecrets", ["${SECRET}"]) == []
	of("imagePullSecrets", {"${SECRET}": 1}) == []
}

test_tolerations if {
	every one in [
		[{"key": "a", "operator": "Exists", "value": "b"}, ["a toleration with operator Exists has a value, and no pod is made"]],
		[{"value": "b", "effect": "NoSchedule"}, ["a toleration has no key and operator Equal, and no pod is made"]],
		[{"key": "a", "operator": "exists"}, ["operator of a toleration is \"exists\", and no pod is made"]],
		[{"key": "a", "effect": "NoScheduling", "operator": "is"}, ["effect of a toleration is \"NoScheduling\", and no pod is made"]],
		[{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute"}, []],
		[{"operator": "Exists"}, []],
		[{"key": "a", "operator": "Gt", "value": "3"}, []],
		[{"key": "a", "effect": "${EFFECT}"}, []],
		[{}, []],
	] {
		of("tolerations", [one[0]]) == one[1]
	}
}

test_spread_constraints if {
	every one in [
		[{"maxSkew": 1, "topologyKey": "zone"}, ["a spread constraint has no whenUnsatisfiable"]],
		[{"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}, ["a spread constraint has no topologyKey"]],
		[{"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}, ["maxSkew of a spread constraint is 0"]],
		[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Schedule"}, ["whenUnsatisfiable is \"Schedule\""]],
		[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}, []],
		[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "${WHEN}"}, []],
		[{"{{ toYaml .Values.spread }}": null, "maxSkew": 1}, []],
	] {
		of("topologySpreadConstraints", [one[0]]) == one[1]
	}
}
