package walguard.operators.cnpg_test

import data.walguard.checks.backup.store_unusable as check

written(endpoint, extra, review, more) := {[f.severity, f.path, f.message] | some f in found} if found := check.findings with input as {
	"review": object.union(review, {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "shop", "namespace": "prod"},
		"spec": object.union({"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/shop", "endpointURL": endpoint, "s3Credentials": {"inheritFromIAMRole": true}}}}, extra),
	}}),
	"inventory": {"namespace": object.union({"prod": {}}, more)},
}

place := ["spec", "backup", "barmanObjectStore", "endpointURL"]

said := "endpointURL has the variable ${S3_URL}, which the operator does not replace: Barman Cloud gets the text as it is, and nothing is archived, backed up or read there. Write the address itself."

kept := {"env": [{"name": "S3_URL", "valueFrom": {"secretKeyRef": {"name": "store", "key": "url"}}}]}

test_variable_of_the_pods if {
	written("${S3_URL}", kept, {}, {}) == {["error", place, said]}
	written("https://$(S3_URL)", {"env": [{"name": "S3_URL", "value": "s3.example.com"}]}, {}, {}) == {["error", place, replace(said, "${S3_URL}", "$(S3_URL)")]}
	written("${S3_URL}", {"envFrom": [{"secretRef": {"name": "store"}}]}, {}, {}) == {["warning", place, replace(said, "replace:", "replace by one of envFrom:")]}
	written("${S3_URL}", {}, {"operation": "CREATE"}, {}) == {["error", place, said]}
}

test_variable_that_a_step_fills_in if {
	written("${S3_URL}", {}, {}, {}) == set()
	written("${ENDPOINT}", {"envFrom": [{"secretRef": {"name": "store"}}]}, {}, {}) == set()
	written("${S3_URL}", {"env": [{"name": "S3_URL", "value": "${S3_URL}"}]}, {}, {}) == set()
	written("${S3_URL}", object.union(kept, {"imageName": "x:${TAG}"}), {}, {}) == set()
	written("${S3_URL}", kept, {}, {"flux-system": {"kustomize.toolkit.fluxcd.io/v1": {"Kustomization": {"apps": {"metadata": {"name": "apps"}, "spec": {"postBuild": {"substitute": {}}}}}}}}) == set()
}

test_variable_of_a_store if {
	store := {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "backups", "namespace": "prod"}, "spec": {
		"configuration": {"destinationPath": "s3://${BUCKET}/shop", "s3Credentials": {"inheritFromIAMRole": true}},
		"instanceSidecarConfiguration": {"env": [{"name": "BUCKET", "value": "backups"}]},
	}}
	found := written("https://s3.eu-central-1.amazonaws.com", {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "backups"}}]}, {}, {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"backups": store}}}})
	{[severity, path] | some [severity, path, _] in found} == {["error", ["spec", "configuration", "destinationPath"]]}
}
