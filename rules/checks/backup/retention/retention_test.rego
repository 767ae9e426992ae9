package walguard.checks.backup.retention_test

import data.walguard.checks.backup.retention as check
import data.walguard.lib.manifest_test as manifests

store := {"barmanObjectStore": {"destinationPath": "s3://backups/"}}

test_object_store_without if {
	check.findings == {{
		"message": "Backups and WAL in its object store are never deleted: the bucket grows without end unless it has lifecycle rules. Set spec.backup.retentionPolicy.",
		"path": ["spec", "backup"],
		"severity": "info",
	}} with input as manifests.review({}, {"backup": store})
	check.findings == set() with input as manifests.review({}, {"backup": object.union(store, {"retentionPolicy": "30d"})})
}

plugins := [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "s3"}}]

with_store(spec, found) := object.union(manifests.review({}, spec), {"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"s3": {
	"apiVersion": "barmancloud.cnpg.io/v1",
	"kind": "ObjectStore",
	"metadata": {"name": "s3", "namespace": "prod"},
	"spec": found,
}}}}}}})

test_of_the_plugin if {
	without := with_store({"plugins": plugins}, {})
	check.findings == {{
		"message": "Backups and WAL in ObjectStore s3 are never deleted: the bucket grows without end unless it has lifecycle rules. Set spec.retentionPolicy of the ObjectStore.",
		"path": ["spec"],
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "namespace": "prod", "name": "s3"},
		"severity": "info",
	}} with input as without
	complete := with_store({"plugins": plugins}, {"retentionPolicy": "30d"})
	check.findings == set() with input as complete
}

test_that_does_nothing if {
	check.findings == {{
		"message": "The retention of its backups has no effect: spec.backup.retentionPolicy is for spec.backup.barmanObjectStore, which is not there; an ObjectStore has its own, and volume snapshots have none.",
		"path": ["spec", "backup", "retentionPolicy"],
	}} with input as manifests.review({}, {"plugins": plugins, "backup": {"retentionPolicy": "30d"}})
}

scheduled(methods) := object.union(
	manifests.review({}, {"backup": object.union(store, {"retentionPolicy": "30d", "volumeSnapshot": {"className": "csi"}})}),
	{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {name: backup |
		some name, method in methods
		backup := {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "ScheduledBackup",
			"metadata": {"name": name, "namespace": "prod"},
			"spec": {"cluster": {"name": "orders"}, "schedule": "0 0 2 * * *", "method": method, "suspend": endswith(name, "-off")},
		}
	}}}}}},
)

test_snapshots_alone if {
	check.findings == {{
		"message": "The retention of its object store has no effect: WAL goes with the base backups that are deleted there, and all schedules take volume snapshots (method: volumeSnapshot), which retentionPolicy does not delete either. Schedule backups to the object store too.",
		"path": ["spec", "backup", "retentionPolicy"],
	}} with input as scheduled({"a": "volumeSnapshot", "b-off": "barmanObjectStore"})
	check.findings == set() with input as scheduled({"a": "volumeSnapshot", "b": "barmanObjectStore"})
	check.findings == set() with input as scheduled({})
}

plugged(methods, store) := object.union(
	manifests.review({}, {"backup": {"volumeSnapshot": {"className": "csi"}}, "plugins": plugins}),
	{"inventory": {"namespace": {"prod": {
		"barmancloud.cnpg.io/v1": {"ObjectStore": {"s3": {
			"apiVersion": "barmancloud.cnpg.io/v1",
			"kind": "ObjectStore",
			"metadata": {"name": "s3", "namespace": "prod"},
			"spec": store,
		}}},
		"postgresql.cnpg.io/v1": {"ScheduledBackup": {name: object |
			some name, method in methods
			object := {
				"apiVersion": "postgresql.cnpg.io/v1",
				"kind": "ScheduledBackup",
				"metadata": {"name": name, "namespace": "prod"},
				"spec": {"cluster": {"name": "orders"}, "schedule": "0 0 2 * * *", "method": method, "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}},
			}
		}},
	}}}},
)

test_snapshots_beside_an_object_store if {
	found := check.findings with input as plugged({"a": "volumeSnapshot"}, {"retentionPolicy": "30d"})
	{[f.path, f.resource.name, contains(f.message, "The retention of ObjectStore s3 has no effect")] | some f in found} == {[["spec", "retentionPolicy"], "s3", true]}
	check.findings == set() with input as plugged({"a": "volumeSnapshot", "b": "plugin"}, {"retentionPolicy": "30d"})
	check.findings == set() with input as plugged({}, {"retentionPolicy": "30d"})
	{f.severity | some f in check.findings} == {"info"} with input as plugged({"a": "volumeSnapshot"}, {})
}

pgbackrest(version, kind, section) := {"review": {"object": {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"backups": {"pgbackrest": section}},
}}}

