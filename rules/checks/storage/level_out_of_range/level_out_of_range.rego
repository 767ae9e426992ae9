# METADATA
# title: The disk cannot be provisioned as it is asked for
# description: |
#   Vendors refuse a disk below the minimum size of its level (461 GiB for ESSD PL2, 1,261 GiB for PL3: where the level below has
#   reached its cap), IOPS above their ratio to size, and throughput above its ratio to IOPS (0.25 MiB/s for each on gp3). The claim
#   stays pending and no instance starts. Maxima are warned about only: vendors raise them (gp3 from 16,000 to 80,000 IOPS).
#   Info where the driver lowers a wish for IOPS and the disk meets the demand all the same.
# related_resources:
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance
#   - https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html
#   - https://learn.microsoft.com/azure/virtual-machines/disks-types
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Change the size, the level or the provisioned figures as the finding says.
#   sources: [S0, S3]
package walguard.checks.storage.level_out_of_range

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	clauses := volume.disk.rejections
	count(clauses) > 0
	not told_before(id, volume)
	f := told(id, volume, "error", sprintf("provisioning fails: %s.", [concat("; ", clauses)]))
}

findings contains f if {
	some id, volume in model.all_volumes
	count(volume.disk.rejections) == 0
	clauses := volume.disk.drifts
	count(clauses) > 0
	not told_before(id, volume)
	f := told(id, volume, gravity(volume), sprintf("%s.", [concat("; ", clauses)]))
}

# Fewer IOPS than wished for are no matter as long as the demand is met.
gravity(volume) := "info" if {
	volume.disk.lowered
	not disk.short(volume)
} else := "warning"

told(id, volume, severity, clause) := finding.with_facts(
	finding.with_severity(
		finding.at(
			disk.place(volume, field(volume)),
			sprintf("%s: %s", [disk.titled(model.all_volumes, id), clause]),
		),
		severity,
	),
	disk.facts(volume),
)

# What the class asks for in vain is one fault, whatever volumes ask for it.
told_before(id, volume) if {
	not wrong_size(volume)
	some other, earlier in model.all_volumes
	other < id
	earlier.disk.rejections == volume.disk.rejections
	earlier.disk.drifts == volume.disk.drifts
	disk.class_name(earlier) == disk.class_name(volume)
}

# What is wrong with the size is at the size; the rest is what the class asks for.
field(volume) := "size_path" if wrong_size(volume)

field(volume) := "class_path" if not wrong_size(volume)

wrong_size(volume) if volume.size_bytes < volume.disk.minimum_bytes

wrong_size(volume) if volume.size_bytes > volume.disk.maximum_bytes
