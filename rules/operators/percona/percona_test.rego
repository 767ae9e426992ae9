package walguard.operators.percona_test

import data.walguard.operators.percona

resource(spec) := {
	"apiVersion": "pgv2.percona.com/v2",
	"kind": "PerconaPGCluster",
	"metadata": {"name": "stock", "namespace": "shop"},
	"spec": spec,
}

read(object) := found if found := percona.cluster with input as {"review": {"object": object}}

patroni := ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"]

test_whole_cluster if {
	cluster := read(resource({
		"postgresVersion": 17,
		"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"max_wal_size": "8GB", "wal_level": "replica"}}}},
		"config": {"parameters": {"max_wal_size": "16GB"}},
		"instances": [{
			"name": "main",
			"replicas": 3,
			"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "100Gi"}}},
			"walVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "30Gi"}}},
			"resources": {"limits": {"memory": "8Gi"}},
		}],
		"backups": {"pgbackrest": {"repos": [{"name": "repo1"}]}},
		"proxy": {"pgBouncer": {"replicas": 3}},
	}))
	object.remove(cluster, ["scram", "authority", "hosts", "made_secrets", "tls_only_poolers", "unmade_keys", "unmade_secrets", "common_labels", "roles", "logins", "databases_made", "tls_only", "password_only", "pods", "companions", "selection", "reaches", "primary_budget", "defaults", "managed", "rewind", "instance_sets", "slots", "claims_kept", "decoded_hosts", "slots_left"]) == {
		"operator": "Percona Operator for PostgreSQL",
		"preloaded_besides": ["pg_cron", "pg_stat_monitor", "pg_stat_statements", "pgaudit"],
		"upgrade": {"by": "nobody", "way": "PerconaPGUpgrade"},
		"data_claims": `^stock-.+-[a-z0-9]{4}-pgdata$`,
		"name": "stock",
		"namespace": "shop",
		"major": {"value": 17, "origin": "written", "path": ["spec", "postgresVersion"]},
		"parameters": [
			{"name": "max_wal_size", "value": "8GB", "path": array.concat(patroni, ["max_wal_size"])},
			{"name": "wal_level", "value": "replica", "path": array.concat(patroni, ["wal_level"])},
		],
		"parameters_path": patroni,
		"parameter_values": "any",
		"patroni": true,
		"schedules_known": true,
		"first_backup": true,
		"ignored": [{
			"name": "max_wal_size",
			"value": "16GB",
			"path": ["spec", "config", "parameters", "max_wal_size"],
			"place": patroni,
			"reason": "this operator takes parameters from spec.patroni.dynamicConfiguration.postgresql.parameters only",
		}],
		"instances": {"value": 3, "origin": "written", "path": ["spec", "instances"]},
		"segment": {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]},
		"checksums": {"value": true, "origin": "operator", "path": ["spec"]},
		"archiving": {"value": "on", "origin": "written", "path": ["spec", "backups", "pgbackrest", "repos"]},
		"standby_backup": {"value": false, "origin": "operator", "path": ["spec", "backups", "pgbackrest", "global", "backup-standby"]},
		"pooler": {"value": true, "origin": "written", "path": ["spec", "proxy", "pgBouncer"], "connections": 60},
		"pooler_limits": [{
			"hosts": ["stock-pgbouncer"],
			"clients": 300,
			"written": "3 × max_client_conn 100 by default",
			"each": 3,
			"cure": "Set spec.proxy.pgBouncer.config.global.max_client_conn to \"%d\"",
			"path": ["spec", "proxy", "pgBouncer"],
		}],
	}
	cluster.rewind.used
	cluster.defaults.wal_level == "logical"
	not cluster.managed.wal_level
	cluster.managed.archive_mode == "on"
	[set] := cluster.instance_sets
	set.data.size == "100Gi"
	set.wal.size == "30Gi"
	set.resources.limits.memory == "8Gi"
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGBackup"})
	not read({"apiVersion": "upstream.pgv2.percona.com/v1beta1", "kind": "PostgresCluster"})
	not read({"apiVersion": "percona.com/v1", "kind": "PerconaPGCluster"})
}

