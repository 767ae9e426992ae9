package walguard.checks.vacuum.freeze_age_test

import data.walguard.checks.vacuum.freeze_age as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"vacuum/freeze_age": {"settings": {"highest_millions": 1000}}}}}

findings(parameters) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, {}))
}

test_transactions if {
	findings({"autovacuum_freeze_max_age": "1500000000"}) == {{
		"message": "autovacuum_freeze_max_age=1500000000: vacuums against wraparound begin at an age of 1500 million, 644 million before PostgreSQL stops taking writes. Set it to 1000 million or less; the default is 200 million.",
		"path": ["spec", "postgresql", "parameters", "autovacuum_freeze_max_age"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/autovacuum_freeze_max_age", "value": "200000000"}],
	}}
}

test_multixacts if {
	{f.path[3] | some f in findings({"autovacuum_multixact_freeze_max_age": "2000000000"})} == {"autovacuum_multixact_freeze_max_age"}
}

test_early_enough if {
	findings({}) == set()
	findings({"autovacuum_freeze_max_age": "1000000000"}) == set()
}
