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

import data.walguard.lib.budget
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
#   A disk of a driver without a formula: what is known of it besides bandwidth. traits: {"network"?, "local"?, "expandable"?,
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
per_core(volume) := sprintf("%s per core on %s cores", [
	megabytes(floor((volume.disk.throughput_bytes_per_second * 1000) / volume.demand.cores_thousandths)),
	text.thousandths(volume.demand.cores_thousandths),
])

# METADATA
# description: 'What the disk gives, with its share for each core where the demand follows from cores.'
gives_per_core(volume) := sprintf("%s, %s", [gives(volume), per_core(volume)]) if volume.demand.cores_thousandths

gives_per_core(volume) := gives(volume) if not volume.demand.cores_thousandths

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

# --------------------------------------------------------------------------------------------------- the profile

# A driver makes whole GiB. 0: not known.
size_gib(claim) := up(claim.size_bytes, gibibyte) if claim.size_bytes

size_gib(claim) := 0 if not claim.size_bytes

up(dividend, divisor) := ((dividend + (divisor - 1)) - rest) / divisor if {
	rest := (dividend + (divisor - 1)) % divisor
}

worst(_, ids, _, _) := ids[0] if count(ids) == 1

# What cannot be made at this size falls through to the next one of a list; if nothing can, the smallest minimum speaks.
worst(profiles, ids, size, wish) := id if {
	count(ids) > 1
	ranked := sort([[rated(profiles[candidate], size, wish), i] |
		some i, candidate in ids
		fits(profiles[candidate], size)
	])
	id := ids[ranked[0][1]]
}

worst(profiles, ids, size, _) := id if {
	count(ids) > 1
	not any_fits(profiles, ids, size)
	ranked := sort([[profiles[candidate].minimum_gib, i] | some i, candidate in ids])
	id := ids[ranked[0][1]]
}

any_fits(profiles, ids, size) if {
	some id in ids
	fits(profiles[id], size)
}

fits(_, 0) := true

fits(profile, size) if {
	size > 0
	size >= object.get(profile, "minimum_gib", 0)
}

rated(profile, size, wish) := rate(profile, size, wish)

rated(profile, size, wish) := 0 if not rate(profile, size, wish)

# --------------------------------------------------------------------------------------------------- throughput

# Sustained throughput in thousandths of the unit. Undefined when it depends on what is not known.
rate(profile, size, wish) := by_size(profile.throughput, size) + bought(profile.throughput, wish) if {
	profile.scaling == "size"
	size > 0
}

rate(profile, size, _) := tier(profile.tiers, size).throughput if profile.scaling == "tiers"

rate(profile, _, wish) := wish.throughput if {
	profile.scaling == "provisioned"
	profile.throughput.parameter
}

rate(profile, _, wish) := profile.throughput["default"] if {
	profile.scaling == "provisioned"
	not wish.throughput
}

rate(profile, size, wish) := min([floor((n * profile.throughput.per_iops) / 1000), following_cap(profile.throughput, n)]) if {
	profile.scaling == "provisioned"
	n := iops(profile, size, wish)
	profile.throughput.per_iops
}

formula(profile) := {
	"base_bytes_per_second": bytes_of(profile.unit, profile.throughput.base),
	"bytes_per_second_per_gib": bytes_of(profile.unit, profile.throughput.per_gib),
	"most_bytes_per_second": bytes_of(profile.unit, profile.throughput.maximum),
} if {
	profile.scaling == "size"
	not profile.throughput.minimum
	not profile.throughput.per_provisioned_iops
}

following_cap(throughput, n) := throughput.small.maximum if small(throughput, n)

following_cap(throughput, n) := throughput.maximum if {
	not small(throughput, n)
	not throughput.small.above_per_iops
}

following_cap(throughput, n) := min([throughput.maximum, floor((n * throughput.small.above_per_iops) / 1000000)]) if not small(throughput, n)

small(throughput, n) if n <= throughput.small.below_iops * 1000

by_size(throughput, size) := min([
	throughput.maximum,
	max([object.get(throughput, "minimum", 0), throughput.base + slope(throughput, size)]),
])

slope(throughput, size) := size * throughput.per_gib

