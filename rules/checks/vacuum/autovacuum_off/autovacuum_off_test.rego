package walguard.checks.vacuum.autovacuum_off_test

import data.walguard.checks.vacuum.autovacuum_off as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_off if {
	findings({"autovacuum": "off"}) == {{
		"message": "autovacuum=off: tables bloat, plans go by old statistics, and in the end PostgreSQL stops taking writes to avoid transaction wraparound. Set it to on.",
		"path": ["spec", "postgresql", "parameters", "autovacuum"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/autovacuum", "value": "on"}],
	}}
}

test_without_counts if {f.path[3] | some f in findings({"track_counts": "0"})} == {"track_counts"}

test_on if {
	findings({}) == set()
	findings({"autovacuum": "on", "track_counts": "on"}) == set()
}
