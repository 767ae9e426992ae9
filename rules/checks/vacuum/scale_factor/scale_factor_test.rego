package walguard.checks.vacuum.scale_factor_test

import data.walguard.checks.vacuum.scale_factor as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"vacuum/scale_factor": {"settings": {"highest_percent": 40}}}}}

findings(parameters) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, {}))
}

test_high if {
	findings({"autovacuum_vacuum_scale_factor": "0.6"}) == {{
		"message": "autovacuum_vacuum_scale_factor=0.6: a table is vacuumed only once 60 % of its rows are dead, and does not shrink afterwards. Set it to 0.2, the default, or less.",
		"path": ["spec", "postgresql", "parameters", "autovacuum_vacuum_scale_factor"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/autovacuum_vacuum_scale_factor", "value": "0.2"}],
	}}
}

test_low_enough if {
	findings({}) == set()
	findings({"autovacuum_vacuum_scale_factor": "0.4"}) == set()
}