test_hostile_values_are_no_facts if {
	cluster := read(resource({
		"postgresVersion": "many",
		"instances": {"name": "main"},
		"backups": {"enabled": "no", "pgbackrest": {"repos": "repo1"}},
		"config": [],
		"patroni": "x",
	}))
	object.keys(cluster) & {"major", "instances", "archiving", "standby_backup"} == set()
	cluster.ignored == []
	cluster.parameters == []
}

test_without_backups_wal_is_dropped if {
	cluster := read(resource({"backups": {"enabled": false, "pgbackrest": {"repos": [{"name": "repo1"}]}}}))
	cluster.archiving == {"value": "discards", "origin": "written", "path": ["spec", "backups", "enabled"]}
	not cluster.standby_backup
}

# ------------------------------------------------------------------------------------------------------ evidence

cluster := object.union(
	resource({"backups": {"pgbackrest": {"repos": [{"name": "repo1"}]}}}),
	{
		"metadata": {"creationTimestamp": "2026-03-01T00:00:00Z"},
		"status": {"pgbackrest": {"scheduledBackups": [{"cronJobName": "stock-repo1-full", "succeeded": 1, "completionTime": "2026-05-01T01:30:00Z"}]}},
	},
)

of(kind, name, spec, status) := {"apiVersion": "pgv2.percona.com/v2", "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": spec, "status": status}

inventory := {"namespace": {
	"shop": {"pgv2.percona.com/v2": {
		"PerconaPGBackup": {
			"night": of("PerconaPGBackup", "night", {"pgCluster": "stock"}, {"state": "Succeeded", "completed": "2026-05-02T01:30:00Z"}),
			"snapshot": of("PerconaPGBackup", "snapshot", {"pgCluster": "stock", "method": "volumeSnapshot"}, {"state": "Succeeded", "completed": "2026-05-03T01:30:00Z"}),
			"former": of("PerconaPGBackup", "former", {"pgCluster": "stock"}, {"state": "Succeeded", "completed": "2026-01-02T01:30:00Z"}),
			"failed": of("PerconaPGBackup", "failed", {"pgCluster": "stock"}, {"state": "Failed", "completed": "2026-05-02T01:30:00Z"}),
			"other": of("PerconaPGBackup", "other", {"pgCluster": "sales"}, {"state": "Succeeded", "completed": "2026-05-02T01:30:00Z"}),
			"hostile": of("PerconaPGBackup", "hostile", ["stock"], "Succeeded"),
		},
		"PerconaPGRestore": {
			"back": of("PerconaPGRestore", "back", {"pgCluster": "stock"}, {"state": "Succeeded", "completed": "2026-05-04T10:00:00Z"}),
			"failed": of("PerconaPGRestore", "failed", {"pgCluster": "stock"}, {"state": "Failed", "completed": "2026-05-04T10:00:00Z"}),
		},
	}},
	"lab": {"pgv2.percona.com/v2": {"PerconaPGCluster": {
		"copy": {
			"metadata": {"name": "copy", "namespace": "lab", "creationTimestamp": "2026-04-20T10:00:00Z"},
			"spec": {"dataSource": {"postgresCluster": {"clusterName": "stock", "clusterNamespace": "shop"}}},
			"status": {"state": "ready"},
		},
		"coming": {
			"metadata": {"name": "coming", "namespace": "lab", "creationTimestamp": "2026-04-20T10:00:00Z"},
			"spec": {"dataSource": {"postgresCluster": {"clusterName": "stock", "clusterNamespace": "shop"}}},
			"status": {"state": "initializing"},
		},
	}}},
}}

review := {"review": {"operation": "UPDATE", "object": cluster}, "inventory": inventory}

