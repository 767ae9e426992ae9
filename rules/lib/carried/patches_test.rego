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

brought(api_version, kind, spec) := {[one.at, one.object.spec.template.spec.containers[0].command[2]] |
	some one in carried.of({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec})
	one.words == "its patch"
}

parameter_of_cnpg := "spec:\n  postgresql:\n    parameters:\n      # full_page_writes: \"off\"\n      fsync: \"off\"\n"

test_patches_of_what_is_rendered if {
	patches := {"kustomize": {"patches": [{"target": {"kind": "Cluster"}, "patch": "- op: replace\n  path: /spec/postgresql/parameters/fsync\n  value: \"off\"\n"}]}}
	brought("helm.toolkit.fluxcd.io/v2", "HelmRelease", {"postRenderers": [{}, patches]}) == {[["spec", "postRenderers", 1, "kustomize", "patches", 0, "patch"], off]}
	brought("argoproj.io/v1alpha1", "Application", {"source": patches}) == {[["spec", "source", "kustomize", "patches", 0, "patch"], off]}
	brought("argoproj.io/v1alpha1", "Application", {"sources": [patches]}) == {[["spec", "sources", 0, "kustomize", "patches", 0, "patch"], off]}
	brought("argoproj.io/v1alpha1", "ApplicationSet", {"template": {"spec": {"source": patches}}}) == {[["spec", "template", "spec", "source", "kustomize", "patches", 0, "patch"], off]}
	merged := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": {"postgresql": {"parameters": {"fsync": "off"}}}}
	brought("kustomize.toolkit.fluxcd.io/v1beta2", "Kustomization", {"patchesStrategicMerge": [merged]}) == {[["spec", "patchesStrategicMerge", 0, "spec", "postgresql", "parameters", "fsync"], off]}
	brought("kustomize.toolkit.fluxcd.io/v1beta2", "Kustomization", {"patchesJson6902": [{"patch": [{"op": "add", "path": "/spec/postgresql/parameters/fsync", "value": "off"}]}]}) == {[["spec", "patchesJson6902", 0, "patch", 0], off]}
	brought("core.oam.dev/v1beta1", "Application", {"components": [{"traits": [{"type": "json-merge-patch", "properties": merged}]}]}) == {[["spec", "components", 0, "traits", 0, "properties", "spec", "postgresql", "parameters", "fsync"], off]}
}

test_values_that_are_set if {
	parameter := {"name": "cluster.postgresql.parameters.fsync", "value": "off"}
	brought("helm.crossplane.io/v1beta1", "Release", {"forProvider": {"set": [parameter]}}) == {[["spec", "forProvider", "set", 0], off]}
	brought("helm.cattle.io/v1", "HelmChart", {"set": {parameter.name: "off"}}) == {[["spec", "set", parameter.name], off]}
	brought("helm.cattle.io/v1", "HelmChart", {"set": {"store.fsync": "off"}}) == set()
}

test_manifests_in_texts if {
	every one in [
		["helm.cattle.io/v1", "HelmChartConfig", {"valuesContent": parameter_of_cnpg}, ["spec", "valuesContent"]],
		["fleet.cattle.io/v1alpha1", "Bundle", {"resources": [{"content": parameter_of_cnpg}]}, ["spec", "resources", 0, "content"]],
		["argoproj.io/v1alpha1", "Workflow", {"templates": [{"resource": {"action": "patch", "manifest": parameter_of_cnpg}}]}, ["spec", "templates", 0, "resource", "manifest"]],
		["argoproj.io/v1alpha1", "CronWorkflow", {"workflowSpec": {"templates": [{"resource": {"manifest": parameter_of_cnpg}}]}}, ["spec", "workflowSpec", "templates", 0, "resource", "manifest"]],
		["apiextensions.crossplane.io/v1", "Composition", {"pipeline": [{"input": {"inline": {"template": parameter_of_cnpg}}}]}, ["spec", "pipeline", 0, "input", "inline", "template"]],
		["fluxcd.controlplane.io/v1", "ResourceSet", {"resourcesTemplate": parameter_of_cnpg}, ["spec", "resourcesTemplate"]],
	] {
		brought(one[0], one[1], one[2]) == {[one[3], off]}
	}
	brought("fleet.cattle.io/v1alpha1", "Bundle", {"resources": [{"content": "kind: Mongo\nstorage: {fsync: no}\n"}]}) == set()
	brought("argoproj.io/v1alpha1", "Application", {"source": {"helm": {"values": parameter_of_cnpg}}}) == set()
}

test_operations_between_a_path_and_its_value if {
	text("- path: \"/spec/postgresql/parameters/fsync\"\n  op: add\n  value: \"off\"\n") == {off}
	text("- path: /spec/postgresql/parameters/fsync\n  op: remove\n- path: /a\n  value: \"off\"\n") == set()
}
