package walguard.checks.parameters.ignored_test

import data.walguard.checks.parameters.ignored as check

cluster := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"clusterDef": "postgresql", "componentSpecs": [{"name": "postgresql", "serviceVersion": "16.4.0"}]},
}

change(component) := {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{
		"componentName": component,
		"parameters": [{"key": "work_mem", "value": "64MB"}],
	}]},
}

findings(component) := found if {
	found := check.findings with input as {
		"review": {"object": change(component)},
		"inventory": {"namespace": {"prod": {"apps.kubeblocks.io/v1": {"Cluster": {"orders": cluster}}}}},
	}
}

test_no_such_component if {
	findings("postgres") == {{
		"message": "work_mem has no effect here: the Cluster has no component postgres.",
		"path": ["spec", "reconfigures", 0, "parameters", 0, "value"],
	}}
}

# crunchy_ign: one level is missing, and Patroni passes over it.
test_beside_parameters if {
	crunchy := {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"postgresVersion": 16,
			"patroni": {"dynamicConfiguration": {"synchronous_mode": true, "postgresql": {
				"max_wal_size": "5GB",
				"use_slots": true,
				"parameters": {"max_connections": 500},
			}}},
		},
	}
	expected := {{
		"message": "max_wal_size has no effect here: Patroni reads parameters below dynamicConfiguration.postgresql.parameters only.",
		"path": ["spec", "patroni", "dynamicConfiguration", "postgresql", "max_wal_size"],
		"fix": [{
			"op": "move",
			"from": "/spec/patroni/dynamicConfiguration/postgresql/max_wal_size",
			"path": "/spec/patroni/dynamicConfiguration/postgresql/parameters/max_wal_size",
		}],
	}}
	check.findings == expected with input as {"review": {"object": crunchy}}
	percona := object.union(crunchy, {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"})
	check.findings == expected with input as {"review": {"object": percona}}
}

test_what_is_in_force_anyhow if {
	review := {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"postgresVersion": 16,
			"patroni": {"dynamicConfiguration": {"postgresql": {"synchronous_commit": "on", "parameters": {"max_connections": 500}}}},
		},
	}}}
	path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "synchronous_commit"]
	check.findings == {{
		"message": "synchronous_commit has no effect here: Patroni reads parameters below dynamicConfiguration.postgresql.parameters only. The server has this value anyhow.",
		"path": path,
		"severity": "info",
		"fix": [{
			"op": "move",
			"from": "/spec/patroni/dynamicConfiguration/postgresql/synchronous_commit",
			"path": "/spec/patroni/dynamicConfiguration/postgresql/parameters/synchronous_commit",
		}],
	}} with input as review
	at := sprintf("/review/object/%s", [concat("/", path)])
	{f.path | some f in check.findings; not f.severity} == {path} with input as json.patch(review, [{"op": "replace", "path": at, "value": "off"}])
	{f.path | some f in check.findings; not f.severity} == {path} with input as json.patch(review, [{"op": "replace", "path": at, "value": "sometimes"}])
	decided := {"op": "add", "path": "/review/object/spec/patroni/dynamicConfiguration/postgresql/parameters/synchronous_commit", "value": "off"}
	{f.path | some f in check.findings; not f.severity} == {path} with input as json.patch(review, [decided])
}

test_beside_parameters_of_zalando if {
	check.findings == {{
		"message": "work_mem has no effect here: the operator reads parameters below spec.postgresql.parameters only.",
		"path": ["spec", "postgresql", "work_mem"],
		"fix": [{"op": "move", "from": "/spec/postgresql/work_mem", "path": "/spec/postgresql/parameters/work_mem"}],
	}} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "work_mem": "8MB", "parameters": {"jit": "off"}}},
	}}}
}

zalando(postgresql) := {object.get(f, "fix", "none") | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": object.union({"version": "17"}, postgresql)},
	}}}
}

# It is set there already, there is no such map, the value would be read as another one, or the operator sets it.
test_no_fix_where_it_would_change_more if {
	zalando({"work_mem": "8MB", "parameters": {"Work_mem": "4MB"}}) == {"none"}
	zalando({"work_mem": "8MB"}) == {"none"}
	zalando({"work_mem": 8192, "parameters": {"jit": "off"}}) == {"none"}
	zalando({"port": "6432", "parameters": {"jit": "off"}}) == {"none"}
}

test_component if findings("postgresql") == set()

test_silent_when_the_cluster_is_not_in_sight if {
	check.findings == set() with input as {"review": {"object": change("postgres")}}
}

