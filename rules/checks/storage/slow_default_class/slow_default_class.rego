# METADATA
# title: The disk is of a class that does not suit a database
# description: |
#   Hard disks and entry-level disks answer in milliseconds and give a few hundred IOPS, so that every commit and every checkpoint
#   waits. They come without being chosen: the drivers of Google Cloud and Azure take pd-standard and Standard SSD when the
#   StorageClass names no type, and the fallback lists of Alibaba Cloud end in an efficiency disk.
# related_resources:
#   - https://cloud.google.com/compute/docs/disks/performance
#   - https://learn.microsoft.com/azure/virtual-machines/disks-types
#   - https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Use a StorageClass that names an SSD type, as the finding says.
#   sources: [S0, S4]
package walguard.checks.storage.slow_default_class

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	volume.disk.slow
	disk.leads(model.volumes, id)
	count(volume.disk.rejections) == 0
	not stated_demand_unmet(volume)
	f := finding.with_facts(
		finding.at(disk.place(volume, "class_path"), sprintf("%s: %s %s, %s%s%s.", [
			disk.titled(model.volumes, id),
			provides(volume),
			volume.disk.title,
			volume.disk.slow,
			figures(volume),
			instead(volume.disk),
		])),
		disk.facts(volume),
	)
}

# storage/bandwidth_below_demand names the way out.
provides(volume) := sprintf("%s provisions", [disk.chooser(volume)]) if volume.class

provides(volume) := sprintf("%s is", [disk.chooser(volume)]) if not volume.class

stated_demand_unmet(volume) if {
	volume.demand.origin == "stated"
	disk.short(volume)
}

figures(volume) := sprintf(": %s", [disk.gives_per_core(volume)]) if volume.disk.throughput_text

figures(volume) := "" if not volume.disk.throughput_text

instead(d) := sprintf(". %s", [d.alternative]) if d.alternative

instead(d) := "" if not d.alternative
