package walguard.checks.parameters.implausible_unit_test

import data.walguard.checks.parameters.implausible_unit as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_memory if {
	findings({"shared_buffers": "4096"}) == {{
		"message": "shared_buffers=4096 is only 32 MB, because a bare number counts pages of 8 kB. Write the unit that is meant, such as shared_buffers=\"4096MB\".",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
	}}
	{f.message | some f in findings({"work_mem": "64"})} == {"work_mem=64 is only 64 kB, because a bare number counts kB. Write the unit that is meant, such as work_mem=\"64MB\"."}
}

test_time if {
	{f.message | some f in findings({"statement_timeout": "300"})} == {"statement_timeout=300 is only 300 ms, because a bare number counts milliseconds. Write the unit that is meant, such as statement_timeout=\"300s\"."}
	{f.path[3] | some f in findings({"idle_in_transaction_session_timeout": "300", "wal_sender_timeout": "60"})} == {"idle_in_transaction_session_timeout", "wal_sender_timeout"}
}

test_on_purpose if {
	findings({"shared_buffers": "16384", "work_mem": "4096", "statement_timeout": "30000", "wal_sender_timeout": "0"}) == set()
	findings({"shared_buffers": "32MB", "work_mem": "64kB", "statement_timeout": "300ms"}) == set()
	findings({}) == set()
}

test_silent_when_unknown if findings({"shared_buffers": "${BUFFERS}", "work_mem": "x"}) == set()

test_whole_megabytes if {
	[f] := [f | some f in findings({"shared_buffers": "200"})]
	startswith(f.message, "shared_buffers=200 is only 1 MB,")
}
