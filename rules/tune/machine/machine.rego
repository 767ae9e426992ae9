# METADATA
# description: |
#   What a proposal starts from: the machine of a cluster, and what its user asks for. A host hands in the latter beside the review:
#   input.tune = {"workload"?: "oltp" | "web" | "dw" | "mixed", "connections"?: number}.
package walguard.tune.machine

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.model
import data.walguard.model.wishes

asked := get.map(input, "tune")

# METADATA
# description: What the user names, else what the annotation walguard.dev/workload of the cluster says, else "mixed".
workload := get.string(asked, "workload") if asked.workload

workload := object.get({"latency": "oltp", "write-heavy": "oltp", "read-mostly": "web"}, wishes.workload, "mixed") if not asked.workload

workload := "mixed" if {
	not asked.workload
	not wishes.workload
}

# METADATA
# description: True where rare checkpoints would cost what the cluster says it serves (checkpoint/throughput_vs_latency).
latency if wishes.workload == "latency"

# METADATA
# description: The connections that somebody wants.
connections := asked.connections if is_number(asked.connections)

sets := get.list(model.cluster, "instance_sets")

# METADATA
# description: The thousandths of CPU cores of the smallest instance. The limit is what a server can use, else what it was sized for.
cores_thousandths := min([n | some set in sets; n := amounts(set, "cpu")[0]])

amounts(set, "cpu") := [n | some kind in ["limits", "requests"]; n := quantity.thousandths(set.resources[kind].cpu); n > 0]

amounts(set, "memory") := [n | some kind in ["limits", "requests"]; n := quantity.bytes(set.resources[kind].memory); n > 0]

# METADATA
# description: Whole cores, one at least.
cores := max([1, floor(cores_thousandths / 1000)])

# METADATA
# description: The memory of the smallest instance, without its huge pages.
memory_bytes := min([n | some set in sets; n := amounts(set, "memory")[0]])

# METADATA
# description: The least memory that is requested for an instance; undefined where nothing is.
requested_bytes := min([n | some set in sets; n := quantity.bytes(set.resources.requests.memory); n > 0])

# METADATA
# description: The huge pages that every instance may use, in bytes.
huge_bytes := min([n | some set in sets; n := memory.huge(set.resources)])

# METADATA
# description: '"the memory limit of 64Gi", for formulas.'
memory_text := disk.size_text(memory_bytes)

# METADATA
# description: Bytes a second of the slowest disk that holds data; undefined where one is unknown, or cannot be had.
data_bytes_per_second := min(rates) if {
	rates := [n | some volume in model.data_volumes; n := sound(volume)]
	count(rates) == count(model.data_volumes)
	count(rates) > 0
}

# METADATA
# description: Likewise of the disks that hold WAL.
wal_bytes_per_second := min(rates) if {
	rates := [n | some volume in model.wal_volumes; n := sound(volume)]
	count(rates) == count(model.wal_volumes)
	count(rates) > 0
}

sound(volume) := volume.disk.throughput_bytes_per_second if {
	count(volume.disk.rejections) == 0
	volume.disk.throughput_bytes_per_second > 0
}

# METADATA
# description: I/O requests a second of the disk of the data that answers fewest.
data_iops := min([n | some volume in model.data_volumes; n := volume.disk.iops])

# METADATA
# description: True where all data lie on disks that are known, and no slow ones.
quick if {
	count(model.data_volumes) > 0
	count([1 | some volume in model.data_volumes; swift(volume)]) == count(model.data_volumes)
}

swift(volume) if {
	volume.disk.title
	not volume.disk.slow
	not volume.disk.network
}
