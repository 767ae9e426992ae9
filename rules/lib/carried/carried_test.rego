package walguard.lib.carried_test

import data.walguard.lib.carried

server := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {"replicas": "${{N}}", "x": "${A}-${B}"}}

at(o) := [[one.words, one.at, one.paths] | some one in carried.of(o)]

test_manifests if {
	list := {"apiVersion": "v1", "kind": "List", "items": [server]}
	at({"apiVersion": "template.openshift.io/v1", "kind": "Template", "objects": [server, "junk", {"kind": "X"}, {"kind": "Y", "apiVersion": "v1"}]}) == [
		["StatefulSet db", ["objects", 0], [{"from": [], "to": ["objects", 0]}]],
		["Y", ["objects", 3], [{"from": [], "to": ["objects", 3]}]],
	]
	at({"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": server}}})[0][1] == ["spec", "forProvider", "manifest"]
	[one[1] | some one in at({"apiVersion": "v1", "kind": "Template", "objects": [list]})] == [["objects", 0], ["objects", 0, "items", 0]]
	pipeline := {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "spec": {"pipeline": [{}, {"input": {"resources": [{"base": server}]}}, "junk"]}}
	[one[1] | some one in at(pipeline)] == [["spec", "pipeline", 1, "input", "resources", 0, "base"]]
}

composed(patches, sets) := [one.object.spec |
	some one in carried.of({"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "spec": {"patchSets": sets, "resources": [{"base": server, "patches": patches}]}})
]

# What a patch writes takes the place of what stands there, and is not known.
test_base_that_is_patched if {
	composed([{"fromFieldPath": "metadata.name"}], []) == [server.spec]
	composed([{"type": "FromCompositeFieldPath", "fromFieldPath": "a", "toFieldPath": "spec.replicas"}, {"type": "CombineFromComposite", "toFieldPath": "spec['a.b'].c"}], []) == [{"replicas": "${patched}", "x": "${A}-${B}", "a.b": {"c": "${patched}"}}]
	composed([{"type": "ToCompositeFieldPath", "toFieldPath": "spec.x"}, {"type": "CombineToComposite", "toFieldPath": "spec.x"}], []) == [server.spec]
	composed([{"type": "PatchSet", "patchSetName": "n"}], [{"name": "o", "patches": [{"fromFieldPath": "spec.y"}]}, {"name": "n", "patches": [{"fromFieldPath": "spec.x"}]}]) == [{"replicas": "${{N}}", "x": "${patched}"}]
	composed([{"toFieldPath": "spec.l[0].x"}], []) == []
	composed([{"toFieldPath": "spec.l[*].x"}], []) == []
	composed([{}], []) == []
}

wanted(how) := [one.at |
	some one in carried.of({"apiVersion": "policy.open-cluster-management.io/v1", "kind": "ConfigurationPolicy", "spec": {"object-templates": [object.union({"objectDefinition": server}, how)]}})
]

test_policies if {
	place := ["spec", "object-templates", 0, "objectDefinition"]
	wanted({"complianceType": "mustonlyhave"}) == [place]
	wanted({"complianceType": "MustOnlyHave"}) == [place]
	wanted({}) == [place]
	wanted({"complianceType": "musthave"}) == []
	wanted({"complianceType": "mustnothave"}) == []
}

test_nothing if {
	carried.objects == [] with input as {"review": {"object": server}}
	every o in [server, {}, {"apiVersion": "template.openshift.io/v1", "kind": "Template"}, {"apiVersion": "tekton.dev/v1", "kind": "Task", "spec": "junk"}, {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "spec": {"template": {"spec": {}}}}] {
		carried.of(o) == []
	}
}

test_parameters_of_a_template if {
	o := {"apiVersion": "template.openshift.io/v1", "kind": "Template", "objects": [server], "parameters": [{"name": "N", "value": "3"}, {"name": "A", "value": "a\"b"}, {"name": "B"}, "junk"]}
	carried.of(o)[0].object.spec == {"replicas": 3, "x": "a\"b-${B}"}
	text := json.patch(o, [{"op": "replace", "path": "/parameters/0/value", "value": "x y"}])
	carried.of(text)[0].object.spec.replicas == "x y"
}

pod := {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}}

test_pods if {
	o := {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "db", "namespace": "shop", "labels": {}}, "spec": {"leaderWorkerTemplate": {"workerTemplate": pod}}}
	place := ["spec", "leaderWorkerTemplate", "workerTemplate"]
	carried.of(o) == [{
		"object": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"template": pod}},
		"words": "its pods",
		"at": place,
		"paths": [{"from": ["spec", "template"], "to": place}],
	}]
	sets := {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": [{"template": {"spec": {"template": pod}}}]}}
	[[one.object.kind, one.at] | some one in carried.of(sets)] == [["Job", ["spec", "replicatedJobs", 0, "template", "spec", "template"]]]
	[one.at | some one in carried.of({"apiVersion": "serving.knative.dev/v1", "kind": "Revision", "spec": pod.spec})] == [[]]
}

commands(o) := {[one.words, one.at, one.object.spec.template.spec.containers[0].command] | some one in carried.of(o)}

