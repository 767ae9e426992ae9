package walguard.alone_test

import data.main
import data.walguard.alone

belonging(kind, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": "it", "namespace": "shop"}, "spec": object.union({"cluster": {"name": "pg"}}, spec)}

pooler := belonging("Pooler", {"instances": 2, "type": "rw", "pgbouncer": {"poolMode": "session", "parameters": {"max_client_connection": "500"}}})

store(endpoint) := {
	"apiVersion": "barmancloud.cnpg.io/v1",
	"kind": "ObjectStore",
	"metadata": {"name": "it"},
	"spec": {"configuration": {
		"destinationPath": "s3://backups/",
		"endpointURL": endpoint,
		"s3Credentials": {"accessKeyId": {"name": "s3", "key": "id"}, "secretAccessKey": {"name": "s3", "key": "secret"}},
	}},
}

cluster := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"instances": 1}}

# The check, the severity and the resource.
found(o, objects) := {[f.check, f.severity, f.resource] |
	some f in alone.findings with input as {"review": {"object": o}, "inventory": {"namespace": {"shop": objects}}}
}

of(o) := {"apiVersion": o.apiVersion, "kind": o.kind, "namespace": object.get(o, ["metadata", "namespace"], ""), "name": "it"}

test_pooler_without_its_cluster if {
	found(pooler, {}) == {["parameters/operator_refuses", "error", of(pooler)]}
	found(belonging("Pooler", {"instances": 2, "pgbouncer": {"poolMode": "session", "parameters": {"max_client_conn": "500"}}}), {}) == set()
}

test_its_cluster_says_it_itself if {
	found(pooler, {cluster.apiVersion: {"Cluster": {"pg": cluster}}}) == set()
	found(pooler, {cluster.apiVersion: {"Cluster": {"other": cluster}}}) != set()
}

test_on_a_live_cluster_the_cluster_is_judged if {
	alone.findings == set() with input as {"review": {"object": pooler, "operation": "CREATE"}}
	alone.findings == set() with input as {"review": {"object": pooler}, "inventory": {"live": true}}
}

test_schedule_of_each_method if {
	every method in [{}, {"method": "volumeSnapshot"}, {"method": "plugin", "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}}] {
		found(belonging("ScheduledBackup", object.union({"schedule": "0 3 * * *"}, method)), {}) == {["backup/schedule_invalid", "warning", of(belonging("ScheduledBackup", {}))]}
		found(belonging("ScheduledBackup", object.union({"schedule": "0 0 3 * * *"}, method)), {}) == set()
		found(belonging("Backup", method), {}) == set()
	}
	found(belonging("ScheduledBackup", {"schedule": "0 3 * * *", "method": "tape"}), {}) == set()
}

test_database if {
	found(belonging("Database", {"name": "shop"}), {}) == {["parameters/operator_refuses", "error", of(belonging("Database", {}))]}
	found(belonging("Database", {"name": "shop", "owner": "somebody"}), {}) == set()
}

test_store if {
	found(store("https://s3.fr-par.scw.cloud"), {}) == {["backup/store_refuses", "warning", of(store(""))]}
	found(store("https://s3.eu-west-1.amazonaws.com"), {}) == set()
	found(store("https://s3.fr-par.scw.cloud"), {cluster.apiVersion: {"Cluster": {"pg": cluster}}}) == set()
}

options(kubernetes) := {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "it", "namespace": "shop"}, "configuration": {"kubernetes": kubernetes}}

test_configuration_of_zalandos_operator if {
	misplaced := options({"custom_pod_annotations": {"enable_cross_namespace_secret": "true"}})
	found(misplaced, {}) == {["parameters/ignored", "warning", of(misplaced)]}
	found(options({"enable_cross_namespace_secret": true}), {}) == set()
	found(misplaced, {"acid.zalan.do/v1": {"postgresql": {"acid-db": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "shop"}, "spec": {"numberOfInstances": 1}}}}}) == set()
}

options_as_text(data_of) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "it", "namespace": "shop"}, "data": data_of}

# The older form of it.
test_map_of_zalandos_operator if {
	stops := options_as_text({"cluster_name_label": "cluster-name", "super_username": "postgres", "connection_pooler_user": "postgres"})
	found(stops, {}) == {["parameters/operator_refuses", "error", of(stops)]}
	found(options_as_text({"cluster_name_label": "cluster-name", "connection_pooler_user": "pooler"}), {}) == set()
	found(options_as_text({"WAL_S3_BUCKET": "b", "connection_pooler_user": "postgres"}), {}) == set()
	found(stops, {"acid.zalan.do/v1": {"OperatorConfiguration": {"other": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "other", "namespace": "shop"}, "configuration": {}}}}}) == set()
	found(stops, {"acid.zalan.do/v1": {"postgresql": {"acid-db": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "shop"}, "spec": {"numberOfInstances": 1}}}}}) == set()
}

# What the configuration names is told of where it stands.
test_variables_that_the_configuration_names if {
	pods := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "shop"}, "data": {"wal_s3_bucket": "b", "USE_WALG_BACKUP": "true"}}
	found(options({"pod_environment_configmap": "shop/pods"}), {"v1": {"ConfigMap": {"pods": pods}}}) == {["backup/option_unknown", "error", {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "pods"}]}
}

test_recognised if {
	main.judgement.recognised with input as {"review": {"object": pooler}}
	not alone.recognised with input as {"review": {"object": cluster}}
	not alone.recognised with input as {"review": {"object": {"apiVersion": "v1", "kind": "Pooler", "metadata": {"name": "it"}, "spec": {"cluster": {"name": "pg"}}}}}
	not alone.recognised with input as {"review": {"object": belonging("Pooler", {"cluster": {"name": 5}})}}
}

test_file_with_the_pooler_alone if {
	{f.check | some f in main.findings with input as [{"path": "p.yaml", "contents": pooler}]} == {"parameters/operator_refuses"}
	{f.check | some f in main.findings with input as {"review": {"object": pooler}}} == {"parameters/operator_refuses"}
	count([1 | some f in main.findings with input as [{"path": "p.yaml", "contents": pooler}, {"path": "c.yaml", "contents": cluster}]; f.check == "parameters/operator_refuses"]) == 1
}
