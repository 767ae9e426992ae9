package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.spilo

# How a clone, or a standby that reads an archive, logs in to the store, and with which program; see walguard.model, unusable_stores.
read_by_wal_e := [fault |
	variables_known
	some fault in spilo.restore_faults(variables_of_source, known_image)
]

# With those that the operator gives a clone or a standby (generateCloneEnvironment and generateStandbyEnvironment of pkg/cluster/k8sres.go).
variables_of_source := object.union_n([
	variables_of_pods,
	{name: {"value": value, "path": ["spec", "clone"]} |
		cloned
		some name, value in object.union(
			{"CLONE_METHOD": "CLONE_WITH_WALE"},
			{named: "" | some field, named in {"s3_access_key_id": "CLONE_AWS_ACCESS_KEY_ID", "s3_wal_path": "CLONE_WALE_S3_PREFIX"}; get.present(spec, ["clone", field])},
		)
	},
	{name: {"path": ["spec", "clone"]} |
		restored
		some name in given_with_bucket[buckets_of_operator[0]]
	},
	{"CLONE_AZURE_STORAGE_ACCOUNT": {"path": ["spec", "clone"]} |
		restored
		count(buckets_of_operator) == 0
		get.string(configuration, ["aws_or_gcp", "wal_az_storage_account"])
	},
	{name: {"path": ["spec", "standby", field]} | some field, name in {"gs_wal_path": "STANDBY_WALE_GS_PREFIX", "s3_wal_path": "STANDBY_WALE_S3_PREFIX"}; get.string(spec, ["standby", field])},
	{name: {"path": ["spec"]} | get.string(configuration, ["aws_or_gcp", "irsa_role_arn"]); some name in ["CLONE_AWS_ROLE_ARN", "STANDBY_AWS_ROLE_ARN"]},
])

cloned if get.string(spec, ["clone", "timestamp"])

given_with_bucket := {
	"wal_gs_bucket": array.concat(["CLONE_WAL_GS_BUCKET"], ["CLONE_GOOGLE_APPLICATION_CREDENTIALS" | get.string(configuration, ["aws_or_gcp", "gcp_credentials"])]),
	"wal_s3_bucket": ["CLONE_WAL_S3_BUCKET"],
}

# Spilo copies those with the prefix alone, so that neither what the pods have in their environment, be it by EKS, reaches WAL-G, nor what they archive with.
without_identity := [{
	"reason": sprintf("The %s is read with %s%s, which is not set, and %s serves the own archive of the pods: %s", [source.what, source.prefix, login.names[0], held.what, source.consequence]),
	"cure": sprintf("Set %s%s", [source.prefix, concat(sprintf(" and %s", [source.prefix]), login.with)]),
	"level": held.level,
	"path": source.path,
} |
	variables_known
	some source in sources
	some login in logins_of_stores
	names := {trim_prefix(name, source.prefix) | some name, _ in variables_of_source; startswith(name, source.prefix)}
	count([1 | some name in names; regex.match(login.place, name)]) > 0
	held := held_by_pods(login)[0]
	count(names & ({name | some name in login.names} | {"AWS_ENDPOINT", "WALE_ENV_DIR"})) == 0
]

sources := array.concat(
	[{"what": "source of the clone", "prefix": "CLONE_", "path": ["spec", "clone"], "consequence": "no backup is found"} | cloned],
	[{"what": "primary of the standby", "prefix": "STANDBY_", "path": ["spec", "standby", field], "consequence": "it never comes up"} |
		some field in ["gs_wal_path", "s3_wal_path"]
		get.string(spec, ["standby", field])
	],
)

logins_of_stores := [
	{"place": `^(WAL[EG]_S3_PREFIX|WAL_S3_BUCKET)$`, "own": ["AWS_ROLE_ARN"], "names": ["AWS_ROLE_ARN", "AWS_ACCESS_KEY_ID"], "with": ["AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"]},
	{"place": `^(WAL[EG]_GS_PREFIX|WAL_GS_BUCKET)$`, "own": ["GOOGLE_APPLICATION_CREDENTIALS"], "names": ["GOOGLE_APPLICATION_CREDENTIALS"], "with": ["GOOGLE_APPLICATION_CREDENTIALS"]},
	{"place": `^WALG_AZ_PREFIX$`, "own": ["AZURE_STORAGE_ACCOUNT"], "names": ["AZURE_STORAGE_ACCOUNT"], "with": ["AZURE_STORAGE_ACCOUNT"]},
	{"place": `^WALG_AZ_PREFIX$`, "own": azure_keys, "names": azure_keys, "with": ["AZURE_STORAGE_ACCESS_KEY"]},
]

azure_keys := ["AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_CLIENT_SECRET"]

# Keys come before a role, and a role of the node, which kube2iam asks for, is everybody's.
held_by_pods(login) := array.concat(
	[{"what": name, "level": "error"} | some name in login.own; variables_of_pods[name]; not has_another(name)],
	[{"what": "the role of their account", "level": "warning"} |
		"AWS_ROLE_ARN" in login.own
		not has_another("AWS_ROLE_ARN")
		contains(get.string(configuration, ["kubernetes", "pod_service_account_definition"]), "eks.amazonaws.com/role-arn")
	],
)

has_another("AWS_ROLE_ARN") if variables_of_pods.AWS_ACCESS_KEY_ID

has_another("AWS_ROLE_ARN") if get.string(configuration, ["aws_or_gcp", "kube_iam_role"])
