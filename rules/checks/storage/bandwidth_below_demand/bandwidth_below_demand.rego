# METADATA
# title: The disk gives less bandwidth than the cluster demands
# description: |
#   When checkpoints and WAL ask for more than the disk gives, commits wait behind them: on 16 cores and 300 GiB of ESSD PL1
#   (270 MB/s, 16.9 MB/s a core) a benchmark fell to 0 transactions a second after five minutes, on 1,000 GiB of PL2 (620 MB/s,
#   39 MB/s a core) it ran calmly. The demand is what the annotation walguard.dev/required-throughput of the cluster states, a
#   quantity of bytes a second ("400M"); without it a figure per CPU core, which is a heuristic of walguard. A set with a
#   WAL volume of its own spreads it over both. What the disk gives follows from the StorageClass and the size; burst credits do not
#   count, and an instance may allow less.
#   Some figures of the sources do not hold: S0 and S3 give 700 MB/s for 2 TB of ESSD PL3, where the vendor's formula
#   gives 1,120 to 1,144 (an instance may have allowed no more), and they compare KubeBlocks on 300 GB with a server on
#   500 GB, so that most of the gap between the two is the disk.
# related_resources:
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance
#   - https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
#   - https://cloud.google.com/compute/docs/disks/performance
#   - https://learn.microsoft.com/azure/virtual-machines/disks-types
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Make the smallest change that the finding names – a larger size, the next performance level, or more provisioned throughput – or state the demand in walguard.dev/required-throughput.
#   sources: [S0, S2, S3]
#   settings:
#     mbps_per_core: {default: 17, description: Demand in MB/s for each CPU core of a cluster that states none.}
#   formulas:
#     - throughput_bytes_per_second == min([most_bytes_per_second, base_bytes_per_second + (size_gib * bytes_per_second_per_gib)])
#     - demand_bytes_per_second == floor(((cores_thousandths * mbps_per_core) * 1000) / volumes)
#     - throughput_bytes_per_second < demand_bytes_per_second
package walguard.checks.storage.bandwidth_below_demand

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	disk.short(volume)
	count(volume.disk.rejections) == 0
	not better_told_by_class(volume)
	message := sprintf("%s, %s: %s; it needs %s. %s", [
		model.title,
		disk.label(model.volumes, id),
		disk.gives_per_core(volume),
		disk.demand_text(volume),
		way_out(volume.disk),
	])
	f := finding.with_facts(
		finding.with_severity(finding.at(disk.place(volume, "size_path"), message), severity[volume.demand.origin]),
		object.union(disk.reckoning(volume), by_cores[volume.demand.origin]),
	)
}

# A wish is known; a figure per core is a heuristic.
severity := {"stated": "error", "cpu": "warning"}

# What the demand follows from where nobody states it.
by_cores := {"stated": {}, "cpu": {"mbps_per_core": settings.number("storage/bandwidth_below_demand", "mbps_per_core")}}

# A class that does not suit a database is the fault itself: storage/slow_default_class tells it with the same figures.
better_told_by_class(volume) if {
	volume.disk.slow
	volume.demand.origin == "cpu"
}

way_out(d) := sprintf("Smallest change: %s", [disk.advice(d)]) if disk.advice(d)

way_out(d) := sprintf("%s gives %s at most, and no class known here gives enough: spread the load over more clusters, or let this one write less", [
	d.title,
	d.cap_text,
]) if {
	not disk.advice(d)
}