test_steps_of_tekton if {
	o := {"apiVersion": "tekton.dev/v1", "kind": "TaskRun", "spec": {"params": [{"name": "q", "value": "run"}], "taskSpec": {"params": [{"name": "q", "default": "idle"}, {"name": "p", "default": "5432"}], "steps": [{"name": "s", "script": "$(params.q) $(params.p)"}, "junk"], "sidecars": [{"command": ["x"]}]}}}
	commands(o) == {
		["container s", ["spec", "taskSpec", "steps", 0], ["sh", "-c", "run 5432"]],
		["container", ["spec", "taskSpec", "sidecars", 0], ["x"]],
	}
}

test_steps_of_argo if {
	o := {"apiVersion": "argoproj.io/v1alpha1", "kind": "CronWorkflow", "spec": {"workflowSpec": {
		"arguments": {"parameters": [{"name": "q", "value": "one"}]},
		"volumes": [{"name": "d"}],
		"templates": [
			{"name": "a", "inputs": {"parameters": [{"name": "r", "default": "b"}]}, "script": {"command": ["bash"], "source": "{{workflow.parameters.q}} {{ inputs.parameters.r }}"}},
			{"container": {"name": "c", "command": ["x"]}, "containerSet": {"containers": [{"command": ["y"]}]}, "volumes": [{"name": "e"}]},
			{"steps": [[{"arguments": {"parameters": [{"name": "r", "value": "a"}, {"name": "z", "value": "{{workflow.parameters.q}}"}]}}], "junk"], "dag": {"tasks": [{"arguments": {"parameters": [{"name": "y", "value": "1"}]}}]}},
		],
	}}}
	commands(o) == {
		["container", ["spec", "workflowSpec", "templates", 0, "script"], ["bash", "-c", "one a\nb"]],
		["container c", ["spec", "workflowSpec", "templates", 1, "container"], ["x"]],
		["container", ["spec", "workflowSpec", "templates", 1, "containerSet", "containers", 0], ["y"]],
	}
	carried.of(o)[1].object.spec.template.spec.volumes == [{"name": "d"}, {"name": "e"}]
}

test_hooks_of_deployments if {
	o := {"apiVersion": "apps.openshift.io/v1", "kind": "DeploymentConfig", "spec": {
		"strategy": {"recreateParams": {"timeoutSeconds": 1, "pre": {"execNewPod": {"containerName": "c", "command": ["x"], "env": [{"name": "B"}], "volumes": ["d"]}}, "post": {"execNewPod": {"containerName": "other", "command": ["x"]}}}},
		"template": {"spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "A"}], "args": ["y"]}], "volumes": [{"name": "d"}, {"name": "e"}]}},
	}}
	one := carried.of(o)[0]
	count(carried.of(o)) == 1
	one.at == ["spec", "strategy", "recreateParams", "pre", "execNewPod"]
	one.object.spec.template.spec == {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i", "command": ["x"], "env": [{"name": "A"}, {"name": "B"}]}], "volumes": [{"name": "d"}]}
}

test_statements if {
	role := {"apiVersion": "postgresql.sql.crossplane.io/v1alpha1", "kind": "Role", "metadata": {"name": "app"}, "spec": {"forProvider": {"configurationParameters": [{"name": "search_path", "value": "a'b"}, "junk"]}}}
	commands(role) == {["its SQL", ["spec", "forProvider", "configurationParameters", 0], ["psql", "-c", "ALTER ROLE app SET search_path TO 'a''b';"]]}
	named := json.patch(role, [{"op": "add", "path": "/metadata/annotations", "value": {"crossplane.io/external-name": "other"}}])
	some one in commands(named)
	one[2][2] == "ALTER ROLE other SET search_path TO 'a''b';"
	migration := {"apiVersion": "db.atlasgo.io/v1alpha1", "kind": "AtlasMigration", "spec": {"dir": {"local": {"1.sql": "SELECT 1", "atlas.sum": "x", "2.sql": 1}}}}
	commands(migration) == {["its SQL", ["spec", "dir", "local", "1.sql"], ["psql", "-c", "SELECT 1"]]}
}

resource_set(inputs, resource) := [one.object | some one in carried.of({"apiVersion": "fluxcd.controlplane.io/v1", "kind": "ResourceSet", "metadata": {"name": "a"}, "spec": {"inputs": inputs, "resources": [resource]}})]

# Of several inputs nobody knows which one a value is of, and neither of what puts it together.
test_resource_set if {
	one := {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "<< inputs.a >>", "b": "x<<inputs.b | quote>>", "c": "<< inputs.c | quote >>"}}
	resource_set([{"a": "off", "b": 2, "c": "d"}], one)[0].data == {"a": "off", "b": "x${input}", "c": "d"}
	resource_set([{"a": "off"}, {"a": "on"}], one)[0].data == {"a": "${input}", "b": "x${input}", "c": "${input}"}
	resource_set([], {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1 << 2"}})[0].data.a == "1 << 2"
}

test_step_action if {
	found := carried.of({"apiVersion": "tekton.dev/v1beta1", "kind": "StepAction", "metadata": {"name": "a"}, "spec": {"image": "postgres:17", "script": "psql"}})
	[[one.at, one.object.kind, one.object.spec.template.spec.containers] | some one in found] == [[["spec"], "Job", [{"image": "postgres:17", "command": ["sh", "-c", "psql"]}]]]
}
