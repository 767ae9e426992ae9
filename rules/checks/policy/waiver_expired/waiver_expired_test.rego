package walguard.checks.policy.waiver_expired_test

import data.walguard.checks.policy.waiver_expired as check

waiver(expires) := {"check": "wal/a", "resource": {"kind": "Cluster", "namespace": "prod"}, "reason": "migration", "owner": "dba", "expires": expires}

found(waivers) := findings if {
	findings := check.findings with input as {"now": "2026-06-15T12:00:00Z", "review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "Configuration",
		"metadata": {"name": "walguard.yaml"},
		"waivers": waivers,
	}}}
}

test_past if {
	found([waiver("2027-01-01"), waiver("2026-06-15T12:00:00Z")]) == {{
		"path": ["waivers", 1, "expires"],
		"message": "The waiver of wal/a for Cluster prod/* expired at 2026-06-15T12:00:00Z: its findings are reported again, and new errors are denied. Fix them, or have dba renew it (reason: migration).",
	}}
}

test_near if {
	found([waiver("2026-06-29T12:00:00Z"), waiver("2026-06-29T12:00:01Z")]) == {{
		"path": ["waivers", 0, "expires"],
		"severity": "info",
		"message": "The waiver of wal/a for Cluster prod/* expires at 2026-06-29T12:00:00Z, in less than 14 days. Fix its findings, or have dba renew it (reason: migration).",
	}}
}

test_silent_where_nothing_is_known if {
	found(["junk", {}, {"expires": 1}, {"expires": "soon"}]) == set()
	found("junk") == set()
	check.findings == set() with input as {"kind": "Configuration", "apiVersion": "v1", "waivers": [waiver("2020-01-01")]}
	check.findings == set() with input as {}
}

test_of_a_waiver_that_says_little if {
	found([{"expires": "2026-06-15"}]) == {{
		"path": ["waivers", 0, "expires"],
		"message": "The waiver of ? for */* expired at 2026-06-15: its findings are reported again, and new errors are denied. Fix them, or have its owner renew it (reason: unknown).",
	}}
}
