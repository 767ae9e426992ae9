package walguard.lib.cron_test

import data.walguard.lib.cron

test_words if cron.words(" 0\t2  * * * ") == ["0", "2", "*", "*", "*"]

test_values if {
	cron.field("*/20", "minute") == {0, 20, 40}
	cron.field("1-5/2,9", "hour") == {1, 3, 5, 9}
	cron.field("00,02", "hour") == {0, 2}
	[cron.field(word, "minute") | some word in ["0", "00", "000", "009", "59"]] == [{0}, {0}, {0}, {9}, {59}]
	cron.field("20/2", "hour") == {20, 22}
	cron.field("2-10/3", "hour") == {2, 5, 8}
	cron.field("JAN-mar", "month") == {1, 2, 3}
	count(cron.field("?", "day of the month")) == 31
}

test_names if {
	months := ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
	[cron.field(name, "month") | some name in months] == [{n} | some n in numbers.range(1, 12)]
	days := ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
	[cron.field(name, "day of the week") | some name in days] == [{n} | some n in numbers.range(0, 6)]
}

test_limits if {
	[cron.field("*", name) | some name in cron.six] == [
		{n | some n in numbers.range(0, 59)},
		{n | some n in numbers.range(0, 59)},
		{n | some n in numbers.range(0, 23)},
		{n | some n in numbers.range(1, 31)},
		{n | some n in numbers.range(1, 12)},
		{n | some n in numbers.range(0, 6)},
	]
}

test_what_cannot_be_read if {
	some_bad := ["", "x", "60", "5-1", "1-2-3", "*/0", "*/x", "1/2/3", "-1", "1000", "0059", "1/1/1", "1/2/3/4", "*/00"]
	{word | some word in some_bad; cron.field(word, "minute") != set()} == set()
}

test_objections if {
	cron.objections(["0", "25", "*", "13", "7"], cron.five) == [
		`"13" is not a valid month (1 to 12)`,
		`"25" is not a valid hour (0 to 23)`,
		`"7" is not a valid day of the week (0 to 6)`,
	]
	cron.objections(["59", "0", "2", "*", "dec", "sat"], cron.six) == []
}

test_never if {
	cron.never("30", "2", "*")
	cron.never("31", "apr,jun", "?")
	not cron.never("29", "2", "*")
	not cron.never("31", "2", "1")
	not cron.never("x", "2", "*")
	not cron.never("29,30", "2", "*")
	not cron.never("31", "jan,feb", "*")
}

test_length_of_months if {
	[month | some month in numbers.range(1, 12); cron.never("31", sprintf("%d", [month]), "*")] == [2, 4, 6, 9, 11]
	[month | some month in numbers.range(1, 12); cron.never("30", sprintf("%d", [month]), "*")] == [2]
}

# On both sides of each limit.
test_first_and_last if {
	names := ["second", "minute", "hour", "day of the month", "month", "day of the week"]
	cron.objections(["0", "0", "0", "1", "1", "0"], names) == []
	cron.objections(["59", "59", "23", "31", "12", "6"], names) == []
	count(cron.objections(["60", "60", "24", "32", "13", "7"], names)) == 6
	count(cron.objections(["*/0", "1/2/3", "1-2-3", "0", "0", ""], names)) == 6
}
