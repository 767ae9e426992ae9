package walguard.each_test

import data.walguard.each

container(name, args) := {"name": name, "image": "postgres:17", "args": args, "volumeMounts": [{"name": name, "mountPath": "/var/lib/postgresql/data"}]}

# A StatefulSet of several servers.
servers(containers) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"template": {"spec": {"containers": containers}},
		"volumeClaimTemplates": [{"metadata": {"name": c.name}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}} | some c in containers],
	},
}

off := ["-c", "full_page_writes=off"]

found(containers) := {[f.path[4], f.message] |
	some f in each.findings with input as {"review": {"object": servers(containers)}}
	f.check == "durability/full_page_writes"
}

test_others_are_told_by_name if {
	told := found([container("main", []), container("copy", off), container("third", off)])
	{path | some [path, _] in told} == {1, 2}
	every one in told {
		startswith(one[1], sprintf("For container %s: full_page_writes=off on ", [{1: "copy", 2: "third"}[one[0]]]))
	}
}

# What is found for the first one is the verdict's.
test_first_one_is_not_told_again if {
	found([container("main", off), container("copy", [])]) == set()
	found([container("main", off)]) == set()
}

test_limit if {
	told := found([container("main", []), container("b", off), container("a", off)]) with each.limit as 1
	{path | some [path, _] in told} == {2}
}
