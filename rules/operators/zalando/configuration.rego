package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.lib.watch

# METADATA
# description: |
#   The configuration of the operator, where exactly one is in sight, in the form of an OperatorConfiguration. The older way is a ConfigMap (CONFIG_MAP_NAME), which the operator does not read
#   where it is given an OperatorConfiguration (cmd/main.go, pkg/controller/controller.go).
configuration := get.map(configurations[0], "configuration") if count(configurations) == 1

configuration := settings_of_map if {
	count(configurations) == 0
	count(operator_maps) == 1
	whole(operator_maps[0])
}

# Where the findings of a field of it lead.
configured_at(section, _) := {"path": array.concat(["configuration"], section), "resource": k8s.reference(configurations[0])} if count(configurations) == 1

configured_at(_, field) := {"path": array.concat(["data"], field), "resource": k8s.reference(operator_maps[0])} if count(configurations) == 0

configurations := inventory.everywhere("acid.zalan.do/v1", "OperatorConfiguration")

# ConfigMaps of the operator: each has a key that is nobody else's. Some (wal_s3_bucket) are taken for variables of the pods.
operator_maps := [one |
	recognised
	some one in inventory.everywhere("v1", "ConfigMap")
	data_of := get.map(one, "data")
	count([1 | some name in keys_of_its_own; is_string(data_of[name])]) > 0
]

keys_of_its_own := {
	"cluster_name_label", "enable_team_id_clustername_prefix", "pod_environment_configmap", "pod_environment_secret", "pod_role_label", "pod_service_account_name",
	"logical_backup_docker_image",
}

# A few keys may be a patch of another one.
whole(map_of) if {
	data_of := map_of.data
	data_of.docker_image
	count([1 | some name in keys_of_maps; data_of[name]]) > 3
}

keys_of_maps := keys_of_its_own | {
	"api_port", "cluster_domain", "cluster_labels", "debug_logging", "enable_pod_disruption_budget", "pod_terminate_grace_period", "replication_username", "resync_period", "super_username",
	"watched_namespace", "workers",
}

# All are texts in one map (pkg/util/config/config.go), of which each section of an OperatorConfiguration has some under the same name.
settings_of_map := object.union(
	flat,
	{section: flat | some section in ["aws_or_gcp", "kubernetes", "load_balancer", "logical_backup", "postgres_pod_resources", "teams_api", "users"]},
)

# The one default that differs.
flat := object.union({"enable_teams_api": true}, {name: typed(name, value) |
	some name, value in get.map(operator_maps[0], "data")
	is_string(value)
	value != ""
	not placeholder.unknown(value)
})

typed(name, value) := split(replace(value, " ", ""), ",") if {
	name in {"inherited_labels", "protected_role_names"}
} else := object.union_n([{parts[0]: parts[1]} |
	some pair in split(value, ",")
	parts := split(pair, ":")
	count(parts) == 2
]) if {
	name == "custom_pod_annotations"
} else := to_number(value) if {
	name in {"spilo_runasuser", "spilo_runasgroup", "spilo_fsgroup"}
	regex.match(`^[0-9]+$`, value)
} else := get.lower_case(value) == "true" if {
	get.lower_case(value) in {"true", "false"}
} else := value

configuration_or_none := configuration

configuration_or_none := {} if not configuration

# Of its own ConfigMap the operator takes its options (NewFromMap of pkg/util/config/config.go), and the pods have the variables of those that pod_environment_configmap and pod_environment_secret name.
variables_of_nobody := [{
	"name": name,
	"path": ["data", name],
	"resource": k8s.reference(map_of),
	"reason": sprintf("the operator takes its options from this ConfigMap and gives pods none of %s, so write %s into the ConfigMap that pod_environment_configmap names", [amount[0], amount[1]]),
	"level": "warning",
} |
	count(configurations) == 0
	count(operator_maps) == 1
	map_of := operator_maps[0]
	named := object.get(map_of.data, "pod_environment_configmap", "")
	not placeholder.holds(named)
	not regex.match(sprintf(`(^|/)%s$`, [text.literal(map_of.metadata.name)]), named)
	names := [of_pods |
		some pattern in [`^(WAL_S3_BUCKET|WAL_GS_BUCKET|WALE_S3_PREFIX|WALG_S3_PREFIX)$`, `^(USE_WAL[GE]_|WALG_|WALE_|AWS_|BACKUP_|CLONE_|STANDBY_|SPILO_)[A-Z0-9_]+$`]
		some of_pods in sort(object.keys(map_of.data))
		regex.match(pattern, of_pods)
	]
	name := names[0]
	count([1 | some other in inventory.everywhere("v1", "ConfigMap"); other.metadata.name != map_of.metadata.name; get.present(other, ["data", name])]) == 0
	amount := {true: ["its variables", "it"], false: [sprintf("its %d variables", [count(names)]), "them"]}[count(names) == 1]
]