test_annotation if {
	noted := object.union(cluster, {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": `{"postgres": {"assignments": {"jit": "on"}}}`}}})
	{f.path | some f in check.findings} == {["metadata", "annotations", "config.kubeblocks.io/init-parameters"]} with input as {"review": {"object": noted}}
}

misplaced(configuration) := {f.path | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "patroni": {"dynamicConfiguration": configuration}},
	}}}
}

# postgres-operator 3961: below standby_cluster, and as a list.
test_elsewhere_in_patroni if {
	at := ["spec", "patroni", "dynamicConfiguration"]
	misplaced({"standby_cluster": {"max_connections": 500, "restore_command": "x", "port": 5432, "parameters": {"wal_keep_size": "4GB"}}}) == {
		array.concat(at, ["standby_cluster", "max_connections"]),
		array.concat(at, ["standby_cluster", "parameters", "wal_keep_size"]),
	}
	misplaced({"parameters": {"max_connections": 500}}) == {array.concat(at, ["parameters", "max_connections"])}
	listed := {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "patroni": {"dynamicConfiguration": {"postgresql": {"parameters": [{"max_connections": 500}, "jit"]}}}},
	}}}
	check.findings == {{
		"message": "max_connections has no effect here: parameters is a list here and not a map, so that Patroni fails at every reload and takes none of its configuration.",
		"path": array.concat(at, ["postgresql", "parameters", 0, "max_connections"]),
		"severity": "error",
	}} with input as listed
	misplaced({"standby_cluster": {"primary_slot_name": "x"}, "loop_wait": 10}) == set()
}

asked(parameters, own) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": own}]},
	}},
	"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"daily": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "ScheduledBackup",
		"metadata": {"name": "daily", "namespace": "prod"},
		"spec": {"cluster": {"name": "orders"}, "method": "plugin", "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io", "parameters": parameters}},
	}}}}}},
}

test_store_of_a_backup if {
	asked({"barmanObjectName": "second"}, {"barmanObjectName": "first"}) == {{
		"message": "barmanObjectName has no effect here: the plugin reads barmanObjectName in spec.plugins of the Cluster only, and backs up to ObjectStore first.",
		"path": ["spec", "pluginConfiguration", "parameters", "barmanObjectName"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "name": "daily", "namespace": "prod"},
	}}
	{f.path | some f in asked({"serverName": "old"}, {"barmanObjectName": "first"})} == {["spec", "pluginConfiguration", "parameters", "serverName"]}
	asked({"barmanObjectName": "first", "serverName": "orders"}, {"barmanObjectName": "first"}) == set()
	asked({"barmanObjectName": "${STORE}"}, {"barmanObjectName": "first"}) == set()
	asked({"barmanObjectName": "second"}, {}) == set()
}

options(text) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [{"name": "PGOPTIONS", "value": text}]}]}}},
	}}}
}

test_options_of_clients if {
	options("-c max_connections=300") == {"max_connections has no effect here: programs that connect read PGOPTIONS, and the server its arguments and postgresql.conf (write args: [-c, …])."}
	count(options("-cmax_connections=300 --shared_buffers=1GB")) == 2
	options("-c search_path=app --client-min-messages=warning") == set()
}

patroni(text) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "patroni", "image": "registry.example.com/patroni:4", "command": ["patroni", "/etc/patroni.yaml"], "volumeMounts": [{"name": "conf", "mountPath": "/etc/patroni.yaml", "subPath": "patroni.yaml"}]}],
			"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"patroni.yaml": text}}}}}}},
}

configuration(beside, below, member) := concat("\n", array.concat(
	["bootstrap:", "  dcs:", "    postgresql:", "      use_slots: true"],
	array.concat(
		array.concat(beside, ["      parameters:", "        max_wal_size: 4GB"]),
		array.concat(below, array.concat(["postgresql:", "  listen: 0.0.0.0:5432", "  parameters:", "    work_mem: 8MB"], member)),
	),
))

test_beside_parameters_of_patroni if {
	patroni(configuration(["      max_connections: 256"], [], [])) == {{
		"message": "max_connections has no effect here: Patroni reads parameters below postgresql.parameters only.",
		"path": ["data", "patroni.yaml"],
		"line": 5,
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "conf", "namespace": "prod"},
	}}
}

test_of_one_member if {
	{[f.line, f.message] | some f in patroni(configuration([], [], ["    max_connections: 500"]))} == {[11, "max_connections has no effect here: Patroni takes it from bootstrap.dcs.postgresql.parameters, and not from the part of a single member."]}
	patroni(configuration([], ["        max_connections: 500"], ["    max_connections: 500"])) == set()
	count(patroni(configuration([], ["        max_connections: 200"], ["    max_connections: 500"]))) == 1
	patroni(configuration([], [], ["    shared_buffers: 1GB"])) == set()
}

