package walguard.lib.settings_test

import data.walguard.lib.settings

catalogue := {"checks": {"a/b": {"severity": "error", "settings": {"n": {"default": 5}}}}}

configuration := {"checks": {"a/b": {"severity": "off", "settings": {"n": 7}}}, "attestations": [1]}

test_sources if {
	given := configuration
	settings.configuration == given with input as {"parameters": given}
	settings.configuration == given with input as {"settings": given}
	settings.configuration == given with input as {} with data.walguard.configuration as given
	settings.configuration == {} with input as {}
	settings.configuration == {} with input as []
}

test_severity if {
	settings.severity("a/b") == "off" with input as {"parameters": configuration}
	not settings.severity("a/c") with input as {"parameters": configuration}
	not settings.severity("a/b") with input as {"parameters": {"checks": {"a/b": {"severity": "loud"}}}}
}

test_number if {
	settings.number("a/b", "n") == 7 with input as {"parameters": configuration} with data.walguard.catalogue as catalogue
	settings.number("a/b", "n") == 5 with input as {} with data.walguard.catalogue as catalogue
	settings.number("a/b", "n") == 5 with input as {"parameters": {"checks": {"a/b": {"settings": {"n": "7"}}}}} with data.walguard.catalogue as catalogue
	not settings.number("a/b", "m") with input as {} with data.walguard.catalogue as catalogue
}

test_attestations if {
	settings.attestations == [1] with input as {"parameters": configuration}
	settings.attestations == [] with input as {}
}
