package walguard.lib.carried_test

import data.walguard.lib.carried

kyverno(rule) := carried.of({"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "a"}, "spec": {"rules": [rule]}})

set_by(list) := [[one.at, one.object.spec.template.spec.containers[0].command[2]] | some one in list; one.words == "its patch"]

off := "ALTER SYSTEM SET fsync = 'off';"

place := ["spec", "rules", 0, "mutate", "patchStrategicMerge", "spec", "postgresql", "parameters"]

patch(parameters) := set_by(kyverno({"mutate": {"patchStrategicMerge": {"spec": {"postgresql": {"parameters": parameters}}}}}))

test_names if {
	patch({"fsync": "off"}) == [[array.concat(place, ["fsync"]), off]]
	patch({"+(fsync)": "off"}) == [[array.concat(place, ["+(fsync)"]), off]]
	patch({"fsync": false}) == [[array.concat(place, ["fsync"]), off]]
	patch({"full_page_writes": true}) == [[array.concat(place, ["full_page_writes"]), "ALTER SYSTEM SET full_page_writes = 'on';"]]
	patch({"full_page_writes": 0}) == [[array.concat(place, ["full_page_writes"]), "ALTER SYSTEM SET full_page_writes = '0';"]]
	patch({"(fsync)": "off", "=(full_page_writes)": "off", "work_mem": "1GB", "data_sync_retry": null}) == []
	set_by(kyverno({"mutate": {"patchStrategicMerge": {"spec": {"fsync": false}}}})) == []
	set_by(kyverno({"validate": {"pattern": {"spec": {"postgresql": {"fsync": "off"}}}}})) == []
	count(set_by(kyverno({"mutate": {"foreach": [{"preconditions": {"full_page_writes": "off"}, "patchStrategicMerge": {"full_page_writes": "off"}}]}}))) == 1
}

operation(fields) := [one[1] | some one in set_by(carried.of({"apiVersion": "policy.karmada.io/v1alpha1", "kind": "OverridePolicy", "spec": {"overrideRules": [{"overriders": {"plaintext": [fields]}}]}}))]

test_pairs if {
	operation({"path": "/spec/postgresql/parameters/fsync", "operator": "add", "value": "off"}) == [off]
	operation({"op": "remove", "path": "/spec/postgresql/parameters/fsync", "value": "off"}) == []
	operation({"key": "full_page_writes", "value": "off"}) == ["ALTER SYSTEM SET full_page_writes = 'off';"]
	assign := {"apiVersion": "mutations.gatekeeper.sh/v1", "kind": "Assign", "spec": {"location": "spec.postgresql.parameters.fsync", "parameters": {"assign": {"value": "off"}}}}
	set_by(carried.of(assign)) == [[["spec"], off]]
}

text(value) := {one[1] | some one in set_by(kyverno({"mutate": {"patchesJson6902": value}}))}

test_texts if {
	text("- op: add\n  path: /spec/containers/0/args/-\n  value: fsync=off\n") == {off}
	text("- op: add\n  path: /spec/postgresql/parameters/fsync\n  value: \"off\"\n") == {off}
	text(`[{"op": "add", "path": "/spec/postgresql/parameters/fsync", "value": "off"}]`) == {off}
	text(`{"fsync": "off"}`) == {off}
	text("- op: add\n  path: /spec/containers/0/args\n  value: [-cfsync=off]\n") == {off}
	text("appendfsync=no") == set()
	text("- op: add\n  path: /spec/postgresql/parameters/work_mem\n  value: \"1GB\"\n") == set()
	expression := `Object{spec: Object.spec{parameters: {"fsync": "off"}}}`
	policy := {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "spec": {"mutations": [{"applyConfiguration": {"expression": expression}}], "matchConditions": [{"expression": expression}]}}
	set_by(carried.of(policy)) == [[["spec", "mutations", 0, "applyConfiguration", "expression"], off]]
}

test_containers_that_a_patch_adds if {
	found := kyverno({"mutate": {"patchStrategicMerge": {"spec": {"initContainers": [{"name": "x", "image": "i", "volumeMounts": [{"name": "pgdata", "mountPath": "/d"}]}]}}}})
	[[one.words, one.at] | some one in found] == [["its containers", ["spec", "rules", 0, "mutate", "patchStrategicMerge", "spec"]]]
	found[0].object.spec.template.spec.volumes == [{"name": "pgdata", "persistentVolumeClaim": {"claimName": "pgdata-of-the-pod"}}]
}
