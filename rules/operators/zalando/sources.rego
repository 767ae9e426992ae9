package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.spilo
import data.walguard.lib.text

# What Spilo reads the source of a clone or of a standby with: variables of their own, CLONE_… and STANDBY_…, and never those with which the cluster itself archives
# (configure_spilo.py, write_wale_environment). Without them it asks the cloud for an instance profile, which storage that is not Amazon's has not.
facts contains {"unusable_stores": unusable_stores} if count(unusable_stores) > 0

unusable_stores := array.concat(bucketless, array.concat(array.concat(array.concat(without_keys, without_time), array.concat(array.concat(without_source, array.concat(without_uid, without_uid_there)), array.concat(array.concat(of_its_own, standby_of_its_own), array.concat(without_its_cipher, array.concat(array.concat(paths_as_hosts, schemes_of_wal_e), array.concat(prefix_of_another_version, array.concat(below_another_scope, array.concat(array.concat(keyless_dumps, endpoints_without_scheme), array.concat(array.concat(without_place, without_identity), array.concat(array.concat(without_path_style, read_by_wal_e), without_its_authority)))))))))), without_archive))

without_keys := [{
	"reason": sprintf("The %s is read with %sAWS_ACCESS_KEY_ID and %sAWS_SECRET_ACCESS_KEY, which are not set; %s", [source.what, source.prefix, source.prefix, reason]),
	"cure": source.cure,
	"path": source.path,
} |
	some source in sources_in_archive
	pod_environment.AWS_ACCESS_KEY_ID
	reason := without_profile
	every name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
		not concat("", [source.prefix, name]) in names_of_environment
	}
]

without_profile := sprintf("%s knows no instance profile", [endpoint]) if {
	endpoint := pod_environment.AWS_ENDPOINT
	endpoint != ""
	not contains(endpoint, "amazonaws.com")
}

# Pods that have keys for their own archive, and no role, have no profile either.
without_profile := "the keys of the pods, AWS_ACCESS_KEY_ID, are for their own archive alone" if {
	contains(object.get(pod_environment, "AWS_ENDPOINT", "amazonaws.com"), "amazonaws.com")
	environment_secret
	not regex.match(`"kube_iam_role"|role-arn`, json.marshal(configuration))
}

# generateCloneEnvironment (pkg/cluster/k8sres.go): without a timestamp it is a copy of the running cluster, whatever else is written.
without_time := [{"reason": reason, "cure": "Set spec.clone.timestamp, with its time zone, to restore from the archive", "path": ["spec", "clone"]} |
	source := get.string(spec, ["clone", "cluster"])
	not placeholder.unknown(source)
	not get.present(spec, ["clone", "timestamp"])
	reason := reason_without_time(source)
]

reason_without_time(source) := sprintf("Without a timestamp the operator copies cluster %s while it runs, and this is %s itself: it never starts", [source, source]) if {
	source == k8s.name
} else := sprintf("Without a timestamp the operator copies cluster %s while it runs, and does not read %s", [source, fields_of_archive[0]]) if {
	count(fields_of_archive) > 0
}

fields_of_archive := [field | some field in ["s3_wal_path", "s3_endpoint", "s3_access_key_id"]; get.present(spec, ["clone", field])]

restored if {
	get.string(spec, ["clone", "timestamp"])
	not get.present(spec, ["clone", "s3_wal_path"])
}

# Neither the operator's configuration nor a variable says where the archive lies; configure_spilo.py only says so in its log.
without_source := [{
	"reason": "Nothing says where the clone is read from: the operator's configuration has no bucket, and the pods have no CLONE_WALG_S3_PREFIX or the like, so that no backup is found",
	"cure": sprintf("Set %s in the environment of the pods", [place_of_source]),
	"path": ["spec", "clone"],
} |
	restored
	environment_known
	count(buckets_of_operator) == 0
	count([1 | some name in names_known; regex.match(`^CLONE_(WAL[EG]_(S3|GS|GCS|SWIFT|AZ|SSH)_PREFIX|WAL_(S3|GS|GCS|SWIFT)_BUCKET)$`, name)]) == 0
]

