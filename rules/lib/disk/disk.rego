# METADATA
# description: |
#   What a disk gives, from a vendor's table and a claim. A table (rules/storage/<vendor>/profiles.json) is profiles by id;
#   of a profile all figures are thousandths – of the vendor's unit a second for throughput, of one for IOPS – and all sizes GiB:
#     title, unit     as the vendor writes them; "MB/s" is 1,000,000 bytes a second, "MiB/s" 1,048,576
#     select          parameters of a StorageClass that choose the profile
#     scaling         what throughput follows: "size", "tiers" (size, in steps), "provisioned" (parameters), "fixed"
#     minimum_gib?    below it the disk cannot be made; maximum_gib: above it the table does not know (vendors raise maxima)
#     throughput      size: base, per_gib or per_tib, minimum?, maximum, and per_provisioned_iops? (millionths), provisioned_maximum?
#                     provisioned: parameter?, suffix? (of the value), default?, minimum?, maximum, per_iops_maximum? (the vendor
#                     refuses more), advised_per_iops? (cures keep to it), per_iops? (no parameter: it follows IOPS), small? (a lower
#                     maximum up to below_iops; above_per_iops, in millionths, bounds it from there on)
#     iops            base, per_gib, minimum?, maximum; or default; or parameter, required?, per_gib_maximum?, driver_caps?
#                     (the driver lowers instead of failing), additional? (the parameter adds to what size gives, from additional_from_gib up
#                     to total_per_gib in all), advised_maximum?
#     tiers           [{up_to_gib, iops, throughput}, …], smallest first; a size counts as the next tier
#     burst?          tiers of what credits allow for a while, credits? (I/O requests), seconds?
#     slow?           why the class does not suit a database
#     next, below?    profiles to step up to, in the order of advice; the profile that a size below the minimum can have
#     confidence, as_of, sources
#
#   A disk (see assess):
#     vendor, profile, title, unit, scaling, confidence, as_of, sources    as in the table
#     network, local, expandable    bools: a network filesystem; bound to one node; the driver can grow volumes
#     unlimited?                    true where a volume may hold more than its claim asks for: a directory without a quota
#     throughput_bytes_per_second, throughput_text ("270 MB/s"), iops      sustained; absent where unknown
#     throughput_written            somebody chose the throughput; throughput_parameter: the name of what chooses it
#     formula                       {"base_bytes_per_second", "bytes_per_second_per_gib", "most_bytes_per_second"} where throughput is that sum
#     cap_bytes_per_second, cap_text    the most that the profile gives at any size or parameter
#     knee_bytes                    size from which more size buys no more throughput
#     minimum_bytes, maximum_bytes
#     rejections, drifts            lists of clauses: why provisioning fails; where the claim leaves what the table knows
#     lowered                       true where all that drifts is a wish for IOPS that the driver lowers
#     burst                         {"throughput_bytes_per_second", "throughput_text", "iops", "seconds"}
#     slow                          reason
#     volatile_cache                the parameter that puts a cache without power protection before the disk
#     alternative                   clause: what the next profile that answers more requests gives at this size; of slow disks and those with a burst
#     cures                         [{"text", "bytes_per_second", "size_bytes"?, "parameters"?}], smallest change first: what
#                                   meets claim.demand; [] when it is met, unknown or out of reach
package walguard.lib.disk

import data.walguard.lib.driver
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text

gibibyte := 1073741824

units := {"MB/s": 1000000, "MiB/s": 1048576}

