package walguard.operators.stackgres_test

import data.walguard.operators.stackgres

api := "stackgres.io/v1"

of(kind, name, rest) := object.union({"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "shop"}}, rest)

sgcluster(spec) := of("SGCluster", "stock", {"spec": spec})

settings(parameters) := of("SGPostgresConfig", "tuned", {"spec": {"postgresVersion": "16", "postgresql.conf": parameters}})

inventory(objects) := {"namespace": {"shop": {api: {kind: {o.metadata.name: o | some o in objects; o.kind == kind} |
	some kind in {o.kind | some o in objects}
}}}}

read(object, objects) := found if {
	sight := inventory(objects)
	found := stackgres.cluster with input as {"review": {"object": object}, "inventory": sight}
}

whole := {
	"postgres": {"version": "16.4"},
	"instances": 2,
	"sgInstanceProfile": "large",
	"replication": {"mode": "sync"},
	"pods": {"persistentVolume": {"size": "100Gi", "storageClass": "fast"}},
	"configurations": {
		"sgPostgresConfig": "tuned",
		"sgPoolingConfig": "pool",
		"postgres": {"postgresql.conf": {"work_mem": "32MB"}},
		"backups": [{"sgObjectStorage": "s3"}],
	},
}

profile := of("SGInstanceProfile", "large", {"spec": {"cpu": "4", "memory": "16Gi", "hugePages": {"hugepages-2Mi": "4Gi"}, "requests": {"memory": "8Gi"}}})

pool := of("SGPoolingConfig", "pool", {"spec": {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"default_pool_size": "50"}}}}})

configuration := {"apiVersion": api, "kind": "SGPostgresConfig", "namespace": "shop", "name": "tuned"}

inline_path := ["spec", "configurations", "postgres", "postgresql.conf"]

test_whole_cluster if {
	cluster := read(sgcluster(whole), [settings({"max_wal_size": "16GB"}), profile, pool])
	object.remove(cluster, ["pods", "selection", "reaches", "pooler_limits", "primary_budget", "defaults", "forbidden", "managed", "rewind"]) == {
		"operator": "StackGres",
		"data_claims": `^stock-data-stock-[0-9]+$`,
		"name": "stock",
		"namespace": "shop",
		"major": {"value": 16, "origin": "written", "path": ["spec", "postgres", "version"]},
		"minor": {"value": 4, "origin": "written", "path": ["spec", "postgres", "version"]},
		"parameters": [
			{"name": "max_wal_size", "value": "16GB", "path": ["spec", "postgresql.conf", "max_wal_size"], "resource": configuration},
			{"name": "work_mem", "value": "32MB", "path": array.concat(inline_path, ["work_mem"])},
		],
		"parameters_path": inline_path,
		"parameter_values": "text",
		"patroni": true,
		"instances": {"value": 2, "origin": "written", "path": ["spec", "instances"]},
		"instance_sets": [{
			"name": "stock",
			"path": ["spec"],
			"replicas": {"value": 2, "origin": "written", "path": ["spec", "instances"]},
			"resources": {
				"requests": {"cpu": "4", "memory": "8Gi"},
				"limits": {"cpu": "4", "memory": "16Gi", "hugepages-2Mi": "4Gi"},
			},
			"resources_path": ["spec", "sgInstanceProfile"],
			"data": {
				"path": ["spec", "pods", "persistentVolume"],
				"size": "100Gi",
				"size_path": ["spec", "pods", "persistentVolume", "size"],
				"class": "fast",
				"class_path": ["spec", "pods", "persistentVolume", "storageClass"],
			},
		}],
		"segment": {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]},
		"checksums": {"value": true, "origin": "operator", "path": ["spec"]},
		"synchronous": {"value": true, "origin": "written", "path": ["spec", "replication", "mode"]},
		"pooler": {"value": true, "origin": "operator", "path": ["spec", "pods", "disableConnectionPooling"], "connections": 50},
		"archiving": {"value": "on", "origin": "written", "path": ["spec", "configurations", "backups"]},
		"standby_backup": {"value": false, "origin": "operator", "path": ["spec", "configurations", "backups"]},
	}
	cluster.defaults.max_wal_size == "2GB"
	cluster.rewind.used
	cluster.forbidden.wal_log_hints == ""
}

