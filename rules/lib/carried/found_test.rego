package walguard.lib.carried_test

import data.walguard.lib.carried

sidecars := {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "SidecarSet", "metadata": {"name": "a"}, "spec": {
	"initContainers": [{"name": "i", "image": "x", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}, "junk"],
	"containers": [{"name": "c", "args": ["y"], "shareVolumePolicy": {"type": "enabled"}, "volumeMounts": [{"name": "own", "mountPath": "/o"}]}],
	"volumes": [{"name": "own", "emptyDir": {}}],
}}

test_what_joins_pods_mounts_what_they_mount if {
	carried.of(sidecars) == [{
		"object": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"metadata": {}, "spec": {
			"restartPolicy": "Never",
			"initContainers": [sidecars.spec.initContainers[0]],
			"containers": [object.union(sidecars.spec.containers[0], {"volumeMounts": [{"name": "own", "mountPath": "/o"}, {"name": "of-the-pod", "mountPath": "/var/lib/postgresql"}]})],
			"volumes": [
				{"name": "own", "emptyDir": {}},
				{"name": "data", "persistentVolumeClaim": {"claimName": "data-of-the-pod"}},
				{"name": "of-the-pod", "persistentVolumeClaim": {"claimName": "of-the-pod-of-the-pod"}},
			],
		}}}},
		"words": "its containers",
		"at": ["spec"],
		"paths": [
			{"from": ["spec", "template", "spec", "containers", 0], "to": ["spec", "containers", 0]},
			{"from": ["spec", "template", "spec", "initContainers"], "to": ["spec", "initContainers"]},
		],
	}]
}

spark(driver) := carried.of({"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication", "metadata": {"name": "a"}, "spec": object.union({"volumes": [{"name": "v", "emptyDir": {}}], "volumeClaimTemplates": [{"metadata": {"name": "w"}}]}, {"driver": driver})})

test_containers_at_any_depth if {
	[one] := spark({"sidecars": [{"name": "s", "command": ["x"], "volumeMounts": [{"name": "z", "mountPath": "/z"}]}]})
	one.at == ["spec", "driver"]
	one.object.kind == "ReplicaSet"
	one.object.spec.template.spec.volumes == [{"name": "v", "emptyDir": {}}, {"name": "w", "persistentVolumeClaim": {"claimName": "w"}}]
	one.object.spec.template.spec.containers == [{"name": "s", "command": ["x"], "volumeMounts": [{"name": "z", "mountPath": "/z"}]}]
	one.paths[0] == {"from": ["spec", "template", "spec", "containers", 0], "to": ["spec", "driver", "sidecars", 0]}
	spark({"containers": [{"name": "s"}], "sidecars": "junk"}) == []
}

sensor(resource) := carried.of({"apiVersion": "argoproj.io/v1alpha1", "kind": "Sensor", "spec": {"triggers": [{"template": {"k8s": {"source": {"resource": resource}}}}]}})

test_manifests_at_any_depth if {
	pods := {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": {"containers": [{"image": "x", "command": ["y"]}]}}}}
	[[one.words, one.at, one.paths] | some one in sensor(pods)] == [["Job j", ["spec", "triggers", 0, "template", "k8s", "source", "resource"], [{"from": [], "to": ["spec", "triggers", 0, "template", "k8s", "source", "resource"]}]]]
	sensor({"apiVersion": "v1", "kind": "Pod", "name": "x"}) == []
}

blueprint(args) := [[one.at, one.object.spec.template.spec.containers[0].command, count(object.get(one.object.spec.template.spec.containers[0], "volumeMounts", []))] |
	some one in carried.of({"apiVersion": "cr.kanister.io/v1alpha1", "kind": "Blueprint", "actions": {"backup": {"phases": [{"func": "f", "args": args}]}}})
]

test_commands_in_other_pods if {
	place := ["actions", "backup", "phases", 0, "args"]
	blueprint({"command": ["a", "b"]}) == [[place, ["a", "b"], 1]]
	blueprint({"command": ["a"], "image": "i"}) == [[place, ["a"], 0]]
	blueprint({"command": ["a"], "image": "i", "podOverride": {"volumes": []}}) == [[place, ["a"], 1]]
	blueprint({"operation": "create", "spec": "kind: Pod"}) == [[place, ["sh", "-c", "kind: Pod"], 1]]
	blueprint({"command": "a b"}) == [[place, ["sh", "-c", "a b"], 1]]
	blueprint({"spec": "x"}) == []
	[one] := spark({"containers": [{"name": "s", "image": "i", "lifecycle": {"postStart": {"exec": {"command": ["x"]}}}}]})
	one.at == ["spec", "driver"]
}

test_other_kinds if {
	every o in [
		{"apiVersion": "nobody.example/v1", "kind": "Wrapper", "spec": {"containers": [{"image": "x"}]}},
		{"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "spec": {"sidecars": [{"name": "x", "image": "x"}]}},
		{"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}},
	] {
		carried.of(o) == []
	}
}
