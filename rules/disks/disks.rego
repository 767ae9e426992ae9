# METADATA
# description: |
#   A disk by itself, as `walguard disk` shows it: what it gives at a size, and what follows for PostgreSQL. The input is a
#   PostgresServer (walguard.operators.server) that states the disk of its data.
package walguard.disks

import data.walguard.index
import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

# METADATA
# description: The names that a disk may be stated by, sorted.
names := sort(object.keys(index.named_disks))

# METADATA
# description: |
#   The disk; undefined when nothing states one. Every field but name, vendor, title, parameters, sizes_bytes and remarks is absent
#   where it is unknown.
#     name, vendor, title, unit, scaling, iops, burst, confidence, as_of, sources, minimum_bytes, maximum_bytes, knee_bytes,
#     throughput_bytes_per_second, throughput_text, cap_bytes_per_second, cap_text, throughput_parameter: see walguard.lib.disk
#     parameters       what a StorageClass would say
#     size_bytes, size_text
#     sizes_bytes      sizes worth a comparison, smallest first; [] where more size buys no more throughput
#     knee_text        size from which more size buys no more throughput
#     filesystem       what the driver makes unless the StorageClass says otherwise
#     cores            CPU cores that the throughput is enough for, by mbps_per_core of storage/bandwidth_below_demand; 0 when it is less than one needs
#     mbps_per_core    that setting
#     write_seconds    to write 10 GiB, which is a checkpoint of as many dirty pages
#     zero_16mib_milliseconds, zero_1gib_milliseconds    to fill a new WAL segment of that size with zeros
#     demand           a sentence: what the stated cores ask for, and what would give it
#     remarks          sentences: why it cannot be made, what the figures leave out, why it does not suit a database
sheet := object.union_n([
	{
		"name": volume.disk_name,
		"parameters": object.union(index.named_disks[volume.disk_name].parameters, get.map(k8s.object, ["spec", "volumes", "data", "parameters"])),
		"sizes_bytes": sizes,
		"remarks": remarks,
	},
	object.filter(volume.disk, [
		"vendor", "title", "unit", "scaling", "iops", "burst", "confidence", "as_of", "sources", "minimum_bytes", "maximum_bytes", "knee_bytes",
		"throughput_bytes_per_second", "throughput_text", "cap_bytes_per_second", "cap_text", "throughput_parameter",
	]),
	object.union_n([{"knee_text": disk.size_text(n)} | n := volume.disk.knee_bytes]),
	object.union_n([{"size_bytes": n, "size_text": disk.size_text(n)} | n := volume.size_bytes]),
	object.union_n([{"filesystem": filesystem.name} | filesystem := index.filesystems["0/data"]]),
	object.union_n([follows(n) | n := volume.disk.throughput_bytes_per_second]),
	object.union_n([{"demand": sentence} | sentence := demand]),
])

volume := model.volumes["0/data"]

gibibyte := 1073741824

# Where size decides: round sizes between the bounds of the disk, and the bounds themselves.
sizes := sort({n |
	volume.disk.scaling in {"size", "tiers"}
	some n in array.concat(round_sizes, bounds)
	n >= object.get(volume.disk, "minimum_bytes", 0)
	n <= object.get(volume.disk, "maximum_bytes", n)
})

round_sizes := [n | some gib in [20, 50, 100, 200, 300, 500, 1000, 2000, 4000, 8000]; n := gib * gibibyte]

bounds := [n | some key in ["minimum_bytes", "knee_bytes"]; n := volume.disk[key]]

follows(bytes_per_second) := {
	"mbps_per_core": mbps_per_core,
	"cores": floor(bytes_per_second / (mbps_per_core * 1000000)),
	"write_seconds": ceil((10 * gibibyte) / bytes_per_second),
	"zero_16mib_milliseconds": ceil((16 * 1048576000) / bytes_per_second),
	"zero_1gib_milliseconds": ceil((1000 * gibibyte) / bytes_per_second),
}