slope(throughput, size) := floor((size * throughput.per_tib) / 1024)

bought(throughput, wish) := sum([floor((n * throughput.per_provisioned_iops) / 1000000) | n := wish.iops])

tier(tiers, size) := [t | some t in tiers; t.up_to_gib >= size][0] if size > 0

written(profile, wish) := count([n | profile.throughput.parameter; n := wish.throughput]) > 0

throughput_facts(unit, n) := {"throughput_bytes_per_second": bytes_of(unit, n), "throughput_text": rate_text(unit, n)}

bytes_of(unit, n) := floor((n * units[unit]) / 1000)

rate_text(unit, n) := sprintf("%s %s", [text.thousandths(n), unit])

cap(profile) := profile.throughput.maximum if profile.scaling in {"size", "provisioned"}

cap(profile) := max([t.throughput | some t in profile.tiers]) if profile.scaling == "tiers"

knee(profile) := grown(profile.throughput, profile.throughput.maximum) if profile.scaling == "size"

knee(profile) := min([t.up_to_gib | some t in profile.tiers; t.throughput == most]) if {
	profile.scaling == "tiers"
	most := cap(profile)
}

# The smallest size, in GiB, that reaches a rate within the cap.
grown(throughput, goal) := max([1, up(max([0, goal - throughput.base]), throughput.per_gib)])

grown(throughput, goal) := max([1, up(max([0, goal - throughput.base]) * 1024, throughput.per_tib)])

# --------------------------------------------------------------------------------------------------------- IOPS

iops(profile, size, wish) := min([p.maximum, max([object.get(p, "minimum", 0), p.base + (size * p.per_gib)])]) + added(p, wish) if {
	p := profile.iops
	size > 0
}

iops(profile, size, _) := tier(profile.tiers, size).iops

iops(profile, _, wish) := profile.iops["default"] if not wish.iops

iops(profile, _, wish) := profile.iops["default"] if {
	wish.iops
	not profile.iops.parameter
}

iops(profile, size, wish) := lowered(profile.iops, size, wish.iops) if {
	profile.iops.parameter
	not profile.iops.additional
}

added(p, wish) := sum([n | p.additional; n := wish.iops])

lowered(p, size, wanted) := min([wanted, p.maximum, allowed(p, size)]) if p.driver_caps

lowered(p, _, wanted) := wanted if not p.driver_caps

# The most IOPS that a size allows; what a size gives without asking is always allowed.
allowed(p, size) := max([size * p.per_gib_maximum, object.get(p, "default", 0), object.get(p, "minimum", 0)]) if size > 0

allowed(p, size) := p.maximum if not limited_by_size(p, size)

limited_by_size(p, size) if size * p.per_gib_maximum > 0

# -------------------------------------------------------------------------------------------------------- limits

rejections(profiles, profile, size, wish) := [clause |
	some limit in array.concat(["size", "required"], wished(wish, ["iops below", "iops ratio", "throughput below", "throughput ratio"]))
	clause := rejection(limit, profiles, profile, size, wish)
]

# Limits on what nobody wished for are none.
wished(wish, limits) := limits if {
	count(wish) > 0
} else := []

rejection("size", profiles, profile, size, _) := sprintf("%s starts at %s: grow to %s%s", [
	profile.title,
	gib_text(profile.minimum_gib),
	gib_text(profile.minimum_gib),
	instead(profiles, profile, size),
]) if {
	size > 0
	size < profile.minimum_gib
}

rejection("required", _, profile, _, wish) := sprintf("%s needs %s", [profile.title, profile.iops.required]) if {
	profile.iops.required
	not wish.iops
}

rejection("iops below", _, profile, _, wish) := sprintf("%s: %d is less than the %d that %s has at least", [
	profile.iops.parameter,
	floor(wish.iops / 1000),
	floor(profile.iops.minimum / 1000),
	profile.title,
]) if {
	wish.iops < profile.iops.minimum
	not wish.raised
}

