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
