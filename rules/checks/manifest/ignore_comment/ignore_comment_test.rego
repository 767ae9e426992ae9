package walguard.checks.manifest.ignore_comment_test

import data.walguard.checks.manifest.ignore_comment as check

written := {"by": "comment", "line": 7, "text": "ignore[wal/a]", "until": "2026-12-31", "reason": "replica for reports"}

found(changes) := noticed([object.union(written, changes)])

without(key) := noticed([object.remove(written, [key])])

noticed(notices) := findings if {
	findings := check.findings with input as {
		"now": "2026-06-15T12:00:00Z",
		"review": {"object": {"apiVersion": "walguard.dev/v1", "kind": "Manifest", "metadata": {"name": "a.yaml"}}, "notices": notices},
	}
}

says(message) := {{"path": [], "line": 7, "message": message}}

advises(message) := {{"path": [], "line": 7, "message": message, "severity": "info"}}

test_unread if {
	noticed([{"by": "comment", "line": 7, "text": "ignore", "unread": true}]) == says("The comment has no effect: it cannot be read. Write # walguard: ignore[wal/init_zero_filesystem] until=2027-03-31 reason=why.")
}

test_forbidden if {
	found({"forbidden": true, "idle": ["wal/a"]}) == says("ignore[wal/a] has no effect: the policy configuration forbids such comments (ignoreComments: none). Fix what it covers, or ask for a waiver.")
}

test_incomplete if {
	without("until") == says("ignore[wal/a] has no effect without until=. Add the date from which on its findings count again: until=2027-03-31.")
	without("reason") == says("ignore[wal/a] has no effect without reason=. Add why the risk is accepted.")
	found({"until": "2026-02-30"}) == says("ignore[wal/a] has no effect: until=2026-02-30 is not a date such as 2027-03-31. Correct it.")
	found({"until": "later"}) == says("ignore[wal/a] has no effect: until=later is not a date such as 2027-03-31. Correct it.")
}

test_expired if {
	found({"until": "2026-06-15"}) == says("ignore[wal/a] expired on 2026-06-15, so what it covered is reported again. Fix that and delete the comment, or set a later date.")
}

test_expires_soon if {
	found({"until": "2026-06-20"}) == advises("ignore[wal/a] expires on 2026-06-20, in less than 14 days. Fix what it covers, or set a later date.")
	found({"until": "2026-06-29"}) == advises("ignore[wal/a] expires on 2026-06-29, in less than 14 days. Fix what it covers, or set a later date.")
	found({"until": "2026-06-30"}) == set()
}

test_unknown if {
	found({"unknown": [{"check": "wal/aa", "nearest": ", did you mean wal/a?"}]}) == says("ignore[wal/a] has no effect: there is no check wal/aa, did you mean wal/a? Correct the id, or delete the comment.")
	found({"unknown": [{"check": "x", "nearest": "."}]}) == says("ignore[wal/a] has no effect: there is no check x. Correct the id, or delete the comment.")
}

test_refused if {
	found({"refused": ["wal/a"]}) == says("ignore[wal/a] does not cover an error of wal/a: the policy configuration lets comments ignore warnings and info (ignoreComments: warnings). Fix it, or ask for a waiver.")
}

test_idle if {
	found({"idle": ["wal/a"]}) == advises("ignore[wal/a] covers nothing: there is no finding of wal/a here. Delete it.")
	found({"until": "2026-06-15", "idle": ["wal/a"]}) == found({"until": "2026-06-15"})
}

test_silent if {
	found({}) == set()
	noticed([]) == set()
	noticed([{"by": "key", "path": ["a"], "first_line": 1, "second_line": 2}]) == set()
	check.findings == set() with input as {"kind": "Cluster"}
}
