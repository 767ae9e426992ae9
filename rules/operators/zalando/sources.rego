package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# What Spilo reads the source of a clone or of a standby with: variables of their own, CLONE_… and STANDBY_…, and never those with which the cluster itself archives
# (configure_spilo.py, write_wale_environment). Without them it asks the cloud for an instance profile, which storage that is not Amazon's has not.
facts contains {"unusable_stores": unusable_stores} if count(unusable_stores) > 0

unusable_stores := [{
	"reason": sprintf("The %s is read with %sAWS_ACCESS_KEY_ID and %sAWS_SECRET_ACCESS_KEY, which are not set; %s knows no instance profile", [source.what, source.prefix, source.prefix, endpoint]),
	"cure": source.cure,
	"path": source.path,
} |
	some source in sources_in_archive
	endpoint := pod_environment.AWS_ENDPOINT
	not contains(endpoint, "amazonaws.com")
	pod_environment.AWS_ACCESS_KEY_ID
	every name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
		not concat("", [source.prefix, name]) in names_of_environment
	}
]

sources_in_archive := array.concat(
	[{
		"what": "source of the clone",
		"prefix": "CLONE_",
		"cure": "Set both in the environment of the pods, or s3_access_key_id and s3_secret_access_key in spec.clone",
		"path": ["spec", "clone"],
	} |
		get.string(spec, ["clone", "timestamp"])
		not get.present(spec, ["clone", "s3_access_key_id"])
	],
	[{
		"what": "primary of the standby",
		"prefix": "STANDBY_",
		"cure": "Set both and STANDBY_AWS_ENDPOINT in the environment of the pods",
		"path": ["spec", "standby", "s3_wal_path"],
	} |
		get.string(spec, ["standby", "s3_wal_path"])
	],
)

# The variables that all pods get, in sight whole: those of the ConfigMap that the operator's configuration names, where it names no Secret.
pod_environment := object.union(
	{name: value | some name, value in get.map(environment_map, "data"); is_string(value)},
	{name: variable.value | some name, variable in environment},
) if {
	environment_map
	not environment_secret
	count(get.list(spec, "envFrom")) == 0
}

names_of_environment := object.keys(pod_environment) | {get.string(variable, "name") | some variable in get.list(spec, "env")}

environment_map := inventory.namespaced_object(namespace_of_map, "v1", "ConfigMap", parts[count(parts) - 1]) if {
	parts := split(map_name, "/")
	namespace_of_map := {1: k8s.namespace, 2: parts[0]}[count(parts)]
}

map_name := get.string(configuration, ["kubernetes", "pod_environment_configmap"])

map_name := get.string(plain_configurations[0], ["data", "pod_environment_configmap"]) if {
	not configuration
	count(plain_configurations) == 1
}

environment_secret if get.string(configuration, ["kubernetes", "pod_environment_secret"])

environment_secret if {
	some one in plain_configurations
	get.string(one, ["data", "pod_environment_secret"])
}

# The older way to configure the operator.
plain_configurations := [one |
	count(sources_in_archive) > 0
	some one in inventory.everywhere("v1", "ConfigMap")
	get.string(one, ["data", "pod_environment_configmap"])
]
