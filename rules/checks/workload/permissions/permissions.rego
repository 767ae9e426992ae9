# METADATA
# title: The server cannot reach its own files
# description: |
#   A new volume belongs to root. The entrypoint of the official image starts as root, gives the data directory to postgres and becomes postgres,
#   for which it needs CHOWN, SETGID, SETUID and, from the second start on, DAC_READ_SEARCH or DAC_OVERRIDE: "drop: [ALL]" alone ends with "chown: Operation not permitted", and without DAC_OVERRIDE the second start ends, since no runtime gives DAC_READ_SEARCH of itself. Started as another user it cannot
#   do that; then fsGroup must let the server write to the volume, and PGDATA must be below the mount, because initdb changes the mode of its directory
#   and only an owner may. Bitnami's images run as user 1001. With a read-only root filesystem the directory of the socket needs a volume too,
#   in Bitnami's images that of the configuration and in Red Hat's /var/lib/pgsql. An error where the manifest alone shows it; a warning or an info where the
#   storage driver or OpenShift may make it right. A directory of the node (hostPath) belongs to root, and fsGroup changes nothing there (a warning: somebody may have given it away). Network filesystems are left to storage/network_filesystem, an init container is trusted to prepare the volume.
#   A CronJob, a Job or a program beside the server that runs pg_dump, psql or pg_isready from these images with runAsNonRoot and without runAsUser does not start either.
# related_resources:
#   - https://github.com/docker-library/postgres/blob/master/docker-entrypoint.sh
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#arbitrary---user-notes
#   - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Run the server as the user of its image with fsGroup of the same number and PGDATA below the mount, or let the entrypoint start as root with its capabilities.
#   sources: []
package walguard.checks.workload.permissions

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.model
import data.walguard.model.tools

findings contains f if {
	some fault in get.list(model.cluster, "unreachable_files")
	level := severity(fault)
	f := finding.with_severity(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), level)
}

findings contains f if {
	some one in tools.rootless
	f := finding.with_severity(finding.at(one, sprintf("Container %s of %s, which %s, has runAsNonRoot without runAsUser, and its image starts as root: the kubelet refuses it, except on OpenShift, which assigns a user. Set runAsUser (999, 70 in Alpine images).", [one.container, one.words, one.does])), one.level)
}

severity(fault) := fault.level if not fault.claim

severity(fault) := fault.level if {
	fault.anywhere
	not networked(fault)
	not on_the_node(fault)
}

# A directory of the node belongs to whom somebody gave it there.
severity(fault) := milder[fault.level] if {
	fault.anywhere
	not networked(fault)
	on_the_node(fault)
}

# A block device is formatted for the pod, and its root directory belongs to root.
severity(fault) := fault.level if {
	not fault.anywhere
	model.volumes[fault.claim].filesystem.name in {"ext2", "ext3", "ext4", "xfs", "btrfs"}
	not networked(fault)
}

# Drivers that make directories (local-path, NFS) let everybody write to them.
severity(fault) := milder[fault.level] if {
	volume := model.volumes[fault.claim]
	not fault.anywhere
	not volume.class
	not volume.filesystem
	not disk.formatted(object.get(volume, "class_name", ""))
	not regex.match(`local|host|nfs|efs`, object.get(volume, "class_name", ""))
}

# Classes of block storage by the names that clouds and their manuals give them.
severity(fault) := fault.level if {
	volume := model.volumes[fault.claim]
	not fault.anywhere
	not volume.class
	not volume.filesystem
	disk.formatted(volume.class_name)
}

milder := {"error": "warning", "info": "info", "warning": "info"}

on_the_node(fault) if {
	volume := model.volumes[fault.claim]
	some made in inventory.cluster_by_name("v1", "PersistentVolume")
	get.present(made, ["spec", "hostPath"])
	object.get(made, ["spec", "storageClassName"], "") == object.get(volume, "class_name", "")
}

networked(fault) if model.volumes[fault.claim].disk.network
