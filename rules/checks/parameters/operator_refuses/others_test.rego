package walguard.checks.parameters.operator_refuses_others_test

import data.walguard.checks.parameters.operator_refuses as check

object_of(version, kind, name, content) := object.union({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}}, content)

said(reviewed, others) := {[split(f.message, "refuses this resource: ")[1], f.path] |
	found := check.findings with input as {
		"review": {"object": reviewed},
		"inventory": {"namespace": {"prod": object.union_n([{one.apiVersion: {one.kind: {one.metadata.name: one}}} | some one in others])}},
	}
	some f in found
}

words(reviewed) := {message | some [message, _] in said(reviewed, [])}

# --------------------------------------------------------------------------------------------------------- Zalando

zalando(spec) := object_of("acid.zalan.do/v1", "postgresql", "acid-orders", {"spec": object.union({"teamId": "acid", "numberOfInstances": 1, "postgresql": {"version": "17"}, "volume": {"size": "10Gi"}}, spec)})

test_windows if {
	said(zalando({"maintenanceWindows": ["22:00-02:00"]}), []) == {["maintenanceWindows has 22:00-02:00, which ends before it begins, so that the operator leaves the cluster alone. Write two windows, up to 23:59 and from 00:00.", ["spec", "maintenanceWindows", 0]]}
	every window in ["Mon 01:00-02:00", "Funday:01:00-02:00", "01:00", "25:00-26:00"] {
		words(zalando({"maintenanceWindows": [window]})) == {sprintf("maintenanceWindows has %s, which is no window that it reads. Write it as Mon:01:00-06:00 or 01:00-06:00, in UTC.", [window])}
	}
	every window in ["01:00-06:00", "Sat:00:00-04:00", "1:00-1:00", "Sun:08:09-09:08", "${WINDOW}"] {
		words(zalando({"maintenanceWindows": [window]})) == set()
	}
}

test_flags_against_each_other if {
	said(zalando({"users": {"app": ["SUPERUSER", "nosuperuser", "createdb"]}}), []) == {["user app has the flags superuser and nosuperuser at once. Leave one of them.", ["spec", "users", "app"]]}
	words(zalando({"users": {"app": ["nosuperuser", "createdb"], "other": "${FLAGS}"}})) == set()
}

test_name_of_a_source if {
	said(zalando({"clone": {"cluster": "Acid_Old"}}), []) == {["spec.clone names Acid_Old, which is no name of a Service, and the operator leaves this cluster alone. Write the name of the source as it is.", ["spec", "clone", "cluster"]]}
	every clone in [{"cluster": "acid-old"}, {"cluster": "${SOURCE}"}, {"cluster": "Acid_Old", "timestamp": "2026-01-01T00:00:00+00:00", "s3_wal_path": "s3://b/x"}] {
		words(zalando({"clone": clone})) == set()
	}
}

under(configuration) := {message |
	one := object_of("acid.zalan.do/v1", "OperatorConfiguration", "main", {"configuration": configuration})
	some [message, _] in said(zalando({}), [one])
}

under_map(data_of) := {message | some [message, _] in said(zalando({}), [object_of("v1", "ConfigMap", "main", {"data": object.union({"cluster_name_label": "cluster-name"}, data_of)})])}

test_options_of_the_operator if {
	under({"workers": "8", "kubernetes": {"enable_sidecars": true}}) == {"workers is a text. Write a whole number, without quotes."}
	under({"connection_pooler": {"connection_pooler_user": "postgres"}}) == {"connection_pooler_user is postgres, the operator's superuser, at which it stops when it starts, and no cluster is looked after. Write a user of its own, such as pooler, or leave the option out."}
	under({"connection_pooler": {"connection_pooler_user": "pooler"}}) == set()
	count(under_map({"connection_pooler_user": "admin", "super_username": "admin"})) == 1
	under_map({"workers": "0"}) == {"workers is 0, at which it stops when it starts, and no cluster is looked after. Write 1 at least."}
	under_map({"workers": "4", "connection_pooler_user": "postgres"}) == set()
}

test_sidecars_of_another_form if {
	said(zalando({"sidecars": [{"name": "exporter", "image": "e:1", "ports": {"containerPort": 9187}}]}), []) == {["ports is a map. Write a list.", ["spec", "sidecars", 0, "ports"]]}
}

