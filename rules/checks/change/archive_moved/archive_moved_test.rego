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

numbered(kind, repos) := {
	"apiVersion": {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind],
	"kind": kind,
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"postgresVersion": 17,
		"instances": [{"name": "a", "replicas": 2}],
		"backups": {"pgbackrest": {"global": {sprintf("repo%d-path", [i + 1]): sprintf("/%s", [bucket]) | some i, bucket in repos}, "repos": [{"name": sprintf("repo%d", [i + 1]), "s3": {"bucket": bucket, "endpoint": "e", "region": "r"}} | some i, bucket in repos]}},
	},
}

renumbered(kind, old, new) := {[f.message, f.severity] | some f in found} if {
	found := check.findings with input as updated(numbered(kind, old), numbered(kind, new))
}

test_renumbered if {
	renumbered("PerconaPGCluster", ["a", "b"], ["a", "c", "b"]) == {["repo2 becomes /c of bucket c, and what was repo2 is repo3 now: the PerconaPGBackups of it are looked for in the wrong place, and deleted. Leave the repositories that have backups at their numbers, and give a new one the next.", "error"]}
	{severity | some [_, severity] in renumbered("PostgresCluster", ["a", "b"], ["b", "a"])} == {"warning"}
	renumbered("PerconaPGCluster", ["a", "b"], ["a", "b", "c"]) == set()
	renumbered("PerconaPGCluster", ["a", "b"], ["a", "c"]) == set()
}
