package walguard.carried_test

import data.main
import data.walguard.carried

server(args) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db"},
	"spec": {
		"template": {"spec": {"containers": [
			{"name": "main", "image": "postgres:17", "args": args, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
			{"name": "copy", "image": "postgres:17", "args": args, "volumeMounts": [{"name": "copy", "mountPath": "/var/lib/postgresql/data"}]},
		]}},
		"volumeClaimTemplates": [{"metadata": {"name": name}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}} | some name in ["data", "copy"]],
	},
}

template(objects) := {"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "t", "namespace": "shop"}, "objects": objects}

off := ["-c", "fsync=off"]

found(review) := {[f.path, f.action, split(f.message, " on ")[0]] |
	some f in carried.findings with input as {"review": review, "parameters": {"mode": "enforce"}}
	f.check == "durability/fsync"
	f.resource.kind == "Template"
}

place(i, c) := ["objects", i, "spec", "template", "spec", "containers", c, "args", 1]

test_found_where_it_stands if {
	told := found({"object": template([{}, server(off)])})
	{path | some [path, _, _] in told} == {place(1, 0), place(1, 1)}
	every one in told {
		startswith(one[2], "In StatefulSet db: ")
	}
	found({"object": template([server([])])}) == set()
	found({"object": server(off)}) == set()
}

test_of_lists_too if {
	some f in main.findings with input as [{"path": "a.yaml", "contents": template([server(off)])}]
	f.check == "durability/fsync"
	f.resource.name == "t"
}

test_of_an_update_what_was_there_is_a_warning if {
	review := {"operation": "UPDATE", "object": template([server(off)])}
	{action | some [_, action, _] in found(object.union(review, {"oldObject": template([server([])])}))} == {"deny"}
	{action | some [_, action, _] in found(object.union(review, {"oldObject": template([server(off)])}))} == {"warn"}
	{action | some [_, action, _] in found(object.union(review, {"oldObject": template([])}))} == {"deny"}
}

run(list) := {"apiVersion": "tekton.dev/v1", "kind": "Task", "metadata": {"name": "t"}, "spec": {"steps": [{"image": "postgres", "script": text} | some text in list]}}

test_of_pods_and_steps_the_place_is_compared if {
	loss := "psql -c 'ALTER SYSTEM SET fsync = off'"
	told := {[f.path, f.action] |
		some f in carried.findings with input as {"review": {"operation": "UPDATE", "object": run([loss, loss]), "oldObject": run([loss])}, "parameters": {"mode": "enforce"}}
		f.check == "durability/fsync"
	}
	told == {[["spec", "steps", 0], "warn"], [["spec", "steps", 1], "deny"]}
}

test_others_beside_it_are_read if {
	mounted := json.patch(server([]), [
		{"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["-c", "config_file=/c/postgresql.conf"]},
		{"op": "add", "path": "/spec/template/spec/containers/0/volumeMounts/-", "value": {"name": "c", "mountPath": "/c"}},
		{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "c", "configMap": {"name": "c"}}]},
	])
	told := found({"object": template([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"postgresql.conf": "fsync = off\n"}}, mounted])})
	{path | some [path, _, _] in told} == {["objects", 0, "data", "postgresql.conf"]}
}

# Whoever looks for clusters finds one in a template.
test_what_is_recognised if {
	recognised(template([server(off)])) == true
	recognised(template([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}])) == false
	recognised(server(off)) == true
}

recognised(o) := seen if seen := main.judgement.recognised with input as {"review": {"object": o}}
