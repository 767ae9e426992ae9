package walguard.checks.backup.store_unusable_credentials_test

import data.walguard.checks.backup.store_unusable as check

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

stored(store) := found if found := check.findings with input as {"review": {"object": cluster({"backup": {"barmanObjectStore": store}})}}

plugin(store) := found if found := check.findings with input as {
	"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})},
	"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {
		"apiVersion": "barmancloud.cnpg.io/v1",
		"kind": "ObjectStore",
		"metadata": {"name": "store", "namespace": "prod"},
		"spec": {"configuration": store},
	}}}}}},
}

# Neither the environment nor the account of the pod is asked for by itself.
test_no_credentials if {
	stored({"destinationPath": "s3://b/orders"}) == {{
		"message": "The store at s3://b/orders has no credentials, not even those of the pod, so that nothing is archived, backed up or read there. Write s3Credentials with keys, or with inheritFromIAMRole: true where the pod has a role.",
		"path": ["spec", "backup", "barmanObjectStore"],
	}}
	every place, cure in {
		"gs://b": "Write googleCredentials with a key, or with gkeEnvironment: true where the pod has an account.",
		"https://a.blob.core.windows.net/b": "Write azureCredentials with keys, or with inheritFromAzureAD: true where the pod has an identity.",
		"b": "Write s3Credentials, googleCredentials or azureCredentials.",
	} {
		{endswith(f.message, cure) | some f in plugin({"destinationPath": place})} == {true}
	}
	stored({"destinationPath": "${PLACE}"}) == set()
	stored({"destinationPath": "s3://b", "s3Credentials": "${CREDENTIALS}"}) == set()
	stored({"destinationPath": "gs://b", "googleCredentials": {}}) == {{
		"message": "googleCredentials name no key, so that nothing is archived, backed up or read there. Write applicationCredentials, or gkeEnvironment: true where the pod has an account.",
		"path": ["spec", "backup", "barmanObjectStore", "googleCredentials"],
	}}
	every given in ["${CREDENTIALS}", {"gkeEnvironment": "${GKE}"}, {"gkeEnvironment": true}, {"applicationCredentials": {"name": "a", "key": "b"}}] {
		stored({"destinationPath": "gs://b", "googleCredentials": given}) == set()
	}
}

# The definition of the ObjectStore refuses these.
test_fields_that_an_object_store_refuses if {
	plugin({"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": true}, "serverName": "orders"}) == {{
		"message": "Kubernetes refuses serverName in an ObjectStore, so that there is no store to archive to. Write serverName: orders among the plugin's parameters in the Cluster.",
		"path": ["spec", "configuration", "serverName"],
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "name": "store", "namespace": "prod"},
	}}
	stored({"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": true}, "serverName": "orders"}) == set()
	store := {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "store", "namespace": "prod"}, "spec": {
		"configuration": {"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": true}},
		"instanceSidecarConfiguration": {"additionalContainerArgs": ["--check", "--log-level=debug"]},
	}}
	found := check.findings with input as {
		"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})},
		"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": store}}}}},
	}
	{[f.message, f.path] | some f in found} == {[
		"Kubernetes refuses --log-level=debug in additionalContainerArgs of an ObjectStore, so that there is no store to archive to. Write instanceSidecarConfiguration.logLevel.",
		["spec", "instanceSidecarConfiguration", "additionalContainerArgs", 1],
	]}
}