rejection("iops ratio", _, profile, size, wish) := sprintf("%s: %d is more than %d for each GiB allow at %s (%d)", [
	profile.iops.parameter,
	floor(wish.iops / 1000),
	floor(profile.iops.per_gib_maximum / 1000),
	gib_text(size),
	floor(allowed(profile.iops, size) / 1000),
]) if {
	size > 0
	profile.iops.per_gib_maximum
	not profile.iops.driver_caps
	wish.iops > allowed(profile.iops, size)
}

rejection("throughput below", _, profile, _, wish) := sprintf("%s: %s is less than the %s that %s has at least", [
	profile.throughput.parameter,
	parameter_value(profile.throughput, wish.throughput),
	rate_text(profile.unit, profile.throughput.minimum),
	profile.title,
]) if {
	wish.throughput < profile.throughput.minimum
}

rejection("throughput ratio", _, profile, size, wish) := sprintf("%s: %s needs %s: %d at least, the disk has %d", [
	profile.throughput.parameter,
	parameter_value(profile.throughput, wish.throughput),
	profile.iops.parameter,
	up(wish.throughput, profile.throughput.per_iops_maximum),
	floor(n / 1000),
]) if {
	wish.throughput
	n := iops(profile, size, wish)
	wish.throughput * 1000 > n * profile.throughput.per_iops_maximum
}

instead(profiles, profile, size) := sprintf(", or take %s, which gives %s at %s", [
	below.title,
	rate_text(below.unit, rate(below, size, {})),
	gib_text(size),
]) if {
	below := profiles[profile.below]
	fits(below, size)
}

instead(profiles, profile, size) := "" if not has_below(profiles, profile, size)

has_below(profiles, profile, size) if fits(profiles[profile.below], size)

drifts(profile, size, wish) := [clause |
	some limit in array.concat(["size"], wished(wish, ["iops", "throughput", "capped"]))
	clause := drift(limit, profile, size, wish)
]

# The one drift that costs nothing but the wish.
only_lowered(profile, size, wish) if {
	kinds := [kind | some kind in ["size", "iops", "throughput", "capped"]; drift(kind, profile, size, wish)]
	count(kinds) > 0
	count([kind | some kind in kinds; not mild(kind, profile)]) == 0
}

mild("capped", _)

mild("iops", profile) if profile.iops.driver_caps

drift("size", profile, size, _) := sprintf("%s is more than %s, the most that %s had by %s: provisioning fails unless the limit was raised", [
	gib_text(size),
	gib_text(profile.maximum_gib),
	profile.title,
	profile.as_of,
]) if {
	size > profile.maximum_gib
}

drift("iops", profile, _, wish) := sprintf("%s: %d is more than %d, the most that %s had by %s: %s unless the limit was raised", [
	profile.iops.parameter,
	floor(wish.iops / 1000),
	floor(profile.iops.maximum / 1000),
	profile.title,
	profile.as_of,
	fate(profile.iops),
]) if {
	profile.iops.parameter
	not profile.iops.additional
	wish.iops > profile.iops.maximum
}

fate(p) := "the driver lowers it" if p.driver_caps

fate(p) := "provisioning fails" if not p.driver_caps

drift("throughput", profile, _, wish) := sprintf("%s: %s is more than %s, the most that %s had by %s: provisioning fails unless the limit was raised", [
	profile.throughput.parameter,
	parameter_value(profile.throughput, wish.throughput),
	rate_text(profile.unit, profile.throughput.maximum),
	profile.title,
	profile.as_of,
]) if {
	wish.throughput > profile.throughput.maximum
}

drift("capped", profile, size, wish) := sprintf("%s: %d is lowered to %d, since %s allows %d for each GiB", [
	profile.iops.parameter,
	floor(wish.iops / 1000),
	floor(allowed(profile.iops, size) / 1000),
	profile.title,
	floor(profile.iops.per_gib_maximum / 1000),
]) if {
	profile.iops.driver_caps
	wish.iops <= profile.iops.maximum
	wish.iops > allowed(profile.iops, size)
}

# -------------------------------------------------------------------------------------------------------- burst

# What credits allow above the sustained figures; absent where they allow no more.
burst(profile, size, wish) := object.union(
	throughput_facts(profile.unit, b.throughput),
	{"iops": floor(b.iops / 1000), "seconds": burst_seconds(profile.burst, b.iops - n)},
) if {
	b := tier(profile.burst.tiers, size)
	n := iops(profile, size, wish)
	b.iops > n
}

