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

	not left_alone(found)
]

# METADATA
# description: |
#   True of an object of which something says that its operator does not write anew what it made, so that this is anybody's: it is on its way out, paused (Percona's
#   unmanaged; paused of Crunchy's and of KubeBlocks' InstanceSet), or of another controller, API or release than this operator's.
# related_resources:
#   - https://github.com/zalando/postgres-operator/blob/master/pkg/controller/util.go
#   - https://cloudnative-pg.io/documentation/current/failure_modes/#disabling-reconciliation
left_alone(o) if get.present(o, ["metadata", "deletionTimestamp"])

left_alone(o) if {
	some field in ["paused", "unmanaged"]
	get.boolean(o, ["spec", field])
}

# What it reads stops it before it writes (gover.Must in perconapgcluster_types.go).
left_alone(o) if {
	release := get.string(o, ["spec", "crVersion"])
	not regex.match(`^v?[0-9]+(\.[0-9]+)*([-+]\S+)?$`, release)
}

# Whom the controller's is for (hasOwnership of Zalando's operator) nobody can see.
left_alone(o) if {
	some key, value in get.map(o, ["metadata", "annotations"])
	not value in object.get(heeded, key, {value})
	[key, value] != ["kubeblocks.io/crd-api-version", object.get(o, "apiVersion", "")]
}

# Of annotations by which an operator leaves alone what bears them, the values by which it does not.
heeded := {
	"acid.zalan.do/controller": set(),
	"cnpg.io/reconciliationLoop": {"enabled"},
	"kubeblocks.io/crd-api-version": {"apps.kubeblocks.io/v1"},
	"stackgres.io/reconciliation-pause": {"false"},
}

same(reference, found) if get.string(reference, "uid") == get.string(found, ["metadata", "uid"])

same(_, found) if not get.string(found, ["metadata", "uid"])

# METADATA
# description: |
#   True where a controller of Kubernetes itself sends the request, whose name nobody in a namespace can have.
by_kubernetes if k8s.user == "system:kube-controller-manager"

by_kubernetes if startswith(k8s.user, "system:serviceaccount:kube-system:")

by_kubernetes if startswith(k8s.user, "system:node:")
