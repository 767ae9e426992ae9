package walguard.lib.disk

import data.walguard.lib.text

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

rated(profile, size, wish) := n if {
	n := rate(profile, size, wish)
} else := 0

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
