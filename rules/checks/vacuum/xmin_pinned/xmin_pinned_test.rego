package walguard.checks.vacuum.xmin_pinned_test

import data.walguard.checks.vacuum.xmin_pinned as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

both := {"hot_standby_feedback": "on", "max_standby_streaming_delay": "-1"}

test_both if {
	findings(both, {}) == {{
		"message": "max_standby_streaming_delay=-1 with hot_standby_feedback=on: one forgotten query on a standby stops vacuum on the primary for as long as it lasts. Set max_standby_streaming_delay to 15min.",
		"path": ["spec", "postgresql", "parameters", "max_standby_streaming_delay"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_standby_streaming_delay", "value": "15min"}],
	}}
}

test_one_of_them if {
	findings({"hot_standby_feedback": "on"}, {}) == set()
	findings({"max_standby_streaming_delay": "-1"}, {}) == set()
	findings(object.union(both, {"max_standby_streaming_delay": "5min"}), {}) == set()
}

test_bounded_otherwise if {
	findings(object.union(both, {"transaction_timeout": "1h"}), {}) == set()
	findings(object.union(both, {"statement_timeout": "10min"}), {}) == set()
}

test_no_standby if findings(both, {"instances": 1}) == set()

test_silent_for_half_a_change if {
	check.findings == set() with input as manifests.change({"max_standby_streaming_delay": "-1"})
}
