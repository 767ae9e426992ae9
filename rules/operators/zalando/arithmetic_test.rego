package walguard.operators.zalando_arithmetic_test

import data.walguard.operators.zalando

test_sizes_by_memory if {
	every mebibytes, sizes in {4: ["0MB", "100"], 1004: ["200MB", "100"], 3029: ["605MB", "100"], 3030: ["606MB", "101"], 30000: ["6000MB", "1000"], 30030: ["6006MB", "1000"]} {
		zalando.sized_defaults == {"shared_buffers": sizes[0], "max_connections": sizes[1]} with zalando.mebibytes as mebibytes
	}
	every memory, mebibytes in {"1Mi": 1, "2097151": 1, "1048575": 0, "1": 0} { zalando.mebibytes == mebibytes with zalando.resources as {"limits": {"memory": memory}} }
	every memory in ["0", "x", ""] { not zalando.mebibytes with zalando.resources as {"limits": {"memory": memory}} }
}

test_modes if {
	every mode, text in {420: "0644", 416: "0640", 511: "0777", 83: "0123", 8: "0010", 64: "0100"} { zalando.octal(mode) == text }
	every mode in [416, 384, 288, 256, 0] { zalando.within_0640(mode) }
	every mode in [420, 400, 424, 432, 385] { not zalando.within_0640(mode) }
}

test_windows if {
	every window in ["01:00-01:00", "00:00-23:59", "Mon:09:08-9:9", "8:59-09:00"] { not zalando.fault_of_window(window) }
	every window in ["01:00-00:59", "Sat:10:00-09:59", "09:09-09:08"] { zalando.fault_of_window(window)[1] == "Write two windows, up to 23:59 and from 00:00" }
	every window in ["24:00-24:30", "01:60-02:00", "Mon 01:00-02:00", "1-2"] { zalando.fault_of_window(window)[0] == "which is no window that it reads" }
	zalando.minutes("08", "05") == 485
	zalando.minutes("0", "59") == 59
}
