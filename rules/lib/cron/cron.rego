# METADATA
# description: |
#   Cron schedules as the cron library of Kubernetes and its operators (robfig/cron) reads them: five fields – minute, hour, day of
#   the month, month, day of the week from 0, Sunday, to 6 – or six with the seconds first, or @daily and the like.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
#   - https://pkg.go.dev/github.com/robfig/cron
package walguard.lib.cron

import data.walguard.lib.get

# METADATA
# description: The words of a schedule.
words(text) := [word | some word in split(replace(text, "\t", " "), " "); word != ""]

# METADATA
# description: |
#   What is wrong with the words of a schedule, sorted clauses; [] when nothing. names: of the fields, in order (five or six).
objections(found, names) := sort({objection |
	some i, word in found
	name := names[i]
	word != "*"
	not single(word, name)
	some part in split(word, ",")
	not bounds(part, limits[name])
	objection := sprintf("%q is not a valid %s (%d to %d)", [word, name, limits[name].min, limits[name].max])
})

five := ["minute", "hour", "day of the month", "month", "day of the week"]

six := array.concat(["second"], five)

limits := {
	"second": {"min": 0, "max": 59, "names": {}},
	"minute": {"min": 0, "max": 59, "names": {}},
	"hour": {"min": 0, "max": 23, "names": {}},
	"day of the month": {"min": 1, "max": 31, "names": {}},
	"month": {"min": 1, "max": 12, "names": {
		"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
		"jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	}},
	"day of the week": {"min": 0, "max": 6, "names": {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}},
}

# METADATA
# description: The set of values of a field, by its word and its name; what cannot be read has none.
field(word, name) := {n} if {
	n := single(word, name)
} else := {value |
	some part in split(word, ",")
	some value in values(part, limits[name])
}

# What most fields are.
single(word, name) := n if {
	n := whole(word)
	n >= limits[name].min
	n <= limits[name].max
}

# METADATA
# description: True when no day of the year is ever met – 31 February. A day of the week makes one possible.
never(day, month, weekday) if {
	weekday in {"*", "?"}
	months := field(month, "month")
	days := field(day, "day of the month")
	count(months) > 0
	count(days) > 0
	min(days) > max({n | some m in months; n := longest[m]})
}

longest := {1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}

values(part, limit) := [n |
	[first, last, step] := bounds(part, limit)
	some n in numbers.range(first, last)
	(n - first) % step == 0
]

# A range with or without a step; undefined where it cannot be read.
bounds(part, limit) := [first, last, step] if {
	pieces := split(part, "/")
	step := step_of(pieces)
	step > 0
	[first, last] := ends(pieces[0], count(pieces), limit)
	first >= limit.min
	last <= limit.max
	first <= last
}

step_of(pieces) := 1 if count(pieces) == 1

step_of(pieces) := whole(pieces[1]) if count(pieces) == 2

ends(text, _, limit) := [limit.min, limit.max] if text in {"*", "?"}

# One value; with a step, from there to the end.
ends(text, 1, limit) := [n, n] if n := value_of(text, limit)

ends(text, 2, limit) := [n, limit.max] if n := value_of(text, limit)

ends(text, _, limit) := [first, last] if {
	pair := split(text, "-")
	count(pair) == 2
	first := value_of(pair[0], limit)
	last := value_of(pair[1], limit)
}

value_of(text, limit) := limit.names[get.lower_case(text)]

value_of(text, _) := whole(text)

# 02 is 2; to_number refuses leading zeros.
whole(text) := to_number(digits) if {
	text != ""
	count(text) < 4
	trim_left(text, "0123456789") == ""
	digits := trim_left(text, "0")
	digits != ""
}

whole(text) := 0 if text in {"0", "00", "000"}