crunchy(section) := pgbackrest("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", section)

volume := {"name": "repo1", "volume": {"volumeClaimSpec": {}}, "schedules": {"full": "0 1 * * 0"}}

below := ["spec", "backups", "pgbackrest"]

test_repository_on_a_volume if {
	check.findings == {{
		"message": "Backups and WAL in repo1 are never deleted: the volume fills, archiving fails, and unarchived WAL fills the data volume. Set repo1-retention-full in spec.backups.pgbackrest.global.",
		"path": array.concat(below, ["repos", 0]),
		"severity": "warning",
	}} with input as crunchy({"repos": [volume]})
	check.findings == set() with input as crunchy({"repos": [volume], "global": {"repo1-retention-full": "7"}})
}

test_nothing_is_scheduled_there if {
	review := crunchy({"repos": [object.remove(volume, ["schedules"])]})
	{f.severity | some f in check.findings} == {"info"} with input as review
	complete := object.union(review, {"inventory": {"complete": true}})
	{f.severity | some f in check.findings} == {"warning"} with input as complete
}

test_nothing_to_expire_after if {
	check.findings == {{
		"message": "The retention of repo1 has no effect: pgBackRest expires when a full backup ends, and none is scheduled there.",
		"path": array.concat(below, ["global", "repo1-retention-full"]),
	}} with input as crunchy({"repos": [object.remove(volume, ["schedules"])], "global": {"repo1-retention-full": "7"}})
}

test_of_no_repository if {
	check.findings == {{
		"message": "The retention of repo2-retention-full has no effect: there is no repository repo2.",
		"path": array.concat(below, ["global", "repo2-retention-full"]),
	}} with input as crunchy({"repos": [volume], "global": {"repo1-retention-full": "7", "repo2-retention-full": "7"}})
}

# pgBackRest warns of it when it takes a full backup.
test_full_backups_into_a_bucket if {
	repository := {"name": "repo1", "s3": {"bucket": "b"}}
	check.findings == {{
		"message": "Backups and WAL in repo1 are never deleted: the bucket grows without end, and pgBackRest itself warns of it at each backup. Set repo1-retention-full in spec.backups.pgbackrest.global.",
		"path": array.concat(below, ["repos", 0]),
		"severity": "warning",
	}} with input as crunchy({"repos": [object.union(repository, {"schedules": {"full": "0 1 * * 0"}})]})
	{f.severity | some f in check.findings} == {"info"} with input as crunchy({"repos": [repository]})
}

test_percona if {
	repos := [{"name": "repo1", "s3": {"bucket": "b"}, "schedules": {"full": "0 1 * * 0"}}]
	{[f.severity, f.path] | some f in check.findings} == {["warning", array.concat(below, ["repos", 0])]} with input as pgbackrest("pgv2.percona.com/v2", "PerconaPGCluster", {"repos": repos})
	off := object.union(pgbackrest("pgv2.percona.com/v2", "PerconaPGCluster", {"repos": repos}), {"review": {"object": {"spec": {"backups": {"enabled": false}}}}})
	check.findings == set() with input as off
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, {"plugins": plugins})
	check.findings == set() with input as manifests.change({"fsync": "on"})
	check.findings == set() with input as crunchy({"repos": "x", "global": []})
	check.findings == set() with input as crunchy({"repos": [1], "global": {"x": 1}})
}

test_shorter_than_a_weekend if {
	day := with_store({"plugins": plugins}, {"retentionPolicy": "1d"})
	check.findings == {{
		"message": "Backups in ObjectStore s3 are kept for 1 day: what is deleted or damaged before a weekend cannot be had back after it. Keep a week or more.",
		"path": ["spec", "retentionPolicy"],
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "namespace": "prod", "name": "s3"},
		"severity": "info",
	}} with input as day
	check.findings == {{
		"message": "Backups in its object store are kept for 2 days: what is deleted or damaged before a weekend cannot be had back after it. Keep a week or more.",
		"path": ["spec", "backup", "retentionPolicy"],
		"severity": "info",
	}} with input as manifests.review({}, {"backup": object.union(store, {"retentionPolicy": "2d"})})
	every text in ["3d", "1w", "1m", "${DAYS}d"] {
		check.findings == set() with input as manifests.review({}, {"backup": object.union(store, {"retentionPolicy": text})})
	}
}