# METADATA
# description: |
#   The disk a claim gets. profiles: the vendor's table; ids: the profiles that could be provisioned, in the order of
#   preference – of several the worst one that the size allows is judged; note: "" or what to say about the choice;
#   wish: {"iops"?, "throughput"?} as provisioned by parameters, in thousandths.
assess(vendor, profiles, ids, note, claim, wish) := object.union_n([
	{
		"vendor": vendor,
		"profile": id,
		"title": concat("", [profile.title, note]),
		"network": false,
		"local": false,
		"expandable": true,
		"throughput_written": written(profile, wish),
		"rejections": rejections(profiles, profile, size, wish),
		"drifts": drifts(profile, size, wish),
		"cures": cures(profiles, profile, size, wish, object.union(need, {"iops": answered(profile, size, wish)})),
	},
	object.filter(profile, ["unit", "scaling", "slow", "confidence", "as_of", "sources"]),
	object.union_n([throughput_facts(profile.unit, n) | n := rate(profile, size, wish)]),
	object.union_n([{"iops": floor(n / 1000)} | n := iops(profile, size, wish)]),
	object.union_n([{"formula": f} | f := formula(profile)]),
	object.union_n([{"cap_bytes_per_second": bytes_of(profile.unit, n), "cap_text": rate_text(profile.unit, n)} | n := cap(profile)]),
	object.union_n([{"throughput_parameter": name} | name := profile.throughput.parameter]),
	object.union_n([{"knee_bytes": n * gibibyte} | n := knee(profile)]),
	object.union_n([{concat("", [bound, "_bytes"]): profile[key] * gibibyte} |
		some bound in ["minimum", "maximum"]
		key := concat("", [bound, "_gib"])
		profile[key]
	]),
	object.union_n([{"burst": b} | b := burst(profile, size, wish)]),
	object.union_n([{"lowered": true} | only_lowered(profile, size, wish)]),
	object.union_n([{"alternative": t} | unloved(profile); t := alternative(profiles, profile, size)]),
]) if {
	size := size_gib(claim)
	id := worst(profiles, ids, size, wish)
	profile := profiles[id]
	need := needed(profile, claim)
}

# METADATA
# description: |
#   A disk of a driver without a formula: what is known of it besides bandwidth. traits: {"network"?, "local"?, "expandable"?, "unlimited"?,
#   "protocol"? (of a network filesystem)}.
plain(vendor, title, traits) := object.union(
	{"vendor": vendor, "title": title, "network": false, "local": false, "expandable": false, "rejections": [], "drifts": [], "cures": []},
	traits,
)

# METADATA
# description: |
#   The filesystem of a block volume: what the StorageClass says, else the driver's default ("" where that is not known: then
#   undefined). external-provisioner reads csi.storage.k8s.io/fstype and, in any spelling, fstype.
filesystem(claim, _) := described(fstype(claim), "StorageClass") if fstype(claim)

filesystem(claim, fallback) := described(fallback, "driver default") if {
	not fstype(claim)
	fallback != ""
}

fstype(claim) := chosen[0] if {
	chosen := [get.lower_case(name) |
		some key in ["csi.storage.k8s.io/fstype", "fstype"]
		name := claim.parameters[key]
		name != ""
	]
}

described(name, origin) := {"name": name, "origin": origin, "copy_on_write": name in {"bcachefs", "btrfs", "zfs"}}

# METADATA
# description: A whole number written in digits, times 1,000 – the form of a wish. Undefined for everything else.
thousand(digits) := quantity.whole(digits) * 1000

# --------------------------------------------------------------------------------------------------- for checks

# METADATA
# description: |
#   A fact that leads to a field of a volume ("size_path", "class_path"), else to the claim. What a change under review says of a
#   volume is its own ("own"), whatever resource the rest of the volume stands in.
place(volume, field) := object.union({"path": object.get(volume, field, volume.path)}, object.filter(volume, ["resource"])) if {
	not field in get.list(volume, "own")
}

place(volume, field) := {"path": volume[field]} if field in get.list(volume, "own")

# METADATA
# description: '"data volume", or "WAL volume of pgdata2" where the cluster has several instance sets.'
label(volumes, id) := concat("", [called(volumes[id]), of_set]) if {
	of_set := suffix(count({v.set | some v in volumes}), volumes[id].set)
}

# METADATA
# description: The same at the beginning of a sentence.
titled(volumes, id) := concat("", [get.upper_case(substring(words, 0, 1)), substring(words, 1, -1)]) if words := label(volumes, id)