test_other_resources_are_not_read if {
	not read(profile, [])
	not read({"apiVersion": "example.com/v1", "kind": "SGCluster"}, [])
	not read({"apiVersion": "example.com/v1", "kind": "SGPostgresConfig"}, [])
}

test_configuration_out_of_sight if {
	cluster := read(sgcluster(whole), [])
	cluster.partial
	cluster.defaults == {}
	[set] := cluster.instance_sets
	set.resources == {"requests": {}, "limits": {}}
	set.resources_filled
	not cluster.pooler.connections
}

test_empty_cluster if {
	cluster := read(sgcluster({"postgres": {"version": "latest"}}), [])
	object.keys(cluster) & {"major", "instances", "standby_backup", "partial", "change"} == set()
	cluster.archiving == {"value": "discards", "origin": "operator", "path": ["spec", "configurations", "backups"]}
	cluster.synchronous == {"value": false, "origin": "operator", "path": ["spec", "replication", "mode"]}
	[set] := cluster.instance_sets
	set.resources.limits == {"cpu": "1", "memory": "2Gi"}
	not set.data
}

test_copied_cluster_has_what_its_source_has if {
	every spec in [{"initialData": {"restore": {"fromBackup": {"name": "b"}}}}, {"replicateFrom": {"instance": {"sgCluster": "other"}}}] {
		object.keys(read(sgcluster(spec), [])) & {"segment", "checksums"} == set()
	}
}

test_hostile_values_are_no_facts if {
	cluster := read(
		sgcluster({
			"postgres": "16",
			"instances": "many",
			"replication": {"mode": 3},
			"pods": {"persistentVolume": [], "disableConnectionPooling": "yes"},
			"sgInstanceProfile": "large",
			"configurations": {"sgPostgresConfig": "tuned", "backups": {}, "pooling": {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"default_pool_size": ["x"]}}}}},
		}),
		[
			of("SGPostgresConfig", "tuned", {"spec": [], "status": 3}),
			of("SGInstanceProfile", "large", {"spec": {"memory": {"x": 1}, "requests": [], "hugePages": "x"}}),
		],
	)
	object.keys(cluster) & {"major", "instances", "synchronous"} == set()
	cluster.parameters == []
	cluster.pooler == {"value": true, "origin": "operator", "path": ["spec", "pods", "disableConnectionPooling"]}
	cluster.instance_sets[0].resources == {"requests": {}, "limits": {}}
}

test_resources_that_are_switched_off if {
	some_spec := {"sgInstanceProfile": "large", "profile": "development"}
	read(sgcluster(some_spec), [profile]).instance_sets[0].resources == {"requests": {}, "limits": {}}
	kept := object.union(some_spec, {"nonProductionOptions": {"disablePatroniResourceRequirements": false}})
	read(sgcluster(kept), [profile]).instance_sets[0].resources.limits.memory == "16Gi"
	off := {"nonProductionOptions": {"disablePatroniResourceRequirements": true}}
	not read(sgcluster(off), []).instance_sets[0].resources_filled
}

test_replication_and_pooling if {
	cluster := read(
		sgcluster({
			"replication": {"mode": "async"},
			"pods": {"disableConnectionPooling": true},
		}),
		[],
	)
	cluster.synchronous == {"value": false, "origin": "written", "path": ["spec", "replication", "mode"]}
	cluster.pooler == {"value": false, "origin": "written", "path": ["spec", "pods", "disableConnectionPooling"]}
	pooling := {"configurations": {"sgPoolingConfig": "pool", "pooling": {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"default_pool_size": "70"}}}}}}
	read(sgcluster(pooling), [pool]).pooler.connections == 70
}

