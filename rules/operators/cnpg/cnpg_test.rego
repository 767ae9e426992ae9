package walguard.operators.cnpg_test

import data.walguard.operators.cnpg

# The cluster together with the evidence that is read apart from it.
whole := object.union(cnpg.cluster, {"backups": cnpg.backups, "restores": cnpg.restores})

resource(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "shop"},
	"spec": spec,
}

read(object) := found if found := whole with input as {"review": {"object": object}}

# objects: other objects in sight, all of the namespace "shop".
among(object, objects) := found if found := whole with input as {"review": {"object": object}, "inventory": {"namespace": {"shop": objects}}}

test_whole_cluster if {
	cluster := read(resource({
		"instances": 3,
		"imageName": "ghcr.io/cloudnative-pg/postgresql:17.5-system-trixie",
		"postgresql": {"parameters": {"max_wal_size": "8GB"}},
		"storage": {"size": "500Gi", "storageClass": "fast"},
		"walStorage": {"pvcTemplate": {
			"storageClassName": "faster",
			"volumeAttributesClassName": "gold",
			"resources": {"requests": {"storage": "100Gi"}},
		}},
		"resources": {"limits": {"cpu": "8", "memory": "32Gi"}},
		"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "backups"}}],
	}))
	object.remove(cluster, ["scram", "authority", "made_secrets", "unmade_secrets", "common_labels", "roles", "logins", "databases_made", "tls_only", "password_only", "pods", "selection", "claims_go", "reaches", "helpers", "outposts", "hosts", "traffic", "visits", "annotations", "own_libraries", "primary_budget", "defaults", "managed", "forbidden", "requests_hold_buffers", "requests_fitted", "rewind", "initdb_user"]) == {
		"operator": "CloudNativePG",
		"preloaded": [],
		"data_claims": `^orders-[0-9]+(-tbs-.*)?$`,
		"name": "orders",
		"namespace": "shop",
		"major": {"value": 17, "origin": "written", "path": ["spec", "imageName"]},
		"image": {"value": "ghcr.io/cloudnative-pg/postgresql:17.5-system-trixie", "origin": "written", "path": ["spec", "imageName"]},
		"upgrade": {"by": "operator", "one_distribution": true},
		"archive_name": {"value": "ObjectStore backups as server orders", "origin": "written", "path": ["spec", "plugins", 0, "parameters"], "cure": "set serverName to orders-%d"},
		"begun": {"value": "initdb", "origin": "operator", "path": ["spec", "bootstrap"], "from": {}},
		"collation": {"value": "C", "origin": "operator", "path": ["spec", "bootstrap", "initdb", "localeCollate"]},
		"parameters": [{"name": "max_wal_size", "value": "8GB", "path": ["spec", "postgresql", "parameters", "max_wal_size"]}],
		"parameters_path": ["spec", "postgresql", "parameters"],
		"parameter_values": "text",
		"instances": {"value": 3, "origin": "written", "path": ["spec", "instances"]},
		"instance_sets": [{
			"name": "orders",
			"path": ["spec"],
			"replicas": {"value": 3, "origin": "written", "path": ["spec", "instances"]},
			"resources": {"limits": {"cpu": "8", "memory": "32Gi"}, "requests": {}},
			"resources_path": ["spec", "resources"],
			"wal_path": ["spec", "walStorage"],
			"data": {
				"path": ["spec", "storage"],
				"size": "500Gi",
				"size_path": ["spec", "storage", "size"],
				"class": "fast",
				"class_path": ["spec", "storage", "storageClass"],
			},
			"wal": {
				"path": ["spec", "walStorage"],
				"size": "100Gi",
				"size_path": ["spec", "walStorage", "pvcTemplate", "resources", "requests", "storage"],
				"class": "faster",
				"class_path": ["spec", "walStorage", "pvcTemplate", "storageClassName"],
				"attributes_class": "gold",
				"attributes_class_path": ["spec", "walStorage", "pvcTemplate", "volumeAttributesClassName"],
			},
		}],
		"segment": {"value": 16, "unit": "MB", "origin": "postgres", "path": ["spec", "bootstrap", "initdb", "walSegmentSize"]},
		"checksums": {"value": false, "origin": "postgres", "path": ["spec", "bootstrap", "initdb", "dataChecksums"]},
		"archiving": {"value": "on", "origin": "written", "path": ["spec", "plugins", 0, "isWALArchiver"]},
		"standby_backup": {"value": true, "origin": "operator", "path": ["spec", "backup", "target"]},
		"slots": {"value": true, "origin": "operator", "path": ["spec", "replicationSlots", "highAvailability", "enabled"]},
		"slots_left": {"kept": [], "cure": "Set synchronizeLogicalDecoding, sync_replication_slots and slot.failover"},
		"backups": [],
		"restores": [],
	}
	cluster.defaults.wal_keep_size == "512MB"
	cluster.managed.archive_mode == ""
	cluster.forbidden.archive_mode == "on"
	cluster.forbidden.archive_command == ""
	cluster.rewind.used
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster"})
	not read({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Backup"})
	not read({})
}

test_cluster_without_spec_has_almost_no_facts if {
	cluster := read({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"})
	object.remove(cluster, ["authority", "made_secrets", "unmade_secrets", "common_labels", "roles", "logins", "databases_made", "tls_only", "password_only", "pods", "selection", "claims_go", "reaches", "helpers", "outposts", "hosts", "traffic", "visits", "annotations", "own_libraries", "primary_budget", "defaults", "managed", "forbidden", "requests_hold_buffers", "requests_fitted", "rewind", "data_claims"]) == {
		"operator": "CloudNativePG",
		"name": "",
		"namespace": "default",
		"parameters": [],
		"parameters_path": ["spec", "postgresql", "parameters"],
		"parameter_values": "text",
		"instance_sets": [{"name": "", "path": ["spec"], "resources": {"limits": {}, "requests": {}}, "resources_path": ["spec", "resources"], "wal_path": ["spec", "walStorage"]}],
		"backups": [],
		"restores": [],
	}
}

slots(spec) := read(resource(spec)).slots

test_slots if {
	slots({"replicationSlots": {"highAvailability": {"enabled": false}}}).value == false
	slots({"replicationSlots": {"highAvailability": {"enabled": true}}}).origin == "written"
	slots({"replicationSlots": {"highAvailability": {}}, "instances": 1}) == {"value": true, "origin": "operator", "path": ["spec", "replicationSlots", "highAvailability", "enabled"]}
}

# What cannot be read takes nothing else with it.
test_budget_of_a_text if {
	facts := read(resource({"enablePDB": "maybe"}))
	facts.name == "orders"
	not facts.primary_budget
}

test_synchronous if {
	read(resource({"postgresql": {"synchronous": {"method": "any", "number": 1}}})).synchronous == {"value": true, "origin": "written", "path": ["spec", "postgresql", "synchronous"]}
	read(resource({"minSyncReplicas": 1})).synchronous == {"value": true, "origin": "written", "path": ["spec", "minSyncReplicas"]}
	not read(resource({"instances": 3, "minSyncReplicas": 0})).synchronous
}

pooler(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "shop"}, "spec": object.union({"cluster": {"name": "orders"}}, spec)}

pooled(poolers) := found if {
	found := cnpg.cluster.pooler with input as {
		"review": {"object": resource({"instances": 3})},
		"inventory": {"complete": true, "namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": poolers}}}},
	}
}