mbps_per_core := settings.number("storage/bandwidth_below_demand", "mbps_per_core")

demand := sprintf("%s; it needs %s. %s", [disk.per_core(volume), disk.demand_text(volume), way_out]) if disk.short(volume)

demand := sprintf("%s: enough for %s", [disk.per_core(volume), disk.demand_text(volume)]) if {
	volume.demand.bytes_per_second <= volume.disk.throughput_bytes_per_second
}

way_out := sprintf("Smallest change: %s", [disk.advice(volume.disk)]) if disk.advice(volume.disk)

way_out := "No disk known here gives enough" if not disk.advice(volume.disk)

remarks := array.concat(
	array.concat(
		[sprintf("It cannot be made: %s", [clause]) | some clause in volume.disk.rejections],
		[sprintf("The table does not know it: %s", [clause]) | some clause in volume.disk.drifts],
	),
	array.concat(
		[sprintf("It does not suit a database: %s", [reason]) | reason := volume.disk.slow],
		[sprintf("While credits last, %d s, it gives %s and %d IOPS", [burst.seconds, burst.throughput_text, burst.iops]) | burst := volume.disk.burst],
	),
)

# --------------------------------------------------------------------------------------------------- measured

# METADATA
# description: |
#   The same with what fio measured on the volume instead of what the table of its disk says. A disk need not be named then. The input has
#   "measured": {"direction": "write" or "read", "bytes_per_second", "iops", "block_bytes", "direct", "seconds"}, of which the last four are null
#   where they are not known. Of the sheet only name, title, vendor, parameters, size and filesystem stay; besides what follows from the figures,
#     measured         what was measured, in words
#     remarks          why the figures may not be those of PostgreSQL, and what the table says
measured := object.union_n([
	{"name": "volume", "title": "Volume", "vendor": "", "parameters": {}, "sizes_bytes": []},
	of_table,
	{
		"measured": sprintf("measured by fio: %s", [concat(", ", circumstances)]),
		"throughput_bytes_per_second": rate,
		"throughput_text": disk.megabytes(rate),
		"remarks": array.concat(doubts, said_by_table),
	},
	object.union_n([{"iops": n} | n := get.number(figures, "iops")]),
	follows(rate),
	object.union_n([{"demand": sentence} | sentence := demand_of_measured]),
])

figures := get.map(input, "measured")

rate := get.number(figures, "bytes_per_second")

of_table := object.filter(sheet, ["name", "title", "vendor", "parameters", "size_bytes", "size_text", "filesystem"])

of_table := {} if not sheet

circumstances := array.concat(
	[word | word := {"write": "writing", "read": "reading"}[figures.direction]],
	array.concat(
		[sprintf("blocks of %s", [text.bytes(n)]) | n := get.number(figures, "block_bytes")],
		[sprintf("%d s", [n]) | n := get.number(figures, "seconds")],
	),
)

doubts := array.concat(
	array.concat(
		["Only reading was measured. PostgreSQL waits for writing, which may be slower: measure with rw=write" | figures.direction == "read"],
		["The page cache took part, so these may be figures of memory: measure with direct=1" | get.boolean(figures, "direct") == false],
	),
	array.concat(
		["Small blocks measure requests rather than throughput: measure with bs=256k, and with bs=8k for IOPS" | get.number(figures, "block_bytes") < 131072],
		["Burst credits and caches carry a disk for a while: measure for ten minutes or more" | get.number(figures, "seconds") < 600],
	),
)

said_by_table := [sprintf("By the table %s", [disk.gives(volume)]) | disk.gives(volume)]

demand_of_measured := sprintf("%s: enough for %s", [disk.per_core(as_measured), disk.demand_text(as_measured)]) if not disk.short(as_measured)

demand_of_measured := sprintf("%s; it needs %s", [disk.per_core(as_measured), disk.demand_text(as_measured)]) if disk.short(as_measured)

as_measured := object.union(volume, {"disk": {"throughput_bytes_per_second": rate}})