# ------------------------------------------------------------------------------------------------- SGPostgresConfig

test_configuration_alone if {
	cluster := read(settings({"full_page_writes": "off"}), [])
	object.remove(cluster, ["pods", "selection", "reaches", "primary_budget", "defaults", "forbidden", "managed", "rewind"]) == {
		"operator": "StackGres",
		"name": "tuned",
		"namespace": "shop",
		"partial": true,
		"change": true,
		"major": {"value": 16, "origin": "written", "path": ["spec", "postgresVersion"]},
		"parameters": [{"name": "full_page_writes", "value": "off", "path": ["spec", "postgresql.conf", "full_page_writes"]}],
		"parameters_path": ["spec", "postgresql.conf"],
		"parameter_values": "text",
		"patroni": true,
		"instance_sets": [],
	}
}

test_configuration_of_a_cluster_in_sight if {
	cluster := read(settings({"full_page_writes": "off"}), [sgcluster(whole), of("SGCluster", "other", {"spec": {}}), profile, pool])
	home := {"apiVersion": api, "kind": "SGCluster", "namespace": "shop", "name": "stock"}
	cluster.name == "stock"
	cluster.change
	not cluster.partial
	cluster.major == {"value": 16, "origin": "written", "path": ["spec", "postgres", "version"], "resource": home}
	cluster.parameters == [
		{"name": "full_page_writes", "value": "off", "path": ["spec", "postgresql.conf", "full_page_writes"]},
		{"name": "work_mem", "value": "32MB", "path": array.concat(inline_path, ["work_mem"]), "resource": home},
	]
	cluster.instances.resource == home
	cluster.instance_sets[0].resource == home
	cluster.instance_sets[0].data.resource == home
}

test_what_the_operator_filled_in_nobody_wrote if {
	filled := object.union(
		settings({"fsync": "on", "max_wal_size": "16GB", "wal_log_hints": "on"}),
		{"status": {"defaultParameters": {"fsync": "on", "max_wal_size": "2GB", "wal_log_hints": "on"}}},
	)
	cluster := read(filled, [])
	[setting.name | some setting in cluster.parameters] == ["max_wal_size"]
	cluster.defaults.wal_log_hints == "on"
}

test_major_of_the_configuration_for_latest if {
	cluster := read(sgcluster({"postgres": {"version": "latest"}, "configurations": {"sgPostgresConfig": "tuned"}}), [settings({})])
	cluster.major == {"value": 16, "origin": "written", "path": ["spec", "postgresVersion"], "resource": configuration}
}

# ------------------------------------------------------------------------------------------------------ evidence

backup(name, cluster, status, stored) := of("SGBackup", name, {"spec": {"sgCluster": cluster}, "status": {"process": {"status": status, "timing": {"stored": stored}}}})

evidence := [
	backup("night", "stock", "Completed", "2026-05-02T01:30:00Z"),
	backup("former", "stock", "Completed", "2026-01-02T01:30:00Z"),
	backup("failed", "stock", "Failed", "2026-05-02T01:30:00Z"),
	backup("other", "sales", "Completed", "2026-05-02T01:30:00Z"),
	of("SGBackup", "hostile", {"spec": 3}),
	of("SGCluster", "copy", {
		"metadata": {"creationTimestamp": "2026-05-04T00:00:00Z"},
		"spec": {"initialData": {"restore": {"fromBackup": {"name": "night"}}}},
		"status": {"podStatuses": ["hostile", {"primary": true}]},
	}),
	of("SGCluster", "coming", {"spec": {"initialData": {"restore": {"fromBackup": {"name": "night"}}}}}),
]

