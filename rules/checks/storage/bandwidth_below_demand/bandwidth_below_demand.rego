# METADATA
# title: The disk gives less bandwidth than the cluster demands
# description: |
#   When checkpoints and WAL ask for more than the disk gives, commits wait behind them: on 16 cores and 300 GiB of ESSD PL1
#   (270 MB/s, 16.9 MB/s a core) a benchmark fell to 0 transactions a second after five minutes, on 1,000 GiB of PL2 (620 MB/s,
#   39 MB/s a core) it ran calmly. The demand is what the annotation walguard.dev/required-throughput of the cluster states, a
#   quantity of bytes a second ("400M"); without it 17 MB/s per CPU core. That is no law but what the disk of the benchmark supplied when it
#   stalled: its steady load was 66 MB/s of WAL and 22 of checkpoints (5.8 a core with recycled segments, 10 with zero-filling), and the rest
#   was the burst of a checkpoint. Where walguard.dev/workload says read-mostly it is info. A set with a
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
#   remediation: Make the smallest change that the finding names – a larger size, the next performance level, or more provisioned throughput – or state the demand in walguard.dev/required-throughput, or annotate walguard.dev/workload as read-mostly.
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
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.volumes
	disk.short(volume)
	count(volume.disk.rejections) == 0
	not better_told_by_class(volume)
	f := finding.with_related(
		cured(
			finding.with_facts(
				finding.with_severity(
					finding.at(disk.place(volume, "size_path"), sprintf("%s: %s%s. %s.", [
						disk.titled(model.volumes, id),
						disk.gives_per_core(volume),
						wants(volume),
						way_out(volume.disk),
					])),
					severity(volume),
				),
				object.union(disk.reckoning(volume), by_cores[volume.demand.origin]),
			),
			volume,
		),
		array.concat(disk.of_class(volume), cores(id)),
	)
}

# What the demand follows from.
cores(id) := [[place, sprintf("%s cores", [text.thousandths(demand.cores_thousandths)])] |
	demand := model.volumes[id].demand
	demand.origin == "cpu"
	set := model.cluster.instance_sets[to_number(split(id, "/")[0])]
	kind := [kind | some kind in ["limits", "requests"]; set.resources[kind].cpu][0]
	place := object.union({"path": array.concat(set.resources_path, [kind, "cpu"])}, object.filter(set, ["resource"]))
]

capital(label) := concat("", [get.upper_case(substring(label, 0, 1)), substring(label, 1, -1)])

# A wish is known; a figure per core is a heuristic, and of no weight where the author says that little is written.
severity(volume) := "error" if volume.demand.origin == "stated"

severity(volume) := "warning" if {
	volume.demand.origin == "cpu"
	not read_mostly
}

severity(volume) := "info" if {
	volume.demand.origin == "cpu"
	read_mostly
}

read_mostly if get.string(k8s.annotations, "walguard.dev/workload") == "read-mostly"

wants(volume) := sprintf(", and it needs %s", [disk.demand_text(volume)]) if volume.demand.origin == "stated"

wants(volume) := sprintf("; plan for %s", [disk.demand_text(volume)]) if volume.demand.origin == "cpu"

# What makes the peak: a checkpoint writes what is dirty of shared_buffers in the time it has, beside WAL.
burst := {
	"checkpoint_bytes": buffers_bytes,
	"checkpoint_seconds": spread_seconds,
	"checkpoint_bytes_per_second": ceil(buffers_bytes / spread_seconds),
} if {
	told_buffers
} else := {}

# The default of 128 MB would say nothing.
told_buffers if {
	model.changed("shared_buffers").bytes
	spread_seconds > 0
}

buffers_bytes := model.bytes("shared_buffers")

spread_seconds := floor((model.milliseconds("checkpoint_timeout") * round(model.parameter("checkpoint_completion_target").value * 1000)) / 1000000)

# What the demand follows from where nobody states it.
by_cores := {"stated": {}, "cpu": object.union({"mbps_per_core": settings.number("storage/bandwidth_below_demand", "mbps_per_core")}, burst)}

# A class that does not suit a database is the fault itself: storage/slow_default_class tells it with the same figures.
better_told_by_class(volume) if {
	volume.disk.slow
	volume.demand.origin == "cpu"
}

way_out(d) := capital(disk.advice(d)) if disk.advice(d)

way_out(d) := sprintf("%s gives %s at most, and no class known here gives enough: spread the load over more clusters, or write less", [
	d.title,
	d.cap_text,
]) if {
	not disk.advice(d)
}

# The first cure, where it is a size of this volume.
cured(f, volume) := finding.with_suggested_size(f, volume, disk.size_text(volume.disk.cures[0].size_bytes)) if own_size(volume)

cured(f, volume) := f if not own_size(volume)

own_size(volume) if {
	volume.disk.cures[0].size_bytes
	startswith(volume.disk.cures[0].text, "grow")
}