burst_seconds(b, _) := b.seconds

burst_seconds(b, above) := floor((b.credits * 1000) / above)

# -------------------------------------------------------------------------------------------------------- cures

# What the volume must give, in thousandths of the unit; 0 when that is not known.
needed(profile, claim) := {"rate": up(claim.demand.bytes_per_second * 1000, units[profile.unit]), "floor": claim.demand.origin == "cpu"}

needed(_, claim) := {"rate": 0, "floor": false} if not claim.demand

# A cure never lowers what the disk has: a profile that answers fewer requests by itself is asked for as many. Sizes and figures are
# such as people write.
cures(profiles, profile, size, wish, need) := array.slice(array.concat(near, array.concat(array.concat(at_size, far), larger)), 0, 3) if {
	rate(profile, size, wish) < need.rate
	own := [c | c := own_cure(profile, size, wish, need)]
	near := [c | some c in own; not far_larger(c, size)]
	far := [c | some c in own; far_larger(c, size)]
	steps := [c |
		some id in profile.next
		c := next_cure(profiles[id], size, need)
	]
	at_size := [c | some c in steps; not c.size_bytes]
	larger := [c | some c in steps; c.size_bytes; count(own) + count(at_size) == 0]
} else := []

# More than twice the size costs more than another class.
far_larger(cure_, size) if cure_.size_bytes > (2 * size) * gibibyte

# The disk's own cure.
own_cure(profile, size, wish, need) := cure(own_text(profile, size, r), profile, size, r) if {
	r := reach(profile, size, wish, target(profile, size, need))
}

# A demand that is itself a floor (a figure per core) is not met to the byte: where the knee is at most twice the size that
# the floor asks for, the knee.
target(profile, _, need) := profile.throughput.maximum if near_knee(profile, need)

target(profile, _, need) := need.rate if not near_knee(profile, need)

near_knee(profile, need) if {
	need.floor
	profile.scaling == "size"
	not profile.throughput.per_provisioned_iops
	need.rate <= profile.throughput.maximum
	knee(profile) <= 2 * grown(profile.throughput, need.rate)
}

own_text(profile, size, r) := sprintf("grow to %s for %s", [gib_text(r.size), rate_text(profile.unit, r.rate)]) if {
	size > 0
	r.size > size
	count(r.parameters) == 0
}

own_text(profile, size, r) := sprintf("set %s%s for %s", [settings_text(r.parameters), grown_text(size, r), rate_text(profile.unit, r.rate)]) if {
	count(r.parameters) > 0
}

next_cure(profile, size, need) := cure(next_text(profile, size, r), profile, size, r) if {
	r := with_requests(profile, reach(profile, size, {}, need.rate), need.iops)
}

# Requests that the disk answers now; 0 where that is not known.
answered(profile, size, wish) := iops(profile, size, wish)

answered(profile, size, wish) := 0 if not iops(profile, size, wish)

# A setting (see reach) that answers as many requests too.
with_requests(_, r, 0) := r

with_requests(profile, r, least) := r if {
	least > 0
	answers(profile, r, least)
}

with_requests(profile, r, least) := object.union(r, {
	"parameters": object.union(r.parameters, {profile.iops.parameter: sprintf("%d", [n])}),
	"rate": max([r.rate, rate_with(profile, r.size, n)]),
}) if {
	least > 0
	not answers(profile, r, least)
	profile.iops.parameter
	not profile.iops.additional
	n := round_requests(up(least, 1000), profile)
	n * 1000 >= least
	n * 1000 <= allowed(profile.iops, r.size)
}

answers(profile, r, least) if iops(profile, r.size, chosen_requests(profile, r)) >= least

# The wish for requests that a setting makes.
chosen_requests(profile, r) := {"iops": n} if {
	n := thousand(r.parameters[profile.iops.parameter])
} else := {}

rate_with(profile, size, n) := rate(profile, size, {"iops": n * 1000}) if {
	profile.throughput.per_iops
} else := 0

