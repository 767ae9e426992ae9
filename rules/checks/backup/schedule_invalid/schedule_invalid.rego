# METADATA
# title: The backup schedule does not do what it seems to
# description: |
#   CloudNativePG's schedules have six fields, the seconds first; of five it takes the first for the seconds, so that "0 2 * * *", two
#   in the morning elsewhere, runs at minute 2 of every hour. Everybody else's have five fields, and the API server or the CronJob
#   refuses six; neither does the crontab of kartoza/pg-backup take another number, and images that dump by themselves take names (@daily) of a list, without quotes. Days of the week end with 6: 7 is refused. A day that no month has, 31 February, never comes, and
#   neither does a suspended schedule. pgBackRest takes one backup into a repository at a time: of two that start together one ends with "unable to acquire lock", reported where one
#   of them is full. A schedule that asks for a method that the cluster does not configure makes backups that fail, and so does one whose program does not work where it is run, or whose cluster is hibernated (a warning, until it is woken). Full base backups every hour or oftener are rarely meant, since each reads the whole cluster, and neither are incremental ones
#   every quarter of an hour or oftener.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/backup#scheduled-backups
#   - https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
#   - https://github.com/CrunchyData/postgres-operator/issues/3145
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8508
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the fields that this operator reads, "0 0 2 * * *" in CloudNativePG and "0 2 * * *" elsewhere for two in the morning.
#   sources: [S3]
package walguard.checks.backup.schedule_invalid

import data.walguard.lib.cron
import data.walguard.lib.finding
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.tools

findings contains f if {
	some schedule in read
	count(schedule.objections) > 0
	f := about(schedule, "error", sprintf("%s, so no backup ever runs. Correct it", [text.list(schedule.objections, "and")]))
}

findings contains f if {
	some schedule in read
	count(schedule.objections) == 0
	cron.never(schedule.day, schedule.month, schedule.weekday)
	f := about(schedule, "error", "no such day exists, so no backup ever runs. Correct it")
}

findings contains f if {
	some schedule in read
	schedule.shifted
	not often(schedule)
	f := about(schedule, "warning", sprintf("%s reads the first of five fields as seconds, so hour and minute shift. Write \"0 %s\"", [model.cluster.operator, schedule.text]))
}

findings contains f if {
	some schedule in read
	count(schedule.objections) == 0
	not schedule.shifted
	schedule.method == "full"
	not schedule.snapshot
	not schedule.deltas
	runs := (count(cron.field(schedule.hour, "hour")) * count(cron.field(schedule.minute, "minute"))) * count(cron.field(schedule.second, "second"))
	runs >= 24
	f := about(schedule, "warning", sprintf("this takes %d full base backups a day, and each reads the whole cluster. Write one hour and one minute%s", [
		runs,
		second[count(cron.field(schedule.second, "second")) > 1],
	]))
}

findings contains f if {
	some one in tools.unread_schedules
	f := finding.with_severity(finding.at(one, sprintf("Schedule \"%s\" of %s: %s, so no backup ever runs. Correct it.", [one.text, one.words, one.objection])), "error")
}

# A backup that reads the whole cluster, each minute.
findings contains f if {
	some schedule in read
	schedule.shifted
	often(schedule)
	f := about(schedule, "error", sprintf("%s reads the first of five fields as seconds, so this starts a base backup every minute of %s. Write \"0 %s\"", [model.cluster.operator, hours(schedule), schedule.text]))
}

often(schedule) if {
	count(schedule.objections) == 0
	count(cron.field(schedule.minute, "minute")) == 60
}

hours(schedule) := "the day" if count(cron.field(schedule.hour, "hour")) == 24

hours(schedule) := "its hours" if count(cron.field(schedule.hour, "hour")) < 24

second := {true: ", and one second before them", false: ""}

# WAL brings a restore to any moment between two backups, and what depends on a full backup goes with it alone.
findings contains f if {
	some schedule in read
	count(schedule.objections) == 0
	schedule.method == "incremental"
	runs := count(cron.field(schedule.hour, "hour")) * count(cron.field(schedule.minute, "minute"))
	runs >= 96
	f := about(schedule, "warning", sprintf("this takes %d incremental backups a day, and each is kept until its full backup expires. Take a few a day: WAL already restores to any moment between them", [runs]))
}

