package walguard.operators.zalando_test

import data.walguard.operators.zalando

# The cluster together with the evidence that is read apart from it.
whole := object.union(zalando.cluster, {"backups": [], "restores": zalando.restores})

resource(spec) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "shop"},
	"spec": spec,
}

read(object) := found if found := whole with input as {"review": {"object": object}}

among(object, objects) := found if {
	found := whole with input as {"review": {"object": object}, "inventory": {"namespace": {"ops": {"acid.zalan.do/v1": objects}}}}
}

test_whole_cluster if {
	cluster := read(resource({
		"teamId": "acid",
		"numberOfInstances": 2,
		"postgresql": {"version": "17", "parameters": {"max_wal_size": "4GB"}},
		"volume": {"size": "100Gi", "storageClass": "gp3", "iops": 4000, "throughput": 250},
		"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "4", "memory": "16Gi"}},
		"patroni": {"initdb": {"wal-segsize": "64", "data-checksums": "true"}},
		"env": [{"name": "WAL_S3_BUCKET", "value": "wal"}, {"name": "WALG_BACKUP_FROM_REPLICA", "value": "true"}],
	}))
	object.remove(cluster, ["authority", "unmade_secrets", "common_labels", "roles", "tls_only", "password_only", "pods", "selection", "reaches", "helpers", "hosts", "traffic", "visits", "primary_budget", "defaults", "managed", "rewind", "preload", "preload_first", "requests_fitted"]) == {
		"operator": "Zalando Postgres Operator",
		"data_claims": `^pgdata-acid-orders-[0-9]+$`,
		"name": "acid-orders",
		"namespace": "shop",
		"major": {"value": 17, "origin": "written", "path": ["spec", "postgresql", "version"]},
		"parameters": [{"name": "max_wal_size", "value": "4GB", "path": ["spec", "postgresql", "parameters", "max_wal_size"]}],
		"parameters_path": ["spec", "postgresql", "parameters"],
		"parameter_values": "text",
		"patroni": true,
		"instances": {"value": 2, "origin": "written", "path": ["spec", "numberOfInstances"]},
		"instance_sets": [{
			"name": "acid-orders",
			"path": ["spec"],
			"replicas": {"value": 2, "origin": "written", "path": ["spec", "numberOfInstances"]},
			"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "4", "memory": "16Gi"}},
			"resources_path": ["spec", "resources"],
			"resources_filled": true,
			"data": {
				"path": ["spec", "volume"],
				"size": "100Gi",
				"size_path": ["spec", "volume", "size"],
				"class": "gp3",
				"class_path": ["spec", "volume", "storageClass"],
				"parameters": {"iops": 4000, "throughput": 250},
			},
		}],
		"segment": {"value": 64, "unit": "MB", "origin": "written", "path": ["spec", "patroni", "initdb", "wal-segsize"]},
		"checksums": {"value": true, "origin": "written", "path": ["spec", "patroni", "initdb", "data-checksums"]},
		"archiving": {"value": "on", "origin": "written", "path": ["spec", "env", 0, "value"]},
		"standby_backup": {"value": true, "origin": "written", "path": ["spec", "env", 1, "value"]},
		"slots": {"value": true, "origin": "operator", "path": ["spec", "patroni"]},
		"slots_left": {"kept": set(), "cure": "Declare it in spec.patroni.slots"},
		"pooler": {"value": false, "origin": "operator", "path": ["spec"]},
		"backups": [],
		"restores": [],
	}
	cluster.defaults.shared_buffers == "3276MB"
	cluster.defaults.max_connections == "546"
	cluster.rewind.used
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration"})
	not read({"apiVersion": "example.com/v1", "kind": "postgresql"})
}

test_the_last_variable_of_a_name_counts if {
	cluster := read(resource({"env": [{"name": "WAL_S3_BUCKET", "value": "old"}, {"name": "wal_s3_bucket", "value": "new"}]}))
	cluster.archiving.path == ["spec", "env", 1, "value"]
}

test_cluster_without_spec_has_almost_no_facts if {
	cluster := read({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"generateName": "acid-"}})
	cluster.name == "acid-*"
	object.keys(cluster) & {"major", "instances", "segment", "checksums", "archiving", "standby_backup"} == set()
	cluster.instance_sets == [{
		"name": "acid-*",
		"path": ["spec"],
		"resources": {"requests": {}, "limits": {}},
		"resources_path": ["spec", "resources"],
		"resources_filled": true,
	}]
}