test_pooler if {
	pooled({"p": pooler({"instances": 3, "type": "rw", "pgbouncer": {"parameters": {"default_pool_size": "50"}}})}) == {
		"value": true,
		"origin": "written",
		"path": ["spec", "instances"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "namespace": "shop", "name": "p"},
		"connections": 150,
	}
	pooled({"p": pooler({}), "q": pooler({"instances": 2})}).connections == 60
}

test_pooler_of_unknown_size if {
	object.keys(pooled({"p": pooler({"instances": "many"})})) == {"value", "origin", "path", "resource"}
}

test_no_pooler if {
	none := {"value": false, "origin": "operator", "path": ["spec"]}
	pooled({}) == none
	pooled({"p": pooler({"type": "ro"})}) == none
	pooled({"p": object.union(pooler({}), {"spec": {"cluster": {"name": "other"}}})}) == none
	not read(resource({"instances": 3})).pooler
}

test_hostile_values_are_no_facts if {
	cluster := read(resource({
		"instances": "many",
		"imageName": 17,
		"imageCatalogRef": [],
		"postgresql": "none",
		"storage": [],
		"walStorage": {"size": null, "storageClass": 3, "pvcTemplate": "x"},
		"resources": {"limits": 4},
		"bootstrap": {"initdb": {"options": "-k", "walSegmentSize": {}}},
		"plugins": ["barman", null],
		"backup": {"target": 1, "volumeSnapshot": {}},
	}))
	object.keys(cluster) & {"instances", "major", "segment", "checksums"} == set()
	cluster.instance_sets[0].wal == {
		"path": ["spec", "walStorage"],
		"size_path": ["spec", "walStorage", "size"],
		"class_path": ["spec", "walStorage", "storageClass"],
	}
	cluster.archiving.value == "discards"
}

# ---------------------------------------------------------------------------------------------------------- EDB

edb(spec) := object.union(resource(spec), {"apiVersion": "postgresql.k8s.enterprisedb.io/v1"})

test_edb_is_an_operator_of_its_own if {
	cluster := read(edb({"instances": 1}))
	cluster.operator == "EDB Postgres for Kubernetes"
	cluster.edition == "enterprisedb"
	not read(edb({"imageName": "ghcr.io/cloudnative-pg/postgresql:16"})).edition
}

test_edb_has_annotations_of_its_own if {
	skipping := {"k8s.enterprisedb.io/skipWalArchiving": "enabled"}
	read(object.union(edb({"instances": 1}), {"metadata": {"annotations": skipping}})).archiving == {
		"value": "off",
		"origin": "written",
		"path": ["metadata", "annotations", "k8s.enterprisedb.io/skipWalArchiving"],
	}
}

# ------------------------------------------------------------------------------------------------------ version

test_catalogue_wins_over_image if {
	read(resource({"imageCatalogRef": {"major": 16}, "imageName": "x:17"})).major == {
		"value": 16,
		"origin": "written",
		"path": ["spec", "imageCatalogRef", "major"],
	}
}

test_unknown_major if {
	not read(resource({"instances": 1})).major
	not read(resource({"imageName": "registry.example.com:5000/postgres"})).major
	not read(resource({"imageName": "registry.example.com/postgres:latest"})).major
}

test_running_major_where_no_image_is_named if {
	live := object.union(resource({"instances": 1}), {"status": {"pgDataImageInfo": {"majorVersion": 18}}})
	cluster := read(live)
	cluster.major == {"value": 18, "origin": "status", "path": ["spec", "imageName"]}
	cluster.checksums.value == true
}

test_one_instance_by_default if {
	read(resource({"storage": {"size": "1Gi"}})).instances == {"value": 1, "origin": "operator", "path": ["spec", "instances"]}
}

# ------------------------------------------------------------------------------------------------------- initdb

initialised(initdb) := read(resource({"imageName": "x:16", "bootstrap": {"initdb": initdb}}))

test_segment_size if {
	initialised({"walSegmentSize": 64}).segment == {
		"value": 64,
		"unit": "MB",
		"origin": "written",
		"path": ["spec", "bootstrap", "initdb", "walSegmentSize"],
	}
}

test_options_displace_the_fields if {
	cluster := initialised({"walSegmentSize": 64, "dataChecksums": true, "options": ["--wal-segsize=256", "--no-data-checksums"]})
	cluster.segment == {
		"value": 256,
		"unit": "MB",
		"origin": "written",
		"path": ["spec", "bootstrap", "initdb", "options", 0],
	}
	cluster.checksums == {"value": false, "origin": "written", "path": ["spec", "bootstrap", "initdb", "options", 1]}
}

test_checksums_asked_for if {
	initialised({"dataChecksums": true}).checksums == {
		"value": true,
		"origin": "written",
		"path": ["spec", "bootstrap", "initdb", "dataChecksums"],
	}
}

test_recovered_cluster_inherits_what_initdb_decided if {
	cluster := read(resource({"imageName": "x:18", "bootstrap": {"recovery": {"source": "origin"}}}))
	not cluster.segment
	not cluster.checksums
	not read(resource({"imageName": "x:18", "bootstrap": {"pg_basebackup": {"source": "origin"}}})).segment
}

# ---------------------------------------------------------------------------------------------------- archiving

test_in_tree_archiving if {
	read(resource({"backup": {"barmanObjectStore": {"destinationPath": "s3://backups"}}})).archiving == {
		"value": "on",
		"origin": "written",
		"path": ["spec", "backup", "barmanObjectStore"],
	}
}

test_disabled_plugin_archives_nothing if {
	read(resource({"plugins": [{"name": "p", "enabled": false, "isWALArchiver": true}]})).archiving == {
		"value": "discards",
		"origin": "operator",
		"path": ["spec", "plugins"],
	}
}

# ----------------------------------------------------------------------------------------------- where backups go

schedule(name, spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "ScheduledBackup",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": object.union({"cluster": {"name": "orders"}, "schedule": "0 0 3 * * *"}, spec),
}

scheduled(cluster, spec) := among(resource(cluster), {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"nightly": schedule("nightly", spec)}}})

from_standby := {"value": true, "origin": "operator", "path": ["spec", "backup", "target"]}

of_schedule(value) := {
	"value": value,
	"origin": "written",
	"path": ["spec", "target"],
	"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "namespace": "shop", "name": "nightly"},
}

test_schedule_takes_the_target_of_the_cluster if {
	scheduled({"instances": 3}, {}).standby_backup == from_standby
	scheduled({"instances": 1}, {}).standby_backup == object.union(from_standby, {"value": false})
	scheduled({"instances": 3, "backup": {"target": "primary"}}, {}).standby_backup == {
		"value": false,
		"origin": "written",
		"path": ["spec", "backup", "target"],
	}
}

test_schedule_has_the_last_word if {
	scheduled({"instances": 3, "backup": {"target": "primary"}}, {"target": "prefer-standby"}).standby_backup == of_schedule(true)
	scheduled({"instances": 3}, {"target": "primary"}).standby_backup == of_schedule(false)
}

