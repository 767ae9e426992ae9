package walguard.checks.backup.store_unusable_options_test

import data.walguard.checks.backup.store_unusable as check

orders(version, kind, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

crunchy(spec) := found if found := check.findings with input as {"review": {"object": orders("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", object.union({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}]}}}, spec))}}

options(written) := crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}], "global": written}}})

refused(written) := [f.message | some f in options(written)][0]

test_values if {
	options({"compress-type": "zstd"}) == {{
		"message": "compress-type=zstd is not one of none, bz2, gz, lz4 and zst, and pgBackRest stops at it: nothing is archived or backed up. Write one of them.",
		"path": ["spec", "backups", "pgbackrest", "global", "compress-type"],
	}}
	refused({"start-fast": "yes"}) == "start-fast=yes is neither y nor n, and pgBackRest stops at it: no backup is taken. Write y or n."
	refused({"repo1-path": "pgbackrest/repo1"}) == "repo1-path=pgbackrest/repo1 is not a path from the root, and pgBackRest stops at it: nothing is archived or backed up. Write /pgbackrest/repo1."
	refused({"process-max": "0"}) == "process-max=0 is not between 1 and 999, and pgBackRest stops at it: nothing is archived or backed up. Write a number between them."
	refused({"repo1-retention-full": "14d"}) == "repo1-retention-full=14d is not a whole number, and pgBackRest stops at it: no backup is taken. Write one."
	refused({"archive-timeout": "ten"}) == "archive-timeout=ten is not a time that it reads, and pgBackRest stops at it: nothing is archived or backed up. Write seconds, or a number with s, m, h or d."
	refused({"archive-push-queue-max": "4 GB"}) == "archive-push-queue-max=4 GB is not a size that it reads, and pgBackRest stops at it: nothing is archived or backed up. Write bytes, or a number with KiB, MiB or GiB."
	refused({"compress-level": "12"}) == "compress-level=12 is not between -1 and 9, and pgBackRest stops at it: nothing is archived or backed up. Write a number between them."
}

test_values_that_it_takes if {
	options({
		"archive-async": "y",
		"archive-push-queue-max": "4GiB",
		"archive-timeout": "10m",
		"backup-standby": "prefer",
		"buffer-size": "1048576",
		"compress-level": "12",
		"compress-type": "lz4",
		"db-timeout": "1800.5",
		"log-level-console": "off",
		"process-max": "4",
		"repo1-bundle": "y",
		"repo1-path": "/pgbackrest/repo1",
		"repo1-retention-full": "+2",
		"repo1-retention-full-type": "time",
		"repo1-s3-uri-style": "path",
		"repo1-unheard-of": "zstd",
	}) == set()

	# Not known, or for the schema to say.
	options({"compress-type": "${TYPE}", "process-max": "{{ cpus }}", "start-fast": true}) == set()
	options({"compress-level": "30", "compress-type": "${TYPE}"}) == set()
}

test_values_of_a_source if {
	{f.message |
		some f in crunchy({"dataSource": {"pgbackrest": {"stanza": "db", "global": {"repo1-path": "old"}, "repo": {"name": "repo1", "gcs": {"bucket": "old"}}}}})
	} == {"repo1-path=old is not a path from the root, and pgBackRest stops at it: nothing is restored. Write /old."}
}

restore(words) := crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}], "restore": {"enabled": true, "repoName": "repo1", "options": words}}}})

test_restores if {
	restore(["--repo=1", "--type=immediate"]) == {{
		"message": "The restore has option --repo, which the operator writes itself and allows nobody else, so that nothing is restored. Take it out, and name the repository in repoName.",
		"path": ["spec", "backups", "pgbackrest", "restore", "options"],
	}}
	{f.message | some f in restore(["--type=timestamp", `--target="2026-01-01 10:00:00+00"`])} == {"The restore has --type=timestamp, which pgBackRest does not know, so that nothing is restored. Write time, immediate, name, lsn, xid or default."}
	{f.message | some f in restore([`--target="2026-01-01 10:00:00+00"`])} == {"The restore has --target and no --type of lsn, name, time or xid, without which pgBackRest refuses a target, so that nothing is restored. Add --type=time where the target is a moment."}
	every words in [
		["--type=time", `--target="2026-01-01 10:00:00+00"`],
		["--type time", `--target "2026-01-01 10:00:00+00"`],
		["--type=immediate", "--set=20260101-100000F"],
		["--type=${TYPE}", "--repo=1"],
		["--repo1-path=/old", "--db-include=app"],
		["--target-timeline=current"],
	] {
		restore(words) == set()
	}
}