test_hostile_values_are_no_facts if {
	cluster := read(resource({
		"numberOfInstances": [],
		"postgresql": {"version": "latest", "parameters": [1]},
		"volume": "big",
		"resources": {"limits": {"memory": "much"}},
		"patroni": {"initdb": {"wal-segsize": {}, "data-checksums": "maybe"}},
		"env": ["a", {"name": 1}, {"name": "WAL_S3_BUCKET"}],
	}))
	object.keys(cluster) & {"major", "instances", "segment", "checksums", "archiving", "standby_backup"} == set()
	cluster.parameters == []
	cluster.defaults.shared_buffers == ""
}

test_defaults_of_initdb if {
	cluster := read(resource({"numberOfInstances": 1}))
	cluster.segment == {"value": 16, "unit": "MB", "origin": "postgres", "path": ["spec", "patroni", "initdb", "wal-segsize"]}
	cluster.checksums == {"value": true, "origin": "operator", "path": ["spec", "patroni", "initdb", "data-checksums"]}
}

test_clone_inherits_what_initdb_decided if {
	not read(resource({"clone": {"cluster": "acid-a"}})).segment
	not read(resource({"standby": {"s3_wal_path": "s3://a"}})).checksums
}

# ---------------------------------------------------------------------------------------------------- archiving

configuration(content) := {"OperatorConfiguration": {"main": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "main", "namespace": "ops"},
	"configuration": content,
}}}

small := resource({"numberOfInstances": 1})

by_operator(value) := {"value": value, "origin": "operator", "path": ["spec", "env"]}

test_archiving_follows_the_operator if {
	among(small, configuration({"aws_or_gcp": {"wal_s3_bucket": "wal"}})).archiving == by_operator("on")
	among(small, configuration({"aws_or_gcp": {}})).archiving == by_operator("discards")
}

test_archiving_is_unknown_without_the_operators_word if {
	not read(small).archiving
	not among(small, configuration({"kubernetes": {"pod_environment_secret": "wal"}})).archiving
}

test_written_archive_command_counts if {
	to_nowhere := resource({"postgresql": {"parameters": {"archive_command": "/bin/true"}}})
	read(to_nowhere).archiving == {
		"value": "discards",
		"origin": "written",
		"path": ["spec", "postgresql", "parameters", "archive_command"],
	}
}

test_resources_of_the_operator if {
	defaults := {"postgres_pod_resources": {"default_memory_limit": "10Gi", "default_cpu_limit": "1", "default_cpu_request": "100m"}}
	cluster := among(resource({"resources": {"limits": {"cpu": "4"}}}), configuration(defaults))
	cluster.instance_sets[0].resources == {
		"requests": {"cpu": "100m"},
		"limits": {"cpu": "4", "memory": "10Gi"},
	}
	cluster.defaults.shared_buffers == "2048MB"
}

# ----------------------------------------------------------------------------------------------------- restores

clone(spec, status) := {"postgresql": {"copy": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-copy", "namespace": "ops", "creationTimestamp": "2026-04-01T00:00:00Z"},
	"spec": {"clone": spec},
	"status": {"PostgresClusterStatus": status},
}}}

test_clone_to_a_point_in_time_is_a_restore if {
	in_time := {"cluster": "acid-orders", "uid": "1-2", "timestamp": "2026-03-31T12:00:00+00:00"}
	identified := object.union(small, {"metadata": {"uid": "1-2"}})
	among(identified, clone(in_time, "Running")).restores == [{"ready": "2026-04-01T00:00:00Z", "cluster": "acid-copy"}]
	among(identified, clone(in_time, "Creating")).restores == []
}

test_clone_of_a_namesake_is_no_restore if {
	of_another := {"cluster": "acid-orders", "uid": "0-1", "timestamp": "2026-03-31T12:00:00+00:00"}
	nameless := object.remove(of_another, ["uid"])
	identified := object.union(small, {"metadata": {"uid": "1-2"}})
	among(identified, clone(of_another, "Running")).restores == []
	among(small, clone(of_another, "Running")).restores == []
	among(identified, clone(nameless, "Running")).restores == []
	among(object.union(identified, {"metadata": {"namespace": "ops"}}), clone(nameless, "Running")).restores == [{"ready": "2026-04-01T00:00:00Z", "cluster": "acid-copy"}]
}

test_copy_of_the_running_cluster_is_no_restore if {
	among(small, clone({"cluster": "acid-orders"}, "Running")).restores == []
}

test_synchronous if {
	read(resource({"patroni": {"synchronous_mode": true}})).synchronous == {"value": true, "origin": "written", "path": ["spec", "patroni", "synchronous_mode"]}
	not read(resource({"patroni": {}})).synchronous
}

