package walguard.lib.disk

import data.walguard.lib.budget

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
answered(profile, size, wish) := n if {
	n := iops(profile, size, wish)
} else := 0

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

has_iops(profile, size, wish) := n if {
	n := iops(profile, size, wish)
} else := object.get(profile.iops, "minimum", 0)

# IOPS that a small disk has anyway ask for no size.
size_for(profile, size, wanted) := size if wanted * 1000 <= allowed(profile.iops, max([size, 1]))

size_for(profile, size, wanted) := up(wanted * 1000, profile.iops.per_gib_maximum) if wanted * 1000 > allowed(profile.iops, max([size, 1]))

parameter_value(throughput, n) := sprintf("%d%s", [floor(n / 1000), object.get(throughput, "suffix", "")])

# Profiles that a check may want to replace at any size.
unloved(profile) if profile.slow

unloved(profile) if profile.burst

# The first profile to step up to that answers more requests at this size, as the StorageClass would choose it.
alternative(profiles, profile, size) := clauses[0] if {
	own_iops := iops(profile, size, {})
	own_rate := rate(profile, size, {})
	clauses := [clause |
		some id in profile.next
		better := profiles[id]
		fits(better, size)
		more := iops(better, size, {})
		more > own_iops
		faster := rate(better, size, {})
		faster >= own_rate
		clause := sprintf("%s (%s) gives %s and %d IOPS", [
			better.title,
			settings_text(better.select),
			rate_text(better.unit, faster),
			floor(more / 1000),
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