test_no_backup_no_choice if {
	not read(resource({"instances": 3})).standby_backup
	not scheduled({"instances": 3}, {"suspend": true}).standby_backup
	not scheduled({"instances": 3}, {"cluster": {"name": "other"}}).standby_backup
}

test_cold_snapshots_are_no_business_of_postgresql if {
	not scheduled({"instances": 3}, {"method": "volumeSnapshot", "online": false}).standby_backup
	cold := {"instances": 3, "backup": {"volumeSnapshot": {"online": false}}}
	not scheduled(cold, {"method": "volumeSnapshot"}).standby_backup
	not read(resource(cold)).standby_backup
	read(resource({"instances": 3, "backup": {"volumeSnapshot": {"className": "c"}}})).standby_backup == from_standby
}

# ----------------------------------------------------------------------------------------------------- evidence

backup(name, spec, status) := {name: {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Backup",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": object.union({"cluster": {"name": "orders"}}, spec),
	"status": status,
}}

done := {"phase": "completed", "stoppedAt": "2026-05-01T03:10:00Z"}

evidence(cluster, backups) := among(cluster, {"postgresql.cnpg.io/v1": {"Backup": object.union_n(backups)}}).backups

test_completed_backups if {
	finished := "2026-05-01T03:10:00Z"
	found := evidence(resource({"instances": 2}), [
		backup("a", {"target": "primary"}, done),
		backup("b", {}, done),
		backup("failed", {}, {"phase": "failed", "stoppedAt": finished}),
		backup("garbled", {}, {"phase": "completed", "stoppedAt": "yesterday"}),
		backup("other", {"cluster": {"name": "invoices"}}, done),
	])
	found == [
		{"finished": finished, "from": "primary", "name": "a"},
		{"finished": finished, "from": "standby", "name": "b"},
	]
}

labelled(key) := {"b": object.union(backup("b", {}, done).b, {"metadata": {"labels": {key: "nightly"}}})}

test_schedule_of_a_backup if {
	every key in ["cnpg.io/scheduled-backup", "k8s.enterprisedb.io/scheduled-backup"] {
		evidence(resource({"instances": 1}), [labelled(key)])[0].schedule == "nightly"
	}
}

test_only_instance_is_the_primary if {
	evidence(resource({"instances": 1}), [backup("b", {}, done)])[0].from == "primary"
	evidence(resource({"instances": "?"}), [backup("b", {}, done)])[0].from == "unknown"
}

test_backup_of_a_former_cluster_is_none if {
	cluster := object.union(resource({"instances": 1}), {"metadata": {"creationTimestamp": "2026-05-01T04:00:00Z"}})
	evidence(cluster, [backup("b", {}, done)]) == []
}

test_backup_of_this_cluster_is_one if {
	cluster := object.union(resource({"instances": 1}), {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}})
	count(evidence(cluster, [backup("b", {}, done)])) == 1
}

with_plugin(parameters) := {"instances": 2, "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": parameters}]}

object_store(status) := {"barmancloud.cnpg.io/v1": {"ObjectStore": {"backups": {
	"apiVersion": "barmancloud.cnpg.io/v1",
	"kind": "ObjectStore",
	"metadata": {"name": "backups", "namespace": "shop"},
	"spec": {"configuration": {"destinationPath": "s3://backups/", "endpointURL": "https://s3.example.com"}},
	"status": {"serverRecoveryWindow": status},
}}}}

test_what_the_plugin_reports if {
	windows := {"orders": {"lastSuccessfulBackupTime": "2026-05-01T03:00:00Z"}, "orders-2": {"lastSuccessfulBackupTime": "2026-05-02T03:00:00Z"}}
	among(resource(with_plugin({"barmanObjectName": "backups"})), object_store(windows)).backups == [{
		"finished": "2026-05-01T03:00:00Z",
		"from": "unknown",
		"name": "backups",
	}]
	among(resource(with_plugin({"barmanObjectName": "backups", "serverName": "orders-2"})), object_store(windows)).backups == [{
		"finished": "2026-05-02T03:00:00Z",
		"from": "unknown",
		"name": "backups",
	}]
}

ready := [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-04-20T10:00:00Z"}]

copy(namespace, spec, conditions) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders-restored", "namespace": namespace},
	"spec": spec,
	"status": {"conditions": conditions},
}

restores(cluster, other, more) := found if {
	inventory := {"namespace": object.union(
		{"shop": more},
		{other.metadata.namespace: {"postgresql.cnpg.io/v1": {"Cluster": {"orders-restored": other}}}},
	)}
	found := cnpg.restores with input as {"review": {"object": cluster}, "inventory": inventory}
}

restored := [{"ready": "2026-04-20T10:00:00Z", "cluster": "orders-restored"}]

test_restored_from_a_backup if {
	of_backup := {"bootstrap": {"recovery": {"backup": {"name": "b"}}}}
	backups := {"postgresql.cnpg.io/v1": {"Backup": backup("b", {}, done)}}
	restores(resource({}), copy("shop", of_backup, ready), backups) == restored
	restores(resource({}), copy("lab", of_backup, ready), backups) == []
	restores(resource({}), copy("shop", of_backup, [{"type": "Ready", "status": "False"}]), backups) == []
	restores(resource({}), copy("shop", of_backup, ready), {}) == []
}

test_restored_from_a_snapshot if {
	of_snapshot := {"bootstrap": {"recovery": {"volumeSnapshots": {"storage": {"name": "b", "kind": "VolumeSnapshot"}}}}}
	backups := {"postgresql.cnpg.io/v1": {"Backup": backup("b", {}, done)}}
	restores(resource({}), copy("shop", of_snapshot, ready), backups) == restored
}

from_store(external) := {
	"bootstrap": {"recovery": {"source": external.name}},
	"externalClusters": ["hostile", external],
}

test_restored_through_the_plugin if {
	external := {"name": "orders", "plugin": {"parameters": {"barmanObjectName": "backups", "serverName": "orders"}}}
	cluster := resource(with_plugin({"barmanObjectName": "backups"}))
	restores(cluster, copy("shop", from_store(external), ready), {}) == restored

	# Its own name is what the plugin looks for without serverName.
	own := json.remove(external, ["plugin/parameters/serverName"])
	restores(cluster, copy("shop", from_store(own), ready), {}) == []
	restores(resource(with_plugin({"barmanObjectName": "backups", "serverName": "orders-restored"})), copy("shop", from_store(own), ready), {}) == restored
}

test_restored_from_the_same_path if {
	store := {"destinationPath": "s3://backups", "endpointURL": "https://s3.example.com"}
	external := {"name": "origin", "barmanObjectStore": object.union(store, {"serverName": "orders"})}
	in_tree := resource({"backup": {"barmanObjectStore": store}})
	restores(in_tree, copy("lab", from_store(external), ready), {}) == restored
	through_plugin := resource(with_plugin({"barmanObjectName": "backups"}))
	restores(through_plugin, copy("lab", from_store(external), ready), object_store({})) == restored
	restores(through_plugin, copy("lab", from_store(external), ready), {}) == []
}