test_pooler if {
	read(resource({"enableConnectionPooler": true})).pooler == {"value": true, "origin": "written", "path": ["spec", "enableConnectionPooler"]}
	read(resource({"connectionPooler": {"maxDBConnections": 60}})).pooler == {"value": true, "origin": "written", "path": ["spec", "connectionPooler"], "connections": 60}
	read(resource({"enableConnectionPooler": false, "connectionPooler": {}})).pooler == {"value": false, "origin": "operator", "path": ["spec"]}
}

additional(fields) := set if {
	found := read(resource({
		"volume": {"size": "100Gi"},
		"patroni": {"initdb": {"waldir": "/home/postgres/wal/pg_wal"}},
		"additionalVolumes": [
			{"name": "elsewhere", "mountPath": "/home/postgres", "targetContainers": ["sidecar"], "volumeSource": {"emptyDir": {}}},
			"hostile",
			object.union({"name": "wal", "mountPath": "/home/postgres/wal/", "volumeSource": {"emptyDir": {"sizeLimit": "5Gi"}}}, fields),
		],
	}))
	set := found.instance_sets[0]
}

test_wal_on_an_additional_volume if {
	at := ["spec", "additionalVolumes", 2, "volumeSource"]
	empty := {"path": at, "size": "5Gi", "size_path": array.concat(at, ["emptyDir", "sizeLimit"]), "class": "", "class_path": at, "ephemeral": "an emptyDir"}
	additional({}).wal == empty
	additional({"targetContainers": ["all"]}).wal == empty
	not additional({"targetContainers": ["sidecar"]}).wal
	not additional({"mountPath": "/home/postgres/pgdata"}).wal
	additional({"volumeSource": {"persistentVolumeClaim": {"claimName": "wal"}}}).wal.path == at
}

test_claims_kept if {
	among(small, configuration({"kubernetes": {"enable_persistent_volume_claim_deletion": false}})).claims_kept
	not among(small, configuration({"kubernetes": {"enable_persistent_volume_claim_deletion": true}})).claims_kept
	not among(small, configuration({})).claims_kept
}

test_image if {
	read(resource({"dockerImage": "ghcr.io/zalando/spilo-17:4.0-p2"})).image == {
		"value": "ghcr.io/zalando/spilo-17:4.0-p2",
		"origin": "written",
		"path": ["spec", "dockerImage"],
	}
	not read(small).image
}

test_variables_that_run_something if {
	maps := {"v1": {"ConfigMap": {"more": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "shop"}, "data": {"CRONTAB": "[]", "X": "y"}}}}}
	asked := resource({
		"env": [
			{"name": "CALLBACK_SCRIPT", "value": "psql -c 'ALTER SYSTEM SET fsync = off'"},
			{"name": "SSL_CA_FILE", "value": "/x\n  fsync: off"},
			{"name": "TZ", "value": "a\nb"},
		],
		"envFrom": [{"configMapRef": {"name": "more"}}, {"configMapRef": {"name": "later"}}, {"secretRef": {"name": "s"}}],
		"additionalVolumes": [{"name": "a", "mountPath": "/scripts/x", "targetContainers": ["all"], "volumeSource": {"configMap": {"name": "c"}}}],
	})
	found := zalando.cluster with input as {"review": {"object": asked}, "inventory": {"namespace": {"shop": maps}}}
	{place.source: place.severity | some place in found.unread} == {
		"the variable CALLBACK_SCRIPT": "warning",
		"the variable SSL_CA_FILE": "warning",
		"the variable CRONTAB": "info",
		"what is mounted at /scripts/x": "info",
	}
}

