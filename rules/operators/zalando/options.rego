package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.schema

# Options of the operator's configuration that are not where it looks for them, or not of the kind that it takes. What a section of an OperatorConfiguration does not have the API server takes out.
options_elsewhere := [{
	"name": name,
	"path": array.concat(path, [name]),
	"resource": k8s.reference(configurations[0]),
	"reason": sprintf("%s has no such option, and the operator looks for it in %s, so move it there", [concat(".", path), homes[0]]),
	"level": "warning",
} |
	recognised
	count(configurations) == 1
	some path in array.concat([["configuration"]], [["configuration", section] | some section, below in get.map(configurations[0], "configuration"); is_object(below)])
	own := schema.kinds.zalando_configuration[concat(".", path)].fields
	some name, value in get.map(configurations[0], path)
	value != null
	not own[name]
	homes := homes_of(name)
	count(homes) == 1
	homes[0] != concat(".", path)
	not get.present(configurations[0], array.concat(split(homes[0], "."), [name]))
]

homes_of(name) := [further[name]] if further[name]

homes_of(name) := [place | some place, rules in schema.kinds.zalando_configuration; rules.fields[name]] if not further[name]

# Younger ones than the table has.
further := {
	"enable_team_id_clustername_prefix": "configuration",
	"sidecars": "configuration",
	"major_version_upgrade_mode": "configuration.major_version_upgrade",
	"minimal_major_version": "configuration.major_version_upgrade",
	"target_major_version": "configuration.major_version_upgrade",
	"wal_az_storage_account": "configuration.aws_or_gcp",
	"liveness_probe": "configuration.kubernetes",
	"logical_backup_cronjob_environment_secret": "configuration.logical_backup",
	"logical_backup_job_prefix": "configuration.logical_backup",
	"logical_backup_s3_retention_time": "configuration.logical_backup",
	"enable_patroni_failsafe_mode": "configuration.patroni",
	"enable_password_rotation": "configuration.users",
	"enable_master_pooler_load_balancer": "configuration.load_balancer",
	"enable_replica_pooler_load_balancer": "configuration.load_balancer",
}

# strconv.ParseBool, strconv.ParseInt and pairs of a key and a value, at which NewFromMap panics (processField of pkg/util/config/util.go).
values_that_stop := [{"reason": sprintf("%s is \"%s\", which is %s", [name, value, fault[0]]), "cure": fault[1], "section": [], "field": [name]} |
	count(configurations) == 0
	count(operator_maps) == 1
	some name, value in operator_maps[0].data
	is_string(value)
	value != ""
	not placeholder.holds(value)
	fault := fault_of_value(name, value)
]

fault_of_value(name, value) := ["neither true nor false", sprintf("Write \"%s\"", [truths[value]])] if {
	regex.match(`^(?i:yes|no|on|off|enabled?|disabled?|y|n)$`, value)
	types_of_options[name] == "bool"
} else := ["no whole number", "Write one"] if {
	types_of_options[name] == "whole"
	not regex.match(`^[-+]?[0-9][0-9a-fA-FxXoObB_]*$`, value)
} else := ["no list of KEY:VALUE", "Write pairs with one colon each, and a comma between them"] if {
	name in {"cluster_labels", "custom_pod_annotations", "custom_service_annotations", "node_readiness_label", "toleration"}
	not regex.match(`["'{}]`, value)
	count([1 | some pair in split(value, ","); count(split(pair, ":")) != 2]) > 0
}

truths[word] := "true" if some word in ["yes", "Yes", "YES", "on", "On", "ON", "y", "Y", "enable", "enabled", "Enabled"]

truths[word] := "false" if some word in ["no", "No", "NO", "off", "Off", "OFF", "n", "N", "disable", "disabled", "Disabled"]

types_of_options[name] := kind if {
	some _, rules in schema.kinds.zalando_configuration
	some name, rule in rules.fields
	kind := kind_of_option(rule)
}

kind_of_option(rule) := rule if is_string(rule)

kind_of_option(rule) := rule.is if is_object(rule)

# data of a ConfigMap is text alone: "cannot unmarshal number into Go struct field ConfigMap.data of type string".
values_not_text := [{
	"by": "The API server",
	"path": ["data", wrong[0]],
	"resource": k8s.reference(map_of),
	"reason": sprintf("%s is %s, and data of a ConfigMap is text%s", [wrong[0], {"number": "a number", "boolean": "true or false", "array": "a list", "object": "a map"}[type_name(map_of.data[wrong[0]])], others_alike(count(wrong))]),
	"cure": "Write them in quotes",
} |
	recognised
	placeholder.honoured
	some map_of in array.concat(operator_maps, [one | one := environment_map])
	wrong := [name | some name in sort(object.keys(map_of.data)); value := map_of.data[name]; value != null; not is_string(value)]
	count(wrong) > 0
]

others_alike(1) := ""

others_alike(n) := sprintf(" (%d are not)", [n]) if n > 1

# The schema requires it; charts write the key and nothing below it where their values say nothing. A patch may have other fields alone.
configurations_of_nothing := [{
	"by": "The API server",
	"path": ["metadata", "name"],
	"resource": k8s.reference(one),
	"reason": "it has no configuration, which its schema requires",
	"cure": "Write configuration, or let the chart make a ConfigMap (configTarget: ConfigMap)",
} |
	recognised
	some one in configurations
	object.get(one, "configuration", null) == null
	rendered(one)
]

rendered(one) if "configuration" in object.keys(one)

rendered(one) if get.present(one, ["metadata", "labels", "helm.sh/chart"])

# Sidecars of all clusters are put into the pods as they are (patchSidecarContainers of pkg/cluster/k8sres.go), and the pods have no other volumes than these.
sidecars_without_volumes := [object.union(
	{
		"by": "The API server",
		"reason": sprintf("sidecar %s of all clusters mounts %s, and the pods have no such volume%s: their StatefulSet is refused", [object.get(sidecar, "name", "without a name"), volume, condition_of_volume]),
		"cure": "Add it to additionalVolumes of each cluster, or take the mount out",
	},
	object.union(configured_at(["sidecars", i, "volumeMounts"], "sidecars"), level_of_volume),
) |
	recognised
	count(configurations) == 1
	some i, sidecar in get.list(configurations[0], ["configuration", "sidecars"])
	some mounted in get.list(sidecar, "volumeMounts")
	volume := get.string(mounted, "name")
	not volume in volumes_of_pods
	count([1 | some name in array.concat([volume], volumes_of_pods); placeholder.holds(name)]) == 0
]

volumes_of_pods := array.concat(
	["pgdata", "dshm", "postgresql-run"],
	array.concat(
		[name | some one in get.list(spec, "additionalVolumes"); name := get.string(one, "name")],
		array.concat(
			[name | some field in ["secretName", "caSecretName"]; name := get.string(spec, ["tls", field])],
			[name | name := get.string(configuration_or_none, ["aws_or_gcp", "additional_secret_mount"])],
		),
	),
)

# A cluster that only stands in for those that are not in sight (walguard.alone) has none of theirs.
condition_of_volume := " unless each cluster has it in additionalVolumes" if k8s.name == "acid-stand-in"

condition_of_volume := "" if k8s.name != "acid-stand-in"

level_of_volume := {"level": "warning"} if k8s.name == "acid-stand-in"

level_of_volume := {} if k8s.name != "acid-stand-in"
