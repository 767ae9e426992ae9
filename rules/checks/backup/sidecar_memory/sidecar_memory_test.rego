package walguard.checks.backup.sidecar_memory_test

import data.walguard.checks.backup.sidecar_memory as check

findings(plugin, sidecar, objects) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "plugins": [object.union({"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}, plugin)]},
	}},
	"inventory": {"namespace": {"prod": object.union({"v1": objects}, {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {
		"apiVersion": "barmancloud.cnpg.io/v1",
		"kind": "ObjectStore",
		"metadata": {"name": "store", "namespace": "prod"},
		"spec": {"configuration": {"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": true}}, "instanceSidecarConfiguration": sidecar},
	}}}})}},
}

limited(resources) := findings({}, {"resources": resources}, {})

store := {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "name": "store", "namespace": "prod"}

test_limit_of_the_store if {
	limited({"limits": {"memory": "128Mi"}}) == {{
		"message": "The memory limit of the Barman plugin's container is 128Mi, by which base backups were killed (exit code 137) even of small databases, while WAL was archived. Set instanceSidecarConfiguration.resources.limits.memory to 512Mi.",
		"path": ["spec", "instanceSidecarConfiguration", "resources", "limits", "memory"],
		"resource": store,
	}}
	every limit in ["512Mi", "256Mi", "${MEMORY}", "0"] {
		limited({"limits": {"memory": limit}}) == set()
	}
	limited({"requests": {"memory": "64Mi"}}) == set()
	findings({"enabled": false}, {"resources": {"limits": {"memory": "64Mi"}}}, {}) == set()
	findings({"parameters": {"barmanObjectName": "other"}}, {"resources": {"limits": {"memory": "64Mi"}}}, {}) == set()
}

ranged(resources, given) := findings({}, {"resources": resources}, {"LimitRange": {"defaults": {
	"apiVersion": "v1",
	"kind": "LimitRange",
	"metadata": {"name": "defaults", "namespace": "prod"},
	"spec": {"limits": [{"type": "Container", "default": given}]},
}}})

test_limit_of_the_namespace if {
	ranged({}, {"memory": "128Mi"}) == {{
		"message": "LimitRange defaults limits the Barman plugin's container to 128Mi of memory, by which base backups were killed (exit code 137) even of small databases. Set instanceSidecarConfiguration.resources.limits.memory to 512Mi.",
		"path": ["spec", "instanceSidecarConfiguration"],
		"resource": store,
	}}
	ranged({"requests": {"memory": "64Mi"}}, {"memory": "512Mi"}) == set()
	ranged({}, {"cpu": "100m"}) == set()
	ranged({"limits": {"memory": "1Gi"}}, {"memory": "128Mi"}) == set()
	ranged({"limits": {"memory": "${MEMORY}"}}, {"memory": "128Mi"}) == set()
	ranged({"limits": "${LIMITS}"}, {"memory": "128Mi"}) == set()
	ranged("${RESOURCES}", {"memory": "128Mi"}) == set()
}