# What the operator gives all pods, what comes from a Secret, and what an init container puts over Spilo's scripts.
test_programs_from_elsewhere if {
	maps := {"v1": {"ConfigMap": {"all": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "all", "namespace": "shop"}, "data": {"CRONTAB": "[]", "N": 1}}}}}
	operator := {"acid.zalan.do/v1": {"OperatorConfiguration": {"c": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "c", "namespace": "ops"},
		"configuration": {"kubernetes": {"pod_environment_configmap": "all"}},
	}}}}
	asked := resource({
		"env": [
			{"name": "CALLBACK_SCRIPT", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
			{"name": "CRONTAB", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
		],
		"initContainers": [{"name": "i", "volumeMounts": [{"name": "x", "mountPath": "/x"}]}],
		"additionalVolumes": [
			{"name": "x", "mountPath": "/scripts", "volumeSource": {"emptyDir": {}}},
			{"name": "y", "mountPath": "/scripts/y", "volumeSource": {"emptyDir": {}}},
		],
	})
	found := zalando.cluster with input as {"review": {"object": asked}, "inventory": {"namespace": {"shop": maps, "ops": operator}}}
	{place.source | some place in found.unread} == {"the variable CALLBACK_SCRIPT", "the variable CRONTAB", "what is mounted at /scripts"}
}

# A library that it gives all pods, and what the cluster says of it itself.
given_to_all(texts, keys, env) := {[one.name, one.value, one.resource.kind] | some one in found.pods[0].given} if {
	objects := {"v1": {
		"ConfigMap": {"all": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "all", "namespace": "shop"}, "data": texts, "binaryData": {"LD_AUDIT": "YQ=="}}},
		"Secret": {"keys": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"}, "stringData": keys}},
	}}
	operator := {"acid.zalan.do/v1": {"OperatorConfiguration": {"c": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "c", "namespace": "ops"},
		"configuration": {"kubernetes": {"pod_environment_configmap": "all", "pod_environment_secret": "keys"}},
	}}}}
	found := zalando.cluster with input as {"review": {"object": resource({"env": env})}, "inventory": {"namespace": {"shop": objects, "ops": operator}}}
}

test_libraries_for_all if {
	given_to_all({"LD_PRELOAD": "x.so"}, {"PGDATA": "/d"}, []) == {["LD_PRELOAD", "x.so", "ConfigMap"], ["PGDATA", "/d", "Secret"]}
	given_to_all({"LD_PRELOAD": "x.so"}, {"LD_PRELOAD": "y.so"}, []) == {["LD_PRELOAD", "x.so", "ConfigMap"]}
	given_to_all({"LD_PRELOAD": "x.so"}, {}, [{"name": "LD_PRELOAD", "value": ""}]) == set()
}

# Any of them says where WAL goes.
test_destinations if {
	every name in [
		"WAL_S3_BUCKET", "WALE_S3_PREFIX", "WALG_S3_PREFIX", "WAL_GS_BUCKET", "WALE_GS_PREFIX", "WALG_GS_PREFIX", "WAL_GCS_BUCKET", "WALE_GCS_PREFIX", "WALG_AZ_PREFIX",
		"WALE_SWIFT_PREFIX", "WAL_SWIFT_BUCKET", "WALG_SSH_PREFIX",
	] {
		read(resource({"env": [{"name": name, "value": "x"}]})).archiving == {"value": "on", "origin": "written", "path": ["spec", "env", 0, "value"]}
	}
	not read(resource({"env": [{"name": "WALG_FILE_PREFIX_OF_MINE", "value": "x"}]})).archiving

	# Without a container the account says nothing.
	not read(resource({"env": [{"name": "AZURE_STORAGE_ACCOUNT", "value": "x"}]})).archiving
}

test_client_without_tls_by_a_map if {
	object_of := resource({"envFrom": [{"configMapRef": {"name": "more"}}]})
	maps := {"v1": {"ConfigMap": {"more": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "shop"}, "data": {"ALLOW_NOSSL": "true"}}}}}
	found := zalando.cluster with input as {"review": {"object": object_of}, "inventory": {"namespace": {"shop": maps}}}
	found.password_only
	not found.tls_only
	read(resource({})).tls_only.value == "hostnossl all all all reject"
}

test_what_all_clusters_carry if read(resource({})).common_labels == ["application", "spilo-role"]

test_users_of_the_resource if {
	read(resource({"users": {"app_owner": ["CREATEDB"]}})).roles == [{"name": "app_owner", "superuser": false, "createdb": true, "createrole": false, "replication": false, "secrets": ["app-owner.acid-orders.credentials.postgresql.acid.zalan.do"]}]
	not read(resource({})).roles
	not read(resource({"users": {"app": "${FLAGS}"}})).roles
}

prepared(spec) := read(resource(object.union({"preparedDatabases": {"app": {"extensions": {"timescaledb": "public"}}}}, spec)))

