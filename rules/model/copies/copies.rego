# METADATA
# description: |
#   What copies the files of a cluster's data volumes while the server runs, {"tool", "cure", "path", "resource"?}: Velero by an annotation of the
#   pods ("annotations" of walguard.model), VolSync by a ReplicationSource in sight that names a claim of the cluster.
# custom:
#   kinds:
#     - {group: volsync.backube, versions: [v1alpha1], kind: ReplicationSource, plural: replicationsources, namespaced: true, role: support, served: false}
package walguard.model.copies

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model
import data.walguard.model.claims

of_files := array.concat(by_velero, by_volsync)

by_velero := [{"tool": "Velero", "cure": "Use CSI snapshots, or a pre.hook.backup.velero.io/command that writes a dump elsewhere", "path": array.concat(annotated.path, ["backup.velero.io/backup-volumes"])} |
	annotated := model.cluster.annotations
	annotations := get.map(k8s.object, annotated.path)
	names := {trim_space(name) | some name in split(get.string(annotations, "backup.velero.io/backup-volumes"), ",")}
	annotated.volume in names
	count([1 | some key in object.keys(annotations); endswith(key, "hook.backup.velero.io/command")]) == 0
]

by_volsync := [{"tool": sprintf("VolSync (copyMethod Direct of %s)", [source.metadata.name]), "cure": "Set copyMethod to Snapshot", "path": ["spec", mover, "copyMethod"], "resource": k8s.reference(source)} |
	some source in inventory.list(k8s.namespace, "volsync.backube/v1alpha1", "ReplicationSource")
	ours(get.string(source, ["spec", "sourcePVC"]))
	some mover in ["restic", "rclone", "rsync", "rsyncTLS"]
	get.string(source, ["spec", mover, "copyMethod"]) == "Direct"
]

ours(name) if regex.match(model.cluster.data_claims, name)

ours(name) if {
	some claim in claims.claims
	claim.role == "data"
	claim.resource.kind == "PersistentVolumeClaim"
	claim.resource.name == name
}
