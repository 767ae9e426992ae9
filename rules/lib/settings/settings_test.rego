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

reviewed(namespace, parameters) := {"parameters": parameters, "review": {"object": {"kind": "Cluster", "metadata": {"name": "a", "namespace": namespace, "labels": {"tier": "none"}}}, "namespaceObject": {"metadata": {"labels": {"tier": "gold", "team": "a"}}}}}

layers := {"mode": "enforce", "namespaces": [
	{"names": ["dev-*"], "mode": "audit"},
	{"matchLabels": {"tier": "gold"}, "mode": "warn"},
	{"names": ["prod"], "matchLabels": {"tier": "silver"}, "mode": "audit"},
	{"mode": "audit"},
	3,
]}

test_modes_of_namespaces if {
	settings.mode == "warn" with input as reviewed("prod", layers)
	settings.mode == "warn" with input as reviewed("dev-1", layers)
	settings.mode == "audit" with input as reviewed("dev-1", {"mode": "warn", "namespaces": [layers.namespaces[0]]})
	settings.mode == "enforce" with input as reviewed("test", {"namespaces": [layers.namespaces[0]]})
	settings.mode == "enforce" with input as reviewed("prod", {"namespaces": [layers.namespaces[2], layers.namespaces[3]]})
	settings.mode == "audit" with input as reviewed("prod", {"namespaces": [{"names": ["prod"], "matchLabels": {"team": "a"}, "mode": "audit"}]})
	settings.mode == "enforce" with input as reviewed("other", {"namespaces": [{"names": ["prod"], "matchLabels": {"team": "a"}, "mode": "audit"}]})
}

# The object in sight says it where the host says nothing.
test_labels_of_a_namespace_in_sight if {
	seen := {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"labels": {"tier": "gold"}}}}}}}
	settings.mode == "warn" with input as {"parameters": layers, "inventory": seen, "review": {"object": {"kind": "Cluster", "metadata": {"namespace": "prod"}}}}
	settings.mode == "enforce" with input as {"parameters": layers, "inventory": seen, "review": {"object": {"kind": "Cluster", "metadata": {"namespace": "other"}}}}
	settings.namespace_labels == {} with input as {"inventory": seen, "review": {"object": {"metadata": {"namespace": "prod"}}, "namespaceObject": {"metadata": {}}}}
}

test_words_of_the_configuration if {
	every word, mode in {"enforce": "enforce", "warn": "warn", "audit": "audit", "deny": "enforce", "": "enforce"} {
		settings.mode == mode with input as {"parameters": {"mode": word}}
	}
	settings.mode == "enforce" with input as {}
	every word, meant in {"warn": "warn", "deny": "deny", "off": "off", false: "off", true: "warn", "audit": "warn"} {
		settings.dependents == meant with input as {"parameters": {"dependents": word}}
	}
	settings.dependents == "warn" with input as {}
	settings.show_info with input as {"parameters": {"showInfo": true}}
	every given in [{}, {"showInfo": false}, {"showInfo": "maybe"}] {
		not settings.show_info with input as {"parameters": given}
	}
	every word in ["error", "warning", "info", "off"] {
		settings.severity("a/b") == word with input as {"parameters": {"checks": {"a/b": {"severity": word}}}}
	}
	settings.severity("a/b") == "off" with input as {"parameters": {"checks": {"a/b": {"severity": false}}}}
	not settings.severity("a/b") with input as {"parameters": {"checks": {"a/b": {"severity": true}}}}
}

test_moments if {
	settings.moment("2026-01-02") == settings.moment("2026-01-02T00:00:00Z")
	settings.moment("1970-01-01T00:00:01Z") == 1000000000
	not settings.moment("2026-1-2")
	now := {"now": "2026-01-02T00:00:00Z"}
	settings.ahead("2026-01-03") with input as now
	settings.ahead("2026-01-02T00:00:01Z") with input as now
	not settings.ahead("2026-01-02") with input as now
	not settings.ahead("2026-01-01") with input as now
	not settings.ahead(20260103) with input as now
}

test_exempt if {
	exemptions := {"parameters": {"exemptions": {"users": ["system:node:*"], "groups": ["admins", "ops-*"]}}}
	every said in [{"username": "system:node:a"}, {"username": "me", "groups": ["x", "admins"]}, {"groups": ["ops-1"]}] {
		settings.exempt with input as object.union(exemptions, {"review": {"object": {}, "userInfo": said}})
	}
	every said in [{"username": "me"}, {"username": "admins", "groups": ["system:node:a"]}, {"groups": []}, {}] {
		not settings.exempt with input as object.union(exemptions, {"review": {"object": {}, "userInfo": said}})
	}
}
