package walguard.operators.cnpg_test

import data.walguard.checks.backup.store_unusable as check

by_role(metadata, extra, more) := {[f.severity, f.path, f.message] | some f in found} if found := check.findings with input as {
	"placeholders": true,
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": object.union({"name": "shop", "namespace": "prod"}, metadata),
		"spec": object.union({"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/shop", "s3Credentials": {"inheritFromIAMRole": true}}}}, extra),
	}},
	"inventory": {"namespace": object.union({"prod": {}}, more)},
}

arn := {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/shop"}}

astray := {[
	"warning",
	["metadata", "annotations", "eks.amazonaws.com/role-arn"],
	"Annotation eks.amazonaws.com/role-arn of the Cluster does not reach the ServiceAccount of its pods: they get no role, and nothing is archived or backed up. Write it into spec.serviceAccountTemplate.metadata.annotations of the Cluster.",
]}

test_role_of_the_cluster if {
	by_role(arn, {}, {}) == astray
	by_role({}, {}, {}) == set()
}

test_role_that_counts if {
	every extra in [
		{"serviceAccountTemplate": {"metadata": arn}},
		{"inheritedMetadata": arn},
		{"serviceAccountTemplate": {"metadata": {"annotations": {"${KEY}": "arn"}}}},
		{"serviceAccountName": "backup"},
		{"env": [{"name": "AWS_ROLE_ARN", "value": "arn"}]},
		{"envFrom": [{"secretRef": {"name": "keys"}}]},
		{"backup": {"barmanObjectStore": {"s3Credentials": {"inheritFromIAMRole": false, "accessKeyId": {"name": "s", "key": "k"}, "secretAccessKey": {"name": "s", "key": "l"}}}}},
	] {
		by_role(arn, extra, {}) == set()
	}
	by_role(arn, {"serviceAccountTemplate": {"metadata": {"annotations": {"team": "shop"}}}}, {}) == astray
}

test_role_of_an_account_in_sight if {
	by_role(arn, {}, {"prod": {"v1": {"ServiceAccount": {"shop": {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object.union({"name": "shop"}, arn)}}}}}) == set()
	by_role(arn, {}, {"cnpg-system": {"v1": {"ConfigMap": {"cnpg-controller-manager-config": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"INHERITED_ANNOTATIONS": "eks.amazonaws.com/*"}}}}}}) == set()
}

test_role_of_other_clouds if {
	google := by_role({"annotations": {"iam.gke.io/gcp-service-account": "shop@p.iam.gserviceaccount.com"}}, {"backup": {"barmanObjectStore": {"destinationPath": "gs://backups", "s3Credentials": null, "googleCredentials": {"gkeEnvironment": true}}}}, {})
	{path[2] | some [_, path, _] in google} == {"iam.gke.io/gcp-service-account"}
}

test_role_of_a_store if {
	store := {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": object.union({"name": "backups", "namespace": "prod"}, arn), "spec": {"configuration": {"destinationPath": "s3://backups", "s3Credentials": {"inheritFromIAMRole": true}}}}
	found := by_role({}, {"backup": {}, "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "backups"}}]}, {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"backups": store}}}})
	count(found) == 1
	some [_, _, message] in found
	startswith(message, "Annotation eks.amazonaws.com/role-arn of the ObjectStore does not reach")
}
