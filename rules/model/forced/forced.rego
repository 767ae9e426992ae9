# METADATA
# description: |
#   What deletes the resource under review and creates it anew where the API server refuses a change of it, and the volumes with it where the operator removes them: Flux, which takes every "Invalid" for an immutable field
#   (fluxcd/pkg, ssa/errors: IsImmutableError), by spec.force of its Kustomization or an annotation, and Argo CD by the options Force and Replace. An annotation does not except a resource from spec.force. Which Kustomization
#   a file belongs to is not known: all of them say so, or nothing is known.
# related_resources:
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#force
#   - https://github.com/devantler-tech/platform/pull/2159
#   - https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/
package walguard.model.forced

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# METADATA
# description: '{"reason", "cure": sentences without the full stop, "level", "path", "resource"?}.'
recreations := [object.union(one, {"level": level}) |
	volumes_go
	some one in array.concat(annotated, array.concat(replaced, of_kustomizations))
	level := level_of(one)
]

volumes_go if {
	model.cluster.claims_go
	not model.cluster.claims_kept
}

volumes_go if {
	some deletion in get.list(model.cluster, "deletions")
	regex.match(`volumes|claims`, deletion.what)
	object.get(deletion, "when", "deleted") == "deleted"
}

# A resource that says "disabled" is meant to be excepted, which it is not.
level_of(one) := "info" if {
	one.whole
	mark == "disabled"
} else := "error" if {
	"Delete" in kept_by
} else := "warning" if {
	count(kept_by) == 0
}

# The policies of the classes that are in sight, of the volumes with the data; one that retains them lets nothing be lost.
kept_by := {object.get(volume.class, "reclaimPolicy", "Delete") | some id, volume in model.page_volumes; volume.class; disk.leads(model.page_volumes, id)}

mark := get.lower_case(get.text(marks[0])) if {
	marks := [value | some field in ["annotations", "labels"]; value := object.get(k8s.object, ["metadata", field, "kustomize.toolkit.fluxcd.io/force"], null); value != null]
	count(marks) > 0
}

annotated := [{
	"reason": "kustomize.toolkit.fluxcd.io/force: enabled has Flux delete this resource with its volumes, and create it anew and empty, when the API server refuses a change (an immutable field, a smaller volume)",
	"cure": "Take it out",
	"path": ["metadata"],
} |
	mark == "enabled"
]

replaced := [{
	"reason": "Force=true and Replace=true have Argo CD delete this resource with its volumes, and create it anew and empty, when it syncs",
	"cure": "Take them out of argocd.argoproj.io/sync-options",
	"path": ["metadata", "annotations", "argocd.argoproj.io/sync-options"],
} |
	options := {trim_space(option) | some option in split(get.string(k8s.annotations, "argocd.argoproj.io/sync-options"), ",")}
	count(options & {"Force=true", "Replace=true"}) == 2
]

of_kustomizations := [{
	"reason": sprintf("Kustomization %s has force: true: when the API server refuses a change (an immutable field, a smaller volume), Flux deletes this resource with its volumes, and creates it anew and empty", [get.string(forcing[0], ["metadata", "name"])]),
	"cure": "Set force: false there",
	"path": ["spec", "force"],
	"resource": k8s.reference(forcing[0]),
	"whole": true,
} |
	count(annotated) == 0
	placeholder.honoured
	count(forcing) > 0
	count(forcing) == count(kustomizations)
	count(excluded) == 0
]

# Then Flux leaves it alone, or applies it once.
excluded := [1 |
	some name, values in {"reconcile": {"disabled"}, "ssa": {"ignore", "ifnotpresent"}}
	some field in ["annotations", "labels"]
	get.lower_case(get.text(object.get(k8s.object, ["metadata", field, sprintf("kustomize.toolkit.fluxcd.io/%s", [name])], ""))) in values
]

kustomizations := [o |
	some version in ["v1", "v1beta2", "v1beta1"]
	some o in inventory.in_all_files(sprintf("kustomize.toolkit.fluxcd.io/%s", [version]), "Kustomization")
]

forcing := [o | some o in kustomizations; get.boolean(o, ["spec", "force"])]
