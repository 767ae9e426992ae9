# METADATA
# title: The only copy of the data lies on one node
# description: |
#   A local volume, local-path or a hostPath is a directory of one machine. With one instance and no physical backup
#   there is no other copy: when the machine or its disk is gone, so is the database, and until it is back nothing can start elsewhere.
#   Node-local disks are fast, and fine under replicas. Beside an archive the data are safe, and one instance is still tied to its node: an info. Where the StorageClass is not among the files, the name that such a provisioner is installed with tells (local-path).
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/volumes/#local
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Run a second instance on another node, or archive WAL and schedule base backups.
#   sources: []
package walguard.checks.storage.node_local_single_copy

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.cluster.instances.value == 1
	model.cluster.archiving.value in {"off", "discards"}
	not model.partial
	not model.cluster.change

	# A replica cluster is a copy itself.
	not model.cluster.follows
	some id, volume in model.data_volumes
	title := disk.on_one_node(volume)
	count(model.running_schedules) == 0
	f := graded(volume, finding.at(disk.place(volume, "class_path"), sprintf("%s on one node (%s), with one instance and no physical backup: when the node is gone, so is the database. Run a second instance, or archive WAL and schedule base backups.", [
		disk.titled(model.volumes, id),
		title,
	])))
}

graded(volume, f) := f if volume.disk.local

# By its name alone.
graded(volume, f) := finding.with_severity(f, "info") if not volume.disk.local

# Backed up, and still tied to the node.
findings contains f if {
	model.cluster.instances.value == 1
	model.cluster.archiving.value == "on"
	not model.partial
	not model.cluster.change
	some id, volume in model.data_volumes
	title := disk.on_one_node(volume)
	f := finding.with_severity(
		finding.at(disk.place(volume, "class_path"), sprintf("%s on one node (%s), with one instance: it cannot start anywhere else, so that every restart of the node is an outage. Run a second instance.", [
			disk.titled(model.volumes, id),
			title,
		])),
		"info",
	)
}
