package walguard.checks.checkpoint.flush_after_disabled_test

import data.walguard.checks.checkpoint.flush_after_disabled as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_checkpoints if {
	findings({"checkpoint_flush_after": "0"}) == {{
		"message": "checkpoint_flush_after=0: what a checkpoint writes piles up in the page cache until the kernel writes it all at once and every commit waits. Set it to 256kB, the default.",
		"path": ["spec", "postgresql", "parameters", "checkpoint_flush_after"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/checkpoint_flush_after", "value": "256kB"}],
	}}
}

test_background_writer if {
	{f.message | some f in findings({"bgwriter_flush_after": "0kB"})} == {"bgwriter_flush_after=0kB: what the background writer writes piles up in the page cache until the kernel writes it all at once and every commit waits. Set it to 512kB, the default."}
}

test_on if {
	findings({}) == set()
	findings({"checkpoint_flush_after": "1MB", "bgwriter_flush_after": "64"}) == set()
}
