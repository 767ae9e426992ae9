package walguard.operators.crunchy_test

import data.walguard.lib.crunchy as pgo
import data.walguard.operators.crunchy

# The cluster together with the evidence that is read apart from it.
whole := object.union(crunchy.cluster, {"backups": crunchy.backups, "restores": crunchy.restores})

resource(spec) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "shop"},
	"spec": spec,
}

read(object) := found if found := whole with input as {"review": {"object": object}}

claim(size) := {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": size}}}

volume(path, size) := {
	"path": path,
	"size": size,
	"size_path": array.concat(path, ["resources", "requests", "storage"]),
	"class": "fast",
	"class_path": array.concat(path, ["storageClassName"]),
}

test_whole_cluster if {
	cluster := read(resource({
		"postgresVersion": 17,
		"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"max_wal_size": "1GB", "jit": true}}}},
		"config": {"parameters": {"max_wal_size": "8GB"}},
		"instances": [
			{"name": "main", "replicas": 2, "dataVolumeClaimSpec": claim("200Gi"), "walVolumeClaimSpec": claim("50Gi"), "resources": {"limits": {"memory": "8Gi", "hugepages-2Mi": "2Gi"}}},
			{"dataVolumeClaimSpec": claim("100Gi")},
		],
		"backups": {"pgbackrest": {"global": {"backup-standby": "y"}, "repos": [{"name": "repo1", "volume": {}}]}},
	}))
	object.remove(cluster, ["scram", "authority", "hosts", "made_secrets", "tls_only_poolers", "unmade_keys", "unmade_secrets", "common_labels", "roles", "logins", "databases_made", "tls_only", "password_only", "pods", "companions", "selection", "reaches", "primary_budget", "defaults", "managed", "forbidden", "rewind", "slots", "schedules_known", "first_backup", "claims_go", "decoded_hosts", "slots_left"]) == {
		"operator": "Crunchy Postgres for Kubernetes",
		"preloaded_besides": ["pg_stat_statements", "pgaudit"],
		"upgrade": {"by": "nobody", "way": "PGUpgrade"},
		"data_claims": `^hippo-.+-[a-z0-9]{4}-pgdata$`,
		"name": "hippo",
		"namespace": "shop",
		"major": {"value": 17, "origin": "written", "path": ["spec", "postgresVersion"]},
		"parameters": [
			{"name": "jit", "value": true, "path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters", "jit"]},
			{"name": "max_wal_size", "value": "1GB", "path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters", "max_wal_size"]},
			{"name": "max_wal_size", "value": "8GB", "path": ["spec", "config", "parameters", "max_wal_size"]},
		],
		"parameters_path": ["spec", "config", "parameters"],
		"parameter_values": "text or integer",
		"patroni": true,
		"instances": {"value": 3, "origin": "written", "path": ["spec", "instances"]},
		"instance_sets": [
			{
				"name": "main",
				"path": ["spec", "instances", 0],
				"replicas": {"value": 2, "origin": "written", "path": ["spec", "instances", 0, "replicas"]},
				"resources": {"requests": {}, "limits": {"memory": "8Gi", "hugepages-2Mi": "2Gi"}},
				"resources_path": ["spec", "instances", 0, "resources"],
				"wal_path": ["spec", "instances", 0, "walVolumeClaimSpec"],
				"data": volume(["spec", "instances", 0, "dataVolumeClaimSpec"], "200Gi"),
				"wal": volume(["spec", "instances", 0, "walVolumeClaimSpec"], "50Gi"),
			},
			{
				"name": "1",
				"path": ["spec", "instances", 1],
				"replicas": {"value": 1, "origin": "operator", "path": ["spec", "instances", 1, "replicas"]},
				"resources": {"requests": {}, "limits": {}},
				"resources_path": ["spec", "instances", 1, "resources"],
				"wal_path": ["spec", "instances", 1, "walVolumeClaimSpec"],
				"data": volume(["spec", "instances", 1, "dataVolumeClaimSpec"], "100Gi"),
			},
		],
		"segment": {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]},
		"checksums": {"value": true, "origin": "operator", "path": ["spec"]},
		"archiving": {"value": "on", "origin": "written", "path": ["spec", "backups", "pgbackrest", "repos"]},
		"standby_backup": {"value": true, "origin": "written", "path": ["spec", "backups", "pgbackrest", "global", "backup-standby"]},
		"pooler": {"value": false, "origin": "operator", "path": ["spec", "proxy"]},
		"backups": [],
		"restores": [],
	}
	cluster.defaults.huge_pages == "try"
	cluster.managed.wal_level == "logical"
	cluster.forbidden.wal_level == "logical"
	cluster.rewind.used
}