# POSTGRES_OPERATOR_CONFIGURATION_OBJECT names the one that the operator reads, in its own namespace, and the ConfigMap of CONFIG_MAP_NAME is left alone then (cmd/main.go, pkg/controller/controller.go).
configurations_of_nobody := [{
	"name": sprintf("%s %s", [one.kind, one.metadata.name]),
	"path": ["metadata", "name"],
	"resource": k8s.reference(one),
	"reason": sprintf("Deployment %s of the operator %s", [deployed.name, why]),
	"level": {true: "error", false: "warning"}[deployed.home == get.string(one, ["metadata", "namespace"])],
} |
	recognised
	count(operators_running) == 1
	some deployed in operators_running
	some one in array.concat(configurations, [map_of | count(configurations) == 0; some map_of in operator_maps])
	why := unread_by(deployed, one)
]

unread_by(running, one) := sprintf("reads ConfigMap %s, so set POSTGRES_OPERATOR_CONFIGURATION_OBJECT: %s there", [running.map, one.metadata.name]) if {
	one.kind == "OperatorConfiguration"
	count(operator_maps) == 0
	running.map
} else := sprintf("reads OperatorConfiguration %s, so give it that name", [running.reads]) if {
	one.kind == "OperatorConfiguration"
	one.metadata.name != running.reads
	not placeholder.holds(one.metadata.name)
} else := sprintf("reads OperatorConfiguration %s and no ConfigMap, so write it there, or take POSTGRES_OPERATOR_CONFIGURATION_OBJECT out", [running.reads]) if {
	one.kind == "ConfigMap"
}

operators_running := {object.union({"name": one.name, "home": one.home}, source) |
	some one in watch.in_sight(`^postgres-operator$`)
	source := source_of_options(one)
}

source_of_options(one) := {"reads": named_by(one, "POSTGRES_OPERATOR_CONFIGURATION_OBJECT")} if {
	count([1 | some variable in one.variables; get.string(variable, "name") == "POSTGRES_OPERATOR_CONFIGURATION_OBJECT"]) > 0
} else := {"map": named_by(one, "CONFIG_MAP_NAME")}

named_by(one, name) := value if {
	some variable in one.variables
	get.string(variable, "name") == name
	value := get.string(variable, "value")
	not placeholder.holds(value)
}

# One level too deep in an OperatorConfiguration, or in the values of the chart that it is made from.
options_among_annotations := [{
	"name": name,
	"path": ["configuration", "kubernetes", "custom_pod_annotations", name],
	"resource": k8s.reference(configurations[0]),
	"reason": "custom_pod_annotations are annotations of the pods, and the operator looks for this option in configuration.kubernetes, so move it there",
	"level": "warning",
} |
	recognised
	some name in [
		"enable_cross_namespace_secret", "enable_finalizers", "enable_init_containers", "enable_owner_references", "enable_persistent_volume_claim_deletion", "enable_pod_antiaffinity",
		"enable_pod_disruption_budget", "enable_readiness_probe", "enable_secrets_deletion", "enable_sidecars",
	]
	get.present(configuration, ["kubernetes", "custom_pod_annotations", name])
	not get.present(configuration, ["kubernetes", name])
]

# Names of variables of the pods among the options, in small letters: the definition of the resource has none of them, and the API server takes them out.
options_of_nobody := [{
	"name": name,
	"path": ["configuration", "aws_or_gcp", name],
	"resource": k8s.reference(configurations[0]),
	"reason": sprintf("the operator has no such option, so write %s into the ConfigMap that pod_environment_configmap names", [get.upper_case(name)]),
	"level": "warning",
} |
	recognised
	count(configurations) == 1
	some name, _ in get.map(configuration, "aws_or_gcp")
	regex.match(`^(aws_(endpoint|access_key_id|secret_access_key|s3_force_path_style)|wal[eg]_[a-z0-9_]+|use_walg_(backup|restore)|backup_(schedule|num_to_retain))$`, name)
]

# initDefaultRoles (pkg/cluster/cluster.go): "secretNamespace ignored because enable_cross_namespace_secret set to false".
namespaces_of_secrets := [{
	"name": "secretNamespace",
	"path": ["spec", "preparedDatabases", name, "secretNamespace"],
	"reason": "the operator's configuration does not set enable_cross_namespace_secret, so that the Secrets are in the namespace of the cluster",
	"level": "warning",
} |
	whole_configuration
	not get.boolean(configuration, ["kubernetes", "enable_cross_namespace_secret"])
	not get.unknown(configuration, ["kubernetes", "enable_cross_namespace_secret"])
	some name, database in get.map(spec, "preparedDatabases")
	elsewhere := get.string(database, "secretNamespace")
	not elsewhere in {"", k8s.namespace}
	not placeholder.holds(elsewhere)
]

# A patch has a few fields alone.
whole_configuration if get.string(configuration, "docker_image")