test_standbys_of_nothing if {
	said(zalando({"standby": {}}), []) == {["standby names neither standby_host nor s3_wal_path or gs_wal_path. Write one of them, or take standby out.", ["spec", "standby"]]}
	words(zalando({"standby": {"s3_wal_path": "s3://b/x", "gs_wal_path": "gs://b/x"}})) == {"standby has both s3_wal_path and gs_wal_path. Leave one of them."}
	every standby in [{"standby_host": "a.example.com"}, {"standby_host": "a.example.com", "s3_wal_path": "s3://b/x"}, {"${KEY}": "x"}, null] {
		words(zalando({"standby": standby})) == set()
	}
}

configured(options) := object_of("acid.zalan.do/v1", "OperatorConfiguration", "conf", {"configuration": {"kubernetes": options}})

test_sidecars_switched_off if {
	cluster := zalando({"sidecars": [{"name": "a", "image": "a:1"}]})
	said(cluster, [configured({"enable_sidecars": false})]) == {["spec.sidecars is written, and enable_sidecars is false in the configuration of the operator, which then creates no StatefulSet. Set it to true, or take sidecars out.", ["configuration", "kubernetes", "enable_sidecars"]]}
	said(cluster, [configured({"enable_init_containers": false})]) == set()
	said(cluster, []) == set()
}

# --------------------------------------------------------------------------------------------------------- Percona

