package walguard.lib.scheduling_test

import data.walguard.lib.scheduling

# What is said of pods with these labels to choose nodes by, and with these terms of an affinity.
zone(selector, terms) := scheduling.pinned_zone(
	{"s": selector, "a": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}},
	["s"], ["a"],
)

node(selector, terms) := scheduling.pinned_node(
	{"s": selector, "a": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}},
	["s"], ["a"],
)

wanted(key, operator, values) := [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}, {"key": key, "operator": operator, "values": values}]}]

at := ["a", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", 0, "matchExpressions", 1]

test_zone if {
	every label in ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"] {
		zone({label: "a"}, []) == {"value": "a", "origin": "written", "path": ["s", label]}
		zone({}, wanted(label, "In", ["a"])) == {"value": "a", "origin": "written", "path": at}
		not node({label: "a"}, [])
	}
	not zone({"topology.kubernetes.io/region": "a"}, [])
	not zone({}, [])
}

test_node if {
	node({"kubernetes.io/hostname": "n"}, []) == {"value": "every instance must run on node n", "origin": "written", "path": ["s", "kubernetes.io/hostname"]}
	node({"kubernetes.io/hostname": "n"}, wanted("kubernetes.io/hostname", "In", ["m"])).path == ["s", "kubernetes.io/hostname"]
	not zone({"kubernetes.io/hostname": "n"}, [])
}

# Several values leave a choice, several terms too.
test_choice if {
	label := "topology.kubernetes.io/zone"
	not zone({}, wanted(label, "In", ["a", "b"]))
	not zone({}, wanted(label, "In", []))
	not zone({}, wanted(label, "In", [3]))
	not zone({}, wanted(label, "NotIn", ["a"]))
	not zone({}, array.concat(wanted(label, "In", ["a"]), wanted(label, "In", ["b"])))
}
