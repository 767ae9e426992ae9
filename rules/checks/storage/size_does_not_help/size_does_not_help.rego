# METADATA
# title: A large disk has the bandwidth of a small one
# description: |
#   Disks of this class (gp3, Premium SSD v2, Ultra) give the same bandwidth at every size until throughput is bought: 1 GiB
#   and 10 TiB of gp3 both give 125 MiB/s, half of what a gp2 disk of 334 GiB gave. Restores, new replicas and base backups move the whole
#   disk, so their time grows with the size. Reported where writing the disk once takes longer than a setting, which is a heuristic of walguard.
# related_resources:
#   - https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html
#   - https://learn.microsoft.com/azure/virtual-machines/disks-types#premium-ssd-v2
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set the throughput parameter in the StorageClass or in a VolumeAttributesClass; both disks can be changed while they are in use.
#   sources: [S0]
#   settings:
#     restore_hours: {default: 2, description: Hours that writing the whole volume once may take.}
#   formulas:
#     - rewrite_hours_tenths == floor((size_bytes * 10) / (throughput_bytes_per_second * 3600))
package walguard.checks.storage.size_does_not_help

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	tenths := disk.slow_tenths(volume, volume.size_bytes)
	f := finding.with_facts(
		finding.at(disk.place(volume, "size_path"), sprintf("%s: %s, as at any size: a restore or a new replica takes at least %s hours. Set %s, up to %s.", [
			disk.titled(model.volumes, id),
			disk.gives(volume),
			text.tenths(tenths),
			volume.disk.throughput_parameter,
			volume.disk.cap_text,
		])),
		object.union(disk.facts(volume), {"rewrite_hours_tenths": tenths}),
	)
}
