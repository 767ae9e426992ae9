package walguard.lib.driver_test

import data.walguard.lib.driver

test_has if {
	driver.has("ebs.csi.aws.com", "zonal")
	driver.has("rancher.io/local-path", "single")
	not driver.has("rancher.io/local-path", "block")
	not driver.has("example.com/unknown", "block")
}

test_every_trait_is_one if {
	every _, of_driver in driver.traits {
		of_driver & {"block", "single", "zonal"} == of_driver
	}
}