# Where the configuration of the operator is not in sight, the cluster's own variables tell that it archives by them: what reads the source takes none of these, and the operator gives it the bucket of its
# configuration alone (generateCloneEnvironment).
of_its_own := [{
	"reason": sprintf("The clone is not read by the variables with which the cluster archives (%s), but by those with CLONE_ in front, and none is set here: Spilo restores nothing, and creates an empty database", [text.list(own, "and")]),
	"cure": "Set CLONE_WALG_S3_PREFIX to the path of the source and the other variables again with CLONE_ in front, or spec.clone.s3_wal_path, s3_endpoint, s3_access_key_id and s3_secret_access_key",
	"path": ["spec", "clone"],
} |
	restored
	variables_alone
	every field in ["s3_endpoint", "s3_access_key_id"] {
		not get.present(spec, ["clone", field])
	}
	own := own_store
	count(own) > 1
	count(spilo.destinations & own_variables) > 0
	count([1 | some name in own_variables; startswith(name, "CLONE_")]) == 0
]

# It is the address of the store (AWS_ENDPOINT of WAL-G); the bucket and the path are read from s3_wal_path or the operator's bucket.
paths_as_hosts := [{
	"reason": sprintf("s3_endpoint is %s, whose path WAL-G puts in front of the bucket: it finds no backup, and Spilo creates an empty database", [endpoint]),
	"cure": sprintf("Write s3_endpoint: %s, and the path of the WAL as s3_wal_path: s3://BUCKET/…", [found[1]]),
	"path": ["spec", "clone", "s3_endpoint"],
} |
	get.string(spec, ["clone", "timestamp"])
	endpoint := get.string(spec, ["clone", "s3_endpoint"])
	not placeholder.holds(endpoint)
	found := regex.find_all_string_submatch_n(`^(https?://[^/]+)/+[^/]`, endpoint, 1)[0]
]

# Spilo takes it for CLONE_AWS_ENDPOINT as it is; of http+path it makes http only in WALE_S3_ENDPOINT (configure_spilo.py, write_wale_environment).
schemes_of_wal_e := [{
	"reason": sprintf("s3_endpoint is %s, whose scheme WAL-G does not know (\"unsupported protocol scheme\"): the clone never starts", [endpoint]),
	"cure": sprintf("Write s3_endpoint: %s%s://%s", [found[1], found[2], found[3]]),
	"path": ["spec", "clone", "s3_endpoint"],
} |
	get.string(spec, ["clone", "timestamp"])
	endpoint := get.string(spec, ["clone", "s3_endpoint"])
	not placeholder.holds(endpoint)
	found := regex.find_all_string_submatch_n(`^(?:[a-z0-9]+\+(https?)|(https?)\+[a-z]+)://(.+)$`, endpoint, 1)[0]
]

# A prefix is taken as it is (configure_spilo.py, write_wale_environment), where a bucket gets the version appended: what the former server archived lies where the new one looks for timelines.
prefix_of_another_version := [{
	"reason": sprintf("%s ends in %s, and the server is PostgreSQL %d: both versions archive to one path, where the timelines of the former keep standbys from starting (\"requested timeline is not a child of this server's history\")", [name, trim_right(found, "/"), major.value]),
	"cure": sprintf("Write /%d at its end before the upgrade, or WAL_S3_BUCKET instead, to which Spilo adds the version", [major.value]),
	"path": ["spec", "env", i],
} |
	some i, variable in get.list(spec, "env")
	name := get.string(variable, "name")
	regex.match(`^WAL[EG]_(S3|GS|AZ)_PREFIX$`, name)
	found := regex.find_n(`/(9\.[0-9]|1[0-9])/?$`, get.string(variable, "value"), 1)[0]
	trim(found, "/") != sprintf("%d", [major.value])
]

# The operator gives a standby the path alone (generateStandbyEnvironment).
standby_of_its_own := [{
	"reason": "Spilo reads the archive of the primary by variables with STANDBY_ in front alone, and none is set: it looks for the backup at Amazon, and the standby never comes up",
	"cure": "Set STANDBY_AWS_ENDPOINT, its keys and the like",
	"path": ["spec", "standby", "s3_wal_path"],
} |
	get.string(spec, ["standby", "s3_wal_path"])
	variables_alone
	"AWS_ENDPOINT" in own_store
	count(own_store) > 1
	count([1 | some name in own_variables; startswith(name, "STANDBY_")]) == 0
]