test_evidence if {
	made := object.union(sgcluster({}), {"metadata": {"creationTimestamp": "2026-03-01T00:00:00Z"}})
	sight := inventory(evidence)
	review := {"review": {"object": made}, "inventory": sight}
	backups := stackgres.backups with input as review
	backups == [{"finished": "2026-05-02T01:30:00Z", "from": "primary", "name": "night"}]
	restores := stackgres.restores with input as review
	restores == [{"ready": "2026-05-04T00:00:00Z", "cluster": "copy"}]
}

sharded_cluster := {
	"apiVersion": "stackgres.io/v1alpha1",
	"kind": "SGShardedCluster",
	"metadata": {"name": "wide", "namespace": "shop"},
	"spec": {
		"type": "citus",
		"postgres": {"version": "16.4"},
		"replication": {"mode": "sync"},
		"configurations": {"backups": [{"sgObjectStorage": "store", "cronSchedule": "0 2 * * *"}]},
		"coordinator": {"instances": 2, "sgInstanceProfile": "large", "pods": {"persistentVolume": {"size": "20Gi"}}},
		"shards": {
			"clusters": 3,
			"instancesPerCluster": 2,
			"sgInstanceProfile": "large",
			"configurations": {"sgPostgresConfig": "tuned", "postgres": {"postgresql.conf": {"work_mem": "20MB"}}},
			"pods": {"persistentVolume": {"size": "200Gi", "storageClass": "fast"}, "disableConnectionPooling": true},
		},
	},
}

sharded_surroundings := {"stackgres.io/v1": {
	"SGPostgresConfig": {"tuned": {
		"apiVersion": "stackgres.io/v1",
		"kind": "SGPostgresConfig",
		"metadata": {"name": "tuned", "namespace": "shop"},
		"spec": {"postgresVersion": "16", "postgresql.conf": {"max_wal_size": "8GB"}},
	}},
	"SGInstanceProfile": {"large": {"metadata": {"name": "large"}, "spec": {"cpu": "8", "memory": "32Gi"}}},
	"SGShardedBackup": {"nightly": {
		"metadata": {"name": "nightly"},
		"spec": {"sgShardedCluster": "wide"},
		"status": {"process": {"status": "Completed", "timing": {"stored": "2026-11-20T02:10:00Z"}}},
	}},
}}

test_shards_are_read_and_the_coordinator_beside_them if {
	cluster := stackgres.cluster with input as {"review": {"object": sharded_cluster}, "inventory": {"namespace": {"shop": sharded_surroundings}}}
	cluster.major.value == 16
	cluster.instances == {"value": 2, "origin": "written", "path": ["spec", "shards", "instancesPerCluster"]}
	[[p.name, p.path] | some p in cluster.parameters] == [
		["max_wal_size", ["spec", "postgresql.conf", "max_wal_size"]],
		["work_mem", ["spec", "shards", "configurations", "postgres", "postgresql.conf", "work_mem"]],
	]
	[[set.name, set.data.size, set.data.size_path, set.resources.limits.memory, set.replicas.value] | some set in cluster.instance_sets] == [
		["shards", "200Gi", ["spec", "shards", "pods", "persistentVolume", "size"], "32Gi", 2],
	]

	# What the shards say of parameters is not the coordinator's.
	cluster.others == ["the coordinator"]
	coordinator := stackgres.cluster with input as {"review": {"object": sharded_cluster, "chosen": "the coordinator"}, "inventory": {"namespace": {"shop": sharded_surroundings}}}
	[[set.name, set.data.size, set.data.size_path, set.resources.limits.memory, set.replicas.value] | some set in coordinator.instance_sets] == [["coordinator", "20Gi", ["spec", "coordinator", "pods", "persistentVolume", "size"], "32Gi", 2]]
	coordinator.parameters == []
	cluster.pooler == {"value": false, "origin": "written", "path": ["spec", "shards", "pods", "disableConnectionPooling"]}
	cluster.synchronous == {"value": true, "origin": "written", "path": ["spec", "replication", "mode"]}
	cluster.archiving.value == "on"
	not cluster.selection
}

