# METADATA
# title: The disk is smaller than the size that gives its full bandwidth
# description: |
#   Disks of this class gain bandwidth with size up to a knee (460 GiB for ESSD PL1: 120 + 0.5 MB/s for each GiB, at most 350), so
#   the cheapest bandwidth is size. Reported where the bandwidth for each core lies between the 16.9 MB/s at which a benchmark
#   fell to 0 transactions a second and the 39 MB/s at which it ran calmly; below that storage/bandwidth_below_demand speaks, and
#   a cluster that states its demand is judged by that alone.
# related_resources:
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance
#   - https://cloud.google.com/compute/docs/disks/performance
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Grow the volume towards the size at which its class gives its full bandwidth, or state the demand in walguard.dev/required-throughput.
#   sources: [S0, S3]
#   settings:
#     calm_mbps_per_core: {default: 39, description: "MB/s for each CPU core from which nothing is said."}
#   formulas:
#     - throughput_bytes_per_second == min([most_bytes_per_second, base_bytes_per_second + (size_gib * bytes_per_second_per_gib)])
#     - throughput_bytes_per_second * volumes < (cores_thousandths * calm_mbps_per_core) * 1000
package walguard.checks.storage.size_below_knee

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	volume.disk.scaling == "size"
	volume.size_bytes < volume.disk.knee_bytes
	volume.demand.origin == "cpu"
	not disk.short(volume)
	uneasy(volume)
	not told_elsewhere(volume.disk)
	f := finding.with_facts(
		finding.at(disk.place(volume, "size_path"), sprintf("%s: %s. A write benchmark stalled at 16.9 and ran calmly at %s; bandwidth grows with size up to %s (%s).", [
			disk.titled(model.volumes, id),
			disk.gives_per_core(volume),
			text.thousandths(floor(calm_mbps_per_core * 1000)),
			disk.size_text(volume.disk.knee_bytes),
			volume.disk.cap_text,
		])),
		object.union(disk.reckoning(volume), {"calm_mbps_per_core": calm_mbps_per_core}),
	)
}

uneasy(volume) if {
	calm := (volume.demand.cores_thousandths * calm_mbps_per_core) * 1000
	volume.disk.throughput_bytes_per_second * disk.shares(volume) < calm
}

told_elsewhere(d) if d.slow

told_elsewhere(d) if d.burst

told_elsewhere(d) if count(d.rejections) > 0

calm_mbps_per_core := settings.number("storage/size_below_knee", "calm_mbps_per_core")
