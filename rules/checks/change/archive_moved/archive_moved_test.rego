package walguard.checks.change.archive_moved_test

import data.walguard.checks.change.archive_moved as check

cluster(global, bucket) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"postgresVersion": 17,
		"instances": [{"name": "a", "replicas": 2}],
		"backups": {"pgbackrest": {"global": global, "repos": [{"name": "repo1", "s3": {"bucket": bucket, "endpoint": "e", "region": "r"}}]}},
	},
}

updated(old, new) := {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}

test_moved if {
	check.findings == {{
		"message": "The path of repo1 in s3 b goes from /a to /c, and the operator creates no stanza there: archiving and backups fail. Keep the path, or run pgbackrest stanza-create and a full backup after the change.",
		"path": ["spec", "backups", "pgbackrest", "global", "repo1-path"],
	}} with input as updated(cluster({"repo1-path": "/a"}, "b"), cluster({"repo1-path": "/c"}, "b"))
	found := check.findings with input as updated(cluster({}, "b"), cluster({"repo1-path": "/c"}, "b"))
	{contains(f.message, "from /pgbackrest/repo1 to /c") | some f in found} == {true}
}

# Of a new bucket the operator makes a stanza.
test_not_reported if {
	check.findings == set() with input as updated(cluster({"repo1-path": "/a"}, "b"), cluster({"repo1-path": "/a"}, "b"))
	check.findings == set() with input as updated(cluster({"repo1-path": "/a"}, "b"), cluster({"repo1-path": "/c"}, "d"))
}

test_silent_without_the_old_one if check.findings == set() with input as {"review": {"object": cluster({"repo1-path": "/a"}, "b")}}