test_sets_that_run_with_a_configuration if {
	stock := sharded_of({"coordinator": {"instances": 2, "configurations": {"sgPostgresConfig": "small"}}, "shards": {"instancesPerCluster": 3, "configurations": {"sgPostgresConfig": "big"}, "overrides": [{"index": 0, "configurations": {"sgPostgresConfig": "odd"}}]}})
	every name, sets in {"small": ["coordinator"], "big": ["shards"], "odd": ["shards"]} {
		found := stackgres.cluster with input as {
			"review": {"object": {"apiVersion": "stackgres.io/v1", "kind": "SGPostgresConfig", "metadata": {"name": name, "namespace": "shop"}, "spec": {"postgresVersion": "16", "postgresql.conf": {}}}},
			"inventory": {"namespace": {"shop": {"stackgres.io/v1alpha1": {"SGShardedCluster": {"stock": stock}}}}},
		}
		[set.name | some set in found.instance_sets] == sets
	}

	# Nobody says anything of either.
	plain := sharded_of({"coordinator": {"instances": 2}, "shards": {"instancesPerCluster": 3}})
	[set.name | some set in read(plain, []).instance_sets] == ["shards", "coordinator"]
	not read(plain, []).others
}

test_evidence_of_a_sharded_cluster if {
	found := stackgres.backups with input as {"review": {"object": sharded_cluster}, "inventory": {"namespace": {"shop": sharded_surroundings}}}
	found == [{"finished": "2026-11-20T02:10:00Z", "from": "primary", "name": "nightly"}]
	not stackgres.restores with input as {"review": {"object": sharded_cluster}, "inventory": {"namespace": {"shop": sharded_surroundings}}}
}

test_what_shards_say_of_themselves_comes_first if {
	changed := object.union(sharded_cluster, {"spec": {"shards": {"replication": {"mode": "async"}}}})
	cluster := stackgres.cluster with input as {"review": {"object": changed}}
	cluster.synchronous == {"value": false, "origin": "written", "path": ["spec", "shards", "replication", "mode"]}
	cluster.partial
}

# The operator makes one SGCluster of the coordinator and one of each shard.
test_clusters_made_of_shards_are_not_judged if {
	made := {
		"apiVersion": "stackgres.io/v1",
		"kind": "SGCluster",
		"metadata": {"name": "wide-shard0", "namespace": "shop", "ownerReferences": [{"apiVersion": "stackgres.io/v1alpha1", "kind": "SGShardedCluster", "name": "wide"}]},
		"spec": {"instances": 2, "configurations": {"sgPostgresConfig": "tuned"}},
	}

	# A change of the configuration is one to the whole, not to what was made of it.
	inventory := {"stackgres.io/v1": {"SGCluster": {"wide-shard0": made}}, "stackgres.io/v1alpha1": {"SGShardedCluster": {"wide": sharded_cluster}}}
	cluster := stackgres.cluster with input as {"review": {"object": sharded_surroundings["stackgres.io/v1"].SGPostgresConfig.tuned}, "inventory": {"namespace": {"shop": inventory}}}
	cluster.name == "wide"
	cluster.change
	cluster.instances.resource.kind == "SGShardedCluster"
	not stackgres.cluster with input as {"review": {"object": made}, "inventory": {"namespace": {"shop": inventory}}}
}

commit_wait(mode, instances) := object.get(read(sgcluster({"instances": instances, "replication": {"mode": mode}}), []), "commit_wait", "none")

test_commit_wait if {
	waits := {"value": 1, "origin": "written", "path": ["spec", "replication", "mode"], "relax": "mode: sync"}
	commit_wait("strict-sync", 1) == waits
	commit_wait("strict-sync-all", 2) == waits
	commit_wait("strict-sync-all", 1) == "none"
	commit_wait("sync", 2) == "none"
}

