# METADATA
# description: |
#   What copies the files of a cluster's data volumes while the server runs, {"tool", "cure", "path", "resource"?}: Velero by an annotation of the
#   pods ("annotations" of walguard.model), VolSync by a ReplicationSource in sight that names a claim of the cluster, and a CronJob
#   that packs or copies what it mounts.
# custom:
#   kinds:
#     - {group: volsync.backube, versions: [v1alpha1], kind: ReplicationSource, plural: replicationsources, namespaced: true, role: support, served: false}
package walguard.model.copies

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.claims

of_files := array.concat(array.concat(by_velero, by_volsync), by_jobs)

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

# A CronJob that mounts the claim of the data and packs or copies what lies there, without asking the server or stopping it.
by_jobs := [{"tool": sprintf("CronJob %s (%s)", [job.metadata.name, words[1]]), "cure": "Use pg_dump or pg_basebackup, or CSI snapshots", "path": ["spec", "jobTemplate", "spec", "template", "spec", "volumes"], "resource": k8s.reference(job)} |
	some job in inventory.list(k8s.namespace, "batch/v1", "CronJob")
	pod := get.map(job, ["spec", "jobTemplate", "spec", "template", "spec"])
	some volume in get.list(pod, "volumes")
	ours(get.string(volume, ["persistentVolumeClaim", "claimName"]))
	some one in get.list(pod, "containers")
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == get.string(volume, "name")
	command := concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)])
	words := regex.find_all_string_submatch_n(`(?:^|[\s;&|])(tar|rsync|cp|restic|rclone|zip)\s`, command, 1)[0]
	regex.match(sprintf(`(?:^|[\s;&|])%s\s[^;&|]*%s(?:[/\s]|$)`, [words[1], text.literal(trim_right(get.string(mounted, "mountPath"), "/"))]), command)
	not regex.match(`\b(pg_dump|pg_dumpall|pg_basebackup|pg_backup_start|pg_start_backup|kubectl|psql)\b`, command)
]

ours(name) if regex.match(model.cluster.data_claims, name)

ours(name) if {
	some claim in claims.claims
	claim.role == "data"
	claim.resource.kind == "PersistentVolumeClaim"
	claim.resource.name == name
}