# What the cluster encrypts with is a variable of each as well, and what it archives from is likely encrypted as it is itself.
without_its_cipher := [{
	"reason": sprintf("Spilo encrypts the archive with %s and reads the %s without %s%s: if that is encrypted too, wal-g cannot read it", [key, source.what, source.prefix, key]),
	"cure": sprintf("Set %s%s as well", [source.prefix, key]),
	"level": "warning",
	"path": source.path,
} |
	some source in sources_in_archive
	names := names_in_sight
	some key in ["WALG_LIBSODIUM_KEY", "WALG_LIBSODIUM_KEY_PATH", "WALG_PGP_KEY", "WALG_PGP_KEY_PATH"]
	key in names
	count([1 | some name in names; regex.match(`^(WALG_(LIBSODIUM|PGP)_KEY)`, trim_prefix(name, source.prefix)); startswith(name, source.prefix)]) == 0
	count([1 | some name in names; startswith(name, source.prefix)]) > 0
]

# So is the CA of the store (WALG_S3_CA_CERT_FILE), which what archives needs and what reads does as well where it is the same store.
without_its_authority := [{
	"reason": sprintf("WAL-G verifies %s by WALG_S3_CA_CERT_FILE, and reads the %s there without %sWALG_S3_CA_CERT_FILE (\"certificate signed by unknown authority\"): it finds no backup", [endpoint, source.what, source.prefix]),
	"cure": sprintf("Set %sWALG_S3_CA_CERT_FILE as well", [source.prefix]),
	"path": source.path,
} |
	some source in array.concat(sources_in_archive, sources_with_keys)
	some names in [names_in_sight]
	"WALG_S3_CA_CERT_FILE" in names
	not sprintf("%sWALG_S3_CA_CERT_FILE", [source.prefix]) in names
	endpoint := variables_of_pods.AWS_ENDPOINT.value
	startswith(endpoint, "https://")
	variables_of_pods[sprintf("%sAWS_ENDPOINT", [source.prefix])].value == endpoint
]

sources_with_keys := [{"what": "source of the clone", "prefix": "CLONE_", "path": ["spec", "clone"]} |
	get.string(spec, ["clone", "timestamp"])
	get.present(spec, ["clone", "s3_access_key_id"])
]

names_in_sight := names_of_environment

names_in_sight := own_variables if {
	not sources_in_sight
	variables_alone
}

# Nothing but the resource itself says variables of its pods.
variables_alone if {
	not configuration
	count(plain_configurations_of_all) == 0
	count(get.list(spec, "envFrom")) == 0
}

own_variables := {get.upper_case(get.string(variable, "name")) | some variable in get.list(spec, "env")}

own_store := [name | some name in ["AWS_ENDPOINT", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]; name in own_variables]

plain_configurations_of_all := [one |
	count(get.map(spec, "clone")) + count(get.list(spec, "env")) > 0
	some one in inventory.everywhere("v1", "ConfigMap")
	some name in ["wal_s3_bucket", "pod_environment_configmap", "pod_environment_secret"]
	get.string(one, ["data", name])
]

place_of_source := "CLONE_WALG_AZ_PREFIX, CLONE_AZURE_STORAGE_ACCOUNT and its key" if get.string(configuration, ["aws_or_gcp", "wal_az_storage_account"])

place_of_source := "spec.clone.s3_wal_path, or CLONE_WALG_S3_PREFIX (or CLONE_WAL_S3_BUCKET)" if not get.string(configuration, ["aws_or_gcp", "wal_az_storage_account"])

# The operator archives below the uid of the cluster (WAL_BUCKET_SCOPE_SUFFIX).
without_uid := [{
	"reason": sprintf("The operator archives cluster %s below its uid, and spec.clone has none, so that no backup is found", [get.string(spec, ["clone", "cluster"])]),
	"cure": "Set spec.clone.uid to metadata.uid of the source",
	"path": ["spec", "clone"],
} |
	restored
	environment_known
	count(buckets_of_operator) > 0
	get.string(spec, ["clone", "cluster"])
	not get.present(spec, ["clone", "uid"])
	count([1 | some name in names_known; regex.match(`^(CLONE_)?WAL_BUCKET_SCOPE_SUFFIX$|^(CLONE_)?WAL[EG]_(S3|GS|AZ)_PREFIX$|^CLONE_WAL_`, name)]) == 0
]

