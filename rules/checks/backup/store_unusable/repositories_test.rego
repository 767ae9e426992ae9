package walguard.checks.backup.store_unusable_repositories_test

import data.walguard.checks.backup.store_unusable as check

cluster(version, kind, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

crunchy(spec) := found if found := check.findings with input as {"review": {"object": cluster("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", object.union({"backups": {"pgbackrest": {"repos": repos}}}, spec))}}

repos := [{"name": "repo1", "volume": {}}, {"name": "repo2", "volume": {}}]

below(section) := {"backups": {"pgbackrest": section}}

test_restore_from_another if {
	crunchy(below({"restore": {"enabled": true, "repoName": "repo3"}})) == {{
		"message": "backups.pgbackrest.restore names repo3, and the cluster has repo1 and repo2: the cluster is shut down for the restore, which never begins. Name one that it has, or define it in backups.pgbackrest.repos.",
		"path": ["spec", "backups", "pgbackrest", "restore", "repoName"],
	}}
	every restore in [
		{"enabled": true, "repoName": "repo2"},
		{"enabled": false, "repoName": "repo3"},
		{"enabled": true, "repoName": "${REPO}"},
		{"enabled": true, "repoName": "repo3", "clusterName": "other"},
	] {
		crunchy(below({"restore": restore})) == set()
	}
	crunchy(below({"restore": {"enabled": true, "repoName": "repo3"}, "repos": [{"name": "${REPO}", "volume": {}}]})) == set()
}

test_standby_of_another if {
	{[f.path, contains(f.message, "the standby does not start")] | some f in crunchy({"standby": {"enabled": true, "repoName": "repo4"}})} == {[["spec", "standby", "repoName"], true]}
	every standby in [
		{"enabled": true, "repoName": "repo1"},
		{"enabled": false, "repoName": "repo4"},
		{"enabled": true, "repoName": "repo4", "host": "primary"},
	] {
		crunchy({"standby": standby}) == set()
	}
}

test_manual_backup_to_another if {
	{[f.severity, f.path] | some f in crunchy(below({"manual": {"repoName": "repo4"}}))} == {["warning", ["spec", "backups", "pgbackrest", "manual", "repoName"]]}
	crunchy(below({"manual": {"repoName": "repo1"}})) == set()
}

percona(kind, content) := {f |
	made := object.union({"apiVersion": "pgv2.percona.com/v2", "kind": kind, "metadata": {"name": "one", "namespace": "prod"}}, content)
	found := check.findings with input as {
		"review": {"object": cluster("pgv2.percona.com/v2", "PerconaPGCluster", below({"repos": repos}))},
		"inventory": {"namespace": {"prod": {"pgv2.percona.com/v2": {kind: {"one": made}}}}},
	}
	some f in found
}

test_objects_of_percona if {
	percona("PerconaPGBackup", {"spec": {"pgCluster": "orders", "repoName": "repo3"}}) == {{
		"message": "PerconaPGBackup one names repo3, and the cluster has repo1 and repo2: the backup never starts. Name one that it has, or define it in backups.pgbackrest.repos.",
		"path": ["spec", "repoName"],
		"resource": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGBackup", "name": "one", "namespace": "prod"},
		"severity": "error",
	}}
	{f.severity | some f in percona("PerconaPGRestore", {"spec": {"pgCluster": "orders", "repoName": "repo3"}})} == {"error"}
	every kind in ["PerconaPGBackup", "PerconaPGRestore"] {
		percona(kind, {"spec": {"pgCluster": "orders", "repoName": "repo1"}}) == set()
		percona(kind, {"spec": {"pgCluster": "other", "repoName": "repo3"}}) == set()
		percona(kind, {"spec": {"pgCluster": "orders"}}) == set()

		# What has run was of a repository that is gone.
		percona(kind, {"spec": {"pgCluster": "orders", "repoName": "repo3"}, "status": {"state": "Succeeded"}}) == set()
	}
}

# ------------------------------------------------------------------------------------- the authority of a repository

authority(section, objects) := {[f.message, f.path, f.severity] |
	found := check.findings with input as {
		"review": {"object": cluster("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", section)},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "data": content} | some name, content in objects}}}}},
	}
	some f in found
	contains(f.message, "ca-file")
}

options := {"repo1-storage-ca-file": "/etc/pgbackrest/conf.d/ca.crt"}

restored(own, theirs) := {
	"dataSource": {"pgbackrest": {"stanza": "db", "configuration": own, "global": options, "repo": {"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.example.com", "region": "r"}}}},
	"backups": {"pgbackrest": {"configuration": theirs, "repos": repos}},
}

listed := [{"secret": {"name": "keys"}}, {"secret": {"name": "authority", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]

not_restored(level) := {[
	"repo1-storage-ca-file is /etc/pgbackrest/conf.d/ca.crt, and no entry of spec.dataSource.pgbackrest.configuration brings that file: pgBackRest reaches no repository, and nothing is restored. List the Secret with ca.crt there.",
	["spec", "dataSource", "pgbackrest", "global", "repo1-storage-ca-file"],
	level,
]}

test_authority_that_the_backups_alone_have if {
	authority(restored([{"secret": {"name": "keys"}}], listed), {}) == not_restored("warning")
	authority(restored([{"secret": {"name": "keys"}}], listed), {"keys": {"s3.conf": "eA=="}}) == not_restored("error")
	authority(restored([{"secret": {"name": "keys"}}], listed), {"keys": {"ca.crt": "eA=="}}) == set()
	authority(restored([{"secret": {"name": "${KEYS}"}}], listed), {}) == set()
	authority(restored([{"secret": {"name": "authority"}}], listed), {}) == set()
	authority(restored(listed, listed), {}) == set()

	# Nothing tells which Secret has it.
	authority(restored([{"secret": {"name": "keys"}}], [{"secret": {"name": "authority"}}]), {}) == set()
	authority(restored([{"configMap": {"name": "keys"}}], [{"secret": {"name": "keys"}}]), {}) == set()
}

archived(own, global) := {"backups": {"pgbackrest": {"configuration": own, "global": global, "repos": repos}}}

test_authority_of_the_backups if {
	authority(archived([{"configMap": {"name": "own", "items": [{"key": "a", "path": "a.conf"}]}}], options), {}) == {[
		"repo1-storage-ca-file is /etc/pgbackrest/conf.d/ca.crt, and no entry of spec.backups.pgbackrest.configuration brings that file: pgBackRest reaches no repository, and nothing is archived or backed up. List the Secret with ca.crt there.",
		["spec", "backups", "pgbackrest", "global", "repo1-storage-ca-file"],
		"error",
	]}
	every global in [
		{"repo1-storage-ca-file": "/etc/pgbackrest/conf.d/ca.crt", "repo1-storage-verify-tls": "n"},
		{"repo1-storage-ca-file": "/etc/pgbackrest/conf.d/~postgres-operator/tls-ca.crt"},
		{"repo1-storage-ca-file": "/etc/pki/tls/certs/ca-bundle.crt"},
		{"repo1-storage-ca-file": "/etc/pgbackrest/conf.d/${FILE}"},
	] {
		authority(archived([], global), {}) == set()
	}
	authority(archived("${CONFIGURATION}", options), {}) == set()
}
