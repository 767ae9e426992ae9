# METADATA
# title: A data volume that many nodes may mount
# description: |
#   ReadWriteMany with a filesystem is what network filesystems offer – NFS, CephFS, Azure Files, Longhorn's share manager, which is NFS –, whose locks and
#   fsync are not those that PostgreSQL counts on; drivers of block devices refuse it, and the claim stays Pending. And nothing keeps a second pod on another
#   node from opening the same data directory: postmaster.pid protects within one PID namespace only. A driver that is known to be a network filesystem
#   is reported by storage/network_filesystem instead.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
#   - https://github.com/docker-library/postgres/issues/171
#   - https://longhorn.io/docs/latest/nodes-and-volumes/volumes/rwx-volumes/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Ask for ReadWriteOnce, or ReadWriteOncePod, on a block device.
#   sources: []
package walguard.checks.storage.access_mode

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	volume.many
	not volume.disk.network
	f := finding.at(disk.place(volume, "many"), sprintf("ReadWriteMany for the %s: with a filesystem only network filesystems offer it, and a second pod may open the same data directory. Ask for ReadWriteOnce or ReadWriteOncePod.", [disk.label(model.all_volumes, id)]))
}