# The same, where the configuration is not in sight, whose bucket it most likely is.
without_uid_there := [{
	"reason": "spec.clone has no uid, and the operator archives below the uid of a cluster where the bucket is of its configuration: no backup is found there",
	"cure": "Set spec.clone.uid to metadata.uid of the source",
	"level": "warning",
	"path": ["spec", "clone"],
} |
	restored
	variables_alone
	get.string(spec, ["clone", "cluster"])
	not get.present(spec, ["clone", "uid"])
	count([1 | some name in own_variables; regex.match(`WAL|^AWS_`, name)]) == 0
	count([1 | some one in inventory.everywhere("v1", "ConfigMap"); some name, _ in get.map(one, "data"); regex.match(`^(CLONE_)?WAL`, name)]) == 0
]

# The operator scopes the bucket of its own configuration alone (generateSpiloPodEnvVars): where the variables of the pods name it, Spilo archives without the uid, below NAMESPACE-CLUSTER. A clone looks below the uid of
# spec.clone whatever they say, since what follows from that comes first.
below_another_scope := [{
	"reason": sprintf("%s among the variables of the pods archives without the uid, and the clone looks below %s and its uid: it finds no backup", [own, source]),
	"cure": "Set spec.clone.s3_wal_path to s3://BUCKET/spilo/NAMESPACE-CLUSTER/wal/VERSION",
	"level": "warning",
	"path": ["spec", "clone", "uid"],
} |
	restored
	variables_known
	count(buckets_of_operator) == 0
	not get.string(configuration, ["aws_or_gcp", "wal_az_storage_account"])
	source := get.string(spec, ["clone", "cluster"])
	not placeholder.unknown(get.string(spec, ["clone", "uid"]))
	get.string(spec, ["clone", "uid"]) != ""
	count([1 | some name, _ in variables_of_pods; regex.match(`^(CLONE_)?WAL[EG]_[A-Z0-9]+_PREFIX$`, name)]) == 0
	object.get(variables_of_pods, ["WAL_BUCKET_SCOPE_SUFFIX", "value"], suffix_out_of_sight) == ""
	count([1 | some variable in get.list(object.get(source_in_sight, "spec", {}), "env"); startswith(get.string(variable, "name"), "WAL")]) == 0
	some own in ["WAL_S3_BUCKET", "WAL_GS_BUCKET"]
	read_from(own)
]

suffix_out_of_sight := "unknown" if variables_of_pods.WAL_BUCKET_SCOPE_SUFFIX

suffix_out_of_sight := "" if not variables_of_pods.WAL_BUCKET_SCOPE_SUFFIX

source_in_sight := object.get(inventory.by_name(k8s.namespace, k8s.api_version, "postgresql"), get.string(spec, ["clone", "cluster"]), {})

# All clusters archive to it, and the clone reads from it.
read_from(own) if get.string(environment_map, ["data", own]) == variables_of_pods[sprintf("CLONE_%s", [own])].value

read_from(own) if {
	not sprintf("CLONE_%s", [own]) in own_variables
	some field in ["data", "stringData"]
	get.string(keys_in_sight, [field, own]) == get.string(keys_in_sight, [field, sprintf("CLONE_%s", [own])])
}

# An account of Azure alone is none: it names no container.
buckets_of_operator := [field |
	some field in ["wal_s3_bucket", "wal_gs_bucket"]
	get.string(configuration, ["aws_or_gcp", field])
]

# Every source of variables is in sight.
environment_known if {
	configuration
	not environment_secret
	count(get.list(spec, "envFrom")) == 0
	count([1 | map_name; not environment_map]) == 0
}

names_known := {get.upper_case(name) | some name in array.concat(
	[name | some name, _ in get.map(environment_map_or_none, "data")],
	[get.string(variable, "name") | some variable in get.list(spec, "env")],
)}

environment_map_or_none := environment_map

environment_map_or_none := {} if not environment_map

# ------------------------------------------------------------------------------------------------------ variables

facts contains {"unknown_options": unread_of_spilo} if {
	count(unread_of_spilo) > 0
	secrets_known
	count([1 | some source in get.list(spec, "envFrom"); get.present(source, "secretRef")]) == 0
}

