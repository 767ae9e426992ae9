package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Claims that ask for something else than storage, which alone a claim must ask for; see walguard.model. The API server takes such a template of a StatefulSet, and refuses the claims that come of it.
facts contains {"unsized_claims": unsized_claims} if count(unsized_claims) > 0

unsized_claims := array.concat(
	[{"written": asked[0], "path": array.concat(place, ["resources", "requests", asked[0]])} |
		server
		some place in templates
		asked := asked_instead(k8s.object, place)
	],
	[{"written": asked[0], "path": ["spec", "resources", "requests", asked[0]], "resource": k8s.reference(claim)} |
		server
		some volume in volumes
		claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", get.string(volume.volume, ["persistentVolumeClaim", "claimName"]))
		asked := asked_instead(claim, ["spec"])
	],
)

asked_instead(parent, place) := asked if {
	asked := sort([name | some name, _ in get.map(parent, array.concat(place, ["resources", "requests"]))])
	count(asked) > 0
	not "storage" in asked
	count([1 | some name in asked; placeholder.unknown(name)]) == 0
}
