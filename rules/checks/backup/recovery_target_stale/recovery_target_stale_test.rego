package walguard.checks.backup.recovery_target_stale_test

import data.walguard.checks.backup.recovery_target_stale as check
import data.walguard.lib.manifest_test as manifests

findings(moment) := found if {
	spec := {"bootstrap": {"recovery": {"source": "origin", "recoveryTarget": {"targetTime": moment}}}}
	found := check.findings with input as object.union(manifests.review({}, spec), {"now": "2026-06-15T12:00:00Z"})
}

test_old if {
	findings("2026-01-02 03:04:05+00") == {{
		"message": "The recovery target is 2026-01-02 03:04:05+00, more than 7 days ago: creating this cluster again restores the data of that moment. Remove the target now that the restore is done.",
		"path": ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"],
	}}
}

test_today if {
	findings("2026-06-15T03:04:05Z") == set()
	findings("2026-06-10 03:04:05") == set()
}

test_silent_when_unknown if {
	findings("${TARGET}") == set()
	findings("soon") == set()
	check.findings == set() with input as manifests.review({}, {})
}

# Of PostgreSQL 18, whose first beta was out in May 2025; and of a cluster that has been upgraded.
test_before_the_major if {
	findings("2021-06-09 14:15:11-04") == {{
		"message": "The recovery target is 2021-06-09 14:15:11-04, and PostgreSQL 17 is younger: no backup of it reaches back so far, and the restore of a new cluster fails. Remove what is left of a sample or of an earlier restore.",
		"path": ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"],
		"severity": "error",
	}}
	{object.get(f, "severity", "") | some f in findings("2024-05-23 00:00:00Z")} == {""}
	{f.severity | some f in check.findings} == {"error"} with input as object.union(manifests.review({}, {"bootstrap": {"recovery": {"recoveryTarget": {"targetTime": "2021-06-09 14:15:11-04"}}}}), {"review": {"operation": "CREATE"}, "now": "2026-06-15T12:00:00Z"})
	{object.get(f, "severity", "") | some f in check.findings} == {""} with input as object.union(manifests.review({}, {"bootstrap": {"recovery": {"recoveryTarget": {"targetTime": "2021-06-09 14:15:11-04"}}}}), {"review": {"operation": "UPDATE"}, "now": "2026-06-15T12:00:00Z"})
}

percona(options) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "pgv2.percona.com/v2",
			"kind": "PerconaPGCluster",
			"metadata": {"name": "shop", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{"name": "a"}], "dataSource": {"postgresCluster": {"clusterName": "cluster1", "repoName": "repo1", "options": options}}},
		}},
		"now": "2026-06-15T12:00:00Z",
	}
}

test_options_of_pgbackrest if {
	{[f.path, f.severity] | some f in percona(["--type=time", "--target=\"2021-06-09 14:15:11-04\""])} == {[["spec", "dataSource", "postgresCluster", "options"], "error"]}
	{object.get(f, "severity", "") | some f in percona(["--type=time --target '2026-01-02 03:04:05'"])} == {""}
	percona(["--type=time", "--target=2026-06-14 03:04:05+00"]) == set()
	percona(["--type=lsn", "--target=0/3000000"]) == set()
	percona(["--set=20210609-141511F"]) == set()
}
