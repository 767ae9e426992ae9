package walguard.checks.backup.option_unknown_test

import data.walguard.checks.backup.option_unknown as check

findings(options) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"backups": {"pgbackrest": {"global": options, "repos": [{"name": "repo1", "volume": {}}]}}},
}}}

test_misspelt if {
	findings({"repo1-rentention-archive": "1"}) == {{
		"message": "pgBackRest has no option repo1-rentention-archive and leaves it out. Write repo1-retention-archive.",
		"path": ["spec", "backups", "pgbackrest", "global", "repo1-rentention-archive"],
	}}
	{f.message | some f in findings({"log-level-consol": "info"})} == {"pgBackRest has no option log-level-consol and leaves it out. Write log-level-console."}
}

test_unlike_any if {
	{[f.message, f.severity] | some f in findings({"weekly": "daily"})} == {["pgBackRest has no option weekly and leaves it out, unless a newer release has it. Correct it, or remove it.", "info"]}
}

test_known if {
	findings({"repo1-path": "/x", "repo12-retention-full": "2", "process-max": "4", "archive-async": "y", "pg1-path": "/pgdata", "repo1-s3-verify-ssl": "n", "db-timeout": "60"}) == set()
}

test_silent_when_unknown if {
	findings({"${OPTION}": "y"}) == set()
	findings({}) == set()
}