called(volume) := {"data": "data volume", "wal": "WAL volume"}[volume.role]

called(volume) := sprintf("volume of tablespace %s", [volume.tablespace]) if volume.role == "tablespace"

suffix(1, _) := ""

suffix(n, name) := concat("", [" of ", name]) if n > 1

# METADATA
# description: The name of the StorageClass that a volume gets, the cluster's default included. Undefined when not in sight.
class_name(volume) := get.shown(volume.class.metadata.name)

# METADATA
# description: |
#   True of a directory of a server or of the node, which nothing keeps to the size of its claim: it holds what its filesystem has room for. Where the StorageClass is
#   not in sight its name tells, if it is the one that such a provisioner is installed with.
without_quota(volume) if volume.disk.unlimited

without_quota(volume) if {
	not volume.provisioner
	driver.usual_classes[volume.class_name].unlimited
}

# METADATA
# description: |
#   What a volume is that lies on one node, in words; undefined of others. Where the StorageClass is not in sight its name tells, likewise.
on_one_node(volume) := volume.disk.title if volume.disk.local

on_one_node(volume) := usual.title if {
	not volume.provisioner
	usual := driver.usual_classes[volume.class_name]
	usual.local
}

# METADATA
# description: Who chose the disk – "StorageClass fast", or "the disk ali-ssd" of a server that states it. Undefined when not in sight.
chooser(volume) := sprintf("StorageClass %s", [class_name(volume)]) if volume.class

chooser(volume) := sprintf("the disk %s", [volume.disk_name]) if not volume.class

chooser(volume) := sprintf("PersistentVolume %s", [volume.persistent.metadata.name]) if {
	not volume.class
	not volume.disk_name
}

# A volume that the pod mounts without a claim.
chooser(volume) := "the pod's volume" if {
	volume.provisioner
	not volume.class
	not volume.disk_name
	not volume.persistent
}

# METADATA
# description: True for the first volume of its class, so that a fault of the class is told once.
leads(volumes, id) if {
	chosen := chooser(volumes[id])
	id == min([other | some other, volume in volumes; chooser(volume) == chosen])
}

# METADATA
# description: |
#   How long writing a volume of a size once takes, in tenths of an hour, where that is longer than it may and the disk would be no faster for any
#   size until throughput is bought (storage/size_does_not_help). Undefined for every other volume.
slow_tenths(volume, size_bytes) := tenths if {
	volume.disk.scaling == "provisioned"
	volume.disk.throughput_written == false
	volume.disk.throughput_parameter
	count(volume.disk.rejections) == 0
	not short(volume)
	tenths := floor((size_bytes * 10) / (volume.disk.throughput_bytes_per_second * 3600))
	tenths > settings.number("storage/size_does_not_help", "restore_hours") * 10
}

# METADATA
# description: True when the demand on a volume is known and the disk gives less.
short(volume) if volume.disk.throughput_bytes_per_second < volume.demand.bytes_per_second

# METADATA
# description: 'What the disk gives, in a clause – "300Gi of ESSD PL1 gives 270 MB/s".'
gives(volume) := sprintf("%s of %s gives %s%s", [size_text(volume.size_bytes), volume.disk.title, volume.disk.throughput_text, decimal(volume.disk)]) if {
	volume.disk.throughput_text
	volume.size_bytes
}

gives(volume) := sprintf("%s gives %s%s", [volume.disk.title, volume.disk.throughput_text, decimal(volume.disk)]) if {
	volume.disk.throughput_text
	not volume.size_bytes
}

# Demand is counted in MB/s: a figure in another unit is repeated in it.
decimal(d) := "" if d.unit == "MB/s"

decimal(d) := sprintf(" (%s)", [megabytes(d.throughput_bytes_per_second)]) if d.unit != "MB/s"

# METADATA
# description: A size that can be written into a manifest as it stands, "1261Gi" or "2Ti"; rounded where it is no whole number of GiB.
size_text(n) := gib_text(n / gibibyte) if n % gibibyte == 0