# Thousands, as far as the disk goes.
round_requests(n, profile) := min([up(n, 1000) * 1000, floor(profile.iops.maximum / 1000)])

# A quarter of a thousand at a time, from the vendor's default on, as far as the disk goes.
round_rate(n, throughput) := min([up(n, 250) * 250, floor(throughput.maximum / 1000)]) if n * 1000 > object.get(throughput, "default", 0)

round_rate(n, throughput) := n if n * 1000 <= object.get(throughput, "default", 0)

# A size that people write, as far as the disk goes.
round_size(n, profile) := min([budget.volume_up(n * gibibyte) / gibibyte, max([n, object.get(profile, "maximum_gib", n)])])

next_text(profile, size, r) := sprintf("take %s (%s)%s for %s", [
	profile.title,
	settings_text(object.union(profile.select, r.parameters)),
	grown_text(size, r),
	rate_text(profile.unit, r.rate),
])

grown_text(size, r) := sprintf(" at %s", [gib_text(r.size)]) if r.size > size

grown_text(size, r) := "" if r.size <= size

settings_text(parameters) := concat(", ", [sprintf("%s: %s", [name, value]) | some name, value in parameters])

cure(sentence, profile, size, r) := object.union_n([
	{"text": sentence, "bytes_per_second": bytes_of(profile.unit, r.rate)},
	object.union_n([{"size_bytes": r.size * gibibyte} | r.size > size]),
	object.union_n([{"parameters": r.parameters} | count(r.parameters) > 0]),
])

# The smallest setting of a profile, from a size up, that reaches a rate: {"size", "parameters", "rate"}.
reach(profile, size, _, goal) := {"size": at, "parameters": {}, "rate": by_size(profile.throughput, at)} if {
	profile.scaling == "size"
	not profile.throughput.per_provisioned_iops
	size > 0
	goal <= profile.throughput.maximum
	at := max([size, object.get(profile, "minimum_gib", 0), round_size(grown(profile.throughput, goal), profile)])
}

reach(profile, size, _, goal) := {"size": at, "parameters": {profile.iops.parameter: sprintf("%d", [n])}, "rate": base + floor((n * throughput.per_provisioned_iops) / 1000)} if {
	profile.scaling == "size"
	throughput := profile.throughput
	throughput.per_provisioned_iops
	size > 0
	at := max([size, object.get(profile, "minimum_gib", 0)])
	base := by_size(throughput, at)
	goal > base
	n := up(up((goal - base) * 1000, throughput.per_provisioned_iops), 1000) * 1000
	n <= profile.iops.advised_maximum
	at >= profile.iops.additional_from_gib
	n * 1000 <= (at * profile.iops.total_per_gib) - iops(profile, at, {})
}

reach(profile, size, _, goal) := {"size": size, "parameters": {}, "rate": base} if {
	profile.scaling == "size"
	profile.throughput.per_provisioned_iops
	size >= object.get(profile, "minimum_gib", 0)
	base := by_size(profile.throughput, size)
	goal <= base
}

reach(profile, size, _, goal) := {"size": at, "parameters": {}, "rate": enough[0].throughput} if {
	profile.scaling == "tiers"
	size > 0
	enough := [t |
		some t in profile.tiers
		t.up_to_gib >= size
		t.throughput >= goal
	]
	count(enough) > 0
	at := tier_size(enough[0], tier(profile.tiers, size), size)
}

reach(profile, size, wish, goal) := {"size": at, "parameters": parameters, "rate": n * 1000} if {
	profile.scaling == "provisioned"
	throughput := profile.throughput
	throughput.parameter
	exact := up(max([goal, object.get(throughput, "minimum", 0), object.get(throughput, "default", 0)]), 1000)
	exact * 1000 <= throughput.maximum
	n := round_rate(exact, throughput)
	wanted := iops_for(profile, n)
	parameters := object.union(
		object.union_n([{throughput.parameter: parameter_value(throughput, n * 1000)} | n * 1000 > object.get(throughput, "default", 0)]),
		object.union_n([{profile.iops.parameter: sprintf("%d", [wanted])} | wanted * 1000 > has_iops(profile, size, wish)]),
	)
	at := max([size, object.get(profile, "minimum_gib", 0), size_for(profile, size, wanted)])
}

