package walguard.checks.checkpoint.completion_target_test

import data.walguard.checks.checkpoint.completion_target as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

test_half if {
	findings({"checkpoint_completion_target": "0.5"}, {}) == {{
		"message": "checkpoint_completion_target=0.5: checkpoints write their pages in 50 % of the time between them, at 1.8 times the rate that 0.9 needs. Set it to 0.9.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "checkpoint_completion_target"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/checkpoint_completion_target", "value": "0.9"}],
	}}
}

test_nothing_spread if {
	{f.message | some f in findings({"checkpoint_completion_target": "0"}, {})} == {"checkpoint_completion_target=0: checkpoints write their pages in 0 % of the time between them and as fast as the disk can. Set it to 0.9."}
}

test_default_of_old_versions if {
	findings({}, {"imageName": "postgresql:13.9"}) == {{
		"message": "checkpoint_completion_target=0.5 (the default): checkpoints write their pages in 50 % of the time between them, at 1.8 times the rate that 0.9 needs. Set it to 0.9.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters"],
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/checkpoint_completion_target", "value": "0.9"}],
	}}
}

test_enough if {
	findings({}, {}) == set()
	findings({"checkpoint_completion_target": "0.9"}, {}) == set()
	findings({"checkpoint_completion_target": "0.95"}, {}) == set()
}

test_left_to_the_check_of_values if findings({"checkpoint_completion_target": "2"}, {}) == set()

test_silent_for_a_change_of_something_else if {
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
