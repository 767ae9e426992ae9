# METADATA
# description: |
#   Which resources an entry of the policy configuration is about: {"namespace"?, "kind"?, "name"?}, patterns of walguard.lib.glob,
#   of which at least one is there and all hold.
package walguard.lib.scope

import data.walguard.lib.glob
import data.walguard.lib.k8s

# METADATA
# description: True of a resource (a reference as findings carry it) within a scope.
covers(scope, resource) if {
	is_object(scope)
	stated := object.filter(scope, ["namespace", "kind", "name"])
	count(stated) > 0
	placed := object.union(resource, {"namespace": namespace(resource)})
	count([key | some key, pattern in stated; not glob.matches(pattern, placed[key])]) == 0
}

# Where a manifest names none, and the API server's request does.
namespace(resource) := resource.namespace if resource.namespace != ""

namespace(resource) := k8s.namespace if resource.namespace == ""

# METADATA
# description: True of the object under review within a scope.
covers_reviewed(scope) if covers(scope, k8s.reference(k8s.object))
