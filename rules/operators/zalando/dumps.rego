package walguard.operators.zalando

import data.walguard.lib.barman
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mesh
import data.walguard.lib.placeholder

# The job of enableLogicalBackup: its image has the programs of the majors that its release knows (logical-backup/Dockerfile of each tag).
facts contains {"own_dumps": own_dumps} if count(own_dumps) > 0

own_dumps := [object.union({"image": reference, "newest": newest_client(to_number(found[0][1]), to_number(found[0][2]))}, place) |
	get.boolean(spec, "enableLogicalBackup")
	[reference, place] := logical_image
	not placeholder.unknown(reference)
	found := regex.find_all_string_submatch_n(`/logical-backup:v([0-9]+)\.([0-9]+)(\.[0-9]+)?$`, reference, 1)
	count(found) == 1
]

# The pods of the job carry podAnnotations and those that the operator's configuration gives all pods (pkg/cluster/k8sres.go, generateLogicalBackupJob).
facts contains {"unending_jobs": [object.union({"what": "the jobs of the logical backup", "field": "spec.podAnnotations", "path": ["spec", "enableLogicalBackup"]}, proxy) | some proxy in proxies_of_dumps]} if count(proxies_of_dumps) > 0

proxies_of_dumps := mesh.proxies(object.union(get.map(configuration_or_none, ["kubernetes", "custom_pod_annotations"]), get.map(spec, "podAnnotations")), {}) if get.boolean(spec, "enableLogicalBackup")

logical_image := [reference, {"path": ["configuration", "logical_backup", "logical_backup_docker_image"], "resource": k8s.reference(configurations[0])}] if {
	reference := get.string(configuration, ["logical_backup", "logical_backup_docker_image"])
}

logical_image := [reference, {"path": ["data", "logical_backup_docker_image"], "resource": k8s.reference(operator_maps[0])}] if {
	count(configurations) == 0
	count(operator_maps) == 1
	reference := get.string(operator_maps[0], ["data", "logical_backup_docker_image"])
}

# aws_upload (logical-backup/dump.sh) gives aws a region only where there is one, and it signs for us-east-1 otherwise.
facts contains {"store_refusals": store_refusals} if count(store_refusals) > 0

store_refusals := array.concat(upload_refusals, refused_of_archive)

upload_refusals := [{
	"reason": replace(replace(verdict.reason, "boto3 signs", "the logical backups are signed"), "nothing is archived or backed up", "no logical backup is uploaded"),
	"cure": "Set logical_backup_s3_region",
	"level": verdict.level,
	"path": array.concat(place.path, ["logical_backup_s3_endpoint"]),
	"resource": place.resource,
} |
	get.boolean(spec, "enableLogicalBackup")
	place := logical_settings
	get.string(place.settings, "logical_backup_s3_bucket")
	object.get(place.settings, "logical_backup_provider", "s3") in {"s3", ""}
	endpoint := get.lower_case(get.string(place.settings, "logical_backup_s3_endpoint"))
	not placeholder.unknown(endpoint)
	object.get(place.settings, "logical_backup_s3_region", "") in {"", null}
	not logical_environment
	verdict := barman.unregional(endpoint)
]

# The default of the operator is no bucket, and that of its chart one that is nobody's (values.yaml).
bucketless := [object.union_n([{"cure": "Set logical_backup_s3_bucket"}, fault, {"path": array.concat(place.path, fault.path)}, object.filter(place, ["resource"])]) |
	get.boolean(spec, "enableLogicalBackup")
	place := logical_settings
	object.get(place.settings, "logical_backup_provider", "s3") in {"gcs", "s3", ""}
	not logical_environment
	fault := no_bucket(object.get(place.settings, "logical_backup_s3_bucket", ""))
]

# Without keys and without a role aws asks the instance metadata of AWS, which other places do not have (logical-backup/dump.sh, "Unable to locate credentials").
keyless_dumps := [{
	"reason": sprintf("The logical backups go to %s without logical_backup_s3_access_key_id and its secret key: every job fails", [endpoint]),
	"cure": "Set both, or name a Secret in logical_backup_cronjob_environment_secret",
	"level": "warning",
	"path": array.concat(place.path, ["logical_backup_s3_endpoint"]),
	"resource": place.resource,
} |
	get.boolean(spec, "enableLogicalBackup")
	place := logical_settings
	object.get(place.settings, "logical_backup_provider", "s3") in {"s3", ""}
	endpoint := get.string(place.settings, "logical_backup_s3_endpoint")
	endpoint != ""
	not placeholder.holds(endpoint)
	not contains(get.lower_case(endpoint), "amazonaws.com")
	not logical_environment
	every field in ["logical_backup_s3_access_key_id", "logical_backup_s3_secret_access_key"] {
		object.get(place.settings, field, "") == ""
	}
]

# "Invalid endpoint" of aws --endpoint-url (aws_upload of logical-backup/dump.sh).
endpoints_without_scheme := [{
	"reason": sprintf("logical_backup_s3_endpoint is %s, without its scheme, which aws refuses (\"Invalid endpoint\"): every job of the logical backup fails", [endpoint]),
	"cure": sprintf("Write http://%s, or https:// where it has TLS", [endpoint]),
	"path": array.concat(place.path, ["logical_backup_s3_endpoint"]),
	"resource": place.resource,
} |
	get.boolean(spec, "enableLogicalBackup")
	place := logical_settings
	object.get(place.settings, "logical_backup_provider", "s3") in {"s3", ""}
	endpoint := get.string(place.settings, "logical_backup_s3_endpoint")
	endpoint != ""
	not placeholder.holds(endpoint)
	not contains(endpoint, "://")
]

no_bucket("my-bucket-url") := {"reason": "The logical backups go to bucket my-bucket-url, which is the example of the chart, and every job fails", "path": ["logical_backup_s3_bucket"], "level": "warning"}

no_bucket(name) := {"reason": sprintf("logical_backup_s3_bucket is %s, and the job puts s3:// before it once more: every job fails", [name]), "cure": sprintf("Write %s", [trim_right(split(name, "://")[1], "/")]), "path": ["logical_backup_s3_bucket"]} if {
	contains(name, "://")
	not placeholder.holds(name)
}

# A patch of the configuration has few of its fields.
no_bucket("") := {"reason": "The logical backups have no bucket to go to, and every job fails", "path": []} if {
	get.string(configuration, "docker_image")
	count(get.map(configuration, "logical_backup")) > 2
}

# Variables of every job, among which a region may be.
logical_environment if get.present(place_settings, "logical_backup_cronjob_environment_secret")

place_settings := logical_settings.settings

logical_settings := {"settings": get.map(configuration, "logical_backup"), "path": ["configuration", "logical_backup"], "resource": k8s.reference(configurations[0])} if configuration

logical_settings := {"settings": get.map(operator_maps[0], "data"), "path": ["data"], "resource": k8s.reference(operator_maps[0])} if {
	count(configurations) == 0
	count(operator_maps) == 1
}

newest_client(1, minor) := 14 if {
	minor < 9
} else := 15 if {
	minor < 11
} else := 16 if {
	minor < 14
} else := 17

newest_client(0, _) := 12

newest_client(release, _) := 18 if release > 1
