# METADATA
# title: The disk answers fewer requests than the cluster demands
# description: |
#   Random reads and writes of 8 KiB are counted in requests: 3,000 IOPS are 24 MB/s of pages, whatever bandwidth the disk has (S4 shows
#   latencies on EBS disks of 300 and 3,000 IOPS). The demand is what the annotation walguard.dev/required-iops of the cluster
#   states ("6000"); without it there is none, as nothing in a manifest tells how much of the data lies in memory. A set with a WAL
#   volume of its own spreads it over both. Burst credits do not count, and an instance may allow less.
# related_resources:
#   - https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Provision more IOPS, or take a larger volume where IOPS follow size, or the next class.
#   sources: [S4]
#   formulas:
#     - demand_iops == floor(stated_iops / volumes)
#     - demand_iops > iops
package walguard.checks.storage.iops_below_demand

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	stated := wishes.required_iops
	some id, volume in model.volumes
	demand := floor(stated / disk.shares(volume))
	volume.disk.iops < demand
	count(volume.disk.rejections) == 0
	f := finding.with_facts(
		finding.at(disk.place(volume, "size_path"), sprintf("%s: %s gives %d IOPS, and walguard.dev/required-iops states %d%s. Provision more, or choose a larger volume or another class.", [
			disk.titled(model.volumes, id),
			described(volume),
			volume.disk.iops,
			stated,
			part(volume, demand),
		])),
		object.union(disk.facts(volume), {"stated_iops": stated, "volumes": disk.shares(volume), "demand_iops": demand}),
	)
}

described(volume) := sprintf("%s of %s", [disk.size_text(volume.size_bytes), volume.disk.title]) if volume.size_bytes

described(volume) := volume.disk.title if not volume.size_bytes

part(volume, _) := "" if volume.shared

part(volume, demand) := sprintf(", half of it (%d) on this volume", [demand]) if not volume.shared
