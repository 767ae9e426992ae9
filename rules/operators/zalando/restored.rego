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
	{name: {"value": "CLONE_WITH_WALE", "path": ["spec", path[0]]} |
		some [path, name] in [
			[["clone", "timestamp"], "CLONE_METHOD"],
			[["clone", "s3_access_key_id"], "CLONE_AWS_ACCESS_KEY_ID"],
			[["clone", "s3_wal_path"], "CLONE_WALE_S3_PREFIX"],
			[["standby", "gs_wal_path"], "STANDBY_WALE_GS_PREFIX"],
			[["standby", "s3_wal_path"], "STANDBY_WALE_S3_PREFIX"],
		]
		get.present(spec, path)
	},
	{name: {"path": ["spec", "clone"]} |
		some [field, name, true] in [
			["irsa_role_arn", "CLONE_AWS_ROLE_ARN", true],
			["irsa_role_arn", "STANDBY_AWS_ROLE_ARN", true],
			["wal_s3_bucket", "CLONE_WAL_S3_BUCKET", by_bucket],
			["wal_gs_bucket", "CLONE_WAL_GS_BUCKET", by_bucket],
			["gcp_credentials", "CLONE_GOOGLE_APPLICATION_CREDENTIALS", by_bucket],
		]
		get.string(configuration, ["aws_or_gcp", field])
	},
])

by_bucket if restored

else := false

# Spilo copies those with the prefix alone, so that neither what the pods have in their environment, be it by EKS, reaches WAL-G, nor what they archive with. Keys come before a role, of which others speak, and a role of
# the node, which kube2iam asks for, is everybody's.
without_identity := [object.union(
	{
		"reason": sprintf("The %s is read with %s%s, which is not set, and %s serves the own archive of the pods: %s", [what, prefix, held, held, outcome]),
		"cure": sprintf("Set %s%s%s", [prefix, held, object.get({"AWS_ROLE_ARN": sprintf(" and %sAWS_WEB_IDENTITY_TOKEN_FILE", [prefix])}, held, "")]),
		"path": ["spec", field],
	},
	{"level": "warning" | not variables_of_pods[held]},
) |
	variables_known
	some [field, what, prefix, outcome] in [["clone", "source of the clone", "CLONE_", "no backup is found"], ["standby", "primary of the standby", "STANDBY_", "it never comes up"]]
	some place, own in {
		"GS": {"GOOGLE_APPLICATION_CREDENTIALS"},
		"S3": {"AWS_ACCESS_KEY_ID", "AWS_ROLE_ARN"},
		"AZ": {"AZURE_CLIENT_SECRET", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_SAS_TOKEN"},
	}
	get.present(spec, {"clone": ["clone", "timestamp"], "standby": ["standby"]}[field])
	given_names := {trim_prefix(name, prefix) | some name, _ in variables_of_source; startswith(name, prefix)}
	count([1 | some name in given_names; regex.match(sprintf(`^WAL[EG]?_%s_`, [place]), name)]) > 0
	held := sort(own & (object.keys(variables_of_pods) | {"AWS_ROLE_ARN" | contains(get.string(configuration, ["kubernetes", "pod_service_account_definition"]), "eks.amazonaws.com/role-arn")}))[0]
	not held == "AWS_ACCESS_KEY_ID"
	not assumed_by_node(held)
	count(given_names & (own | {"AWS_ENDPOINT", "WALE_ENV_DIR"})) == 0
]

assumed_by_node("AWS_ROLE_ARN") if get.string(configuration, ["aws_or_gcp", "kube_iam_role"])
