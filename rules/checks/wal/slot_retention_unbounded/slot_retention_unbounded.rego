# METADATA
# title: A standby that stays away fills the disk with WAL
# description: |
#   A replication slot keeps WAL for a standby that is down, lagging or gone, and max_slot_wal_keep_size=-1, the default, puts no bound to
#   that. The volume fills up at the rate of writing, the server stops with a PANIC, and it does not start again until there is room –
#   on the primary, because of a standby. With a bound the slot is given up instead: the standby is copied anew. Subscribers of logical
#   replication hold slots likewise. Reported for clusters with more than one instance whose standbys use slots, and for those that set
#   wal_level=logical, on a volume of known size. A warning where somebody wrote -1, where the volume is smaller than twice
#   max_wal_size, of more than 1 GB (wal/max_wal_vs_volume lets that have three fifths of it), and where a volume for WAL alone is smaller than what archive_timeout makes a quiet server write in a day (with 5 minutes 288 segments,
#   4.5 GB), so that a short absence fills it, where a postgresql.conf alone is read, where Debezium, its like, a Publication of CloudNativePG or a logical slot of spec.patroni.slots is in sight, which keeps WAL for as long as it is stopped or its
#   tables are quiet, and where a single server sets wal_level=logical, which is for nothing else than subscribers. Otherwise, and on a directory of the node or of an NFS server, which holds more than its claim asks for,
#   the default is info: nearly every manifest has it, and monitoring sees a standby that is away first.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-MAX-SLOT-WAL-KEEP-SIZE
#   - https://cloudnative-pg.io/docs/current/replication
#   - https://github.com/ebongard/renfield/pull/1229
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-wal-disk-space
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set max_slot_wal_keep_size to what the WAL volume can spare.
#   sources: [S2]
#   settings:
#     small_times: {default: 2, description: How many times max_wal_size a volume has to be for the default to be info only. A heuristic.}
package walguard.checks.wal.slot_retention_unbounded

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.decoders

findings contains f if {
	setting.value == -1
	[id, volume] := wal.tightest
	f := bounded(finding.with_severity(
		finding.with_default(
			finding.at(setting, sprintf("%s: %s can fill the %s of %s with WAL and stop the primary%s. %s.", [
				budget.setting(setting),
				holder,
				disk.label(model.volumes, id),
				disk.size_text(volume.size_bytes),
				pace(volume),
				cure(volume),
			])),
			setting,
		),
		severity(volume),
	))
}

# Of the disk of a machine nothing is known without --disk, and any has an end.
findings contains f if {
	model.cluster.machine
	all_said
	setting.value == -1
	wal.subscribers
	count(model.volumes) == 0
	f := finding.with_severity(
		finding.with_default(
			finding.at(setting, sprintf("%s: %s can fill the disk with WAL and stop the server. Set a bound that the disk can spare.", [budget.setting(setting), holder])),
			setting,
		),
		"warning",
	)
}

# A part of the configuration says what it says.
all_said if not model.partial

all_said if setting.origin == "written"

setting := model.parameter("max_slot_wal_keep_size")

# Who holds slots.
holder := sprintf("%s, while away,", [text.list(sort(holders), "or")]) if streamed

holder := sprintf("a standby (%d instances) that stays away", [model.cluster.instances.value]) if {
	wal.standbys
	not streamed
}

holder := "a logical subscriber (wal_level=logical) that stays away" if {
	wal.subscribers
	not wal.standbys
	not streamed
}

streamed if {
	wal.subscribers
	count(holders) > 0
}

holders := {one.who | some one in decoders.all}

severity(volume) := "warning" if {
	setting.origin == "written"
} else := "warning" if {
	small(volume)
	not disk.without_quota(volume)
} else := "warning" if {
	streamed
	not disk.without_quota(volume)
} else := "warning" if {
	# Who asks for it means to have subscribers.
	wal.subscribers
	not wal.standbys
	not disk.without_quota(volume)
} else := "info"

pace(volume) := sprintf(" within a day: %s writes up to %s", [budget.setting(switching), disk.size_text(daily)]) if {
	setting.origin != "written"
	full_in_a_day(volume)
} else := ""

# Nobody is there every night. What lies beside the data has room that is not known here, and one that no bound fits into is told to grow.
full_in_a_day(volume) if {
	wal.standbys
	not volume.shared
	bound_fits(volume)
	volume.size_bytes <= daily
}

bound_fits(_) if wal.slots_within(wal.spare)

# What is kept fills it already; on the volume that wal/max_wal_vs_volume asks for a bound fits.
bound_fits(volume) if wal.kept_bytes >= volume.size_bytes

daily := floor((86400000 / switching.milliseconds) * model.segment_bytes) if {
	switching.milliseconds > 0
	model.cluster.archiving.value in {"on", "discards"}
}

switching := model.parameter("archive_timeout")

# A volume that is small for what somebody wants of it; a small one under PostgreSQL's own 1 GB is a sample.
small(volume) if full_in_a_day(volume)

small(volume) if {
	volume.size_bytes < wal.slots_want(wal.limit.bytes)
}

cure(_) := sprintf("Set it to %s", [budget.text(wal.slots_within(wal.spare))])

cure(volume) := sprintf("Set a bound, and grow the volume to %s", [disk.size_text(wal.size_for(volume, wal.reach(wal.limit.bytes, max([wal.limit.bytes, budget.gibibyte]))))]) if {
	not wal.slots_within(wal.spare)
	wal.limit.bytes
}

cure(_) := "Set a bound" if not wal.limit.bytes

bounded(f) := finding.with_parameter(f, setting, budget.text(wal.slots_within(wal.spare)))

bounded(f) := f if not wal.slots_within(wal.spare)