test_tablespaces if {
	cluster := read(resource({"storage": {"size": "10Gi"}, "tablespaces": [
		{"name": "cold", "storage": {"size": "1Ti", "storageClass": "slow"}},
		"hostile",
		{"name": "scratch", "temporary": true, "storage": {"pvcTemplate": {"resources": {"requests": {"storage": "5Gi"}}}}},
		{"storage": null},
	]}))
	cluster.instance_sets[0].tablespaces == [
		{
			"name": "cold",
			"path": ["spec", "tablespaces", 0, "storage"],
			"size": "1Ti",
			"size_path": ["spec", "tablespaces", 0, "storage", "size"],
			"class": "slow",
			"class_path": ["spec", "tablespaces", 0, "storage", "storageClass"],
		},
		{
			"name": "scratch",
			"temporary": true,
			"path": ["spec", "tablespaces", 2, "storage"],
			"size": "5Gi",
			"size_path": ["spec", "tablespaces", 2, "storage", "pvcTemplate", "resources", "requests", "storage"],
			"class_path": ["spec", "tablespaces", 2, "storage", "storageClass"],
		},
	]
}

# -------------------------------------------------------------------------------------------------- what is proven

identified := object.union(resource({"imageName": "x:17"}), {"metadata": {"uid": "u-1"}})

# A Backup of a spec that was never changed.
unchanged_backup(status) := object.union_n([backup("b", {}, object.union({"phase": "completed", "stoppedAt": "2026-04-01T03:10:00Z"}, status)), {"b": {"metadata": {"generation": 1}}}])

# The backups that are proven where an API server vouches for what is in sight.
proven(cluster, backups) := names if {
	found := cnpg.backups with input as {
		"review": {"operation": "UPDATE", "object": cluster},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Backup": backups}}}},
	}
	names := [b.name | some b in found; b.proven]
}

test_backup_is_proven_by_what_its_status_names if {
	proven(identified, unchanged_backup({})) == ["b"]
	proven(identified, unchanged_backup({"majorVersion": 17, "pluginMetadata": {"clusterUID": "u-1"}})) == ["b"]
	proven(identified, unchanged_backup({"majorVersion": 16})) == []
	proven(identified, unchanged_backup({"pluginMetadata": {"clusterUID": "u-0"}})) == []

	# Nobody states the major of the cluster.
	proven(object.remove(identified, ["spec"]), unchanged_backup({"majorVersion": 16})) == ["b"]

	# Whoever changed the spec may have taken another cluster's backup.
	proven(identified, {"b": object.union(unchanged_backup({}).b, {"metadata": {"generation": 2}})}) == []
}

ready_copy(spec) := object.union(copy("shop", spec, ready), {"metadata": {"generation": 1}})

proven_restores(review, other, backups) := found if {
	inventory := {"live": true, "namespace": {"shop": {
		"postgresql.cnpg.io/v1": {"Cluster": {"orders-restored": other}, "Backup": backups},
		"barmancloud.cnpg.io/v1": object_store({})["barmancloud.cnpg.io/v1"],
	}}}
	found := cnpg.restores with input as {"review": review, "inventory": inventory}
}

proven_restore := [object.union(restored[0], {"proven": true})]

test_restore_from_a_proven_backup if {
	other := ready_copy({"bootstrap": {"recovery": {"backup": {"name": "b"}}}})
	proven_restores({"object": identified}, other, unchanged_backup({})) == proven_restore
	proven_restores({"object": identified}, other, unchanged_backup({"stoppedAt": "2026-04-30T00:00:00Z"})) == restored
	proven_restores({"object": identified}, other, unchanged_backup({"majorVersion": 16})) == restored
	proven_restores({"object": identified}, object.union(other, {"metadata": {"generation": 2}}), unchanged_backup({})) == restored
}

test_restore_from_a_proven_snapshot if {
	other := ready_copy({"bootstrap": {"recovery": {"volumeSnapshots": {"storage": {"name": "b", "kind": "VolumeSnapshot"}}}}})
	proven_restores({"object": identified}, other, unchanged_backup({"method": "volumeSnapshot"})) == proven_restore
	proven_restores({"object": identified}, other, unchanged_backup({"method": "barmanObjectStore"})) == restored
}

s3 := {"destinationPath": "s3://backups/", "endpointURL": "https://s3.example.com"}

test_restore_from_the_archive_that_the_status_names if {
	in_tree := object.union(identified, {"spec": {"backup": {"barmanObjectStore": s3}}})
	other := ready_copy(from_store({"name": "origin", "barmanObjectStore": object.union(s3, {"serverName": "orders"})}))
	proven_restores({"object": in_tree}, other, unchanged_backup(s3)) == proven_restore
	proven_restores({"object": in_tree}, other, unchanged_backup(object.union(s3, {"serverName": "orders-2"}))) == restored
	proven_restores({"object": in_tree}, other, unchanged_backup({"destinationPath": "s3://elsewhere"})) == restored
}

# The plugin's status names the cluster: what counts is the archive that it keeps, before the update too.
test_restore_from_the_archive_of_the_plugin if {
	kept := object.union(identified, {"spec": with_plugin({"barmanObjectName": "backups"})})
	other := ready_copy(from_store({"name": "orders", "plugin": {"parameters": {"barmanObjectName": "backups", "serverName": "orders"}}}))
	taken := unchanged_backup({"pluginMetadata": {"clusterUID": "u-1"}})
	proven_restores({"object": kept}, other, taken) == proven_restore
	proven_restores({"operation": "UPDATE", "oldObject": kept, "object": kept}, other, taken) == proven_restore
	proven_restores({"operation": "UPDATE", "oldObject": identified, "object": kept}, other, taken) == restored
	proven_restores({"object": kept}, other, unchanged_backup({})) == restored

	# A plugin that does not archive keeps nothing.
	idle := object.union(identified, {"spec": {"plugins": ["hostile", {"name": "p", "parameters": {"barmanObjectName": "backups"}}]}})
	proven_restores({"object": idle}, other, taken) == restored
	disabled := object.union(identified, {"spec": {"plugins": [object.union(with_plugin({"barmanObjectName": "backups"}).plugins[0], {"enabled": false})]}})
	proven_restores({"object": disabled}, other, taken) == restored
}

# ----------------------------------------------------------------------------------------------------- and the rest

unread(spec) := read(resource(object.union({"postgresql": {"enableAlterSystem": true}}, spec))).unread

test_alter_system if {
	allowed := {"source": "ALTER SYSTEM", "path": ["spec", "postgresql", "enableAlterSystem"]}
	unread({}) == [allowed]
	unread({"bootstrap": {"initdb": {"postInitSQL": [1, "CREATE ROLE altering"]}}}) == [allowed]
	not read(resource({"bootstrap": {"initdb": {"postInitSQL": ["ALTER SYSTEM SET fsync = off"]}}})).unread
	every field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"] {
		unread({"bootstrap": {"initdb": {field: ["SELECT 1", "alter  system set fsync = off"]}}}) == [object.union(allowed, {
			"reason": "the SQL of bootstrap.initdb says so",
			"severity": "warning",
		})]
	}
}

