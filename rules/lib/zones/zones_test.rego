package walguard.lib.zones_test

import data.walguard.lib.zones

test_today if {
	zones.today("US/Eastern") == "America/New_York"
	zones.today("europe/kiev") == "Europe/Kyiv"
	not zones.today("Europe/Berlin")
}