test_v1_is_read_too if {
	read(object.union(resource({}), {"apiVersion": "postgres-operator.crunchydata.com/v1"})).name == "hippo"
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PGAdmin"})
	not read({"apiVersion": "example.com/v1beta1", "kind": "PostgresCluster"})
}

test_cluster_without_spec_has_almost_no_facts if {
	cluster := read({"apiVersion": "postgres-operator.crunchydata.com/v1", "kind": "PostgresCluster"})
	object.keys(cluster) & {"major", "instances", "segment", "checksums", "archiving", "standby_backup"} == set()
	cluster.instance_sets == []
}

test_hostile_values_are_no_facts if {
	cluster := read(resource({
		"postgresVersion": {"major": 17},
		"instances": [null, "x", {"name": 3, "replicas": "many", "dataVolumeClaimSpec": [], "resources": {"limits": {"hugepages-2Mi": "some"}}}],
		"backups": {"pgbackrest": {"repos": {}, "global": "y"}},
		"dataSource": {"volumes": {}},
	}))
	object.keys(cluster) & {"major", "segment", "checksums"} == set()
	cluster.instances == {"value": 1, "origin": "operator", "path": ["spec", "instances"]}
	cluster.archiving == {"value": "discards", "origin": "operator", "path": ["spec", "backups"]}
	cluster.defaults.huge_pages == "off"
}

# ------------------------------------------------------------------------------------------------------- backups

backed_up(global) := resource({"backups": {"pgbackrest": {"repos": [{"name": "repo1"}], "global": global}}})

test_where_backups_are_taken if {
	path := ["spec", "backups", "pgbackrest", "global", "backup-standby"]
	read(backed_up({})).standby_backup == {"value": false, "origin": "operator", "path": path}
	read(backed_up({"backup-standby": "n"})).standby_backup == {"value": false, "origin": "written", "path": path}
	read(backed_up({"backup-standby": "prefer"})).standby_backup == {"value": true, "origin": "written", "path": path}
}

status := {"status": {"pgbackrest": {
	"scheduledBackups": [
		{"cronJobName": "hippo-repo1-full", "succeeded": 1, "completionTime": "2026-05-01T01:30:00Z"},
		{"cronJobName": "hippo-repo1-incr", "failed": 1},
		"hostile",
	],
	"manualBackup": {"id": "before upgrade", "finished": true, "succeeded": 1, "completionTime": "2026-05-02T09:00:00Z"},
}}}

admitted(object) := found if found := whole with input as {"review": {"operation": "UPDATE", "object": object}}

test_evidence_stands_in_the_status if {
	admitted(object.union(backed_up({}), status)).backups == [
		{"finished": "2026-05-01T01:30:00Z", "from": "primary", "name": "hippo-repo1-full", "proven": true},
		{"finished": "2026-05-02T09:00:00Z", "from": "primary", "name": "before upgrade", "proven": true},
	]
	admitted(object.union(backed_up({"backup-standby": "y"}), status)).backups[0].from == "standby"
	admitted(object.union(resource({}), status)).backups[0].from == "unknown"
}

test_status_in_a_file_is_no_evidence if {
	read(object.union(backed_up({}), status)).backups == []
}

copy(source) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo-copy", "namespace": "lab"},
	"spec": {"dataSource": {"postgresCluster": source}},
	"status": {
		"instances": ["hostile", {"name": "main", "readyReplicas": 1}],
		"pgbackrest": {"restore": {"succeeded": 1, "completionTime": "2026-04-20T10:00:00Z"}},
	},
}

restores(source) := found if {
	inventory := {"namespace": {"lab": {"postgres-operator.crunchydata.com/v1beta1": {"PostgresCluster": {"hippo-copy": copy(source)}}}}}
	found := crunchy.restores with input as {"review": {"object": resource({})}, "inventory": inventory}
}

test_restored_from_the_repository if {
	restores({"clusterName": "hippo", "clusterNamespace": "shop"}) == [{"ready": "2026-04-20T10:00:00Z", "cluster": "hippo-copy"}]
	restores({"clusterName": "hippo"}) == []
	restores({"clusterName": "rhino", "clusterNamespace": "shop"}) == []
}

test_synchronous if {
	read(resource({"patroni": {"dynamicConfiguration": {"synchronous_mode": true}}})).synchronous == {"value": true, "origin": "written", "path": ["spec", "patroni", "dynamicConfiguration", "synchronous_mode"]}
	not read(resource({"patroni": {"dynamicConfiguration": {"synchronous_mode": "x"}}})).synchronous
}

