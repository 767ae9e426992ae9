# METADATA
# description: |
#   Amounts as a person would write them, in the unit of the place they are written to. Cures come from the three budgets –
#   walguard.lib.budget.wal, .memory and .connections – so that one that is followed leaves nothing for another check to report.
package walguard.lib.budget

gibibyte := 1073741824

mebibyte := 1048576

# METADATA
# description: Amounts that people write, in megabytes and gigabytes.
amounts := array.concat(
	[n | some megabytes in [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768]; n := megabytes * mebibyte],
	[n | some gigabytes in [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024]; n := gigabytes * gibibyte],
)

# METADATA
# description: The largest such amount that is no larger; undefined below 1 MB.
down(bytes) := max([n | some n in amounts; n <= bytes])

# METADATA
# description: The smallest such amount that is no smaller; undefined above 1 TB.
up(bytes) := min([n | some n in amounts; n >= bytes])

# METADATA
# description: An amount with at most an eighth less, in steps that people write – 7.9 GB as 7.5 GB, 47.9 GB as 44 GB.
near(bytes) := floor(bytes / unit) * unit if unit := max([n | some n in eighths; n * 8 <= bytes])

eighths := [n |
	some exponent in numbers.range(10, 40)
	n := bits.lsh(1, exponent)
]

# METADATA
# description: The size of a volume that holds so many bytes – a multiple of 1, 2, 5, 10, 20, 50 or 100 GiB.
volume_up(bytes) := (whole(gib, multiple) * multiple) * gibibyte if {
	gib := whole(bytes, gibibyte)
	multiple := step(gib)
}

step(gib) := steps[0] if {
	steps := [size | some [from, size] in [[1000, 100], [500, 50], [200, 20], [20, 10], [10, 5], [6, 2], [0, 1]]; gib > from]
}

whole(dividend, divisor) := (dividend + ((divisor - (dividend % divisor)) % divisor)) / divisor

# METADATA
# description: An amount as PostgreSQL reads it – "24GB", "512MB", "64kB"; what is no whole number of kB is rounded up.
text(bytes) := "0" if bytes == 0

text(bytes) := sprintf("%dGB", [bytes / gibibyte]) if {
	bytes > 0
	bytes % gibibyte == 0
} else := sprintf("%dMB", [bytes / mebibyte]) if {
	bytes > 0
	bytes % mebibyte == 0
} else := sprintf("%dkB", [whole(bytes, 1024)]) if {
	bytes > 0
}

# METADATA
# description: An amount for people to read in the same units, with one decimal where it has to be – "16.5GB".
shown(bytes) := text(bytes) if {
	plain(bytes)
} else := sprintf("%sGB", [tenths(bytes, gibibyte)]) if {
	bytes >= gibibyte
} else := sprintf("%sMB", [tenths(bytes, mebibyte)]) if {
	bytes >= mebibyte
} else := sprintf("%dkB", [whole(bytes, 1024)])

plain(bytes) if bytes % gibibyte == 0

plain(bytes) if {
	bytes < gibibyte
	bytes % mebibyte == 0
}

plain(bytes) if {
	bytes < mebibyte
	bytes % 1024 == 0
}

tenths(bytes, unit) := decimal(round((bytes * 10) / unit))

decimal(n) := sprintf("%d", [n / 10]) if n % 10 == 0

decimal(n) := sprintf("%d.%d", [(n - (n % 10)) / 10, n % 10]) if n % 10 != 0

# METADATA
# description: A parameter with its value and who chose it, for messages – "max_wal_size=1GB (the default)".
setting(chosen) := sprintf("%s=%s%s", [chosen.name, value(chosen), by_whom[chosen.origin]])

by_whom := {"written": "", "operator": " (the operator's default)", "postgres": " (the default)", "status": ""}

# METADATA
# description: The value of a parameter and who chose it, for messages that have named the parameter – "1GB, the default".
now(chosen) := sprintf("%s%s", [value(chosen), object.get(by_whom_within, chosen.origin, "")])

by_whom_within := {"operator": ", the operator's default", "postgres": ", the default"}

# PostgreSQL's own defaults are numbers in some unit.
value(chosen) := shown(chosen.bytes) if {
	chosen.origin == "postgres"
	chosen.bytes > 0
} else := sprintf("%dmin", [chosen.milliseconds / 60000]) if {
	chosen.origin == "postgres"
	chosen.milliseconds > 0
	chosen.milliseconds % 60000 == 0
} else := chosen.text
