package walguard.lib.budget_test

import data.walguard.lib.budget

test_text if {
	{bytes: budget.text(bytes) | some bytes in [0, 1, 1024, 65536, 1048576, 1049600, 268435456, 1073741824, 1610612736]} == {
		0: "0",
		1: "1kB",
		1024: "1kB",
		65536: "64kB",
		1048576: "1MB",
		1049600: "1025kB",
		268435456: "256MB",
		1073741824: "1GB",
		1610612736: "1536MB",
	}
}

test_shown if {
	{bytes: budget.shown(bytes) | some bytes in [0, 1500, 65536, 268435456, 1572864, 1073741824, 1610612736, 2147483649]} == {
		0: "0",
		1500: "2kB",
		65536: "64kB",
		268435456: "256MB",
		1572864: "1.5MB",
		1073741824: "1GB",
		1610612736: "1.5GB",
		2147483649: "2GB",
	}
}

# On both sides of each unit.
test_shown_at_the_units if {
	every bytes, text in {
		1023: "1kB", 1025: "2kB", 1048575: "1024kB", 1048576: "1MB", 1048577: "1MB", 1049600: "1MB", 1100800: "1MB", 1101004: "1MB", 1101005: "1.1MB",
		1073741823: "1024MB", 1073741825: "1GB", 1074790400: "1GB", 1127428915: "1GB", 1127428916: "1.1GB", 11811160064: "11GB", 12455405158: "11.6GB",
	} {
		budget.shown(bytes) == text
	}
	not budget.text(-1)
}

mebibytes := [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768]

gibibytes := [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024]

test_amounts if {
	budget.amounts == array.concat([bytes | some n in mebibytes; bytes := n * 1048576], [bytes | some n in gibibytes; bytes := n * 1073741824])
	[budget.down(n) | some n in [1048576, 2097151, 2097152, 1099511627777]] == [1048576, 1048576, 2097152, 1099511627776]
	not budget.down(1048575)
	[budget.up(n) | some n in [1, 1048576, 1048577, 1099511627776]] == [1048576, 1048576, 2097152, 1099511627776]
	not budget.up(1099511627777)
}

# At most an eighth less.
test_near if {
	every bytes, nearest in {
		8192: 8192, 9215: 8192, 9216: 9216, 16383: 15360, 16384: 16384, 18431: 16384,
		8482560409: 8053063680, 8589934592: 8589934592, 51432233369: 47244640256,
		18691697672192: 18691697672192, 18141941858304: 17592186044416,
	} {
		budget.near(bytes) == nearest
	}
	not budget.near(8191)
}

# Gibibytes that are wanted, and those of the volume that people make.
test_volumes if {
	every wanted, made in {1: 1, 6: 6, 7: 8, 10: 10, 11: 15, 20: 20, 21: 30, 200: 200, 201: 220, 500: 500, 501: 550, 1000: 1000, 1001: 1100} {
		budget.volume_up(wanted * 1073741824) == made * 1073741824
		budget.volume_up((wanted * 1073741824) - 1073741823) == made * 1073741824
	}
	not budget.volume_up(0)
}

test_who_chose if {
	usual := {"name": "max_wal_size", "origin": "postgres", "bytes": 1610612736, "text": "98304"}
	budget.setting(usual) == "max_wal_size=1.5GB (the default)"
	budget.now(usual) == "1.5GB, the default"
	operator := object.union(usual, {"origin": "operator", "text": "1536MB"})
	budget.setting(operator) == "max_wal_size=1536MB (the operator's default)"
	budget.now(operator) == "1536MB, the operator's default"
	every origin in ["written", "status"] {
		budget.setting(object.union(operator, {"origin": origin})) == "max_wal_size=1536MB"
		budget.now(object.union(operator, {"origin": origin})) == "1536MB"
	}
}

test_values_of_defaults if {
	every milliseconds, value in {300000: "5min", 60000: "1min", 59999: "own", 90000: "own", 0: "own", -60000: "own"} {
		budget.value({"origin": "postgres", "milliseconds": milliseconds, "text": "own"}) == value
		budget.value({"origin": "written", "milliseconds": milliseconds, "text": "own"}) == "own"
	}
	every bytes, value in {1: "1kB", 0: "own", -1: "own"} {
		budget.value({"origin": "postgres", "bytes": bytes, "text": "own"}) == value
	}
}