test_one_of_several_clusters_of_a_configuration if {
	other := of("SGCluster", "wares", {"spec": {"instances": 1, "configurations": {"sgPostgresConfig": "tuned"}}})
	objects := [sgcluster(whole), other, sharded_cluster]
	first := read(settings({}), objects)
	[first.name, first.others] == ["stock", ["SGCluster shop/wares"]]
	sight := inventory(objects)
	second := stackgres.cluster with input as {"review": {"object": settings({}), "chosen": "SGCluster shop/wares"}, "inventory": sight}
	[second.name, second.instances.value] == ["wares", 1]
	not read(settings({}), [sgcluster(whole)]).others
}

# ------------------------------------------------------------------------------------------------- SQL and parts

off := {"configurations": {"postgres": {"postgresql.conf": {"fsync": "off"}}}}

sharded_of(spec) := {"apiVersion": "stackgres.io/v1alpha1", "kind": "SGShardedCluster", "metadata": {"name": "stock", "namespace": "shop"}, "spec": object.union({"postgres": {"version": "16"}}, spec)}

part_of(one, name) := found if found := stackgres.cluster with input as {"review": {"object": one, "chosen": name}}

test_parts_with_parameters_of_their_own if {
	stock := sharded_of({"coordinator": object.union(off, {"instances": 2}), "shards": {"instancesPerCluster": 3, "configurations": {"postgres": {"postgresql.conf": {"jit": "off"}}}, "overrides": [{"index": 0}, object.union(off, {"index": 1})]}})
	read(stock, []).others == ["the coordinator", "the shards overrides 1"]
	{p.name | some p in read(stock, []).parameters} == {"jit"}
	coordinator := part_of(stock, "the coordinator")
	{p.name | some p in coordinator.parameters} == {"fsync"}
	coordinator.instances.value == 2
	[set.name | some set in coordinator.instance_sets] == ["coordinator"]
	override := part_of(stock, "the shards overrides 1")
	{p.name | some p in override.parameters} == {"jit", "fsync"}
	[set.name | some set in override.instance_sets] == ["shards"]
}

script(scripts) := of("SGScript", "sql", {"spec": {"scripts": scripts}})

running_script := {"managedSql": {"scripts": [{"sgScript": "sql"}, {"sgScript": "later"}]}}