percona(spec) := object_of("pgv2.percona.com/v2", "PerconaPGCluster", "orders", {"spec": object.union({"crVersion": "2.9.0", "postgresVersion": 17, "instances": [{"name": "a", "dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}]}, spec)})

test_statistics_twice if {
	twice := "pg_stat_monitor and pg_stat_statements are both enabled (\"cannot both be enabled\"), and the operator creates and changes nothing. Set one of them to false."
	both := [{"builtin": {"pg_stat_monitor": true, "pg_stat_statements": true}}, {"pg_stat_monitor": {"enabled": true}, "pg_stat_statements": {"enabled": true}}, {"builtin": {"pg_stat_monitor": true}, "pg_stat_statements": {"enabled": true}}]
	every extensions in both {
		words(percona({"extensions": extensions})) == {twice}
	}
	words(percona({"crVersion": "3.0.0", "extensions": both[0]})) == {twice}
	every version in ["2.8.2", "2.10", "${VERSION}", null] {
		not twice in words(percona({"crVersion": version, "extensions": both[0]}))
	}
	words(percona({"extensions": {"builtin": {"pg_stat_monitor": false, "pg_stat_statements": true}, "pg_stat_monitor": {"enabled": true}}})) == set()
}

leveled(level) := {"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"wal_level": level}}}}}

test_level_of_wal if {
	words(percona(leveled("minimal"))) == {"wal_level is \"minimal\", where the operator takes logical and replica alone, and creates and changes nothing. Write logical, which is its default, or replica."}
	every level in ["logical", "replica", "${LEVEL}"] {
		words(percona(leveled(level))) == set()
	}
	words(percona(object.union(leveled("minimal"), {"crVersion": "2.8.0"}))) == set()
}

instance(sources) := {"instances": [{"name": "a", "envFrom": sources, "dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}]}

test_maps_for_secrets if {
	fault := "envFrom names a ConfigMap, where it reads secretRef of each entry (nil pointer), and it creates and changes nothing. Put the variables into a Secret."
	of_map := [{"configMapRef": {"name": "a"}}]
	of_secret := [{"secretRef": {"name": "a"}}]
	said(percona({"proxy": {"pgBouncer": {"envFrom": array.concat(of_secret, of_map)}}}), []) == {[fault, ["spec", "proxy", "pgBouncer", "envFrom", 1]]}
	said(percona(instance(of_map)), []) == {[fault, ["spec", "instances", 0, "envFrom", 0]]}
	words(percona(instance(of_secret))) == set()
}

asked(content) := object_of("pgv2.percona.com/v2", "PerconaPGBackup", "now", object.union({"spec": {"pgCluster": "orders", "repoName": "repo1"}}, content))

test_backup_without_backups if {
	said(percona({"backups": {"enabled": false}}), [asked({})]) == {["PerconaPGBackup now asks for a backup of a cluster with backups.enabled: false, and ends as Failed. Switch the backups on, or take it out.", ["spec", "pgCluster"]]}
	said(percona({"backups": {"enabled": false}}), [asked({"status": {"state": "Failed"}})]) == set()
	said(percona({}), [asked({})]) == set()
}

custom(more) := {"extensions": object.union({"custom": [{"name": "pg_cron", "version": "1.6"}]}, more)}

test_extensions_without_image if {
	stored := {"storage": {"secret": {"name": "keys"}}}
	words(percona(custom(stored))) == {"custom extensions stand without extensions.image, and the operator creates and changes nothing. Write extensions.image, from which they are installed."}
	words(percona(custom(object.union(stored, {"image": "percona/percona-postgresql-operator:2.9.0"})))) == set()
	words(percona(custom({}))) == set()
}

upgrade(former, later) := object_of("pgv2.percona.com/v2", "PerconaPGUpgrade", "up", {"spec": {"postgresClusterName": "orders", "fromPostgresVersion": former, "toPostgresVersion": later}})

test_upgrade_to_a_former_version if {
	said(percona({}), [upgrade(17, 16)]) == {["it is from PostgreSQL 17 to 16, which is no upgrade. Write a later version in toPostgresVersion.", ["spec", "toPostgresVersion"]]}
	said(percona({}), [upgrade(17, 18)]) == set()
}

# -------------------------------------------------------------------------------------------------------- Kubegres

kubegres(spec) := object_of("kubegres.reactive-tech.io/v1", "Kubegres", "orders", {"spec": object.union({"replicas": 3, "image": "postgres:17.6", "database": {"size": "10Gi"}}, spec)})

test_instances_of_kubegres if {
	said(kubegres({"replicas": 0}), []) == {["spec.replicas is 0, and the primary is one of them. Write at least 1.", ["spec", "replicas"]]}
	words(kubegres({"replicas": 1})) == set()
	words(kubegres({"replicas": "${REPLICAS}"})) == set()
}

test_volumes_of_kubegres if {
	said(kubegres({"volume": {"volumeClaimTemplates": [{"name": "postgres-db"}]}}), []) == {["spec.volume has postgres-db, a name that it keeps for itself. Call it otherwise.", ["spec", "volume", "volumeClaimTemplates", 0, "name"]]}
	words(kubegres({"volume": {"volumes": [{"name": "x-kube-api-y", "emptyDir": {}}]}})) == {"spec.volume has x-kube-api-y, a name that it keeps for itself. Call it otherwise."}
	said(kubegres({"volume": {"volumeMounts": [{"name": "x", "mountPath": "/var/lib/postgresql/data"}]}}), []) == {["spec.volume mounts x at /var/lib/postgresql/data, where the data are. Mount it elsewhere.", ["spec", "volume", "volumeMounts", 0, "mountPath"]]}
	words(kubegres({"database": {"size": "10Gi", "volumeMount": "/data"}, "volume": {"volumeMounts": [{"name": "x", "mountPath": "/data"}]}})) == {"spec.volume mounts x at /data, where the data are. Mount it elsewhere."}
	words(kubegres({"volume": {"volumeMounts": [{"name": "backup", "mountPath": "/backup"}]}})) == set()
}

# ------------------------------------------------------------------------------------------------------ KubeBlocks

kubeblocks(spec, component) := object_of("apps.kubeblocks.io/v1", "Cluster", "orders", {"spec": object.union({"terminationPolicy": "Delete", "clusterDef": "postgresql", "componentSpecs": [object.union({"name": "postgresql", "serviceVersion": "16.4.0", "replicas": 2}, component)]}, spec)})

test_topology if {
	said(kubeblocks({"topology": "standalone"}, {}), []) == {["its ClusterDefinition postgresql has no topology standalone, and nothing is created. Write replication, which a single replica has too, or take topology out.", ["spec", "topology"]]}
	said(kubeblocks({}, {"name": "pg"}), []) == {["topology replication has no component pg, and nothing is created. Call it postgresql.", ["spec", "componentSpecs", 0, "name"]]}
	every topology in ["", "replication", "${TOPOLOGY}"] {
		words(kubeblocks({"topology": topology}, {})) == set()
	}
	words(kubeblocks({}, {"name": "${NAME}"})) == set()

	# Definitions of one's own, and others.
	words(kubeblocks({"clusterDef": "mine", "topology": "ha"}, {"name": "pg", "componentDef": "postgresql"})) == set()
	check.findings == set() with input as {
		"review": {"object": kubeblocks({"topology": "ha"}, {})},
		"inventory": {"cluster": {"apps.kubeblocks.io/v1": {"ClusterDefinition": {"postgresql": {"apiVersion": "apps.kubeblocks.io/v1", "kind": "ClusterDefinition", "metadata": {"name": "postgresql"}}}}}},
	}
}

request(component) := object_of("operations.kubeblocks.io/v1alpha1", "OpsRequest", "again", {"spec": {"clusterName": "orders", "type": "Restart", "restart": [{"componentName": component}]}})

test_request_for_another_component if {
	said(request("pg"), [kubeblocks({}, {})]) == {["Cluster orders has no component pg, and the request fails. Write postgresql.", ["spec", "restart", 0, "componentName"]]}
	every name in ["postgresql", "${NAME}"] {
		said(request(name), [kubeblocks({}, {})]) == set()
	}
	said(request("pg"), []) == set()
	said(request("pg"), [kubeblocks({"componentSpecs": [{"name": "postgresql", "componentDef": "postgresql"}, {"name": "${OTHER}"}]}, {})]) == set()
}

# A file of the configuration that is nowhere.
server_with(image, args, mounted) := {[f.message, f.path] | some f in found} if found := check.findings with input as {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"selector": {"matchLabels": {"app": "orders"}}, "template": {"metadata": {"labels": {"app": "orders"}}, "spec": {
		"containers": [{"name": "postgres", "image": image, "args": args, "volumeMounts": [{"name": "conf", "mountPath": mounted}]}],
		"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
	}}},
}}}

test_configuration_that_is_nowhere if {
	server_with("postgres:17.6", ["-c", "config_file=/etc/postgresql/postgresql.conf"], "/etc/postgres") == {[
		"PostgreSQL refuses this resource: config_file names /etc/postgresql/postgresql.conf, which the image does not have and no volume brings, so that the server does not start. Mount it there, or name the place where it is mounted.",
		["spec", "template", "spec", "containers", 0],
	]}
	count(server_with("postgis/postgis:17-3.5", ["-c", "hba_file=/config/pg_hba.conf"], "/etc")) == 1
	every args in [["-c", "config_file=/etc/postgresql/$(FILE)"], ["-c", "config_file=/etc/${FILE}"], ["-c", "config_file=/usr/share/a.conf"], ["-c", "config_file=postgresql.conf"], []] {
		server_with("postgres:17.6", args, "/etc/postgres") == set()
	}
	server_with("postgres:17.6", ["-c", "config_file=/etc/postgresql/postgresql.conf"], "/etc/postgresql") == set()
	server_with("postgres:17.6", ["-c", "config_file=/etc/postgresql/postgresql.conf"], "${AT}") == set()
	every own in ["corp.example/database:17", "supabase/postgres:17.6.1.084", "docker.io/team/postgres:17"] {
		server_with(own, ["-c", "config_file=/etc/postgresql/postgresql.conf"], "/etc/postgres") == set()
	}
}

test_quotes_without_a_shell if {
	server_with("postgres:17.6", ["-c", "listen_addresses='*'"], "/a") == {[
		"PostgreSQL refuses this resource: the quotes of listen_addresses='*' belong to the value, as no shell takes them off, and the server does not start. Write listen_addresses=*.",
		["spec", "template", "spec", "containers", 0, "args", 1],
	]}
	every args in [["-c", "listen_addresses=*"], ["-c", "listen_addresses=\"*\""], ["-c", "log_line_prefix='%m '"], ["-c", "listen_addresses='$(HOST)'"]] {
		server_with("postgres:17.6", args, "/a") == set()
	}
	server_with("postgres:17.6", ["sh", "-c", "exec docker-entrypoint.sh postgres -c listen_addresses='*'"], "/a") == set()
}
