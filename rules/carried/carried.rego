# METADATA
# description: |
#   What is found in the objects that stand inside the object under review (walguard.lib.carried), each judged with the others beside it. A finding is told of the object
#   under review, at the place where the other one stands in it, and without a fix.
package walguard.carried

import data.walguard.each
import data.walguard.lib.carried
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.verdict

findings contains finding if {
	some one in reviews
	some found in verdict.findings with input as one.input
	finding := told(one.of, found)
}

findings contains finding if {
	some one in reviews
	some found in each.findings with input as one.input
	finding := told(one.of, found)
}

# METADATA
# description: True where one of them is a PostgreSQL cluster, or changes one.
recognised if {
	some one in reviews
	count([title | title := model.title; not model.cluster.client]) > 0 with input as one.input
}

reviews := [{"of": one, "input": asked} |
	some one in carried.objects
	asked := object.union(object.filter(input, ["now"]), {
		"review": object.union_n([object.remove(k8s.review, ["oldObject", "object", "notices"]), {"object": one.object, "namespace": home, "inside": k8s.kind}, former(one)]),
		"parameters": settings.configuration,
		"inventory": object.union(inventory.handed, beside),
	})
]

home := k8s.namespace

# Without a namespace an object goes where the one under review is.
beside := inventory.from_documents(array.concat(inner, [object.union(o, {"metadata": {"namespace": home}}) |
	some o in inner
	not get.string(o, ["metadata", "namespace"])
]))

inner := [one.object | some one in carried.objects]

# Of one that was not there before, all is new.
former(one) := {"oldObject": before[0]} if {
	k8s.operation == "UPDATE"
	before := [old.object |
		some old in carried.of(k8s.old_object)
		old.object.kind == one.object.kind
		get.string(old.object, ["metadata", "name"]) == get.string(one.object, ["metadata", "name"])
		same_place(old, one)
	]
	count(before) > 0
} else := {"operation": "CREATE"} if {
	k8s.operation
} else := {}

# Of pods and steps there are several of one name.
same_place(old, one) if old.at == one.at

same_place(_, one) if {
	count(one.paths) == 1
	one.paths[0].from == []
}

told(of, found) := object.union(
	object.remove(found, ["fix", "suggestion", "related", "line", "resource", "path", "message"]),
	{
		"resource": k8s.reference(k8s.object),
		"path": place(home_of(of, found), path_of(of, found)),
		"message": sprintf("In %s: %s", [of.words, found.message]),
	},
)

# What is written in one beside it stands there.
home_of(of, found) := others[0] if {
	others := [other |
		some other in carried.objects
		other.at != of.at
		found.resource != k8s.reference(of.object)
		object.remove(k8s.reference(other.object), ["namespace"]) == object.remove(found.resource, ["namespace"])
	]
	count(others) > 0
} else := of

path_of(of, found) := found.path if {
	found.resource == k8s.reference(of.object)
} else := found.path if {
	home_of(of, found) != of
} else := []

place(of, path) := found[0] if {
	found := [array.concat(one.to, array.slice(path, count(one.from), count(path))) |
		some one in of.paths
		array.slice(path, 0, count(one.from)) == one.from
	]
	count(found) > 0
} else := of.at