test_backups if {
	found := percona.backups with input as review
	found == [
		{"finished": "2026-05-01T01:30:00Z", "from": "primary", "name": "stock-repo1-full", "proven": true},
		{"finished": "2026-05-02T01:30:00Z", "from": "primary", "name": "night"},
		{"finished": "2026-05-03T01:30:00Z", "from": "unknown", "name": "snapshot"},
	]
}

test_restores if {
	found := percona.restores with input as review
	found == [{"ready": "2026-05-04T10:00:00Z", "cluster": "stock"}, {"ready": "2026-04-20T10:00:00Z", "cluster": "copy"}]
}

# --------------------------------------------------------------------------------------------------- release 1

first(spec) := {"apiVersion": "pg.percona.com/v1", "kind": "PerconaPGCluster", "metadata": {"name": "old"}, "spec": spec}

test_release_1 if {
	instances := {"value": 3, "origin": "written", "path": ["spec", "pgReplicas"]}
	read(first({
		"pgPrimary": {
			"image": "percona/percona-postgresql-operator:1.6.0-ppg14-postgres-ha",
			"customconfig": "tuned",
			"resources": {"limits": {"memory": "4Gi"}},
			"volumeSpec": {"size": "50Gi", "storagetype": "dynamic", "storageclass": "fast"},
		},
		"pgReplicas": {"hotStandby": {"size": 2}, "hostile": 7},
	})) == {
		"operator": "Percona Operator for PostgreSQL 1",
		"name": "old",
		"namespace": "default",
		"partial": true,
		"unread": [{"source": "ConfigMap default/tuned", "path": ["spec", "pgPrimary", "customconfig"], "severity": "info"}],
		"major": {"value": 14, "origin": "written", "path": ["spec", "pgPrimary", "image"]},
		"parameters": [],
		"parameters_path": ["spec", "pgPrimary", "customconfig"],
		"parameter_values": "any",
		"patroni": true,
		"defaults": {},
		"managed": {},
		"instances": instances,
		"instance_sets": [{
			"name": "old",
			"path": ["spec", "pgPrimary"],
			"replicas": instances,
			"resources": {"requests": {}, "limits": {"memory": "4Gi"}},
			"resources_path": ["spec", "pgPrimary", "resources"],
			"data": {
				"path": ["spec", "pgPrimary", "volumeSpec"],
				"size": "50Gi",
				"size_path": ["spec", "pgPrimary", "volumeSpec", "size"],
				"class": "fast",
				"class_path": ["spec", "pgPrimary", "volumeSpec", "storageclass"],
			},
		}],
	}
}

test_release_1_of_little if {
	object.keys(read(first("x"))) & {"major", "instances"} == set()
	hostile := read(first({"pgPrimary": {"image": "registry/latest", "volumeSpec": {"size": ["1Gi"], "storageclass": ""}}, "pgReplicas": []}))
	object.keys(hostile) & {"major", "instances"} == set()
	object.keys(hostile.instance_sets[0].data) == {"path", "size_path", "class_path"}
}

test_slots if {
	path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "use_slots"]
	read(resource({"postgresVersion": 17})).slots == {"value": false, "origin": "operator", "path": path}
	read(resource({"patroni": {"dynamicConfiguration": {"postgresql": {"use_slots": true}}}})).slots == {"value": true, "origin": "written", "path": path}
}

# -------------------------------------------------------------------------------------------------- what is proven

proven(metadata, status) := found if {
	taken := object.union(
		of("PerconaPGBackup", "night", {"pgCluster": "stock"}, object.union({"state": "Succeeded", "completed": "2026-05-02T01:30:00Z"}, status)),
		{"metadata": metadata},
	)
	objects := {"namespace": {"shop": {"pgv2.percona.com/v2": {"PerconaPGBackup": {"night": taken}}}}}
	found := percona.backups with input as {"review": {"operation": "UPDATE", "object": object.remove(cluster, ["unmade_keys", "unmade_secrets", "status"])}, "inventory": objects}
}

