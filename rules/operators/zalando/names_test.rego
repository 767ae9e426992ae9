package walguard.operators.zalando_names_test

import data.walguard.operators.zalando

read(spec, others) := found if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": spec}},
		"inventory": {"namespace": others},
	}
}

volume(targets) := {
	"additionalVolumes": [{"name": "queries", "mountPath": "/queries", "targetContainers": targets, "volumeSource": {"configMap": {"name": "queries"}}}],
	"sidecars": [{"name": "exporter", "image": "exporter:1"}],
}

operator(content) := {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "main", "namespace": "ops"},
	"configuration": content,
}}}}}

test_volume_of_no_container if {
	read(volume(["postgres-exporter"]), operator({"workers": 8})).unresolved == [{
		"reason": "additionalVolumes has queries for container postgres-exporter, and the pods have postgres and exporter: it is mounted nowhere",
		"cure": "Name one of them in targetContainers, or write all",
		"level": "warning",
		"path": ["spec", "additionalVolumes", 0, "targetContainers"],
	}]
	every target in ["exportr", "spilo"] {
		count(read(volume([target]), {}).unresolved) == 1
	}
}

test_volumes_that_are_mounted if {
	every targets in [["exporter"], ["postgres"], ["all"], [], ["postgres", "exportr"], ["${NAME}"]] {
		not read(volume(targets), operator({"workers": 8})).unresolved
	}
	not read(volume(["fluentd"]), {}).unresolved
	not read(volume(["fluentd"]), operator({"sidecars": [{"name": "fluentd"}]})).unresolved
}