# One of the two finds the other's lock.
findings contains f if {
	some [full, other] in together
	f := about(other, "warning", sprintf("it starts together with the full backup of \"%s\", and %s takes one at a time of a repository: one of the two fails (\"unable to acquire lock\"). Move it to another hour or minute", [full.text, full.lock]))
}

together := [[full, other] |
	locked := [schedule | some schedule in read; schedule.lock; count(schedule.objections) == 0]
	some i, full in locked
	full.method == "full"
	some j, other in locked
	full.locked == other.locked
	later(i, j, other)
	meet(full, other, "minute", "minute")
	meet(full, other, "hour", "hour")
	meet(full, other, "month", "month")
	same_day(full, other)
]

later(i, j, _) if j > i

later(i, j, other) if {
	j < i
	other.method != "full"
}

meet(one, other, key, name) if {
	one[key] != other[key]
	count(cron.field(one[key], name) & cron.field(other[key], name)) > 0
}

# No objection to either: each word has a value.
meet(one, other, key, _) if one[key] == other[key]

# A day of the month and a day of the week fall together now and then only.
same_day(one, other) if {
	one.day in {"*", "?"}
	other.day in {"*", "?"}
	meet(one, other, "weekday", "day of the week")
}

same_day(one, other) if {
	one.weekday in {"*", "?"}
	other.weekday in {"*", "?"}
	meet(one, other, "day", "day of the month")
}

# The operator makes a Backup each time, and it fails.
findings contains f if {
	some schedule in model.schedules
	not schedule.suspended
	f := about(object.union(schedule, {"path": object.get(schedule, "method_path", schedule.path)}), "error", sprintf("the cluster does not configure the method %s, so every backup fails. Configure it, or use another method", [schedule.unconfigured]))
}

# Of what the operator makes of it every one fails.
findings contains f if {
	some schedule in model.schedules
	not schedule.suspended
	f := about(schedule, object.get(schedule.doomed, "level", "error"), sprintf("%s, so every backup fails. %s", [schedule.doomed.reason, schedule.doomed.cure]))
}

# A field that the schema requires.
findings contains f if {
	some schedule in model.schedules
	schedule.unscheduled
	f := finding.with_severity(finding.at(schedule, "The schedule has no spec.schedule, so the API server refuses it and no backup runs. Write six fields, such as \"0 0 2 * * *\"."), "error")
}

# Suspended, and nothing else is scheduled, while the cluster runs.
findings contains f if {
	count(model.schedules) > 0
	count([1 | some schedule in model.schedules; not schedule.suspended]) == 0
	schedule := model.schedules[0]
	not schedule.asleep
	f := about(schedule, "warning", "suspended or disabled, and no other schedule was found: nothing is backed up. Resume it")
}

about(schedule, severity, clause) := finding.with_severity(
	finding.at(schedule, sprintf("Schedule \"%s\": %s.", [object.get(schedule, "text", ""), clause])),
	severity,
)

# Of the schedules that count, the fields by name. Descriptors (@daily) and time zones are the parser's own business.
read contains found if {
	some schedule in model.schedules
	not schedule.suspended
	not placeholder.unknown(schedule.text)
	written := placeholder.resolved(schedule.text)
	not startswith(written, "@")
	not contains(written, "TZ=")
	parts := parts_of(cron.words(written), object.get(schedule, "seconds", false))
	found := object.union(schedule, object.union(parts, {"text": written}))
}

parts_of(words, true) := object.union(named(words, 1), {"objections": cron.objections(words, cron.six)}) if count(words) == 6

# Seconds to months, as the operator reads them.
parts_of(words, true) := object.union(named(array.concat(words, ["*"]), 1), {
	"objections": cron.objections(words, cron.six),
	"shifted": true,
}) if {
	count(words) == 5
}

parts_of(words, true) := {"objections": [sprintf("%d fields are not six", [count(words)])]} if not count(words) in {5, 6}

parts_of(words, false) := object.union(named(words, 0), {"objections": cron.objections(words, cron.five)}) if count(words) == 5

parts_of(words, false) := {"objections": [sprintf("%d fields are not five", [count(words)])]} if count(words) != 5

# Of five fields there are no seconds.
named(words, first) := {
	"second": array.concat(["0"], words)[first],
	"minute": words[first],
	"hour": words[first + 1],
	"day": words[first + 2],
	"month": words[first + 3],
	"weekday": words[first + 4],
}
