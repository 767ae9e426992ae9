package walguard.checks.parameters.ignored_options_test

import data.walguard.checks.parameters.ignored as check

# What is said of a cluster of Zalando's operator and its configuration.
said(spec, configuration) := {[f.message, f.path, f.severity] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops"}, "configuration": configuration}}}}}},
	}
}

test_variables_among_the_options if {
	said({}, {"aws_or_gcp": {"aws_endpoint": "https://minio:9000", "aws_region": "eu-west-1", "wal_s3_bucket": "b"}}) == {[
		"aws_endpoint has no effect here: the operator has no such option, so write AWS_ENDPOINT into the ConfigMap that pod_environment_configmap names.",
		["configuration", "aws_or_gcp", "aws_endpoint"],
		"warning",
	]}
	count(said({}, {"aws_or_gcp": {"use_walg_backup": "true", "walg_s3_prefix": "s3://b"}})) == 2
	said({}, {"aws_or_gcp": {"log_s3_bucket": "b", "kube_iam_role": "r", "additional_secret_mount": "s", "gcp_credentials": "g", "wal_az_storage_account": "a"}}) == set()
}

prepared(namespace) := {"preparedDatabases": {"shop": {"defaultUsers": true, "secretNamespace": namespace}}}

test_secrets_in_another_namespace if {
	whole := {"docker_image": "ghcr.io/zalando/spilo-17:4.0-p2"}
	said(prepared("app"), whole) == {[
		"secretNamespace has no effect here: the operator's configuration does not set enable_cross_namespace_secret, so that the Secrets are in the namespace of the cluster.",
		["spec", "preparedDatabases", "shop", "secretNamespace"],
		"warning",
	]}
	count(said(prepared("app"), object.union(whole, {"kubernetes": {"enable_cross_namespace_secret": false}}))) == 1
	said(prepared("app"), object.union(whole, {"kubernetes": {"enable_cross_namespace_secret": true}})) == set()
	said(prepared("app"), object.union(whole, {"kubernetes": {"enable_cross_namespace_secret": "${CROSS}"}})) == set()
	said(prepared("app"), {"kubernetes": {}}) == set()
	said(prepared("prod"), whole) == set()
	said(prepared("${NAMESPACE}"), whole) == set()
	said({"preparedDatabases": {"shop": {}}}, whole) == set()
}

# Options of PgBouncer that StackGres writes itself.
pooled(fields, options) := {[f.message, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"instances": 1, "postgres": {"version": "17.6"}, "configurations": {"sgPoolingConfig": "p"}}, fields)}},
		"inventory": {"namespace": {"prod": {"stackgres.io/v1": {"SGPoolingConfig": {"p": {"apiVersion": "stackgres.io/v1", "kind": "SGPoolingConfig", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": options}}}}}}}}},
	}
}

test_options_of_pgbouncer if {
	pooled({}, {"listen_port": 6432, "max_client_conn": 200}) == {[
		"listen_port has no effect here: StackGres writes this option of PgBouncer itself and leaves out what is written.",
		["spec", "pgBouncer", "pgbouncer.ini", "pgbouncer", "listen_port"],
	]}
	pooled({}, {"pool_mode": "transaction"}) == set()
	pooled({"pods": {"disableConnectionPooling": true}}, {"listen_port": 6432}) == set()
}
