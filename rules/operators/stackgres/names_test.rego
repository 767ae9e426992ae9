package walguard.operators.stackgres_names_test

import data.walguard.operators.stackgres

cluster(spec) := {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

read(spec, namespaces) := found if found := stackgres.cluster with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": namespaces}}

lost(spec, namespaces) := {[one.path, one.reason] | some one in object.get(read(spec, namespaces), "unresolved", [])}

made(version, kind, name, namespace, content) := {namespace: {version: {kind: {name: object.union({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}}, content)}}}}

test_names if {
	every case in [
		[{"sgInstanceProfile": "large"}, "stackgres.io/v1", "SGInstanceProfile", ["spec", "sgInstanceProfile"]],
		[{"configurations": {"sgPostgresConfig": "large"}}, "stackgres.io/v1", "SGPostgresConfig", ["spec", "configurations", "sgPostgresConfig"]],
		[{"configurations": {"sgPoolingConfig": "large"}}, "stackgres.io/v1", "SGPoolingConfig", ["spec", "configurations", "sgPoolingConfig"]],
		[{"configurations": {"backups": [{"sgObjectStorage": "large"}]}}, "stackgres.io/v1beta1", "SGObjectStorage", ["spec", "configurations", "backups", 0, "sgObjectStorage"]],
		[{"initialData": {"restore": {"fromBackup": {"name": "large"}}}}, "stackgres.io/v1", "SGBackup", ["spec", "initialData", "restore", "fromBackup", "name"]],
	] {
		{found[0] | some found in lost(case[0], made(case[1], case[2], "lagre", "prod", {}))} == {case[3]}
		{contains(found[1], "in namespace prod, and it is in other") | some found in lost(case[0], made(case[1], case[2], "large", "other", {}))} == {true}
		lost(case[0], made(case[1], case[2], "large", "prod", {})) == set()
		lost(case[0], made(case[1], case[2], "small", "prod", {})) == set()
		lost(case[0], {}) == set()
	}
}

levels(namespaces) := [object.get(one, "level", "error") | some one in read({"sgInstanceProfile": "large", "configurations": {"sgPostgresConfig": "usual"}}, namespaces).unresolved]

test_name_beside_one_that_is_found if {
	elsewhere := made("stackgres.io/v1", "SGInstanceProfile", "large", "other", {})
	levels(elsewhere) == ["warning"]
	levels(object.union(elsewhere, made("stackgres.io/v1", "SGPostgresConfig", "others", "prod", {}))) == ["warning"]
	levels(object.union(elsewhere, made("stackgres.io/v1", "SGPostgresConfig", "usual", "prod", {}))) == ["error"]
}

secret(content) := made("v1", "Secret", "s", "prod", {"stringData": content})

missing(spec, namespaces) := {[one.path, object.get(one, ["resource", "kind"], "")] | some one in object.get(read(spec, namespaces), "missing_keys", [])}

test_keys_of_credentials if {
	asked := {"configurations": {"credentials": {"users": {"superuser": {"password": {"name": "s", "key": "p"}}}}}, "postgres": {"ssl": {"privateKeySecretKeySelector": {"name": "s", "key": "tls.key"}}}}
	missing(asked, secret({"other": "x"})) == {
		[["spec", "configurations", "credentials", "users", "superuser", "password", "key"], ""],
		[["spec", "postgres", "ssl", "privateKeySecretKeySelector", "key"], ""],
	}
	missing(asked, secret({"p": "x", "tls.key": "y"})) == set()
}

test_keys_of_stores if {
	every path in [
		["s3", "awsCredentials", "accessKeyId"], ["s3", "awsCredentials", "secretAccessKey"],
		["s3Compatible", "awsCredentials", "accessKeyId"], ["s3Compatible", "awsCredentials", "secretAccessKey"], ["s3Compatible", "awsCredentials", "caCertificate"],
		["gcs", "gcpCredentials", "serviceAccountJSON"], ["azureBlob", "azureCredentials", "storageAccount"], ["azureBlob", "azureCredentials", "accessKey"],
	] {
		storage := made("stackgres.io/v1beta1", "SGObjectStorage", "store", "prod", {"spec": {path[0]: {path[1]: {"secretKeySelectors": {path[2]: {"name": "s", "key": "k"}}}}}})
		asked := {"configurations": {"backups": [{"sgObjectStorage": "store"}]}}
		missing(asked, object.union(storage, secret({"other": "x"}))) == {[["spec", path[0], path[1], "secretKeySelectors", path[2], "key"], "SGObjectStorage"]}
		missing(asked, object.union(storage, secret({"k": "x"}))) == set()
	}
}