# A value that is filled in later may make the plugin the archiver.
test_archiver_to_be_filled_in if {
	not read(resource({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": "${ARCHIVER}"}]})).archiving
	not read(resource({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "enabled": "${ENABLED}"}]})).archiving
	not read(resource({"plugins": [{"name": "${PLUGIN}"}]})).archiving
}

# Who can archive does, whatever isWALArchiver says; of other plugins nobody knows what they can.
test_archiver_by_name if {
	barman := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": false, "parameters": {"barmanObjectName": "a"}}
	read(resource({"plugins": [barman]})).archiving.value == "on"
	read(resource({"plugins": [object.union(barman, {"enabled": false})]})).archiving.value == "discards"
	not read(resource({"plugins": [{"name": "other"}]})).archiving
}

catalogue(kind) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": kind,
	"metadata": {"name": "images"},
	"spec": {"images": ["hostile", {"major": 16, "image": "x:16.9"}, {"major": 17, "image": "x:17.5"}, {"major": 18, "image": 18}]},
}

catalogued(reference) := found if {
	found := object.get(cnpg.cluster, "image", "none") with input as {
		"review": {"object": resource({"imageCatalogRef": reference})},
		"inventory": {
			"namespace": {"shop": {"postgresql.cnpg.io/v1": {"ImageCatalog": {"images": object.union(catalogue("ImageCatalog"), {"metadata": {"namespace": "shop"}})}}}},
			"cluster": {"postgresql.cnpg.io/v1": {"ClusterImageCatalog": {"images": catalogue("ClusterImageCatalog")}}},
		},
	}
}

test_image_of_a_catalogue if {
	image := {"value": "x:17.5", "origin": "written", "path": ["spec", "images", 2, "image"]}
	of := {"apiVersion": "postgresql.cnpg.io/v1", "name": "images"}
	catalogued({"kind": "ImageCatalog", "name": "images", "major": 17}) == object.union(image, {"resource": object.union(of, {"kind": "ImageCatalog", "namespace": "shop"})})
	catalogued({"kind": "ClusterImageCatalog", "name": "images", "major": 17}) == object.union(image, {"resource": object.union(of, {"kind": "ClusterImageCatalog", "namespace": ""})})
	every reference in [
		{"kind": "ImageCatalog", "name": "other", "major": 17},
		{"kind": "ImageCatalog", "name": "images", "major": 15},
		{"kind": "ImageCatalog", "name": "images", "major": 18},
		{"name": "images", "major": 17},
	] {
		catalogued(reference) == "none"
	}
}

# Backups of others say that this one was left out, unless one of them may be its own.
test_others_backed_up if {
	scheduled({}, {"cluster": {"name": "other"}}).others_backed_up == true
	every name in ["orders", "${APP}"] {
		not scheduled({}, {"cluster": {"name": name}}).others_backed_up
	}
	not among(resource({}), {}).others_backed_up
}

# A JSON patch of the pods may change what the server is started with.
test_patch_of_the_pods if {
	patched := object.union(resource({}), {"metadata": {"name": "orders", "annotations": {"cnpg.io/podPatch": "[]"}}})
	read(patched).unread == [{"source": "the patch of its pods", "path": ["metadata", "annotations", "cnpg.io/podPatch"], "severity": "warning"}]
}

# Without enableAlterSystem only what a session takes has an effect.
test_sql_of_the_first_start if {
	sql := {"bootstrap": {"initdb": {
		"postInitSQL": ["ALTER SYSTEM SET fsync = off", 3],
		"import": {"postImportApplicationSQL": ["ALTER DATABASE app SET zero_damaged_pages = on"]},
		"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "sql", "key": "a"}, {"name": "later", "key": "b"}], "secretRefs": [{"name": "s", "key": "c"}]},
	}}}
	maps := {"v1": {"ConfigMap": {"sql": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "sql", "namespace": "shop"}, "data": {"a": "ALTER SYSTEM SET jit = off"}}}}}
	[[p.name, p.path] | some p in among(resource(sql), maps).parameters] == [["zero_damaged_pages", ["spec", "bootstrap", "initdb", "import", "postImportApplicationSQL", 0]]]

	allowed := among(resource(object.union(sql, {"postgresql": {"enableAlterSystem": true}})), maps)
	{p.name | some p in allowed.parameters} == {"fsync", "zero_damaged_pages", "jit"}
	{[place.source, object.get(place, "missing", false)] | some place in allowed.unread; place.source != "ALTER SYSTEM"} == {
		["the SQL in key b of ConfigMap shop/later", true],
		["the SQL in key c of Secret shop/s", false],
	}
}

test_plugins_that_may_set_parameters if {
	plugins := [{"name": "barman-cloud.cloudnative-pg.io"}, {"name": "tuner.example"}, {"name": "off.example", "enabled": false}]
	read(resource({"plugins": plugins})).unread == [{"source": "plugin tuner.example", "path": ["spec", "plugins", 1, "name"], "severity": "info"}]
}

test_copies if {
	read(resource({"bootstrap": {"pg_basebackup": {"source": "o"}}})).unread == [{"source": "the postgresql.auto.conf of the copied server", "path": ["spec", "bootstrap", "pg_basebackup"], "severity": "info"}]
	read(resource({"bootstrap": {"recovery": {"volumeSnapshots": {"storage": {"name": "s"}}}}})).unread == [{"source": "the postgresql.auto.conf of the copied volume", "path": ["spec", "bootstrap", "recovery", "volumeSnapshots"], "severity": "info"}]
	not read(resource({"bootstrap": {"recovery": {"backup": {"name": "b"}}}})).unread
}

opaque(statement) := {[place.source, place.severity, place.path] | some place in read(resource({"bootstrap": {"initdb": {"postInitSQL": [statement]}}})).unread}

# Neither waits for enableAlterSystem.
test_sql_that_cannot_be_read if {
	at_it := ["spec", "bootstrap", "initdb", "postInitSQL", 0]
	opaque(`\! echo jit=off >> x`) == {["SQL of bootstrap.initdb", "info", at_it]}
	opaque(`\! echo fsync=off >> x`) == {["SQL of bootstrap.initdb", "warning", at_it]}
}

asked(spec) := {[flow.port, flow.from, object.get(flow, "level", "")] | some flow in read(resource(spec)).traffic}

# A primary asks the others before it stops.
test_isolation if {
	of_two := {[8000, "operator", ""], [5432, "instances", ""]}
	asked({"instances": 2}) == of_two | {[8000, "instances", "warning"]}
	asked({"instances": 2, "probes": {"liveness": {"isolationCheck": {"enabled": true}}}}) == of_two | {[8000, "instances", "warning"]}
	asked({"instances": 2, "probes": {"liveness": {"isolationCheck": {"enabled": false}}}}) == of_two
	asked({"instances": 1}) == {[8000, "operator", ""]}
}

# -------------------------------------------------------------------------------------------------------- limits of sync

refused(spec) := {refusal.reason: refusal.cure | some refusal in read(resource(spec)).synchronous_refused}