test_scripts if {
	scripts := [
		{"script": "ALTER SYSTEM SET fsync = off"},
		{"script": "ALTER SYSTEM SET fsync = $X"},
		{"script": "SELECT 'A' || 'B' \\gexec"},
		{"scriptFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
		{"scriptFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
	]
	cluster := read(sgcluster(object.union(running_script, {"initialData": {"scripts": [{"script": "ALTER SYSTEM SET jit = off"}]}})), [script(scripts)])
	[p.name | some p in cluster.parameters] == ["fsync", "jit"]
	[[place.source, object.get(place, "severity", "")] | some place in cluster.unread] == [
		["the SQL of SGScript shop/later", ""],
		["the SQL of SGScript shop/sql", "info"],
		["the SQL of SGScript shop/sql", "warning"],
		["its SQL", "warning"],
		["its SQL", "info"],
	]

	changed := read(script([{"script": "ALTER SYSTEM SET fsync = off"}]), [sgcluster(running_script)])
	changed.name == "stock"
	changed.change
	changed.parameters == [{"name": "fsync", "value": "off", "path": ["spec", "scripts", 0, "script"]}]
	alone := read(script([]), [])
	alone.partial
	alone.parameters_path == []
}

test_script_of_a_configmap if {
	maps := {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"k": "ALTER SYSTEM SET fsync = off"}}}
	sight := object.union(inventory([script([{"scriptFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}])]), {"namespace": {"shop": {"v1": {"ConfigMap": maps}}}})
	found := stackgres.cluster with input as {"review": {"object": sgcluster(running_script)}, "inventory": sight}
	[p.name | some p in found.parameters] == ["fsync"]
}

test_places_and_programs if {
	cluster := read(
		sgcluster({
			"pods": {
				"customVolumes": [{"name": "conf", "configMap": {"name": "c"}}],
				"customVolumeMounts": {"patroni": [{"name": "custom-conf", "mountPath": "/var/lib/postgresql/data/postgresql.auto.conf"}]},
			},
			"configurations": {"patroni": {"initialConfig": {"postgresql": {"before_stop": "/x.sh", "callbacks": {"on_start": "psql -c 'ALTER SYSTEM SET fsync = off'"}}}}},
		}),
		[],
	)
	[[place.source, place.severity] | some place in cluster.unread] == [
		["what is mounted at /var/lib/postgresql/data/postgresql.auto.conf", "info"],
		["what Patroni runs as before_stop", "info"],
		["what Patroni runs as callbacks.on_start", "warning"],
	]
}

mounted(directory, env) := read(
	sgcluster({
		"postgres": {"version": "16.4"},
		"instances": 1,
		"pods": {
			"persistentVolume": {"size": "100Gi"},
			"customVolumes": [{"name": "extra", "emptyDir": {}}, {"name": "other", "configMap": {"name": "o"}}],
			"customVolumeMounts": {"patroni": [{"name": "custom-extra", "mountPath": directory}]},
			"customEnv": {"patroni": env},
		},
	}),
	[],
)

test_mounts_over_the_data if {
	every directory, expected in {
		"/var/lib/postgresql": [true, false],
		"/var/lib/postgresql/data": [true, false],
		"/var/lib/postgresql/data/base": [true, false],
		"/var/lib/postgresql/data/pg_wal": [true, true],
		"/var/lib/postgresql/other": [false, true],
		"/scratch": [false, true],
	} {
		cluster := mounted(directory, [])
		object.get(cluster, "lost", []) == [part | expected[0]; part := {"what": sprintf("What is mounted at %s", [directory]), "on": "an emptyDir", "path": ["spec", "pods", "customVolumeMounts", "patroni", 0]}]
		[size | size := cluster.instance_sets[0].data.size] == ["100Gi" | expected[1]]
	}
}

test_data_that_a_variable_moves if {
	not mounted("/extra", [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/extra/data"}]).instance_sets[0].data
	mounted("/extra", [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/var/lib/postgresql/data"}]).instance_sets[0].data.size == "100Gi"
	mounted("/extra", [{"name": "OTHER", "value": "/extra/data"}]).instance_sets[0].data.size == "100Gi"
}

# From the moment on at which the cluster was made.
test_backup_of_the_moment_of_creation if {
	sight := inventory(evidence)
	every moment, number in {"2026-05-02T01:29:59Z": 1, "2026-05-02T01:30:00Z": 1, "2026-05-02T01:30:01Z": 0} {
		made := object.union(sgcluster({}), {"metadata": {"creationTimestamp": moment}})
		count(stackgres.backups) == number with input as {"review": {"object": made}, "inventory": sight}
	}
}

# ------------------------------------------------------------------------------------------------------ operations

operation(benchmark) := of("SGDbOps", "once", {"spec": {"sgCluster": "stock", "op": "benchmark", "benchmark": benchmark}})

scripted(custom) := operation({"type": "pgbench", "pgbench": {"custom": custom}})

test_scripts_of_a_benchmark if {
	cluster := read(scripted({"initialization": {"script": "ALTER SYSTEM SET fsync = off;"}}), [sgcluster(whole)])
	[[p.name, p.value] | some p in cluster.parameters; p.name == "fsync"] == [["fsync", "off"]]
	cluster.parameters_path == []
	[p.name | some p in read(scripted({"scripts": [{"script": "ALTER SYSTEM SET vacuum_cost_delay = '1ms'"}]}), [sgcluster(whole)]).parameters; p.name == "vacuum_cost_delay"] == ["vacuum_cost_delay"]
}

test_query_of_a_sampling if {
	cluster := read(operation({"type": "sampling", "sampling": {"mode": "custom", "customTopQueriesQuery": "ALTER SYSTEM SET fsync = off"}}), [sgcluster(whole)])
	"fsync" in {p.name | some p in cluster.parameters}
}

test_operations_that_run_nothing_of_ones_own if {
	not read(of("SGDbOps", "once", {"spec": {"sgCluster": "stock", "op": "restart", "restart": {"method": "InPlace"}}}), [sgcluster(whole)])
	not read(operation({"type": "pgbench", "pgbench": {"databaseSize": "1Gi"}}), [sgcluster(whole)])
}

archived_beside(text) := read(sgcluster(object.union(running_script, {"configurations": {"backups": [{"sgObjectStorage": "o"}]}})), [script([{"script": text}])]).archiving.value

test_archive_that_sql_stops if {
	archived_beside("SELECT 1") == "on"
	archived_beside("ALTER SYSTEM SET archive_command = 'cp %p /a/%f'") == "on"
	archived_beside("ALTER SYSTEM SET archive_command = '/bin/true'") == "discards"
	archived_beside("ALTER SYSTEM SET archive_mode = off") == "off"
}

test_script_of_a_secret_in_sight if {
	secrets := {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": {"k": "ALTER SYSTEM SET fsync = off"}}}
	sight := object.union(inventory([script([{"scriptFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])]), {"namespace": {"shop": {"v1": {"Secret": secrets}}}})
	found := stackgres.cluster with input as {"review": {"object": sgcluster(running_script)}, "inventory": sight}
	[p.name | some p in found.parameters] == ["fsync"]
}

test_scripts_of_the_first_container if {
	found := read(
		sgcluster({"pods": {
			"customVolumes": [{"name": "conf", "configMap": {"name": "c"}}],
			"customInitVolumeMounts": {
				"setup-scripts": [{"name": "custom-conf", "mountPath": "/templates/start-patroni.sh"}, {"name": "custom-conf", "mountPath": "/x"}],
				"other": [{"name": "custom-conf", "mountPath": "/templates"}],
			},
			"customEnv": {"patroni": [{"name": "PATRONI_ETCD3_HOSTS", "value": "x"}, {"name": "PATRONI_LOG_LEVEL", "value": "INFO"}]},
		}}),
		[],
	)
	{place.source: place.severity | some place in found.unread} == {"the variable PATRONI_ETCD3_HOSTS": "info", "what is mounted at /templates/start-patroni.sh": "info"}
}

pooled(options) := {[place.source, place.severity, place.path] | some place in object.get(found, "unread", [])} if {
	found := read(sgcluster({"configurations": {"sgPoolingConfig": "p"}}), [{"apiVersion": "stackgres.io/v1", "kind": "SGPoolingConfig", "metadata": {"name": "p", "namespace": "shop"}, "spec": {"pgBouncer": {"pgbouncer.ini": options}}}])
}

test_queries_of_pgbouncer if {
	pooled({"pgbouncer": {"server_reset_query": "ALTER SYSTEM SET fsync = off"}}) == {["the server_reset_query of PgBouncer", "warning", ["spec", "pgBouncer"]]}
	pooled({"pgbouncer": {"server_check_query": "SET ignore_checksum_failure = on"}}) == {["the server_check_query of PgBouncer", "warning", ["spec", "pgBouncer"]]}
	pooled({"databases": {"x": {"connect_query": "ALTER SYSTEM SET jit = off"}}}) == {["the connect_query of PgBouncer", "info", ["spec", "pgBouncer"]]}
	pooled({"pgbouncer": {"server_reset_query": "DISCARD ALL"}, "databases": {"x": {"connect_query": "SELECT 1"}}}) == set()
}