test_proven_backups if {
	night := {"finished": "2026-05-02T01:30:00Z", "from": "primary", "name": "night"}
	proven({"generation": 1}, {}) == [object.union(night, {"proven": true})]
	proven({"generation": 2}, {}) == [night]
	every job in ["stock-backup-x7k2", "stock-repo1-full-29123456"] {
		proven({"generation": 2}, {"jobName": job}) == [object.union(night, {"proven": true})]
	}

	# Jobs of others: another cluster of which the name begins alike, and no job of the operator.
	every job in ["stock-copy-backup-x7k2", "sales-backup-x7k2", "stock-migration", "stock"] {
		proven({"generation": 2}, {"jobName": job}) == [night]
	}
}

mounted(directory, env) := read(resource({"postgresVersion": 17, "instances": [{
	"name": "a",
	"dataVolumeClaimSpec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}},
	"env": env,
	"sidecarVolumes": [{"name": "extra", "emptyDir": {}}],
	"volumeMounts": [{"name": "extra", "mountPath": directory}],
}]}))

# What of the data is lost with the pod, and whether the claim still says where the tables are.
test_mounts_over_the_data if {
	every directory, expected in {
		"/pgdata/pg17": [true, false],
		"/pgdata/pg17/base": [true, false],
		"/pgdata/pg17/pg_wal": [true, true],
		"/pgwal/pg17_wal": [true, true],
		"/tablespaces/fast": [true, false],
		"/pgdata/pg16": [false, true],
		"/pgdata/other": [false, true],
		"/scratch": [false, true],
	} {
		cluster := mounted(directory, [])
		object.get(cluster, "lost", []) == [part | expected[0]; part := {"what": sprintf("What is mounted at %s", [directory]), "on": "an emptyDir", "path": ["spec", "instances", 0, "volumeMounts", 0]}]
		[size | size := cluster.instance_sets[0].data.size] == ["10Gi" | expected[1]]
	}
}

test_data_that_a_variable_moves if {
	moved := mounted("/extra", [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/extra/pg17"}])
	not moved.instance_sets[0].data
	not moved.lost
	mounted("/extra", [{"name": "OTHER", "value": "/extra/pg17"}]).instance_sets[0].data.size == "10Gi"
	mounted("/extra", [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/elsewhere"}]).lost == [{"what": "PATRONI_POSTGRESQL_DATA_DIR=/elsewhere", "on": "no lasting volume", "path": ["spec", "instances", 0, "env", 0, "value"]}]
}

# Its bundle for one namespace.
watching(environment) := object.get(found, "unresolved", []) if {
	operator := {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "percona-postgresql-operator", "namespace": "ops"},
		"spec": {"template": {"spec": {"containers": [{"name": "operator", "image": "docker.io/percona/percona-postgresql-operator:2.7.0", "env": environment}]}}},
	}
	found := percona.cluster with input as {"review": {"object": resource({"postgresVersion": 17})}, "inventory": {"namespace": {"ops": {"apps/v1": {"Deployment": {"percona-postgresql-operator": operator}}}}}}
}

test_namespace_that_is_not_watched if {
	[fault.path | some fault in watching([{"name": "WATCH_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}])] == [["metadata", "namespace"]]
	watching([{"name": "WATCH_NAMESPACE", "value": ""}]) == []
}

test_restore_of_a_set_without_a_type if {
	every options, paths in {"--set=20250608-135823F": [["spec", "options"]], "--set=20250608-135823F --type=immediate": [], "--type=time --target=\"2025-06-08 14:00:00+00\"": []} {
		found := percona.cluster with input as {
			"review": {"object": resource({"postgresVersion": 17})},
			"inventory": {"namespace": {"shop": {"pgv2.percona.com/v2": {"PerconaPGRestore": {"back": {
				"apiVersion": "pgv2.percona.com/v2",
				"kind": "PerconaPGRestore",
				"metadata": {"name": "back", "namespace": "shop"},
				"spec": {"pgCluster": "stock", "repoName": "repo1", "options": split(options, " ")},
			}}}}}},
		}
		paths == [one.path | some one in object.get(found, "ignored", []); one.name == "--set"]
	}
}
