package walguard.lib.files_test

import data.walguard.lib.files

seen(mounts) := [[file.file, file.text] | some file in found] if {
	found := files.mounted({"volumeMounts": mounts}, [{"name": "c", "configMap": {"name": "c"}}, {"name": "d", "emptyDir": {}}]) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"a.sh": "A", "b.sh": "B"}}}}}}},
	}
}

test_mounted if {
	seen([{"name": "c", "mountPath": "/scripts/"}]) == [["/scripts/a.sh", "A"], ["/scripts/b.sh", "B"]]
	seen([{"name": "c", "mountPath": "/scripts", "subPath": "."}]) == [["/scripts/a.sh", "A"], ["/scripts/b.sh", "B"]]
	seen([{"name": "c", "mountPath": "/a.sh", "subPath": "a.sh"}]) == [["/a.sh", "A"]]
	seen([{"name": "d", "mountPath": "/a"}, {"name": "elsewhere", "mountPath": "/b"}, {"mountPath": "/c"}]) == []
}

named(name) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": {"a": name, name: name}}

test_the_later_of_two_sources if {
	found := files.of({"directory": "/c"}, {"projected": {"sources": [{"configMap": {"name": "x"}}, {"configMap": {"name": "y"}}]}}) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {name: named(name) | some name in ["x", "y"]}}}}},
	}
	[[file.file, file.text] | some file in found] == [["/c/x", "x"], ["/c/a", "y"], ["/c/y", "y"]]
}