size_text(n) := text.bytes(n) if n % gibibyte != 0

gib_text(n) := sprintf("%dTi", [n / 1024]) if n % 1024 == 0

gib_text(n) := sprintf("%dGi", [n]) if n % 1024 != 0

# METADATA
# description: Bytes a second in MB/s, for messages.
megabytes(n) := concat("", [text.thousandths(floor(n / 1000)), " MB/s"])

# METADATA
# description: 'What a volume gives for each core – "16.9 MB/s per core on 16 cores". Undefined when the cores are not known.'
per_core(volume) := sprintf("%s per core on %s", [
	megabytes(floor((volume.disk.throughput_bytes_per_second * 1000) / volume.demand.cores_thousandths)),
	cores_text(volume.demand.cores_thousandths),
])

cores_text(thousandths) := "1 core" if thousandths == 1000

cores_text(thousandths) := sprintf("%s cores", [text.thousandths(thousandths)]) if thousandths != 1000

# METADATA
# description: 'What the disk gives, with its share for each core where the demand follows from cores.'
gives_per_core(volume) := sprintf("%s, %s", [gives(volume), per_core(volume)]) if volume.demand.cores_thousandths != 1000

gives_per_core(volume) := gives(volume) if object.get(volume, ["demand", "cores_thousandths"], 1000) == 1000

# METADATA
# description: The name of the StorageClass of a volume as a place that a message speaks of (walguard.lib.finding, with_related), [] where it is not in sight.
of_class(volume) := [[{"path": ["metadata", "name"], "resource": k8s.reference(volume.class)}, volume.disk.title] | volume.class]

# METADATA
# description: The mount options of the class, one by one – a list entry may hold several, separated by commas.
mount_options(volume) := {trim_space(option) |
	some entry in volume.mount_options
	some option in split(entry, ",")
}

# METADATA
# description: What a volume is asked for, in a clause with its reason. Undefined when the demand is not known.
demand_text(volume) := sprintf("%s (walguard.dev/required-throughput)%s", [megabytes(volume.demand.bytes_per_second * shares(volume)), part(volume)]) if {
	volume.demand.origin == "stated"
}

demand_text(volume) := sprintf("%s (%s per core%s)", [
	megabytes(volume.demand.bytes_per_second * shares(volume)),
	text.thousandths(floor((volume.demand.bytes_per_second * shares(volume)) / volume.demand.cores_thousandths)),
	part(volume),
]) if {
	volume.demand.origin == "cpu"
}

# METADATA
# description: Volumes that a set spreads its demand over, evenly (walguard.model.claims).
shares(volume) := 1 if volume.shared

shares(volume) := 2 if not volume.shared

part(volume) := "" if volume.shared

part(volume) := ", half of it on this volume" if not volume.shared

# METADATA
# description: The numbers of a volume, as the facts of a finding.
facts(volume) := object.union_n([
	object.filter(volume, ["size_bytes"]),
	object.filter(volume.disk, ["throughput_bytes_per_second", "iops"]),
	object.union_n([{"demand_bytes_per_second": n} | n := volume.demand.bytes_per_second]),
	object.union_n([{"cores_thousandths": n} | n := volume.demand.cores_thousandths]),
	{concat("", ["figures_", key]): value |
		some key in ["as_of", "confidence"]
		value := volume.disk[key]
	},
])

# METADATA
# description: |
#   The same with what the figures follow from: volumes (that share the demand) and, where throughput is a base and so much for each GiB up to a
#   most, size_gib, base_bytes_per_second, bytes_per_second_per_gib and most_bytes_per_second.
reckoning(volume) := object.union_n([
	facts(volume),
	{"volumes": shares(volume)},
	object.union_n([object.union(parts, {"size_gib": size_gib(volume)}) | parts := volume.disk.formula]),
])

# METADATA
# description: The cures of a disk in a sentence, cheapest first. Undefined when there is none.
advice(d) := concat(", or ", texts) if {
	texts := [option.text | some option in d.cures]
	count(texts) > 0
}
