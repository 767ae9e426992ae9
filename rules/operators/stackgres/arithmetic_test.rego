package walguard.operators.stackgres_arithmetic_test

import data.walguard.operators.stackgres

test_majors_of_backups if {
	every version, major in {"160004": 16, "169999": 16, "090624": 9, "100000": 10, "17.2": 17, "17": 17} { stackgres.major_of_backup(version) == major }
}
