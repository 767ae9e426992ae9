package walguard.checks.backup.store_unusable_dumps_test

import data.walguard.checks.backup.store_unusable as check

# What is said of the logical backups of a cluster, by the settings of the operator.
said(configuration, spec) := {[f.message, f.path, object.get(f, "severity", "error")] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"op": {"acid.zalan.do/v1": {"OperatorConfiguration": {"conf": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "conf", "namespace": "op"}, "configuration": configuration}}}}}},
	}
	some f in found
	contains(f.message, "logical backups")
}

dumped := {"enableLogicalBackup": true}

whole(logical) := {"docker_image": "ghcr.io/zalando/spilo-17:4.0-p2", "logical_backup": object.union({"logical_backup_job_prefix": "logical-", "logical_backup_s3_sse": "AES256", "logical_backup_schedule": "30 0 * * *"}, logical)}

test_bucket_of_the_example if {
	said({"logical_backup": {"logical_backup_s3_bucket": "my-bucket-url"}}, dumped) == {[
		"The logical backups go to bucket my-bucket-url, which is the example of the chart, and every job fails. Set logical_backup_s3_bucket.",
		["configuration", "logical_backup", "logical_backup_s3_bucket"],
		"warning",
	]}
}

test_no_bucket if {
	said(whole({}), dumped) == {["The logical backups have no bucket to go to, and every job fails. Set logical_backup_s3_bucket.", ["configuration", "logical_backup"], "error"]}
	said(whole({"logical_backup_provider": "gcs", "logical_backup_s3_bucket": ""}), dumped) != set()
}

test_buckets_that_are_there if {
	every logical in [
		{"logical_backup_s3_bucket": "dumps"}, {"logical_backup_s3_bucket": "${BUCKET}"}, {"logical_backup_provider": "az"},
		{"logical_backup_s3_bucket": "my-bucket-url", "logical_backup_cronjob_environment_secret": "dumps"}, {"logical_backup_provider": "${PROVIDER}"},
	] {
		said(whole(logical), dumped) == set()
	}
	said(whole({}), {}) == set()
	said({"logical_backup": {"logical_backup_schedule": "30 0 * * *"}}, dumped) == set()
}

stored := {"logical_backup_s3_bucket": "dumps", "logical_backup_s3_region": "eu", "logical_backup_s3_endpoint": "https://minio.example.com"}

test_store_without_keys if {
	said(whole(stored), dumped) == {[
		"The logical backups go to https://minio.example.com without logical_backup_s3_access_key_id and its secret key: every job fails. Set both, or name a Secret in logical_backup_cronjob_environment_secret.",
		["configuration", "logical_backup", "logical_backup_s3_endpoint"],
		"warning",
	]}
	every more in [
		{"logical_backup_s3_access_key_id": "a", "logical_backup_s3_secret_access_key": "${KEY}"},
		{"logical_backup_cronjob_environment_secret": "dumps"},
		{"logical_backup_s3_endpoint": "https://s3.eu-west-1.amazonaws.com"},
		{"logical_backup_s3_endpoint": "${ENDPOINT}"},
		{"logical_backup_s3_endpoint": ""},
		{"logical_backup_provider": "az"},
	] {
		said(whole(object.union(stored, more)), dumped) == set()
	}
	said(whole(stored), {}) == set()
}

keys := {"logical_backup_s3_access_key_id": "a", "logical_backup_s3_secret_access_key": "${KEY}"}

# Elsewhere than in the list of its bucket: whatever is said of a job.
jobs(logical) := {[f.message, f.path, object.get(f, "severity", "error")] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": dumped}},
		"inventory": {"namespace": {"op": {"acid.zalan.do/v1": {"OperatorConfiguration": {"conf": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "conf", "namespace": "op"}, "configuration": whole(logical)}}}}}},
	}
	some f in found
	contains(f.message, "job")
}

test_scheme_of_the_bucket if {
	jobs({"logical_backup_s3_bucket": "s3://dumps/", "logical_backup_s3_region": "eu-central-1"}) == {[
		"logical_backup_s3_bucket is s3://dumps/, and the job puts s3:// before it once more: every job fails. Write dumps.",
		["configuration", "logical_backup", "logical_backup_s3_bucket"],
		"error",
	]}
	jobs({"logical_backup_s3_bucket": "${SCHEME}://dumps", "logical_backup_s3_region": "eu-central-1"}) == set()
}

test_endpoint_without_scheme if {
	jobs(object.union_n([stored, keys, {"logical_backup_s3_endpoint": "minio.minio.svc:9000"}])) == {[
		"logical_backup_s3_endpoint is minio.minio.svc:9000, without its scheme, which aws refuses (\"Invalid endpoint\"): every job of the logical backup fails. Write http://minio.minio.svc:9000, or https:// where it has TLS.",
		["configuration", "logical_backup", "logical_backup_s3_endpoint"],
		"error",
	]}
	jobs(object.union_n([stored, keys])) == set()
	jobs(object.union_n([stored, keys, {"logical_backup_s3_endpoint": "$ENDPOINT"}])) == set()
	jobs(object.union_n([stored, keys, {"logical_backup_s3_endpoint": "minio:9000", "logical_backup_provider": "az"}])) == set()
}