test_extensions_whose_libraries_are_left_out if {
	written := prepared({"postgresql": {"version": "16", "parameters": {"shared_preload_libraries": "bg_mon,pg_cron"}}})
	written.extensions == [{"name": "timescaledb", "path": ["spec", "preparedDatabases", "app", "extensions", "timescaledb"], "consequence": "every sync of the operator"}]
	written.preloaded == ["bg_mon", "pg_cron"]
	old := prepared({"dockerImage": "ghcr.io/zalando/spilo-15:3.0-p1", "postgresql": {"version": "15"}})
	count(old.extensions) == 1
	old.preloaded == ["bg_mon", "pg_stat_statements", "pgextwlist", "pg_auth_mon", "set_user", "pg_cron", "pg_stat_kcache"]
	every spec in [
		{"postgresql": {"version": "16"}},
		{"dockerImage": "ghcr.io/zalando/spilo-15:3.0-p1", "postgresql": {"version": "14"}},
		{"dockerImage": "ghcr.io/zalando/spilo-15:3.1-p1", "postgresql": {"version": "15"}},
		{"postgresql": {"version": "16", "parameters": {"shared_preload_libraries": "${LIBRARIES}"}}},
	] {
		not prepared(spec).extensions
	}
}

archived_to(directory, fields) := read(resource(object.union(
	{"teamId": "acid", "numberOfInstances": 1, "postgresql": {"version": "17", "parameters": {"archive_mode": "on", "archive_command": sprintf("cp %%p %s/%%f", [directory])}}, "volume": {"size": "100Gi"}},
	fields,
)))

test_where_an_archive_goes if {
	in_container := archived_to("/archive", {}).archive_target
	in_container == {"value": "/archive", "path": ["spec", "postgresql", "parameters", "archive_command"], "origin": "written", "where": "container"}
	archived_to("/home/postgres/pgdata/archive", {}).archive_target.where == "data volume"
	not archived_to("/archive", {"additionalVolumes": [{"name": "a", "mountPath": "/archive", "targetContainers": ["postgres"], "volumeSource": {"persistentVolumeClaim": {"claimName": "a"}}}]}).archive_target
}

# Its name alone stands behind those of Spilo.
test_checksums_left_out if {
	options_of := {"no-data-checksums": false, "no-d": false}
	every name, value in options_of {
		read(resource({"patroni": {"initdb": {name: "true"}}})).checksums == {"value": value, "origin": "written", "path": ["spec", "patroni", "initdb", name]}
	}
	read(resource({"patroni": {"initdb": {"no-data-checksums": "false"}}})).checksums.value == true
}

# ------------------------------------------------------------------------------------------- a key mounted beside

keyed(secret, more) := object.get(found, "tls_key", "none") if {
	found := read(resource(object.union(
		{
			"postgresql": {"version": "17", "parameters": {"ssl_key_file": "/certs/tls.key"}},
			"additionalVolumes": [{"name": "certs", "mountPath": "/certs", "targetContainers": ["postgres"], "volumeSource": {"secret": object.union({"secretName": "own"}, secret)}}],
		},
		more,
	)))
}

test_key_of_a_volume if {
	keyed({"defaultMode": 416}, {}) == {
		"reason": "Secret own is mounted with mode 0640, and its files belong to root",
		"cure": "Set spec.spiloFSGroup: 103 (or spilo_fsgroup in the operator's configuration)",
		"path": ["spec", "additionalVolumes", 0, "volumeSource", "secret"],
		"certain": false,
	}
	keyed({}, {"spiloFSGroup": 103}) == {
		"reason": "Secret own is mounted with mode 0644, and its files belong to root",
		"cure": "Set defaultMode: 0640 and spec.spiloFSGroup: 103",
		"path": ["spec", "additionalVolumes", 0, "volumeSource", "secret"],
		"certain": true,
	}
	keyed({"defaultMode": 432}, {"spiloFSGroup": 103}).certain
	keyed({"defaultMode": 416}, {"spiloFSGroup": 103}) == "none"
	keyed({"defaultMode": 256}, {"spiloFSGroup": 103}) == "none"
	keyed({"items": [{"key": "tls.key", "path": "tls.key", "mode": 416}]}, {"spiloFSGroup": 103}) == "none"
	keyed({}, {"postgresql": {"version": "17", "parameters": {"ssl_key_file": "/home/postgres/pgdata/tls.key"}}}) == "none"
	keyed({}, {"postgresql": {"version": "17", "parameters": {"ssl_key_file": "/other"}}, "env": [{"name": "SSL_PRIVATE_KEY_FILE", "value": "/certs/tls.key"}], "spiloFSGroup": 103}).certain
}

test_stores_of_patroni if {
	found := zalando.cluster with input as {"review": {"object": resource({"env": [{"name": "PATRONI_SCOPE", "value": "other"}, {"name": "PATRONI_LOG_LEVEL", "value": "INFO"}]})}}
	[[place.source, place.severity, place.reason] | some place in found.unread] == [["the variable PATRONI_SCOPE", "info", "Patroni keeps its configuration there"]]
}