# On both sides of the number of standbys.
test_more_standbys_than_there_are if {
	every number in [1, 2] {
		not read(resource({"instances": 3, "postgresql": {"synchronous": {"number": number}}})).synchronous_refused
		not read(resource({"instances": 3, "maxSyncReplicas": number})).synchronous_refused
	}
	refused({"instances": 3, "postgresql": {"synchronous": {"number": 3}}}) == {"synchronous.number=3 with 3 instances, of which at most 2 are standbys": "Set it to 2 or less, or add instances"}
	refused({"instances": 3, "maxSyncReplicas": 3}) == {"maxSyncReplicas=3 with 3 instances, of which at most 2 are standbys": "Set it to 2 or less, or add instances"}
	refused({"instances": 1, "postgresql": {"synchronous": {"number": 1}}}) == {"synchronous.number=1 with 1 instances, of which at most 0 are standbys": "Take it out, or add instances"}
	not read(resource({"instances": 0, "maxSyncReplicas": 0})).synchronous_refused
	every field in ["standbyNamesPre", "standbyNamesPost"] {
		not read(resource({"instances": 3, "postgresql": {"synchronous": {"number": 3, field: ["a"]}}})).synchronous_refused
		not read(resource({"instances": 3, "postgresql": {"synchronous": {"number": 1, field: ["a"]}}})).commit_wait
	}
	not read(resource({"instances": 3, "postgresql": {"synchronous": {"number": 3, "standbyNamesPre": ["a"], "standbyNamesPost": ["b"]}}})).synchronous_refused
}

test_older_pair if {
	every field in ["minSyncReplicas", "maxSyncReplicas"] {
		both := object.union({"instances": 3, "maxSyncReplicas": 1, "postgresql": {"synchronous": {"number": 1}}}, {field: 1})
		count(refused(both)) == 1
		[f.path | some f in read(resource(both)).synchronous_refused] == [["spec", "postgresql", "synchronous"]]
	}
	not read(resource({"instances": 3, "minSyncReplicas": 0, "maxSyncReplicas": 0, "postgresql": {"synchronous": {"number": 1}}})).synchronous_refused
	not read(resource({"instances": 3, "minSyncReplicas": 1, "maxSyncReplicas": 1})).synchronous_refused
	refused({"instances": 3, "minSyncReplicas": 2, "maxSyncReplicas": 1}) == {"minSyncReplicas=2 is more than maxSyncReplicas=1": "Raise maxSyncReplicas or lower minSyncReplicas"}
	refused({"instances": 3, "minSyncReplicas": 1}) == {"minSyncReplicas=1 is more than maxSyncReplicas=0": "Raise maxSyncReplicas or lower minSyncReplicas"}
}

test_commits_that_wait if {
	read(resource({"postgresql": {"synchronous": {"number": 1}}})).commit_wait == {"value": 1, "origin": "written", "path": ["spec", "postgresql", "synchronous", "number"], "relax": "dataDurability: preferred"}
	read(resource({"postgresql": {"synchronous": {"number": 1, "dataDurability": "required"}}})).commit_wait.value == 1
	not read(resource({"postgresql": {"synchronous": {"number": 1, "dataDurability": "preferred"}}})).commit_wait
}

deadlock(quorum, annotations, type) if {
	seen := read(object.union(resource({"postgresql": {"synchronous": quorum}, "probes": {"startup": {"type": type}}}), {"metadata": {"name": "orders", "annotations": annotations}}))
	seen.quorum_deadlock.value == true
}

test_quorum_deadlock if {
	preferred := {"dataDurability": "preferred"}
	deadlock(object.union(preferred, {"failoverQuorum": true}), {}, "streaming")
	every word in ["true", "t", "1"] {
		deadlock(preferred, {"cnpg.io/failoverQuorum": word}, "streaming")
	}
	not deadlock(preferred, {}, "streaming")
	not deadlock(object.union(preferred, {"failoverQuorum": false}), {}, "streaming")
	not deadlock(object.union(preferred, {"failoverQuorum": true}), {}, "query")
	not deadlock({"failoverQuorum": true}, {}, "streaming")
}

# --------------------------------------------------------------------------------------------------------- scheduling