test_pooler if {
	read(resource({"proxy": {"pgBouncer": {}}})).pooler == {"value": true, "origin": "written", "path": ["spec", "proxy", "pgBouncer"], "connections": 20}
	read(resource({"proxy": {"pgBouncer": {"replicas": 2, "config": {"global": {"default_pool_size": "30"}}}}})).pooler.connections == 60
	not read(resource({"proxy": {"pgBouncer": {"replicas": "two"}}})).pooler.connections
}

test_tablespaces if {
	cluster := read(resource({"instances": [{"dataVolumeClaimSpec": claim("100Gi"), "tablespaceVolumes": [
		{"name": "cold", "dataVolumeClaimSpec": claim("1Ti")},
		{"name": "void"},
		{"dataVolumeClaimSpec": claim("2Ti")},
	]}]}))
	cluster.instance_sets[0].tablespaces == [
		object.union(volume(["spec", "instances", 0, "tablespaceVolumes", 0, "dataVolumeClaimSpec"], "1Ti"), {"name": "cold"}),
		object.union(volume(["spec", "instances", 0, "tablespaceVolumes", 2, "dataVolumeClaimSpec"], "2Ti"), {"name": "2"}),
	]
}

test_slots if {
	path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "use_slots"]
	read(resource({"postgresVersion": 17})).slots == {"value": false, "origin": "operator", "path": path}
	read(resource({"patroni": {"dynamicConfiguration": {"postgresql": {"use_slots": true}}}})).slots == {"value": true, "origin": "written", "path": path}
}

# On an UPDATE the API server keeps the status that there was; without one the object in sight of it speaks.
test_whose_status_counts if {
	updated := crunchy.backups with input as {"review": {"operation": "UPDATE", "object": backed_up({}), "oldObject": object.union(backed_up({}), status)}}
	[b.name | some b in updated] == ["hippo-repo1-full", "before upgrade"]
	invented := crunchy.backups with input as {"review": {"operation": "UPDATE", "object": object.union(backed_up({}), status), "oldObject": backed_up({})}}
	invented == []
	objects := {"shop": {"postgres-operator.crunchydata.com/v1beta1": {"PostgresCluster": {"hippo": object.union(backed_up({}), status)}}}}
	linted := crunchy.backups with input as {"review": {"object": backed_up({})}, "inventory": {"live": true, "namespace": objects}}
	[b.name | some b in linted] == ["hippo-repo1-full", "before upgrade"]
	among_files := crunchy.backups with input as {"review": {"object": backed_up({})}, "inventory": {"namespace": objects}}
	among_files == []
}

test_patroni if {
	dynamic := ["spec", "patroni", "dynamicConfiguration"]
	cluster := read(resource({"patroni": {
		"leaderLeaseDurationSeconds": 60,
		"dynamicConfiguration": {"synchronous_mode": true, "synchronous_mode_strict": true, "slots": {"a": {"type": "physical"}, "b": {}}},
	}}))
	cluster.commit_wait == {
		"value": 1,
		"origin": "written",
		"path": array.concat(dynamic, ["synchronous_mode_strict"]),
		"relax": "synchronous_mode_strict: false",
	}
	cluster.patroni_timing == {
		"ttl": {"value": 60, "origin": "written", "path": ["spec", "patroni", "leaderLeaseDurationSeconds"]},
		"loop_wait": {"value": 10, "origin": "operator", "path": ["spec", "patroni", "syncPeriodSeconds"]},
		"retry_timeout": {"value": 10, "origin": "operator", "path": array.concat(dynamic, ["retry_timeout"])},
	}
	cluster.permanent_slots == {"value": 2, "origin": "written", "path": array.concat(dynamic, ["slots"])}
	object.keys(read(resource({"patroni": {"dynamicConfiguration": {"synchronous_mode": true}}}))) & {"commit_wait", "patroni_timing", "permanent_slots"} == set()
}

sent_through(address, global) := [fault.reason | some fault in object.get(found, "pooler_faults", [])] if {
	found := crunchy.cluster with input as {
		"review": {"object": object.union(resource({"proxy": {"pgBouncer": {"config": {"global": global}}}}), {"metadata": {"name": "orders", "namespace": "shop"}})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "URL", "value": address}]}]}}},
		}}}}}},
	}
}

