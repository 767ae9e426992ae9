package walguard.lib.machine_test

import data.walguard.lib.machine

gibibyte := 1073741824

size(name) := [found.cores_thousandths, found.memory_bytes / gibibyte] if found := machine.size(name)

test_sizes if {
	size("m6i.4xlarge") == [16000, 64]
	size("r8g.large") == [2000, 16]
	size("c7gn.xlarge") == [4000, 8]
	size("m7i-flex.2xlarge") == [8000, 32]
	size("i4i.16xlarge") == [64000, 512]
	size("ecs.g7.4xlarge") == [16000, 64]
	size("n2-standard-16") == [16000, 64]
	size("c3-highmem-4") == [4000, 32]
	size("Standard_D16s_v5") == [16000, 64]
	size("Standard_E8ds_v5") == [8000, 64]
}

test_what_a_name_does_not_tell if {
	every name in ["", "c5n.large", "m5.metal", "x1e.32xlarge", "n1-standard-4", "n2-highcpu-8", "Standard_E64s_v3", "Standard_E16-8s_v5", "Standard_D2_v2", "m5.0xlarge", "db.m5.large"] {
		not machine.size(name)
	}
}

types(pod) := found if found := machine.types(pod, ["nodeSelector"], ["affinity"])

affinity(terms) := {"affinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}

term(operator, values) := {"matchExpressions": [{"key": "node.kubernetes.io/instance-type", "operator": operator, "values": values}]}

test_selector if {
	types({"nodeSelector": {"node.kubernetes.io/instance-type": "m6i.large"}}) == {"value": ["m6i.large"], "origin": "written", "path": ["nodeSelector", "node.kubernetes.io/instance-type"]}
	types({"nodeSelector": {"beta.kubernetes.io/instance-type": "m6i.large"}}).value == ["m6i.large"]
}

test_affinity if {
	types(affinity([term("In", ["m6i.large", 3]), term("In", ["m6i.xlarge"])])) == {
		"value": ["m6i.large", "m6i.xlarge"],
		"origin": "written",
		"path": ["affinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"],
	}
}

test_any_machine if {
	not types({})
	not types({"nodeSelector": {"disk": "ssd"}})
	not types(affinity([term("NotIn", ["m6i.large"])]))
	not types(affinity([term("In", ["m6i.large"]), {"matchExpressions": []}]))
	not types({"nodeSelector": 1, "affinity": []})
}

test_largest_of_the_e_series if {
	size("Standard_E48s_v5") == [48000, 384]
	not machine.size("Standard_E49s_v5")
}