test_of_spilo if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "spilo", "image": "ghcr.io/zalando/spilo-17:4.0-p3", "env": [{"name": "SPILO_CONFIGURATION", "value": `{"postgresql": {"parameters": {"max_connections": 500, "work_mem": "8MB"}, "shared_buffers": "1GB"}}`}]}]}}},
	}}}
	{f.message | some f in found} == {
		"max_connections has no effect here: Patroni takes it from bootstrap.dcs.postgresql.parameters, and not from the part of a single member.",
		"shared_buffers has no effect here: Patroni reads parameters below postgresql.parameters only.",
	}
}

annotated(kubernetes) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": {"numberOfInstances": 2}}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "main", "namespace": "ops"},
			"configuration": {"kubernetes": kubernetes},
		}}}}}},
	}
}

test_options_among_annotations if {
	option := {"enable_cross_namespace_secret": "true"}
	annotated({"custom_pod_annotations": object.union(option, {"consul.hashicorp.com/connect-inject": "true"})}) == {{
		"message": "enable_cross_namespace_secret has no effect here: custom_pod_annotations are annotations of the pods, and the operator looks for this option in configuration.kubernetes, so move it there.",
		"path": ["configuration", "kubernetes", "custom_pod_annotations", "enable_cross_namespace_secret"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "main", "namespace": "ops"},
		"severity": "warning",
	}}
	annotated(object.union({"custom_pod_annotations": option}, {"enable_cross_namespace_secret": true})) == set()
	annotated({"custom_pod_annotations": {"enable_something": "true"}}) == set()
}

# What Zalando's operator takes its options from.
taken(env, objects) := {[f.severity, f.message, f.resource.kind, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": {"numberOfInstances": 1}}},
		"inventory": {"namespace": {"ops": object.union(
			{"apps/v1": {"Deployment": {"postgres-operator": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "postgres-operator", "namespace": "ops"},
				"spec": {"template": {"spec": {"containers": [{"image": "ghcr.io/zalando/postgres-operator:v1.14.0", "env": env}]}}},
			}}}},
			objects,
		)}},
	}
}

reading(name) := [{"name": "POSTGRES_OPERATOR_CONFIGURATION_OBJECT", "value": name}]

configuration_called(name) := {"acid.zalan.do/v1": {"OperatorConfiguration": {name: {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": name, "namespace": "ops"}, "configuration": {"kubernetes": {"pod_environment_configmap": "ops/pods"}}}}}}

operators_map := {"v1": {"ConfigMap": {"postgres-operator": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "postgres-operator", "namespace": "ops"}, "data": {"cluster_name_label": "cluster-name", "pod_role_label": "spilo-role", "docker_image": "ghcr.io/zalando/spilo-16:3.3-p1", "workers": "8"}}}}}

test_configuration_that_the_operator_does_not_read if {
	taken(reading("one"), configuration_called("other")) == {["error", "OperatorConfiguration other has no effect here: Deployment postgres-operator of the operator reads OperatorConfiguration one, so give it that name.", "OperatorConfiguration", ["metadata", "name"]]}
	taken(reading("one"), configuration_called("one")) == set()
	taken(reading("$(NAME)"), configuration_called("other")) == set()
	elsewhere := {"acid.zalan.do/v1": {"OperatorConfiguration": {"other": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "other", "namespace": "prod"}, "configuration": {}}}}}
	{severity | some [severity, _, _, _] in taken(reading("one"), elsewhere)} == {"warning"}
	{message | some [_, message, _, _] in taken([{"name": "CONFIG_MAP_NAME", "value": "postgres-operator"}], configuration_called("other"))} == {"OperatorConfiguration other has no effect here: Deployment postgres-operator of the operator reads ConfigMap postgres-operator, so set POSTGRES_OPERATOR_CONFIGURATION_OBJECT: other there."}
	taken([{"name": "CONFIG_MAP_NAME", "value": "postgres-operator"}], object.union(operators_map, configuration_called("other"))) == set()
	taken([], configuration_called("other")) == set()
}

test_map_that_the_operator_does_not_read if {
	taken(reading("one"), operators_map) == {["error", "ConfigMap postgres-operator has no effect here: Deployment postgres-operator of the operator reads OperatorConfiguration one and no ConfigMap, so write it there, or take POSTGRES_OPERATOR_CONFIGURATION_OBJECT out.", "ConfigMap", ["metadata", "name"]]}
	taken(reading("one"), object.union(operators_map, configuration_called("one"))) == set()
	taken([{"name": "CONFIG_MAP_NAME", "value": "postgres-operator"}], operators_map) == set()
}