test_startup_parameters_through_the_pooler if {
	of_java := "jdbc:postgresql://orders-pgbouncer.shop.svc:5432/orders?currentSchema=web"
	refused := "PgBouncer refuses Deployment web with \"unsupported startup parameter: search_path\", for its URL says ?currentSchema=web"
	floats := "ignore_startup_parameters takes the place of the operator's extra_float_digits, which the driver of Deployment web always sends: PgBouncer refuses it with \"unsupported startup parameter\""
	sent_through(of_java, {}) == [refused]
	sent_through(of_java, {"ignore_startup_parameters": "search_path"}) == [floats]
	sent_through(of_java, {"ignore_startup_parameters": "extra_float_digits, search_path"}) == []
	sent_through(of_java, {"ignore_startup_parameters": "${PASSED}"}) == []
	sent_through("jdbc:postgresql://orders-primary:5432/orders?currentSchema=web", {"ignore_startup_parameters": "search_path"}) == []
}

test_query_of_the_pooler if {
	databases := {"a": "host=h connect_query='ALTER SYSTEM SET fsync=off'", "b": "host=h connect_query='SELECT 1'", "c": "host=h"}
	read(resource({"proxy": {"pgBouncer": {"config": {"databases": databases}}}})).unread == [{
		"source": "the connect_query of PgBouncer",
		"path": ["spec", "proxy", "pgBouncer", "config", "databases", "a"],
		"severity": "warning",
	}]
}

test_sql_of_a_config_map if {
	asked := resource({"databaseInitSQL": {"name": "sql", "key": "a"}})
	[place.missing | some place in read(asked).unread] == [true]
	found := whole with input as {"review": {"object": asked}, "inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"sql": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "sql", "namespace": "shop"},
		"data": {"a": "\\! echo jit=off >> x"},
	}}}}}}}
	[place.severity | some place in found.unread] == ["info"]
}

test_volume_of_another_server if {
	[[place.source, place.severity] | some place in read(resource({"dataSource": {"volumes": {"pgDataVolume": {"pvcName": "x"}}}})).unread] == [["the postgresql.auto.conf of the volume that is taken over", "info"]]
}

test_repository_that_is_asked_for if {
	{p | some p in [refusal.path | some refusal in read(resource({"backups": {"pgbackrest": {"repos": []}}})).refusals]} == {["spec", "backups", "pgbackrest"]}
	{p | some p in [refusal.path | some refusal in read(resource({"backups": {"pgbackrest": {"global": {"repo1-path": "/a"}}}})).refusals]} == {["spec", "backups", "pgbackrest"]}
	not read(resource({"backups": {"pgbackrest": {"repos": "${REPOSITORIES}"}}})).refusals
	not read(resource({"backups": {}})).refusals
	not read(resource({})).refusals
}

