# METADATA
# description: |
#   Who made the object under review. Everybody may write ownerReferences and labels, so that they count only where they lead to an object
#   that exists, by group, kind, name and uid. In files, which know no uid, the owner has to be among them.
package walguard.lib.owner

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: The owners of the object under review that are in sight, of one apiVersion and kind.
in_sight(api_version, kind) := of(k8s.object, k8s.namespace, api_version, kind)

# METADATA
# description: The same of another object.
of(o, namespace, api_version, kind) := [found |
	some reference in get.list(o, ["metadata", "ownerReferences"])
	is_object(reference)
	get.string(reference, "kind") == kind
	k8s.group_of(get.string(reference, "apiVersion")) == k8s.group_of(api_version)
	found := inventory.namespaced_object(namespace, api_version, kind, get.string(reference, "name"))
	same(reference, found)

	# What its operator no longer writes anew is anybody's.
	not get.present(found, ["metadata", "deletionTimestamp"])
	not get.boolean(found, ["spec", "unmanaged"])
]

same(reference, found) if get.string(reference, "uid") == get.string(found, ["metadata", "uid"])

same(_, found) if not get.string(found, ["metadata", "uid"])

# METADATA
# description: |
#   True where a controller of Kubernetes itself sends the request, whose name nobody in a namespace can have.
by_kubernetes if k8s.user == "system:kube-controller-manager"

by_kubernetes if startswith(k8s.user, "system:serviceaccount:kube-system:")

by_kubernetes if startswith(k8s.user, "system:node:")
