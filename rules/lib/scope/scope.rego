# METADATA
# description: |
#   Which resources an entry of the policy configuration is about: {"namespace"?, "kind"?, "name"?}, patterns of walguard.lib.glob,
#   of which at least one is there and all hold. In a cluster a namespace has to be among them ("*" for all): a name is chosen by whoever makes
#   the object, so that everybody could take one that is covered.
package walguard.lib.scope

import data.walguard.lib.glob
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: True of a resource (a reference as findings carry it) within a scope.
covers(scope, resource) if {
	is_object(scope)
	stated := object.filter(scope, ["namespace", "kind", "name"])
	count(stated) > 0
	bound(stated, resource)
	placed := object.union(resource, {"namespace": namespace(resource)})
	count([key | some key, pattern in stated; not glob.matches(pattern, placed[key])]) == 0
}

bound(stated, _) if stated.namespace

# Files are judged where they lie.
bound(stated, _) if {
	not stated.namespace
	not inventory.served
}

# Only administrators name what is of the cluster scope.
bound(stated, resource) if {
	not stated.namespace
	resource.kind in without_namespace
}

without_namespace := {"StorageClass", "ClusterImageCatalog", "KubeletConfig", "MachineConfig"}

# METADATA
# description: |
#   True of a scope for objects of a namespace that names none: it covers nothing in a cluster. One without a kind may be meant for what is of
#   the cluster scope.
homeless(scope) if {
	is_object(scope)
	not scope.namespace
	scope.kind
	every kind in without_namespace {
		not glob.matches(scope.kind, kind)
	}
}

# Where a manifest names none, and the API server's request does.
namespace(resource) := resource.namespace if resource.namespace != ""

namespace(resource) := k8s.namespace if resource.namespace == ""

# METADATA
# description: True of the object under review within a scope.
covers_reviewed(scope) if covers(scope, k8s.reference(k8s.object))