gated(spec, container) := {reason | some reason in [entry.reason | some entry in found]} if {
	found := crunchy.cluster.ignored with input as {
		"review": {"object": resource(spec)},
		"inventory": {"namespace": {"op": {"apps/v1": {"Deployment": {"pgo": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pgo", "namespace": "op"}, "spec": {"template": {"spec": {"containers": [container]}}}}}}}}},
	}
} else := set()

pgo_image(version, gates) := {"image": sprintf("registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi8-%s-0", [version]), "env": [{"name": "PGO_FEATURE_GATES", "value": gates} | gates != ""]}

test_feature_gates if {
	sidecars := {"instances": [{"containers": [{"name": "a"}]}]}
	gated(sidecars, pgo_image("5.2.0", "")) == {"PGO waits for InstanceSidecars=true in PGO_FEATURE_GATES of Deployment op/pgo"}
	gated(sidecars, pgo_image("5.2.0", "TablespaceVolumes=true, InstanceSidecars=true")) == set()
	gated(sidecars, pgo_image("5.2.0", "AllAlpha=true")) == set()
	gated(sidecars, pgo_image("5.2.0", "${GATES}")) == set()
	gated(sidecars, pgo_image("5.8.0", "")) == set()
	gated(sidecars, {"image": "mine.example.com/operator:1"}) == set()
	gated({"instances": [{"tablespaceVolumes": [{"name": "a"}]}], "proxy": {"pgBouncer": {"containers": [{"name": "a"}]}}, "backups": {"snapshots": {"volumeSnapshotClassName": "a"}}}, pgo_image("6.0.0", "")) == {
		"PGO waits for TablespaceVolumes=true in PGO_FEATURE_GATES of Deployment op/pgo",
		"PGO waits for PGBouncerSidecars=true in PGO_FEATURE_GATES of Deployment op/pgo",
		"PGO waits for VolumeSnapshots=true in PGO_FEATURE_GATES of Deployment op/pgo",
	}
	gated({"instances": [{"name": "a"}]}, pgo_image("5.2.0", "")) == set()
}

test_gates_from_elsewhere if {
	sidecars := {"instances": [{"containers": [{"name": "a"}]}]}
	waits := {"PGO waits for InstanceSidecars=true in PGO_FEATURE_GATES of Deployment op/pgo"}
	gated(sidecars, pgo_image("5.2.0", "TablespaceVolumes=true")) == waits
	gated(sidecars, pgo_image("5.2.0", "InstanceSidecars=false")) == waits
	gated(sidecars, object.union(pgo_image("5.2.0", ""), {"envFrom": [{"configMapRef": {"name": "gates"}}]})) == set()
	gated(sidecars, object.union(pgo_image("5.2.0", ""), {"envFrom": []})) == waits
	gated(sidecars, object.union(pgo_image("5.2.0", ""), {"env": [{"name": "PGO_FEATURE_GATES", "valueFrom": {"configMapKeyRef": {"name": "gates", "key": "all"}}}]})) == set()
}

# Of pgBackRest 2.59, with old names.
options_of_pgbackrest := [
	"allow-root", "annotation", "archive-async", "archive-check", "archive-copy", "archive-expire-before", "archive-get-queue-max", "archive-header-check",
	"archive-missing-retry", "archive-mode", "archive-mode-check", "archive-push-batch-size", "archive-push-queue-max", "archive-queue-max", "archive-timeout",
	"backup-cmd", "backup-config", "backup-host", "backup-ssh-port", "backup-standby", "backup-user", "beta", "buffer-size", "checksum-page", "cmd", "cmd-ssh",
	"compress", "compress-level", "compress-level-network", "compress-type", "config", "config-include-path", "config-path", "db-cmd", "db-config", "db-exclude",
	"db-host", "db-include", "db-path", "db-port", "db-socket-path", "db-ssh-port", "db-timeout", "db-user", "delta", "detail-level", "dry-run", "exclude", "exec-id",
	"expire-auto", "filter", "force", "hardlink", "help", "ignore-missing", "io-timeout", "job-retry", "job-retry-interval", "link-all", "link-map", "lock",
	"lock-path", "log-level-console", "log-level-file", "log-level-stderr", "log-path", "log-subprocess", "log-timestamp", "manifest-save-threshold", "neutral-umask",
	"oldest", "online", "output", "page-header-check", "pg", "pg-database", "pg-host", "pg-host-ca-file", "pg-host-ca-path", "pg-host-cert-file", "pg-host-cmd",
	"pg-host-config", "pg-host-config-include-path", "pg-host-config-path", "pg-host-key-file", "pg-host-port", "pg-host-type", "pg-host-user", "pg-local", "pg-path",
	"pg-port", "pg-socket-path", "pg-user", "pg-version-force", "priority", "process", "process-max", "protocol-timeout", "raw", "recovery-option", "recurse",
	"reference", "remote-type", "repo", "repo-azure-account", "repo-azure-ca-file", "repo-azure-ca-path", "repo-azure-container", "repo-azure-endpoint",
	"repo-azure-host", "repo-azure-key", "repo-azure-key-type", "repo-azure-port", "repo-azure-uri-style", "repo-azure-verify-tls", "repo-block", "repo-block-age-map",
	"repo-block-checksum-size-map", "repo-block-size-map", "repo-block-size-super", "repo-block-size-super-full", "repo-bundle", "repo-bundle-limit",
	"repo-bundle-size", "repo-cipher-pass", "repo-cipher-type", "repo-gcs-bucket", "repo-gcs-endpoint", "repo-gcs-key", "repo-gcs-key-type", "repo-gcs-user-project",
	"repo-hardlink", "repo-host", "repo-host-ca-file", "repo-host-ca-path", "repo-host-cert-file", "repo-host-cmd", "repo-host-config",
	"repo-host-config-include-path", "repo-host-config-path", "repo-host-key-file", "repo-host-port", "repo-host-type", "repo-host-user", "repo-local", "repo-path",
	"repo-retention-archive", "repo-retention-archive-type", "repo-retention-diff", "repo-retention-full", "repo-retention-full-type", "repo-retention-history",
	"repo-s3-bucket", "repo-s3-ca-file", "repo-s3-ca-path", "repo-s3-endpoint", "repo-s3-host", "repo-s3-key", "repo-s3-key-secret", "repo-s3-key-type",
	"repo-s3-kms-key-id", "repo-s3-port", "repo-s3-process-cmd", "repo-s3-region", "repo-s3-requester-pays", "repo-s3-role", "repo-s3-service",
	"repo-s3-sse-customer-key", "repo-s3-sts-host", "repo-s3-token", "repo-s3-uri-style", "repo-s3-verify-ssl", "repo-s3-verify-tls", "repo-sftp-host",
	"repo-sftp-host-fingerprint", "repo-sftp-host-key-check-type", "repo-sftp-host-key-hash-type", "repo-sftp-host-port", "repo-sftp-host-user",
	"repo-sftp-known-host", "repo-sftp-private-key-file", "repo-sftp-private-key-passphrase", "repo-sftp-public-key-file", "repo-storage-ca-file",
	"repo-storage-ca-path", "repo-storage-host", "repo-storage-port", "repo-storage-prefetch", "repo-storage-read-over", "repo-storage-tag",
	"repo-storage-upload-chunk-size", "repo-storage-verify-tls", "repo-symlink", "repo-target-time", "repo-type", "report", "resume", "retention-archive",
	"retention-archive-type", "retention-diff", "retention-full", "sck-block", "sck-keep-alive", "set", "sort", "spool-path", "stanza", "start-fast", "stop-auto",
	"tablespace-map", "tablespace-map-all", "target", "target-action", "target-exclusive", "target-timeline", "tcp-keep-alive-count", "tcp-keep-alive-idle",
	"tcp-keep-alive-interval", "tls-cipher-12", "tls-cipher-13", "tls-server-address", "tls-server-auth", "tls-server-ca-file", "tls-server-cert-file",
	"tls-server-key-file", "tls-server-port", "type", "verbose", "version",
]

test_every_option_is_known if {
	not read(resource({"backups": {"pgbackrest": {"global": {name: "x" | some name in options_of_pgbackrest}}}})).unknown_options
	indexed := {replace(replace(name, "repo-", "repo1-"), "pg-", "pg2-") | some name in options_of_pgbackrest}
	not read(resource({"backups": {"pgbackrest": {"global": {name: "x" | some name in indexed}}}})).unknown_options
	[[one.name, one.meant] | some one in read(resource({"backups": {"pgbackrest": {"global": {"repo1-retention-ful": "x"}}}})).unknown_options] == [["repo1-retention-ful", "repo1-retention-full"]]
}

# ------------------------------------------------------------------------------------------------------ standby clusters

follower(standby, repos) := resource({"standby": object.union({"enabled": true}, standby), "backups": {"pgbackrest": {"repos": repos, "global": {"repo1-retention-full": "14"}}}})

bucket := {"name": "repo1", "s3": {"bucket": "backups", "endpoint": "s3.example.com", "region": "eu"}}

own := {"name": "repo1", "volume": {"volumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}

# Its primary archives and is backed up, and the operator suspends its CronJobs.
test_a_standby_is_backed_up_elsewhere if {
	read(follower({"repoName": "repo1"}, [bucket])).backed_up_elsewhere == true
	not read(backed_up({})).backed_up_elsewhere
	some repository in pgo.repository_facts with input as {"review": {"object": follower({"repoName": "repo1"}, [bucket])}}
	object.filter(repository, ["retention", "idle"]) == {"retention": true}
	some other in pgo.repository_facts with input as {"review": {"object": backed_up({"repo1-retention-full": "14"})}}
	other.idle
}

test_a_repository_that_no_standby_can_be_copied_from if {
	path := ["spec", "standby", "repoName"]
	not read(follower({"repoName": "repo1"}, [bucket])).unusable_stores
	read(follower({"repoName": "repo1"}, [own])).unusable_stores == [{
		"path": path,
		"reason": "The standby is to be copied from repo1, a new volume of its own, in which the primary has put no backup: no instance starts",
		"cure": "Name a repository in the bucket that the primary archives to, or write standby.host",
	}]
}

test_repositories_of_standbys_that_may_have_backups if {
	every one in [
		follower({"repoName": "repo1"}, [bucket]),
		follower({"repoName": "repo1", "host": "10.0.0.1"}, [own]),
		follower({"repoName": "repo2", "host": "10.0.0.1"}, [bucket]),
		follower({"enabled": false, "repoName": "repo1"}, [own]),
		follower({"repoName": "${REPO}"}, [bucket]),
		follower({"repoName": "repo1"}, [{"name": "repo1", "volume": {"volumeClaimSpec": {"volumeName": "copied"}}}]),
		object.union(follower({"repoName": "repo1"}, [own]), {"status": {"patroni": {"systemIdentifier": "1"}}}),
	] {
		not read(one).unusable_stores
	}
}

# A name of the cluster's own has no certificate of a public authority.
inside(endpoint, global, lines) := found if {
	cluster := resource({"backups": {"pgbackrest": {
		"configuration": [{"secret": {"name": "keys"}}],
		"global": object.union({"repo1-s3-uri-style": "path"}, global),
		"repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": endpoint, "region": "eu"}}],
	}}})
	found := pgo.untrusted with input as {
		"review": {"object": cluster},
		"inventory": {"namespace": {"shop": {"v1": {"Secret": {"keys": {"kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"}, "stringData": lines}}}}}},
	}
}

keys := {"s3.conf": "[global]\nrepo1-s3-key=k"}

test_certificate_that_pgbackrest_cannot_verify if {
	[[f.path, f.reason, f.cure] | some f in inside("minio.store.svc.cluster.local", {}, keys)] == [[
		["spec", "backups", "pgbackrest", "repos", 0, "s3", "endpoint"],
		"minio.store.svc.cluster.local is a name of the cluster's own, for which no public authority gives a certificate, and none is named: pgBackRest cannot verify it, and nothing is archived or backed up",
		"Mount the CA and set repo1-storage-ca-file in spec.backups.pgbackrest.global",
	]]
	inside("minio.store.svc", {"repo1-storage-ca-file": "/ca.crt"}, keys) == []
	inside("minio.store.svc", {"repo1-storage-verify-tls": "n"}, keys) == []
	inside("minio.store.svc", {}, {"s3.conf": "[global]\nrepo1-storage-verify-tls=n"}) == []
	inside("minio.store.svc", {}, {}) == []
	inside("s3.example.com", {}, keys) == []
	inside("http://minio.store.svc", {}, keys) == []
}

# The rules of the schema for spec.authentication.
test_rules_that_are_none if {
	every rule, reason in {
		{"hba": "host all all all md5", "method": "md5"}: "a rule has hba beside other fields",
		{"connection": "host", "method": "trust"}: "method trust is not allowed, which asks no password",
		{"connection": "host"}: "a rule has neither hba nor both connection and method",
	} {
		[[refusal.path, refusal.reason] | some refusal in ruled(rule)] == [[["spec", "authentication", "rules", 0], reason]]
	}
	every rule in [{"hba": "host all all all md5"}, {"connection": "host", "method": "scram-sha-256"}, {"connection": "host", "method": "${METHOD}"}, "${RULE}"] {
		ruled(rule) == []
	}
}

ruled(rule) := object.get(read(resource({"authentication": {"rules": [rule]}})), "refusals", [])

# A queue that a few segments fill is dropped, and PostgreSQL is told that it is archived.
test_archive_that_is_dropped if {
	of_queue("1MB").value == "discards"
	of_queue("100GB").value == "on"
}

of_queue(most) := read(resource({"postgresVersion": 17, "instances": [], "backups": {"pgbackrest": {"global": {"archive-push-queue-max": most}, "repos": [{"name": "repo1", "volume": {}}]}}})).archiving

repository_options(repository, options) := [[one.path[count(one.path) - 1], one.reason] | some one in object.get(found, "unusable_stores", [])] if {
	found := read(resource({"backups": {"pgbackrest": {"repos": [repository], "global": object.union({"repo1-retention-full": "14"}, options)}}}))
}

test_repositories_beside_their_volumes if {
	repository_options(own, {"repo1-path": "/tmp/a"}) == [["repo1-path", "repo1-path is /tmp/a, and the volume of repo1 is mounted at /pgbackrest/repo1: no backup and no WAL lasts there"]]
	repository_options(bucket, {"repo1-type": "posix"}) == [["repo1-type", "repo1-type is posix, and repo1 has no volume: no backup and no WAL lasts there"]]
	repository_options(own, {"repo1-path": "/pgbackrest/repo1/b", "repo1-type": "posix"}) == []
	repository_options(bucket, {"repo1-path": "/b", "repo1-type": "s3"}) == []
	repository_options(own, {"repo1-path": "${PLACE}"}) == []
}

test_backups_without_data if {
	repository_options(own, {"exclude": "base/"}) == [["exclude", "exclude is base/, and pgBackRest leaves it out of every backup: none of them can be restored"]]
	repository_options(own, {"exclude": "pg_log/"}) == []
}

# ------------------------------------------------------------------------------------------- both ends of pgBackRest

ends(server, repository, deployment) := {[one.path, one.reason] | some one in found.wrong_images; contains(one.reason, "greeting")} if {
	found := crunchy.cluster with input as {
		"review": {"object": resource(object.union(
			{"postgresVersion": 13, "instances": [{"name": "a"}], "backups": {"pgbackrest": object.union({"repos": [{"name": "repo1", "volume": {}}]}, {"image": repository | repository != ""})}},
			{"image": server | server != ""},
		))},
		"inventory": {"namespace": {"pgo": {"apps/v1": {"Deployment": deployment}}}},
	}
}

crunchys(name, tag) := sprintf("registry.developers.crunchydata.com/crunchydata/%s:%s", [name, tag])

pgo_with(variables) := {"pgo": {"metadata": {"name": "pgo", "namespace": "pgo"}, "spec": {"template": {"spec": {"containers": [{"image": crunchys("postgres-operator", "ubi8-5.5.0-0"), "env": [{"name": name, "value": value} | some name, value in variables]}]}}}}}

test_ends_of_two_releases if {
	reason := "The server's image has pgBackRest 2.41 and the repository host 2.47, which refuse each other (\"greeting key 'version'\"): no WAL is archived and no backup taken"
	ends(crunchys("crunchy-postgres", "ubi8-13.9-2"), crunchys("crunchy-pgbackrest", "ubi8-2.47-2"), {}) == {[["spec", "backups", "pgbackrest", "image"], reason]}
	ends(crunchys("crunchy-postgres-gis", "ubi8-13.9-3.1-2"), crunchys("crunchy-pgbackrest", "ubi8-2.47-2"), {}) == {[["spec", "backups", "pgbackrest", "image"], reason]}
	ends(crunchys("crunchy-postgres", "ubi8-13.9-2"), "", pgo_with({"RELATED_IMAGE_PGBACKREST": crunchys("crunchy-pgbackrest", "ubi8-2.47-2")})) == {[["spec", "image"], reason]}
	ends("", crunchys("crunchy-pgbackrest", "ubi8-2.47-2"), pgo_with({"RELATED_IMAGE_POSTGRES_13": crunchys("crunchy-postgres", "ubi8-13.9-2")})) == {[["spec", "backups", "pgbackrest", "image"], reason]}
}

test_ends_of_one_release if {
	ends(crunchys("crunchy-postgres", "ubi8-13.9-2"), crunchys("crunchy-pgbackrest", "ubi8-2.41-4"), {}) == set()
	ends(crunchys("crunchy-postgres", "ubi8-13.99-2"), crunchys("crunchy-pgbackrest", "ubi8-2.47-2"), {}) == set()
	ends("example.com/postgres:13", crunchys("crunchy-pgbackrest", "ubi8-2.47-2"), {}) == set()
	ends(crunchys("crunchy-postgres", "ubi8-13.9-2"), "${IMAGE}", {}) == set()
	ends(crunchys("crunchy-postgres", "ubi8-13.9-2"), "", {}) == set()
	ends("", "", {}) == set()
}

# ------------------------------------------------------------------------------------------- what is restored from

restored_from(global, own_global, secrets) := found if {
	repository := {"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.example.com", "region": "eu"}}
	cluster := resource({
		"backups": {"pgbackrest": {"configuration": [{"secret": {"name": "keys"}}], "global": own_global, "repos": [repository]}},
		"dataSource": {"pgbackrest": {"stanza": "db", "configuration": [{"secret": {"name": "keys"}}], "global": global, "repo": repository}},
	})
	found := [[f.path, f.cure, f.level] | some f in pgo.untrusted_source] with input as {
		"review": {"object": cluster},
		"inventory": {"namespace": {"shop": {"v1": {"Secret": {name: {"kind": "Secret", "metadata": {"name": name, "namespace": "shop"}, "stringData": keys} | some name in secrets}}}}},
	}
}

test_certificate_of_what_is_restored_from if {
	path := ["spec", "dataSource", "pgbackrest", "repo", "s3", "endpoint"]
	cure := "Write repo1-storage-verify-tls into spec.dataSource.pgbackrest.global too"
	restored_from({}, {"repo1-storage-verify-tls": "n"}, ["keys"]) == [[path, cure, "error"]]
	restored_from({}, {"repo1-storage-verify-tls": "n"}, []) == [[path, cure, "warning"]]
	restored_from({"repo1-storage-verify-tls": "n"}, {"repo1-storage-verify-tls": "n"}, ["keys"]) == []
	restored_from({"repo1-storage-ca-file": "/ca"}, {"repo1-storage-verify-tls": "n"}, ["keys"]) == []
	restored_from({}, {}, ["keys"]) == []
}