cluster(namespace, name) := {namespace: {"acid.zalan.do/v1": {"postgresql": {name: {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": name, "namespace": namespace}, "spec": {}}}}}}

test_clone_of_a_misspelt_cluster if {
	read({"clone": {"cluster": "acid-mian"}}, cluster("shop", "acid-main")).unresolved == [{
		"reason": "spec.clone names postgresql acid-mian, which is not there, while acid-main is: its pods wait for the Secret of the source and never start",
		"cure": "Write acid-main",
		"path": ["spec", "clone", "cluster"],
	}]
}

test_clones_that_may_be_right if {
	not read({"clone": {"cluster": "acid-main"}}, cluster("shop", "acid-main")).unresolved
	not read({"clone": {"cluster": "acid-other"}}, cluster("shop", "acid-main")).unresolved
	not read({"clone": {"cluster": "acid-mian", "timestamp": "2026-01-02T03:04:05+00:00"}}, cluster("shop", "acid-main")).unresolved
	not read({"clone": {"cluster": "acid-orders"}}, cluster("shop", "acid-main")).unresolved
}

# Spilo's own SQL names role postgres.
test_superuser_of_another_name if {
	of_spilo := {"dockerImage": "ghcr.io/zalando/spilo-17:4.0-p2"}
	read(of_spilo, operator({"users": {"super_username": "dbadmin"}})).refusals == [{
		"by": "Spilo",
		"reason": "its bootstrap works as role postgres, and the operator's super_username is dbadmin, so that no new cluster starts",
		"cure": "Set super_username: postgres",
		"path": ["configuration", "users", "super_username"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
	every users in [{"super_username": "postgres"}, {"super_username": "${SUPERUSER}"}, {}] {
		not read(of_spilo, operator({"users": users})).refusals
	}
	not read({"dockerImage": "example.com/server:1"}, operator({"users": {"super_username": "dbadmin"}})).refusals
	not read(of_spilo, {}).refusals
}

beside(one, sidecar) := object.get(read({"additionalVolumes": [object.union({"name": "queries", "mountPath": "/etc/exporter", "volumeSource": {"configMap": {"name": "queries"}}}, one)], "sidecars": [sidecar]}, {}), "unresolved", [])

test_volume_beside_a_sidecar if {
	exporter := {"name": "exporter", "image": "exporter:1", "env": [{"name": "QUERIES", "value": "/etc/exporter/queries.yaml"}]}
	beside({}, exporter) == [{
		"reason": "Sidecar exporter reads /etc/exporter/queries.yaml, where additionalVolumes mounts queries in container postgres alone: it finds nothing there",
		"cure": "Set targetContainers: [exporter] there, or [all]",
		"level": "warning",
		"path": ["spec", "additionalVolumes", 0],
	}]
	count(beside({}, {"name": "exporter", "image": "exporter:1", "args": ["--queries=/etc/exporter/queries.yaml"]})) == 1
	every quiet in [
		{"name": "exporter", "image": "exporter:1"},
		object.union(exporter, {"volumeMounts": [{"name": "own", "mountPath": "/etc/exporter"}]}),
		object.union(exporter, {"env": [{"name": "QUERIES", "value": "/etc/exporters"}]}),
	] {
		beside({}, quiet) == []
	}
	beside({"targetContainers": ["exporter"]}, exporter) == []
}

refused(spec, content) := object.get(read(object.union({"postgresql": {"version": "17"}}, spec), operator(content)), "refusals", [])

test_namespaces_in_a_list if {
	refused({}, {"kubernetes": {"watched_namespace": "rds1,rds2"}}) == [{
		"reason": "watched_namespace is \"rds1,rds2\", which the operator takes for the name of one namespace, so that it creates no cluster in any",
		"cure": "Write one namespace, or * for all",
		"path": ["configuration", "kubernetes", "watched_namespace"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
	every watched in ["*", "shop", "${ONE},${TWO}"] {
		refused({}, {"kubernetes": {"watched_namespace": watched}}) == []
	}
}

test_init_containers_switched_off if {
	prepared := {"initContainers": [{"name": "date", "image": "busybox:1"}]}
	{fault.path | some fault in refused(prepared, {"kubernetes": {"enable_init_containers": false}})} == {["configuration", "kubernetes", "enable_init_containers"]}
	refused(prepared, {"kubernetes": {}}) == []
	refused({}, {"kubernetes": {"enable_init_containers": false}}) == []
}

test_containers_of_one_name if {
	{fault.path | some fault in refused({"sidecars": [{"name": "postgres"}, {"name": "a"}, {"name": "a"}, {"name": "b"}, {"name": "${C}"}, {"name": "${C}"}]}, {})} == {["spec", "sidecars", 0, "name"], ["spec", "sidecars", 2, "name"]}
}

test_options_of_a_wrong_type if {
	refused({}, {"connection_pooler": {"connection_pooler_number_of_instances": "2", "connection_pooler_max_db_connections": 60}, "kubernetes": {"enable_sidecars": "${SIDECARS}"}}) == [{
		"by": "The API server",
		"reason": "connection_pooler_number_of_instances is a text",
		"cure": "Write a whole number, without quotes",
		"path": ["configuration", "connection_pooler", "connection_pooler_number_of_instances"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
}

# A number of which kubectl says "must be of type string".
test_values_of_a_wrong_type if {
	wrong := {"databases": {"app": "app", "other": true}, "patroni": {"initdb": {"data-checksums": true, "encoding": "UTF8", "locale": null}}, "podAnnotations": {"a": 1, "b": "${B}"}, "serviceAnnotations": {"c": "1"}}
	{[fault.by, fault.path, fault.reason] | some fault in refused(wrong, {})} == {
		["The API server", ["spec", "databases", "other"], "other is true or false, and databases takes text only"],
		["The API server", ["spec", "patroni", "initdb", "data-checksums"], "data-checksums is true or false, and initdb takes text only"],
		["The API server", ["spec", "podAnnotations", "a"], "a is a number, and podAnnotations takes text only"],
	}
}

test_ranges_of_no_addresses if {
	{[fault.path, fault.cure] | some fault in refused({"allowedSourceRanges": ["10.0.0.0/8", "10.0.0.1", "10.0.0.0/33", "10.0.0/8", "2001:db8::/32", "${RANGE}"]}, {})} == {
		[["spec", "allowedSourceRanges", 1], "Write 10.0.0.1/32"],
		[["spec", "allowedSourceRanges", 2], "Write one as in 10.0.0.0/8"],
		[["spec", "allowedSourceRanges", 3], "Write one as in 10.0.0.0/8"],
	}
}

test_durations_without_unit if {
	refused({}, {"resync_period": "30"}) == [{
		"reason": "resync_period is \"30\", which is no duration, at which it stops when it starts, and no cluster is looked after",
		"cure": "Write it with its unit, such as 30s",
		"path": ["configuration", "resync_period"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
	{[fault.path, fault.cure] | some fault in refused({}, {"kubernetes": {"pod_terminate_grace_period": "5 minutes"}, "timeouts": {"ready_wait_timeout": "30", "resource_check_interval": "3s"}})} == {
		[["configuration", "kubernetes", "pod_terminate_grace_period"], "Write it with its unit, such as 5m"],
		[["configuration", "timeouts", "ready_wait_timeout"], "Write it with its unit, such as 30s"],
	}
	refused({}, {"resync_period": "1h30m", "repair_period": "0", "timeouts": {"ready_wait_timeout": "1.5h", "ready_wait_interval": "${INTERVAL}", "pod_label_wait_timeout": ""}}) == []
}

test_limits_of_instances if {
	refused({}, {"min_instances": 5, "max_instances": 2}) == [{
		"reason": "min_instances is 5 and max_instances 2, at which it stops when it starts, and no cluster is looked after",
		"cure": "Raise max_instances, or write -1 for no limit",
		"path": ["configuration", "max_instances"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
	every quiet in [{"min_instances": 2, "max_instances": 2}, {"min_instances": 2, "max_instances": -1}, {"min_instances": 2, "max_instances": 0}, {"min_instances": 2}, {"max_instances": 2}] {
		refused({}, quiet) == []
	}
}

pooler_of(configuration) := {[fault.path, fault.reason] | some fault in refused({}, configuration)}

test_pooler_of_the_superuser if {
	refused({}, {"connection_pooler": {"connection_pooler_user": "postgres"}}) == [{
		"reason": "connection_pooler_user is postgres, the operator's superuser, at which it stops when it starts, and no cluster is looked after",
		"cure": "Write a user of its own, such as pooler, or leave the option out",
		"path": ["configuration", "connection_pooler", "connection_pooler_user"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
	}]
	every quiet in [
		{"connection_pooler": {"connection_pooler_user": "pooler"}},
		{"connection_pooler": {"connection_pooler_user": "${USER}"}, "users": {"super_username": "${USER}"}},
		{"users": {"super_username": "postgres"}},
		{"connection_pooler": {"connection_pooler_user": "postgres"}, "users": {"super_username": "${USER}"}},
	] {
		pooler_of(quiet) == set()
	}
}

# Of an older operator, or a part of the whole.
of_map(data_of) := {[fault.path, fault.reason] |
	some fault in object.get(
		read({"postgresql": {"version": "17"}}, {"ops": {"v1": {"ConfigMap": {"main": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "main", "namespace": "ops"},
			"data": object.union({"cluster_name_label": "cluster-name"}, data_of),
		}}}}}),
		"refusals", [],
	)
}

stopped(name, what) := {[["data", name], sprintf("%s is %s, at which it stops when it starts, and no cluster is looked after", [name, what])]}

test_options_of_a_map_that_stop_it if {
	whole_map := {"docker_image": "ghcr.io/zalando/spilo-16:3.3-p3", "cluster_labels": "application:spilo", "pod_role_label": "spilo-role", "workers": "8"}
	of_map({"connection_pooler_user": "postgres", "super_username": "postgres"}) == stopped("connection_pooler_user", "postgres, the operator's superuser")
	of_map(object.union(whole_map, {"connection_pooler_user": "postgres"})) == stopped("connection_pooler_user", "postgres, the operator's superuser")
	of_map({"workers": "0"}) == stopped("workers", "0")
	of_map({"connection_pooler_number_of_instances": "-1"}) == stopped("connection_pooler_number_of_instances", "-1")
	of_map({"pod_deletion_wait_timeout": "10"}) == stopped("pod_deletion_wait_timeout", "\"10\", which is no duration")
	of_map({"min_instances": "3", "max_instances": "2"}) == {[["data", "max_instances"], "min_instances is 3 and max_instances 2, at which it stops when it starts, and no cluster is looked after"]}
	every quiet in [{"min_instances": "3", "max_instances": "-1"}, {"resync_period": "30m"}, {}, {"connection_pooler_user": "postgres"}, {"connection_pooler_user": "pooler", "super_username": "postgres"}, {"workers": "8", "connection_pooler_number_of_instances": "${N}"}] {
		of_map(quiet) == set()
	}
}

# The operator's own, or the one that it is told.
watching(content, more) := object.get(read({}, object.union(operator(content), more)), "unresolved", [])

unseen(text, level) := [{
	"reason": sprintf("The operator watches namespace %s: in shop it creates nothing, unless its WATCHED_NAMESPACE says otherwise", [text]),
	"cure": "Set watched_namespace to \"*\" or shop",
	"level": level,
	"path": ["metadata", "namespace"],
}]

own := "ops alone (its own, for watched_namespace is not set)"

whole_configuration := {"docker_image": "ghcr.io/zalando/spilo-16:3.3-p3", "kubernetes": {"cluster_labels": {"application": "spilo"}, "cluster_name_label": "cluster-name", "pod_role_label": "spilo-role"}}

test_namespace_that_is_not_watched if {
	watching({"kubernetes": {"watched_namespace": "staging"}}, {}) == unseen("staging alone", "warning")
	watching(whole_configuration, {}) == unseen(own, "info")
	watching(object.union(whole_configuration, {"kubernetes": {"watched_namespace": ""}}), {}) == unseen(own, "info")
	every quiet in ["*", "shop", "${NAMESPACE}", "shop,staging"] {
		watching({"kubernetes": {"watched_namespace": quiet}}, {}) == []
	}

	# A patch of the configuration.
	watching({"docker_image": "ghcr.io/zalando/spilo-16:3.3-p3", "kubernetes": {"pod_role_label": "spilo-role"}}, {}) == []
	watching(object.remove(whole_configuration, ["docker_image"]), {}) == []
}

deployed(container) := {"ops": {"apps/v1": {"Deployment": {"operator": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "operator", "namespace": "ops"}, "spec": {"template": {"spec": {"containers": [object.union({"name": "operator"}, container)]}}}}}}}}

# The operator itself is among the files, with or without the variable.
test_namespace_of_the_variable if {
	theirs := {"image": "ghcr.io/zalando/postgres-operator:v1.15.0"}
	watching(whole_configuration, deployed(theirs)) == unseen(own, "warning")
	watching(whole_configuration, deployed(object.union(theirs, {"env": [{"name": "WATCHED_NAMESPACE", "value": "*"}]}))) == []
	watching(whole_configuration, deployed({"image": "example.org/other:1"})) == unseen(own, "info")
}

maps(more) := object.get(
	read({}, {"ops": {"v1": {"ConfigMap": {"main": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "main", "namespace": "ops"},
		"data": object.union({"docker_image": "ghcr.io/zalando/spilo-16:3.3-p3", "cluster_labels": "application:spilo", "cluster_name_label": "cluster-name", "pod_role_label": "spilo-role", "workers": "8"}, more),
	}}}}}),
	"unresolved", [],
)

test_namespace_of_a_map if {
	maps({}) == unseen(own, "info")
	maps({"watched_namespace": "staging"}) == unseen("staging alone", "warning")
	maps({"watched_namespace": "${NAMESPACE}"}) == []
	maps({"watched_namespace": "*"}) == []
}

test_namespace_that_is_not_written if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders"}, "spec": {}}},
		"inventory": {"namespace": operator(whole_configuration)},
	}
	not found.unresolved
}

# --------------------------------------------------------------------------------------------------------- standby

standby(more, objects) := found if {
	found := [fault.reason |
		cluster := zalando.cluster with input as {
			"review": {"object": object.union({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": {"standby": {"standby_host": "primary.example.com"}}}, more)},
			"inventory": object.union({"namespace": {}}, objects),
		}
		some fault in object.get(cluster, "unresolved", [])
	]
}

of_shop(kinds) := {"namespace": {"shop": kinds}}

test_passwords_of_the_source if {
	read({"standby": {"standby_host": "primary.example.com"}}, {}).unresolved == [{
		"reason": "The standby has the passwords of its source, and no Secret postgres.acid-orders.credentials… was found: without it the operator makes up others, and replicas cannot log in",
		"cure": "Create those of postgres and standby first, with those of the source",
		"level": "info",
		"path": ["spec", "standby"],
	}]
	count(standby({"spec": {"standby": {"s3_wal_path": "s3://bucket/spilo"}}}, {})) == 1
}

test_passwords_that_are_there if {
	name := "postgres.acid-orders.credentials.postgresql.acid.zalan.do"
	standby({}, of_shop({"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}}}})) == []
	standby({}, of_shop({"external-secrets.io/v1": {"ExternalSecret": {"postgres": {"spec": {"target": {"name": name}}}}}})) == []
	standby({"status": {"PostgresClusterStatus": "Running"}}, {}) == []
	standby({"metadata": {"name": "${NAME}", "namespace": "shop"}}, {}) == []
	standby({"spec": {"standby": "${STANDBY}"}}, {}) == []
	standby({}, {"live": true}) == []
	not read({"standby": {"standby_host": "primary.example.com"}}, operator({"kubernetes": {"secret_name_template": "{username}-{cluster}"}, "workers": 8})).unresolved
	not read({}, {}).unresolved
}

# ---------------------------------------------------------------------------------------- Secrets of the environment

keys_named := operator({"kubernetes": {"pod_environment_secret": "keys"}, "logical_backup": {"logical_backup_cronjob_environment_secret": "dump-keys"}})

secret_in(namespace, name, more) := {namespace: {"v1": {"Secret": {name: object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}}, more)}}}}

keys_lacking(spec, others) := object.get(read(spec, object.union(keys_named, others)), "unresolved", [])

elsewhere(field, name, lacking) := {
	"reason": sprintf("%s names %s, which is read in the namespace of each cluster, shop, and is in ops: the operator creates no %s", [field, name, lacking]),
	"cure": "Create it in shop too",
	"level": "error",
	"path": ["metadata", "namespace"],
}

test_keys_beside_the_operator_alone if {
	keys_lacking({}, secret_in("ops", "keys", {})) == [elsewhere("pod_environment_secret", "keys", "StatefulSet")]
	keys_lacking({}, {"ops": {"external-secrets.io/v1": {"ExternalSecret": {"x": {"kind": "ExternalSecret", "metadata": {"name": "x"}, "spec": {"target": {"name": "keys"}}}}}}}) == [elsewhere("pod_environment_secret", "keys", "StatefulSet")]
	keys_lacking({"enableLogicalBackup": true}, secret_in("ops", "dump-keys", {})) == [elsewhere("logical_backup_cronjob_environment_secret", "dump-keys", "CronJob of the dumps")]
}

test_keys_that_may_be_there if {
	keys_lacking({}, {}) == []
	keys_lacking({}, secret_in("ops", "dump-keys", {})) == []
	keys_lacking({}, object.union(secret_in("ops", "keys", {}), secret_in("shop", "keys", {}))) == []
	keys_lacking({}, object.union(secret_in("ops", "keys", {}), {"shop": {"bitnami.com/v1alpha1": {"SealedSecret": {"keys": {"kind": "SealedSecret", "metadata": {"name": "keys"}}}}}})) == []
	keys_lacking({}, secret_in("ops", "keys", {"metadata": {"annotations": {"reflector.v1.k8s.emberstack.com/reflection-allowed": "true"}}})) == []
	keys_lacking({}, secret_in("other", "keys", {})) == []
	not read({}, object.union(operator({"kubernetes": {"pod_environment_secret": "${KEYS}"}}), secret_in("ops", "${KEYS}", {}))).unresolved
}
