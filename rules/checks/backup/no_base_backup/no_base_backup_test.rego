package walguard.checks.backup.no_base_backup_test

import data.walguard.checks.backup.no_base_backup as check
import data.walguard.lib.manifest_test as manifests
import data.walguard.model

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": [], "archiving": {"value": "on", "origin": "written", "path": ["spec", "plugins"]}}

findings(facts, schedules, backups) := found if {
	found := check.findings with model.cluster as object.union(cluster, facts) with model.schedules as schedules with model.backups as backups
}

said(severity) := {{
	"message": "WAL is archived, but no base backup is scheduled and none was found: WAL alone cannot be restored. Schedule base backups.",
	"path": ["spec", "plugins"],
	"severity": severity,
}}

test_no_base_backup if {
	findings({"schedules_known": true}, [], []) == said("warning")
	findings({}, [{"method": "logical"}], []) == said("info")
}

# What is suspended has a check of its own.
test_there_is_one if {
	findings({}, [{"method": "full"}], []) == set()
	findings({}, [{"method": "full", "suspended": true}], []) == set()
	findings({}, [], [{"finished": "2026-01-01T00:00:00Z", "from": "primary", "name": "b"}]) == set()
}

# Crunchy's and Percona's operators suspend the schedules of a standby cluster; CloudNativePG takes backups of one.
test_standby_clusters if {
	follows := {"follows": {"value": true, "origin": "written", "path": ["spec", "standby"]}, "schedules_known": true}
	findings(object.union(follows, {"backed_up_elsewhere": true}), [], []) == set()
	findings(follows, [], []) == said("warning")
}

# Crunchy's and Percona's operators take a full backup of a new cluster, and without a schedule never another one.
test_the_one_of_the_creation_stays_the_only_one if {
	some kind, version in {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}
	check.findings == {{
		"message": "No base backup is scheduled: the one taken when the cluster was created stays the only one, a restore replays all WAL since, and none of it ever expires. Schedule base backups.",
		"path": ["spec", "backups", "pgbackrest", "repos"],
		"severity": "warning",
	}} with input as {"review": {"object": {
		"apiVersion": version,
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "instances": [{}], "backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}]}}},
	}}}
}

# A schedule of another cluster beside it: that of this one would be found, unless the cluster is being created and it is still to come. Files
# are not all there is: the schedule may stand in a component, without the namespace that Flux gives, or beside another definition of the cluster.
test_another_cluster_is_scheduled if {
	plugin := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "s3"}}]}
	other := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "metadata": {"name": "b", "namespace": "prod"}, "spec": {"cluster": {"name": "other"}, "schedule": "0 0 2 * * *"}}
	review := object.union(manifests.review({}, plugin), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"b": other}}}}}})
	{f.severity | some f in check.findings} == {"info"} with input as review
	live := json.patch(review, [{"op": "add", "path": "/inventory/live", "value": true}])
	{f.severity | some f in check.findings} == {"warning"} with input as live
	created := json.patch(review, [{"op": "add", "path": "/review/operation", "value": "CREATE"}])
	{f.severity | some f in check.findings} == {"info"} with input as created
	updated := json.patch(review, [
		{"op": "add", "path": "/review/operation", "value": "UPDATE"},
		{"op": "add", "path": "/review/oldObject", "value": review.review.object},
	])
	{f.severity | some f in check.findings} == {"warning"} with input as updated
	unfilled := json.patch(live, [{"op": "replace", "path": "/inventory/namespace/prod/postgresql.cnpg.io~1v1/ScheduledBackup/b/spec/cluster/name", "value": "${NAME}"}])
	{f.severity | some f in check.findings} == {"info"} with input as unfilled
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, {})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

zalando(instances, value, rest) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union(
		{"numberOfInstances": instances, "env": [
			{"name": "WALG_S3_PREFIX", "value": "s3://b/orders"},
			{"name": "BACKUP_SCHEDULE", "value": "0 1 * * *"},
			{"name": "WALG_BACKUP_FROM_REPLICA", "value": value},
		]},
		rest,
	),
}}}

test_left_to_standbys_that_are_not_there if {
	zalando(1, "true", {}) == {{
		"message": "WALG_BACKUP_FROM_REPLICA leaves base backups to the standbys, and the cluster has a single instance: none is ever taken, and WAL alone cannot be restored. Remove it, or run a second instance.",
		"path": ["spec", "env", 2, "value"],
	}}
	zalando(2, "true", {}) == set()
	zalando(1, "false", {}) == set()
	zalando(1, "true", {"standby": {"s3_wal_path": "s3://b/source"}}) == set()
}

# A second repository gets all WAL, and a base backup only when one is scheduled there.
test_a_repository_with_wal_alone if {
	path := ["spec", "backups", "pgbackrest"]
	check.findings == {{
		"message": "WAL goes to repo2, and no base backup: they are scheduled for other repositories only, and nothing can be restored from this one. Schedule full backups there too.",
		"path": array.concat(path, ["repos", 1]),
	}} with input as {"review": {"object": repositories({}, {}, {})}}
}

test_repositories_with_backups if {
	every one in [
		repositories({}, {"schedules": {"incremental": "0 2 * * *"}}, {}),
		repositories({}, {}, {"manual": {"repoName": "repo2"}}),
		repositories({"standby": {"enabled": true, "repoName": "repo1"}}, {}, {}),
	] {
		check.findings == set() with input as {"review": {"object": one}}
	}
}

repositories(spec, second, section) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "shop"},
	"spec": object.union(
		{"backups": {"pgbackrest": object.union(
			{"repos": [
				{"name": "repo1", "volume": {}, "schedules": {"full": "0 1 * * *"}},
				object.union({"name": "repo2", "s3": {"bucket": "b", "endpoint": "s3.example.com", "region": "eu"}}, second),
			]},
			section,
		)}},
		spec,
	),
}

# Files that have the store would have its schedule.
test_store_among_the_files if {
	plugin := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "s3"}}]}
	store := {"barmancloud.cnpg.io/v1": {"ObjectStore": {"s3": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "s3", "namespace": "prod"}, "spec": {}}}}}
	{f.severity | some f in check.findings} == {"warning"} with input as object.union(manifests.review({}, plugin), {"inventory": {"namespace": {"prod": store}}})
	{f.severity | some f in check.findings} == {"info"} with input as manifests.review({}, plugin)
	schedule := {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"b": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "metadata": {"name": "b", "namespace": "prod"}, "spec": {"cluster": {"name": "other"}, "schedule": "0 0 2 * * *"}}}}}
	{f.severity | some f in check.findings} == {"info"} with input as object.union(manifests.review({}, plugin), {"inventory": {"namespace": {"prod": object.union(store, schedule)}}})
	keys := {"backup": {"barmanObjectStore": {"destinationPath": "s3://b/", "s3Credentials": {"accessKeyId": {"name": "s3", "key": "id"}, "secretAccessKey": {"name": "s3", "key": "key"}}}}}
	{f.severity | some f in check.findings} == {"warning"} with input as object.union(manifests.review({}, keys), {"inventory": {"namespace": {"prod": {"v1": {"Secret": {"s3": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3", "namespace": "prod"}}}}}}}})
	{f.severity | some f in check.findings} == {"info"} with input as manifests.review({}, keys)
}
