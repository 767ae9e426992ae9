package walguard.lib.inventory_test

import data.walguard.lib.inventory

class(name, annotations) := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name, "annotations": annotations}}

default_class := class("std", {"storageclass.kubernetes.io/is-default-class": "true"})

backup := {"apiVersion": "g/v1", "kind": "Backup", "metadata": {"name": "b", "namespace": "n"}, "v": 1}

documents := [default_class, class("fast", {}), object.union(backup, {"v": 0}), backup, {"kind": "Backup"}]

tree := inventory.from_documents(documents)

with_tree(complete) := {"inventory": object.union(tree, {"complete": complete})}

test_lookups if {
	[given, kept] := [with_tree(false), backup]
	inventory.storage_class("fast") == class("fast", {}) with input as given
	inventory.namespaced_object("n", "g/v1", "Backup", "b") == kept with input as given
	inventory.list("n", "g/v1", "Backup") == [kept] with input as given
	inventory.list("other", "g/v1", "Backup") == [] with input as given
	not inventory.storage_class("absent") with input as given
}

test_without_inventory if {
	not inventory.storage_class("fast") with input as {}
	inventory.list("n", "g/v1", "Backup") == [] with input as {}
	inventory.list("n", "g/v1", "Backup") == [] with input as {"inventory": {"namespace": [1]}}
	not inventory.complete with input as {}
}

test_data_inventory if {
	inventory.storage_class("fast") == class("fast", {}) with input as {} with data.inventory as tree
	not inventory.storage_class("fast") with input as {"inventory": {}} with data.inventory as tree
}

test_data_inventory_of_many_objects if {
	[given, kept] := [tree, backup]
	inventory.namespaced_object("n", "g/v1", "Backup", "b") == kept with input as {} with data.inventory as given
	inventory.list("n", "g/v1", "Backup") == [kept] with input as {} with data.inventory as given
	inventory.list("other", "g/v1", "Backup") == [] with input as {} with data.inventory as given
	inventory.everywhere("g/v1", "Backup") == [kept] with input as {} with data.inventory as given
	object.keys(inventory.cluster_by_name("storage.k8s.io/v1", "StorageClass")) == {"std", "fast"} with input as {} with data.inventory as given
	inventory.cluster_by_name("storage.k8s.io/v1", "Other") == {} with input as {} with data.inventory as given
	inventory.complete with input as {} with data.inventory as {"complete": true}
	not inventory.complete with input as {"inventory": {}} with data.inventory as {"complete": true}
}

test_default_class_needs_a_complete_inventory if {
	[whole, part, expected] := [with_tree(true), with_tree(false), default_class]
	inventory.default_storage_class == expected with input as whole
	not inventory.default_storage_class with input as part
}

test_two_defaults_are_none if {
	two := inventory.from_documents([default_class, object.union(default_class, {"metadata": {"name": "other"}})])
	not inventory.default_storage_class with input as {"inventory": object.union(two, {"complete": true})}
}

test_volume_attributes_class if {
	gold := {"apiVersion": "storage.k8s.io/v1beta1", "kind": "VolumeAttributesClass", "metadata": {"name": "gold"}}
	inventory.volume_attributes_class("gold") == gold with input as {"inventory": inventory.from_documents([gold])}
	not inventory.volume_attributes_class("gold") with input as {}
}

test_hostile if {
	count([1 | some i in [null, 1, [], "x"]; inventory.storage_class("x") with input as {"inventory": i}]) == 0
	inventory.from_documents([]) == {"cluster": {}, "namespace": {}}
}

namespaces(n) := {sprintf("n%d", [i]): {"g/v1": {"K": {"a": {"i": i}, "b": {}, "c": "hostile"}}} |
	some i in numbers.range(1, n)
}

reviewed(fields, n) := {
	"review": object.union({"object": {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "a", "namespace": "n1"}}}, fields),
	"inventory": {"namespace": namespaces(n)},
}

test_neighbours if {
	inventory.neighbours(["s3://b/a"]) == [{"title": "n2/a", "object": {"i": 2}}] with input as reviewed({}, 2)
	[n.title | some n in inventory.neighbours(["s3://b"])] == ["n1/b", "n2/a", "n2/b"] with input as reviewed({}, 2)
	inventory.neighbours(["/n1/a", "s3://b/n1/a"]) == [] with input as reviewed({}, 2)
	inventory.neighbours([]) == [] with input as reviewed({}, 2)
}

test_neighbours_among_hostile_values if {
	every hostile in ["r", [], {"n": "r"}, {"n": {"v1": "r"}}, {"n": {"v1": {"X": "r"}}}] {
		asked := {"review": reviewed({}, 2).review, "inventory": {"namespace": hostile}}
		inventory.neighbours(["s3://b/a"]) == [] with input as asked
		inventory.neighbours(["s3://b"]) == [] with input as asked
	}
}

test_neighbours_in_data if {
	review := {"review": reviewed({}, 2).review}
	inventory.neighbours(["s3://b/a"]) == [{"title": "n2/a", "object": {"i": 2}}] with input as review with data.inventory.namespace as namespaces(2)
	[n.title | some n in inventory.neighbours(["s3://b"])] == ["n1/b", "n2/a", "n2/b"] with input as review with data.inventory.namespace as namespaces(2)
}

test_neighbours_are_not_compared_each_with_each if {
	inventory.neighbours(["a"]) == [] with input as reviewed({}, 101)
	count(inventory.neighbours(["a"])) == 100 with input as reviewed({"operation": "CREATE"}, 101)
	inventory.neighbours(["s3://b"]) == [] with input as reviewed({}, 101)
	count(inventory.neighbours(["s3://b"])) == 201 with input as reviewed({"operation": "CREATE"}, 101)
	inventory.neighbours(["s3://b"]) == [] with input as {"review": {"object": {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "a"}}}}
}

test_served if {
	inventory.served with input as {"inventory": {"live": true}}
	inventory.served with input as {"review": {"operation": "CREATE"}, "inventory": {}}
	not inventory.served with input as {"inventory": {"complete": true}}
}

test_objects_of_files if {
	files := {
		"namespace": {"n": {"g/v1": {"Backup": {"b": true}}}},
		"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": true}}},
	}
	every row in [[backup, true], [object.union(backup, {"metadata": {"name": "c"}}), false], [class("fast", {}), true], [class("std", {}), false]] {
		held := [1 | inventory.from_file(row[0])] with input as {"inventory": {"files": files}}
		count(held) == {true: 1, false: 0}[row[1]]
	}
	not inventory.from_file(backup) with input as {"inventory": {}}
}