secrets_known if not environment_secret

secrets_known if keys_in_sight

# The configuration of the operator, where it is not in sight, may name the place.
unread_of_spilo := [object.remove(one, [field | some field in ["level"]; not configuration]) | some one in spilo.unread(variables_of_pods)]

# With the names as they are written, of which those of spec.env are known in capitals above; the bucket of the operator's own configuration is set by it.
variables_of_pods := object.union_n([
	{set_by_operator[field]: {"value": get.string(configuration, ["aws_or_gcp", field]), "path": path_of_configuration} | some field in fields_of_operator},
	object.remove(environment_of_all, [get.upper_case(name) | some name, _ in written_names]),
	{name: {"path": [field, name], "resource": k8s.reference(keys_in_sight)} | some field in ["data", "stringData"]; some name, _ in get.map(keys_in_sight, field)},
	{name: object.union({"path": ["spec", "env", i]}, object.filter(listed[i], ["value"])) |
		listed := get.list(spec, "env")
		some name, i in written_names
	},
	{"CLONE_AWS_ENDPOINT": {"value": endpoint, "path": ["spec", "clone", "s3_endpoint"]} |
		get.string(spec, ["clone", "timestamp"])
		endpoint := get.string(spec, ["clone", "s3_endpoint"])
	},
])

path_of_configuration := ["spec"]

fields_of_operator := [field |
	some field, _ in set_by_operator
	get.string(configuration, ["aws_or_gcp", field])
]

written_names := get.named(get.list(spec, "env"))

set_by_operator := {
	"gcp_credentials": "GOOGLE_APPLICATION_CREDENTIALS",
	"wal_s3_bucket": "WAL_S3_BUCKET",
	"wal_gs_bucket": "WAL_GS_BUCKET",
	"wal_az_storage_account": "AZURE_STORAGE_ACCOUNT",
}

# All of them are in sight.
variables_known if {
	configuration
	secrets_known
	count(get.list(spec, "envFrom")) == 0
	count([1 | map_name; not environment_map]) == 0
}

without_archive := [fault |
	variables_known
	not get.present(spec, ["postgresql", "parameters", "archive_command"])
	some fault in spilo.archive_faults(variables_of_pods, mounted_directories)
]

# Whatever else there may be.
without_place := [fault |
	recognised
	some fault in spilo.place_faults(variables_of_pods)
]

# Of the image that is known.
without_path_style := [fault |
	recognised
	variables_known
	some fault in spilo.path_faults(variables_of_pods, image_in_force)
]

refused_of_archive := [fault |
	recognised
	region_known
	some fault in spilo.region_faults(variables_of_pods, known_image)
]

known_image := object.get({"image": reference | reference := image_in_force}, "image", "")

region_known if variables_known

# A cluster that names its store, the endpoint and the keys itself says the region there too.
region_known if {
	not configuration
	count(plain_configurations_of_all) == 0
	count(get.list(spec, "envFrom")) == 0
	count(object.keys(environment) & spilo.destinations) > 0
	environment.AWS_ENDPOINT
	"AWS_ACCESS_KEY_ID" in names_known
}

# The Secret of the operator's configuration is mounted in all containers (pkg/cluster/k8sres.go, addSecretVolume).
mounted_directories := array.concat(
	[mount.directory | some mount in server_mounts],
	[object.get(configuration, ["aws_or_gcp", "additional_secret_mount_path"], "/meta/credentials") |
		get.string(configuration, ["aws_or_gcp", "additional_secret_mount"])
	],
)

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

# The variables that all pods get, in sight whole: those of the ConfigMap and of the Secret that the operator's configuration names.
pod_environment := object.union_n([
	{name: "" | some field in ["data", "stringData"]; some name, _ in get.map(keys_in_sight, field)},
	{name: value | some name, value in get.map(environment_map_or_none, "data"); is_string(value)},
	{name: variable.value | some name, variable in environment},
]) if {
	sources_in_sight
	count(get.list(spec, "envFrom")) == 0
}

sources_in_sight if {
	environment_map
	not environment_secret
}

sources_in_sight if {
	keys_in_sight
	count([1 | map_name; not environment_map]) == 0
}

keys_in_sight := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(configuration, ["kubernetes", "pod_environment_secret"]))

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
