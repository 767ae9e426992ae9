# METADATA
# title: WAL limits smaller than two segments
# description: |
#   min_wal_size and max_wal_size must each hold at least two segments: '"max_wal_size" must be at least twice
#   "wal_segment_size"', and the server does not start. With segments of 1 GB the innocent max_wal_size=1GB is enough for that.
#   Left alone they fit: initdb writes 64 segments for the one and 5 for the other into postgresql.conf.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-MAX-WAL-SIZE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Raise the limit to two segments or more (64 segments for max_wal_size and 5 for min_wal_size are the defaults), or make the cluster with smaller segments.
#   sources: [S0, S3]
#   formulas:
#     - limit_bytes < 2 * segment_bytes
package walguard.checks.wal.segment_size_vs_wal_size

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some limit in limits
	setting := limit.setting
	setting.bytes < 2 * model.segment_bytes
	f := set_to(limit, finding.with_facts(
		finding.at(setting, sprintf("%s is less than two WAL segments of %s, and the server does not start. %s.", [
			budget.setting(setting),
			budget.shown(model.segment_bytes),
			advice(limit),
		])),
		{"limit_bytes": setting.bytes, "segment_bytes": model.segment_bytes},
	))
}

limits contains {"setting": setting, "beside": []} if setting := model.changed("max_wal_size")

limits contains {"setting": setting, "beside": beside} if setting := model.changed("min_wal_size")

# max_wal_size has to be above min_wal_size, and CloudNativePG takes one that is not written for 1GB, whatever initdb writes.
beside := [setting |
	setting := model.parameter("max_wal_size")
	not roomy(setting)
]

roomy(setting) if {
	setting.origin == "written"
	setting.bytes > 2 * model.segment_bytes
}

# What becomes of a setting; undefined for a max_wal_size that no volume has room for.
value(setting) := most if setting.name == "max_wal_size"

value(setting) := 2 * model.segment_bytes if {
	setting.name == "min_wal_size"
	count([1 | some volume in model.wal_volumes; volume.size_bytes <= 2 * model.segment_bytes]) == 0
}

advice(limit) := sprintf("Set it to %s%s", [
	budget.text(value(limit.setting)),
	concat("", [sprintf(", and %s to %s", [also.name, budget.text(value(also))]) | some also in limit.beside]),
]) if {
	possible(limit)
}

advice(limit) := wal.raise_text(least) if {
	not possible(limit)
	limit.setting.name == "max_wal_size"
}

advice(limit) := sprintf("Set it to %s%s", [budget.text(2 * model.segment_bytes), rest(limit)]) if {
	not possible(limit)
	limit.setting.name == "min_wal_size"
}

rest(limit) := ", on a volume that is larger than that" if not value(limit.setting)

rest(limit) := sprintf(". %s", [wal.raise_text(least)]) if value(limit.setting)

# A value that the volume has no room for would exchange one outage for another.
set_to(limit, f) := finding.with_parameters(f, [[setting, budget.text(value(setting))] |
	some setting in array.concat([limit.setting], limit.beside)
]) if {
	possible(limit)
}

set_to(limit, f) := f if not possible(limit)

possible(limit) if {
	every setting in array.concat([limit.setting], limit.beside) {
		value(setting)
	}
}

# As many segments as initdb would write, fewer where the volume cannot spare them, more than min_wal_size, and enough for a stated demand.
most := max([n |
	some segments in [64, 32, 16, 8, 4, 3]
	n := segments * model.segment_bytes
	wal.fits(n)
	every load in wal.load_limits {
		n >= load
	}
])

least := 3 * model.segment_bytes