# Preferred are different nodes, unless somebody switches that off and writes nothing else.
test_instances_on_one_node if {
	off := {"affinity": {"enablePodAntiAffinity": false}}
	read(resource(off)).one_node == {"value": "enablePodAntiAffinity: false, and nothing else spreads the instances", "origin": "written", "path": ["spec", "affinity", "enablePodAntiAffinity"]}
	every spec in [
		{"affinity": {"enablePodAntiAffinity": true}}, {"affinity": {}},
		{"affinity": {"enablePodAntiAffinity": false, "additionalPodAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}},
		object.union(off, {"topologySpreadConstraints": [{"maxSkew": 1}]}),
	] {
		not read(resource(spec)).one_node
	}
	read(resource({"affinity": {"enablePodAntiAffinity": false, "nodeSelector": {"kubernetes.io/hostname": "n"}}})).one_node.value == "every instance must run on node n"
	read(resource({"affinity": {"nodeSelector": {"topology.kubernetes.io/zone": "z"}}})).one_zone.value == "z"
}

# ------------------------------------------------------------------------------------------------------------- access

test_lines_of_access if {
	seen := read(resource({"postgresql": {"pg_hba": ["host all all 10.0.0.0/8 md5", 3]}}))
	seen.hba == [{"line": "host all all 10.0.0.0/8 md5", "path": ["spec", "postgresql", "pg_hba", 0]}]
	[seen.hba_rest.value, seen.hba_rest.path] == ["host all all all scram-sha-256", ["spec", "postgresql", "pg_hba"]]
	not read(resource({"postgresql": {"pg_hba": ["host all all 10.0.0.0/8 md5"], "ldap": {"server": "a"}}})).hba_rest
	not read(resource({"postgresql": {"pg_hba": []}})).hba_rest
	not read(resource({"postgresql": {"pg_hba": []}})).hba
}

secret(fields) := {"v1": {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": fields}}}}

test_owner_and_its_secret if {
	every bootstrap in ["initdb", "recovery", "pg_basebackup"] {
		owned := resource({"bootstrap": {bootstrap: {"owner": "app", "secret": {"name": "s"}}}})
		among(owned, secret({"username": "web"})).login_mismatch == {"value": "app", "login": "web", "secret": "s", "origin": "written", "path": ["spec", "bootstrap", bootstrap, "owner"]}
		not among(owned, secret({"username": "app"})).login_mismatch
		not among(owned, {}).login_mismatch
	}
}

# The owner that nobody names is called as the database, and that is app.
test_owner_by_default_and_its_secret if {
	every bootstrap in ["initdb", "recovery", "pg_basebackup"] {
		named := resource({"bootstrap": {bootstrap: {"database": "silo", "secret": {"name": "s"}}}})
		among(named, secret({"username": "crane"})).login_mismatch == {"value": "silo", "login": "crane", "secret": "s", "origin": "written", "path": ["spec", "bootstrap", bootstrap, "database"]}
		not among(named, secret({"username": "silo"})).login_mismatch
		unnamed := resource({"bootstrap": {bootstrap: {"secret": {"name": "s"}}}})
		among(unnamed, secret({"username": "crane"})).login_mismatch == {"value": "app", "login": "crane", "secret": "s", "origin": "written", "path": ["spec", "bootstrap", bootstrap, "secret", "name"]}
		not among(unnamed, secret({"username": "app"})).login_mismatch
	}
	not among(resource({"bootstrap": {"initdb": {"import": {"type": "monolith"}, "secret": {"name": "s"}}}}), secret({"username": "crane"})).login_mismatch
	among(resource({"bootstrap": {"initdb": {"import": {"type": "microservice"}, "secret": {"name": "s"}}}}), secret({"username": "crane"})).login_mismatch.value == "app"
	not among(resource({"bootstrap": {"initdb": {"database": "${DATABASE}", "secret": {"name": "s"}}}}), secret({"username": "crane"})).login_mismatch
}

# superuserSecret is read with enableSuperuserAccess alone.
test_login_of_the_superuser if {
	named := {"superuserSecret": {"name": "s"}}
	not among(resource(named), secret({"POSTGRES_USER": "x"})).missing_keys
	not among(resource(object.union(named, {"enableSuperuserAccess": false})), secret({"POSTGRES_USER": "x"})).missing_keys
	seen := among(resource(object.union(named, {"enableSuperuserAccess": true})), secret({"POSTGRES_USER": "x"})).missing_keys
	{[one.key, one.consequence] | some one in seen} == {[key, "the operator sets no password of postgres or of the owner of the database"] | some key in ["username", "password"]}
}

test_passwords_with_a_line_break if {
	every row in [
		[{"superuserSecret": {"name": "s"}}, ["spec", "superuserSecret", "name"], "it is part of the password"],
		[{"bootstrap": {"initdb": {"secret": {"name": "s"}}}}, ["spec", "bootstrap", "initdb", "secret", "name"], "it is part of the password"],
		[{"bootstrap": {"recovery": {"secret": {"name": "s"}}}}, ["spec", "bootstrap", "recovery", "secret", "name"], "it is part of the password"],
		[{"managed": {"roles": [{"name": "r", "passwordSecret": {"name": "s"}}]}}, ["spec", "managed", "roles", 0, "passwordSecret", "name"], "the operator cuts it off"],
	] {
		[[one.secret, one.path, one.level, startswith(one.consequence, row[2])] | some one in among(resource(row[0]), secret({"password": "x\n"})).line_breaks] == [["s", row[1], "warning", true]]
		not among(resource(row[0]), secret({"password": "x"})).line_breaks
	}
}

test_passwords_in_the_open if {
	seen := read(resource({"externalClusters": [{"name": "a", "connectionParameters": {"host": "a"}}, {"name": "b", "connectionParameters": {"password": "secret"}}]}))
	seen.passwords == [{"name": "password", "path": ["spec", "externalClusters", 1, "connectionParameters", "password"]}]
	not read(resource({"externalClusters": [{"name": "b", "connectionParameters": {"password": "${PASSWORD}"}}]})).passwords
}

# ------------------------------------------------------------------------------------------------------ the life of it

test_words_of_the_first_start if {
	read(resource({"stopDelay": 60})).grace == {"value": 60, "origin": "written", "path": ["spec", "stopDelay"], "field": "stopDelay"}
	not read(resource({"stopDelay": "60"})).grace
	every field in ["locale", "localeCollate", "localeCType"] {
		read(resource({"bootstrap": {"initdb": {field: "de_DE.UTF-8"}}})).locales == [{"name": field, "value": "de_DE.UTF-8", "path": ["spec", "bootstrap", "initdb", field]}]
	}
	not read(resource({"bootstrap": {"initdb": {"encoding": "UTF8"}}})).locales
}

leader(external) := object.get(seen, ["primary", "object", "metadata", "name"], "none") if {
	seen := among(
		resource({"replica": {"enabled": true, "source": "origin"}, "externalClusters": [object.union({"name": "origin"}, external)]}),
		{"postgresql.cnpg.io/v1": {"Cluster": {"main": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "main", "namespace": "shop"}, "spec": {}}}}},
	)
}

# By its Service of this namespace, else by the name that its archive has.
test_cluster_that_is_followed if {
	every host in ["main-rw", "main-rw.shop", "main-rw.shop.svc", "main-rw.shop.svc.cluster.local"] {
		leader({"connectionParameters": {"host": host}}) == "main"
	}
	every host in ["main-ro", "main", "main-rw.other", "other-rw"] {
		leader({"connectionParameters": {"host": host}, "plugin": {"parameters": {"serverName": "main"}}}) == "none"
	}
	leader({"plugin": {"parameters": {"serverName": "main"}}}) == "main"
	leader({"name": "another", "plugin": {"parameters": {"serverName": "main"}}}) == "none"
}

followed(replica) := [seen.follows.path | seen := read(resource({"replica": replica})); seen.follows.value]

test_follows if {
	followed({"enabled": true, "source": "a"}) == [["spec", "replica"]]
	followed({"enabled": false, "source": "a"}) == []
	followed({"primary": "a"}) == [["spec", "replica", "primary"]]
	followed({"primary": "a", "self": "a"}) == []
	followed({"primary": "orders"}) == []
	followed({"primary": "a", "self": "b", "enabled": true}) == [["spec", "replica"]]
}

restarted(was, is) := [seen.standbys_restart_first.path |
	seen := whole with input as {"review": {"operation": "UPDATE", "object": resource(is), "oldObject": resource(was)}}
	seen.standbys_restart_first
]

test_limits_that_are_removed if {
	every name in ["max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders", "max_worker_processes"] {
		restarted({"postgresql": {"parameters": {name: "100"}}}, {}) == [["spec", "postgresql", "parameters"]]
		restarted({"postgresql": {"parameters": {name: "100"}}}, {"postgresql": {"parameters": {name: "50"}}}) == []
	}
	restarted({"postgresql": {"parameters": {"work_mem": "8MB"}}}, {}) == []
	restarted({}, {"primaryUpdateStrategy": "supervised"}) == [["spec", "primaryUpdateStrategy"]]
	restarted({}, {"primaryUpdateStrategy": "unsupervised"}) == []
	restarted({"postgresql": {"parameters": {"max_connections": "100"}}}, {"primaryUpdateStrategy": "supervised"}) == [["spec", "postgresql", "parameters"]]
	not read(resource({"primaryUpdateStrategy": "supervised"})).standbys_restart_first
}

# How long an instance may take to start.
test_patience if {
	read(resource({"startDelay": 600})).patience == {"value": 600, "origin": "written", "path": ["spec", "startDelay"], "probe": "startDelay", "seconds": true}
	every row in [
		[{"failureThreshold": 6, "periodSeconds": 5, "initialDelaySeconds": 3}, 33],
		[{"failureThreshold": 6, "periodSeconds": 5}, 30],
		[{"failureThreshold": 6}, 60],
		[{"failureThreshold": 6, "initialDelaySeconds": 3}, 63],
	] {
		seen := read(resource({"startDelay": 600, "probes": {"startup": row[0]}})).patience
		[seen.value, seen.path, seen.probe] == [row[1], ["spec", "probes", "startup"], "startup probe"]
	}
	not read(resource({"startDelay": 600, "probes": {"startup": {"periodSeconds": 5}}})).patience
}

# From the moment on at which the cluster was made.
test_backup_of_the_moment_of_creation if {
	every moment, number in {"2026-05-01T03:09:59Z": 1, "2026-05-01T03:10:00Z": 1, "2026-05-01T03:10:01Z": 0} {
		count(evidence(object.union(resource({"instances": 1}), {"metadata": {"creationTimestamp": moment}}), [backup("b", {}, done)])) == number
	}
}

# A copy of a cluster whose certificate has these names.
unproven(names) := object.get(
	among(
		resource({
			"bootstrap": {"pg_basebackup": {"source": "a"}},
			"externalClusters": [{"name": "a", "connectionParameters": {"host": "main-rw", "sslmode": "verify-full"}, "sslRootCert": {"name": "ca", "key": "ca.crt"}}],
		}),
		{
			"postgresql.cnpg.io/v1": {"Cluster": {"main": {"metadata": {"name": "main", "namespace": "shop"}, "spec": {"certificates": {"serverTLSSecret": "tls"}}}}},
			"cert-manager.io/v1": {"Certificate": {"c": {"metadata": {"name": "c", "namespace": "shop"}, "spec": {"secretName": "tls", "dnsNames": names}}}},
		},
	),
	"unproven_hosts", [],
)

test_name_of_a_certificate_that_is_filled_in if {
	[one.path | some one in unproven(["main-r"])] == [["spec", "externalClusters", 0, "connectionParameters", "host"]]
	unproven(["main-r", "${NAME}"]) == []
}

test_password_of_a_sealed_secret if {
	env := [
		{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "password"}}},
		{"name": "DB_USER", "value": "web"},
		{"name": "DB_HOST", "value": "orders-rw"},
	]
	web := {"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "env": env}]}}}}}}}
	sealed := {"bitnami.com/v1alpha1": {"SealedSecret": {"login": {"metadata": {"name": "login", "namespace": "shop"}}}}}
	asked := resource({"bootstrap": {"initdb": {"database": "web", "owner": "web"}}})
	[one.path | some one in among(asked, object.union(web, sealed)).contested_logins] == [["spec", "template", "spec", "containers", 0, "env", 0]]
	not among(asked, web).contested_logins
}

test_what_all_clusters_carry if read(resource({})).common_labels == ["role", "cnpg.io/instanceRole", "cnpg.io/podRole"]

test_owner_of_the_application if {
	read(resource({})).roles == [{"name": "app", "superuser": false, "createdb": false, "createrole": false, "replication": false, "secrets": ["orders-app"]}]
}

# Beside the volumes that the operator mounts.
test_wal_beside_the_volumes if {
	elsewhere := read(resource({"bootstrap": {"initdb": {"options": ["--waldir=/wal"]}}})).lost
	[[part.path, contains(part.on, "volume")] | some part in elsewhere] == [[["spec", "bootstrap", "initdb", "options", 0], true]]
	not read(resource({"bootstrap": {"initdb": {"options": ["--waldir=/var/lib/postgresql/wal/pg_wal"]}}})).lost
}

queries(text) := object.get(found, "unread", []) if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({"monitoring": {"customQueriesConfigMap": [{"name": "q", "key": "custom"}]}})},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": {"custom": text}}}}}}},
	}
}