reach(profile, size, _, goal) := {"size": at, "parameters": {profile.iops.parameter: sprintf("%d", [n])}, "rate": by_iops} if {
	profile.scaling == "provisioned"
	throughput := profile.throughput
	not throughput.parameter
	least := up(goal, throughput.per_iops)
	least * 1000 <= profile.iops.maximum
	n := round_requests(least, profile)
	by_iops := min([n * throughput.per_iops, following_cap(throughput, n * 1000)])
	by_iops >= goal
	at := max([size, object.get(profile, "minimum_gib", 0), size_for(profile, size, n)])
}

# Within the tier that a size has already nothing grows; a higher tier is paid for whole.
tier_size(enough, current, size) := size if enough.up_to_gib == current.up_to_gib

tier_size(enough, current, _) := enough.up_to_gib if enough.up_to_gib != current.up_to_gib

iops_for(profile, n) := up(n * 1000, ratio) if {
	ratio := object.get(profile.throughput, "per_iops_maximum", object.get(profile.throughput, "advised_per_iops", 0))
	ratio > 0
}

has_iops(profile, size, wish) := iops(profile, size, wish)

has_iops(profile, size, wish) := object.get(profile.iops, "minimum", 0) if not iops(profile, size, wish)

# IOPS that a small disk has anyway ask for no size.
size_for(profile, size, wanted) := size if wanted * 1000 <= allowed(profile.iops, max([size, 1]))

size_for(profile, size, wanted) := up(wanted * 1000, profile.iops.per_gib_maximum) if wanted * 1000 > allowed(profile.iops, max([size, 1]))

parameter_value(throughput, n) := sprintf("%d%s", [floor(n / 1000), object.get(throughput, "suffix", "")])

# Profiles that a check may want to replace at any size.
unloved(profile) if profile.slow

unloved(profile) if profile.burst

# The first profile to step up to that answers more requests at this size, as the StorageClass would choose it.
alternative(profiles, profile, size) := clauses[0] if {
	clauses := [clause |
		some id in profile.next
		better := profiles[id]
		fits(better, size)
		iops(better, size, {}) > iops(profile, size, {})
		rate(better, size, {}) >= rate(profile, size, {})
		clause := sprintf("%s (%s) gives %s and %d IOPS", [
			better.title,
			settings_text(better.select),
			rate_text(better.unit, rate(better, size, {})),
			floor(iops(better, size, {}) / 1000),
		])
	]
	count(clauses) > 0
}

# METADATA
# description: True of a filesystem that reserves no space for a WAL segment that was not written with zeros.
needs_zeroes(volume) if volume.filesystem.name in {"ext2", "ext3", "ext4"}

# METADATA
# description: |
#   True for the names that clouds, their manuals and storage operators give to classes of block storage. Their drivers format it with ext4 unless a parameter of the
#   class says otherwise, and the root directory of what they format belongs to root.
formatted(name) if regex.match(`^(gp[23]|(auto-)?ebs-(sc|gp[23])|managed(-csi)?(-premium)?|(standard|premium)-rwo|do-block-storage(-retain)?|hcloud-volumes|linode-block-storage(-retain)?|vultr-block-storage(-hdd)?|scw-bssd(-retain)?|exoscale-(sbs|bs-retain)|oci-bv|csi-cinder-[a-z0-9-]+|alicloud-disk-[a-z0-9-]+|ibmc-vpc-block-[a-z0-9-]+|longhorn|(rook-)?ceph-block|(csi-|ceph-|rook-)?(ceph-)?rbd(-sc)?|ocs-storagecluster-ceph-rbd|vsphere-(csi|sc|thin)|thin-csi|proxmox-(csi|ext4)|ionos-enterprise-(hdd|ssd)|upcloud-block-storage-[a-z]+|civo-volume|openstack-cinder|cinder-csi|cinder|gcp-pd(-ssd)?|pd-(ssd|balanced|standard)|ebs-csi|aws-ebs|azure-disk|managed-(standard|premium))$`, name)