test_moments_of_restores if {
	every asked, right in {
		`"2026-08-18T14:05:00+00"`: "2026-08-18 14:05:00+00",
		"2026-08-18T14:05:00Z": "2026-08-18 14:05:00+00",
		`'2026-08-18 14:05:00.5 UTC'`: "2026-08-18 14:05:00.5+00",
		"2026-08-18": "2026-08-18 00:00:00+00",
	} {
		{f.message | some f in restore(["--type=time", sprintf("--target=%s", [asked])])} == {sprintf("--target is %s, and pgBackRest chooses the backup by YYYY-MM-DD HH:MM:SS alone, with an offset behind it (error 029), so that nothing is restored. Write --target=\"%s\".", [trim(asked, `"'`), right])}
	}
	every words in [
		["--type=time", `--target="2026-01-01 10:00:00.25+0530"`],
		["--type=time", `--target=2026-01-01\ 10:00:00-04:00`],
		["--type=time", "--target=2026-01-01T10:00:00Z", "--set=20260101-000000F"],
		["--type=time", "--target=${MOMENT}"],
		["--type=time", "--target=yesterday"],
		["--type=name", "--target=2026-01-01T10"],
	] {
		restore(words) == set()
	}
}

percona(restored) := {[f.message, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": orders("pgv2.percona.com/v2", "PerconaPGCluster", {"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}]}}})},
		"inventory": {"namespace": {"prod": {"pgv2.percona.com/v2": {"PerconaPGRestore": {"back": object.union({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGRestore", "metadata": {"name": "back", "namespace": "prod"}}, restored)}}}}},
	}
	some f in found
}

test_restores_of_percona if {
	asked := {"pgCluster": "orders", "repoName": "repo1", "options": ["--type=time", `--target="2026-01-01 10:00:00+00"`, "--target-action=pause"]}
	percona({"spec": asked}) == {["The restore has option --target-action, which the operator writes itself and allows nobody else, so that nothing is restored. Take it out; the operator promotes.", "back"]}
	percona({"spec": asked, "status": {"state": "Failed"}}) == set()
	percona({"spec": object.union(asked, {"pgCluster": "others"})}) == set()
}

manual(words) := {[f.severity, f.message] | some f in crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}], "manual": {"repoName": "repo1", "options": words}}}})}

test_backups if {
	manual(["--type=full", "--repo=1"]) == {["warning", "The manual backup has option --repo, which the operator writes itself and allows nobody else, so that it is never taken. Take it out, and name the repository in repoName."]}
	manual(["--type=differential"]) == {["warning", "The manual backup has --type=differential, which pgBackRest does not know, so that it is never taken. Write full, diff or incr."]}
	every words in [["--type=full"], ["--type diff", "--repo1-retention-full=2"], ["--type=${TYPE}"], []] {
		manual(words) == set()
	}
}

of_percona(made) := {[f.message, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": orders("pgv2.percona.com/v2", "PerconaPGCluster", {"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}]}}})},
		"inventory": {"namespace": {"prod": {"pgv2.percona.com/v2": {"PerconaPGBackup": {"now": object.union({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGBackup", "metadata": {"name": "now", "namespace": "prod"}}, made)}}}}},
	}
	some f in found
}

test_backups_of_percona if {
	asked := {"pgCluster": "orders", "repoName": "repo1", "options": ["--type=weekly"]}
	of_percona({"spec": asked}) == {["PerconaPGBackup now has --type=weekly, which pgBackRest does not know, so that it is never taken. Write full, diff or incr.", "now"]}
	of_percona({"spec": asked, "status": {"state": "Succeeded"}}) == set()
}
