package walguard.lib.text_test

import data.walguard.lib.text

test_bytes if {
	text.bytes(0) == "0 bytes"
	text.bytes(17) == "17 bytes"
	text.bytes(1024) == "1Ki"
	text.bytes(1048576) == "1Mi"
	text.bytes(1610612736) == "1.5Gi"
	text.bytes(322122547200) == "300Gi"
	text.bytes(1099511627776) == "1Ti"
}

test_tenths if {
	text.tenths(169) == "16.9"
	text.tenths(170) == "17"
	text.thousandths(16875) == "16.9"
	text.thousandths(16000) == "16"
}

test_list if {
	text.list(["a"], "and") == "a"
	text.list(["a", "b"], "or") == "a or b"
	text.list(["a", "b", "c"], "and") == "a, b and c"
}

test_path if {
	text.path(["spec", "instances", 0, "replicas"]) == "spec.instances[0].replicas"
	text.path([]) == ""
}

# The smallest number of each unit, and the one before it.
test_units_of_bytes if {
	every n, words in {
		1023: "1023 bytes", 1024: "1Ki", 1536: "1.5Ki", 1048575: "1024Ki", 1048576: "1Mi", 1572864: "1.5Mi", 1073741823: "1024Mi", 1073741824: "1Gi",
		1099511627775: "1024Gi", 1099511627776: "1Ti", 1649267441664: "1.5Ti",
	} {
		text.bytes(n) == words
	}
}

test_host if {
	every address in ["db.shop:5432", "postgres://u:p@db.shop/app", "jdbc:postgresql://db.shop?ssl=true", "u@db.shop"] {
		text.host(address) == "db.shop"
	}
}
