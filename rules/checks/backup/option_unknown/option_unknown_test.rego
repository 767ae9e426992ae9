package walguard.checks.backup.option_unknown_test

import data.walguard.checks.backup.option_unknown as check

findings(options) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"backups": {"pgbackrest": {"global": options, "repos": [{"name": "repo1", "volume": {}}]}}},
}}}

test_misspelt if {
	findings({"repo1-rentention-archive": "1"}) == {{
		"message": "pgBackRest has no option repo1-rentention-archive and leaves it out. Write repo1-retention-archive.",
		"path": ["spec", "backups", "pgbackrest", "global", "repo1-rentention-archive"],
	}}
	{f.message | some f in findings({"log-level-consol": "info"})} == {"pgBackRest has no option log-level-consol and leaves it out. Write log-level-console."}
}

test_unlike_any if {
	{[f.message, f.severity] | some f in findings({"weekly": "daily"})} == {["pgBackRest has no option weekly and leaves it out, unless a newer release has it. Correct it, or remove it.", "info"]}
}

test_known if {
	findings({"repo1-path": "/x", "repo12-retention-full": "2", "process-max": "4", "archive-async": "y", "pg1-path": "/pgdata", "repo1-s3-verify-ssl": "n", "db-timeout": "60"}) == set()
}

test_silent_when_unknown if {
	findings({"${OPTION}": "y"}) == set()
	findings({}) == set()
}

spilo(variables) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"numberOfInstances": 2, "env": [{"name": name, "value": "x"} | some name in variables]},
}}}

test_variables_that_spilo_does_not_read if {
	spilo(["WALG_S3_PREFIX", "WALG_S3_ENDPOINT"]) == {{
		"message": "Spilo has no option WALG_S3_ENDPOINT and leaves it out. Write AWS_ENDPOINT.",
		"path": ["spec", "env", 1],
	}}
	{f.message | some f in spilo(["CLONE_AWS_ENDPOINT_URL"])} == {"Spilo has no option CLONE_AWS_ENDPOINT_URL and leaves it out. Write CLONE_AWS_ENDPOINT."}
	count(spilo(["WALG_S3_BUCKET"])) == 1
}

test_variables_that_spilo_reads if {
	spilo(["WALG_S3_PREFIX", "AWS_ENDPOINT", "AWS_REGION", "AWS_S3_FORCE_PATH_STYLE", "CLONE_AWS_ENDPOINT"]) == set()
	spilo(["AWS_ENDPOINT_URL", "AWS_ENDPOINT"]) == set()
	spilo(["WALG_S3_ENDPOINT", "WALE_S3_ENDPOINT"]) == set()
}

test_silent_where_a_secret_has_more if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"envFrom": [{"secretRef": {"name": "s3"}}], "env": [{"name": "WALG_S3_ENDPOINT", "value": "x"}]},
	}}}
	found == set()
}

test_switch_of_wal_g if {
	{f.message | some f in spilo(["USE_WAL_BACKUP"])} == {"Spilo has no option USE_WAL_BACKUP and leaves it out. Write USE_WALG_BACKUP."}
	spilo(["USE_WALG_BACKUP", "USE_WALG_RESTORE"]) == set()
}

# In the ConfigMap and the Secret of all pods.
of_pods(variables, keys, secret, bucket) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"numberOfInstances": 2}}},
		"inventory": {"namespace": {
			"ops": {
				"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
					"apiVersion": "acid.zalan.do/v1",
					"kind": "OperatorConfiguration",
					"metadata": {"name": "o", "namespace": "ops"},
					"configuration": {"kubernetes": object.union({"pod_environment_configmap": "ops/pods"}, secret), "aws_or_gcp": bucket},
				}}},
				"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": variables}}},
			},
			"prod": {"v1": {"Secret": {"keys": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "prod"}, "stringData": keys}}}},
		}},
	}
}

test_keys_of_the_operator_as_variables if {
	message := {"Spilo has no option wal_s3_bucket and leaves it out. Write WAL_S3_BUCKET."}
	small := {"wal_s3_bucket": "b"}
	of_pods(small, {}, {}, {}) == message
	of_pods(small, {"AWS_ACCESS_KEY_ID": "x"}, {"pod_environment_secret": "keys"}, {}) == message
	of_pods({}, {"wal_s3_bucket": "b"}, {"pod_environment_secret": "keys"}, {}) == message
	of_pods(small, {"WAL_S3_BUCKET": "x"}, {"pod_environment_secret": "keys"}, {}) == set()
	of_pods(small, {}, {"pod_environment_secret": "others"}, {}) == set()
	of_pods(small, {}, {}, {"wal_s3_bucket": "b"}) == set()
	of_pods({"WAL_S3_BUCKET": "b"}, {}, {}, {}) == set()
	{f.message | some f in spilo(["wal_s3_bucket"])} == message
	spilo(["WAL_S3_BUCKET", "wal_s3_bucket"]) == set()
}