# As pg_monitor, until one asks for another role.
test_queries_that_do_more if {
	[one.path | some one in queries("q:\n  query: \"COPY (SELECT 1) TO PROGRAM 'x'\"\n")] == [["spec", "monitoring", "customQueriesConfigMap", 0]]
	count(queries("q:\n  predicate_query: \"SELECT set_config('role', 'none', false)\"\n")) == 1
	queries("q:\n  query: SELECT current_setting('role'), count(*) FROM pg_stat_activity\n") == []
}

# Nobody asks an API server for Secrets.
test_queries_in_a_secret if {
	object.get(hidden_queries("mine"), "unread", [])[0].source == "the queries in custom of Secret shop/mine"
	not hidden_queries("cnpg-default-monitoring").unread
}

hidden_queries(name) := read(resource({"monitoring": {"customQueriesSecret": [{"name": name, "key": "custom"}]}}))

open_by(pgbouncer) := found if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({})},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Pooler",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"cluster": {"name": "orders"}, "type": "ro", "pgbouncer": pgbouncer},
		}}}}}},
	}
}

test_poolers_without_passwords if {
	resource_of_pool := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "namespace": "shop", "name": "pool"}
	open_by({"parameters": {"auth_type": "Trust"}}).open_poolers == [{
		"pooler": "PgBouncer of Pooler pool",
		"text": "auth_type trust",
		"cure": "Leave auth_type out",
		"path": ["spec", "pgbouncer", "parameters", "auth_type"],
		"resource": resource_of_pool,
	}]
	open_by({"pg_hba": ["host all all all trust"]}).pooler_lines == [{"pooler": "Pooler pool", "lines": [{"line": "host all all all trust", "path": ["spec", "pgbouncer", "pg_hba", 0], "resource": resource_of_pool}]}]
	not open_by({"parameters": {"auth_type": "md5"}, "pg_hba": ["host all all all trust"]}).pooler_lines
	not open_by({"parameters": {"auth_type": "md5"}}).open_poolers
}

templated(containers) := found if {
	found := cnpg.cluster with input as {
		"review": {"object": resource({})},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Pooler",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"cluster": {"name": "orders"}, "pgbouncer": {}, "template": {"spec": {"containers": containers}}},
		}}}}}},
	}
}

test_pods_of_poolers if {
	opened := templated([{"name": "pgbouncer", "command": ["sh", "-c", "echo auth_type=trust >> /a.ini"]}])
	[[one.text, one.path] | some one in opened.open_poolers] == [["auth_type=trust", ["spec", "template", "spec", "containers", 0]]]
	altering := templated([{"name": "pgbouncer"}, {"name": "run", "image": "postgres:17", "command": ["psql", "-c", "ALTER SYSTEM SET fsync = off"]}])
	[[one.source, one.severity, one.resource.name] | some one in altering.unread] == [["what container run runs", "warning", "pool"]]
	hiding := templated([{"name": "run", "image": "postgres:17", "command": ["sh", "-c", "echo QQ== | base64 -d | psql"]}])
	[[one.reason, one.severity] | some one in hiding.unread] == [["it hides the SQL that it runs", "info"]]
	not templated([{"name": "pgbouncer"}]).unread
}

# Among files the Secret is in sight.
test_sql_of_a_secret_in_sight if {
	spec := {"postgresql": {"enableAlterSystem": true}, "bootstrap": {"initdb": {"postInitSQLRefs": {"secretRefs": [{"name": "s", "key": "c"}]}}}}
	found := among(resource(spec), {"v1": {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": {"c": "ALTER SYSTEM SET fsync = off"}}}}})
	[p.name | some p in found.parameters] == ["fsync"]
}

# What every session may set waits for nothing.
test_what_roles_set if {
	every statement in ["ALTER ROLE ALL SET synchronous_commit = off", "ALTER DATABASE app SET synchronous_commit TO off"] {
		[p.name | some p in read(resource({"bootstrap": {"initdb": {"postInitSQL": [statement]}}})).parameters] == ["synchronous_commit"]
	}
	read(resource({"bootstrap": {"initdb": {"postInitSQL": ["ALTER SYSTEM SET synchronous_commit = off"]}}})).parameters == []
	read(resource({"bootstrap": {"initdb": {"postInitSQL": ["ALTER ROLE ALL SET work_mem = '8MB'"]}}})).parameters == []
}
