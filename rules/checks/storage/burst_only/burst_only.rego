# METADATA
# title: The disk is fast only while its burst credits last
# description: |
#   Small gp2 and Premium SSD disks borrow speed from credits: a benchmark of half an hour sees 3,000 IOPS, and a busy afternoon sees
#   the baseline, 300 IOPS on 100 GiB of gp2. A checkpoint, a restore or vacuum spends the credits, and the disk slows down just then. What
#   counts is the sustained figure; where it is less than the cluster needs, storage/bandwidth_below_demand and iops_below_demand warn of it.
# related_resources:
#   - https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html
#   - https://learn.microsoft.com/azure/virtual-machines/disk-bursting
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Use a class without credits (gp3, Premium SSD v2), or a size whose baseline suffices.
#   sources: [S4]
package walguard.checks.storage.burst_only

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	burst := volume.disk.burst
	not volume.disk.slow
	not disk.short(volume)
	count(volume.disk.rejections) == 0
	f := finding.with_facts(
		finding.at(disk.place(volume, "size_path"), sprintf("%s: %s and %d IOPS for good; %s and %d IOPS last about %d minutes of full load%s.", [
			disk.titled(model.volumes, id),
			disk.gives(volume),
			volume.disk.iops,
			burst.throughput_text,
			burst.iops,
			floor(burst.seconds / 60),
			instead(volume.disk),
		])),
		object.union(disk.facts(volume), {"burst_bytes_per_second": burst.throughput_bytes_per_second, "burst_iops": burst.iops, "burst_seconds": burst.seconds}),
	)
}

instead(d) := sprintf(". %s without credits", [d.alternative]) if d.alternative

instead(d) := "" if not d.alternative
