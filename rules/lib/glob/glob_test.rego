package walguard.lib.glob_test

import data.walguard.lib.glob

test_matches if {
	glob.matches("prod", "prod")
	glob.matches("prod-*", "prod-a")
	glob.matches("*", "")
	glob.matches("*-db", "orders-db")
	glob.matches("a*c*e", "abcde")
	glob.matches("db-?", "db-1")
	glob.matches("system:serviceaccount:velero:*", "system:serviceaccount:velero:velero")
	glob.matches("a.b+(c)[d]{e}|^$\\", "a.b+(c)[d]{e}|^$\\")
	glob.matches("a.b+(c)[d]{e}|^$\\*", "a.b+(c)[d]{e}|^$\\...")
}

test_does_not_match if {
	not glob.matches("prod", "prod-a")
	not glob.matches("prod-*", "xprod-a")
	not glob.matches("prod*", "PROD")
	not glob.matches("a.*", "ab")
	not glob.matches("db-?", "db-")
	not glob.matches("db-?", "db-12")
	not glob.matches(1, "1")
	not glob.matches(1, 1)
	not glob.matches("*", 1)
	not glob.matches("prod*", "x\nprod")

	# Not from one namespace into another.
	not glob.matches("system:serviceaccount:velero*", "system:serviceaccount:velero-mine:x")
	not glob.matches("ops-*", "ops-a:b")
	not glob.matches("a?b", "a:b")
}

test_any if {
	glob.any_matches(["a", 1, "b*"], "bc")
	not glob.any_matches([], "bc")
	not glob.any_matches(["a"], "bc")
}

test_wild if {
	glob.wild("a*")
	glob.wild("?")
	not glob.wild("a")
}
