package walguard.lib.disk

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
