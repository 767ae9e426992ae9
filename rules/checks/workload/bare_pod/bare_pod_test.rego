package walguard.checks.workload.bare_pod_test

import data.walguard.checks.workload.bare_pod as check

pod(metadata, volume) := {"review": {"object": {
	"apiVersion": "v1",
	"kind": "Pod",
	"metadata": object.union({"name": "orders", "namespace": "prod"}, metadata),
	"spec": {
		"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [object.union({"name": "data"}, volume)],
	},
}}}

claim := {"persistentVolumeClaim": {"claimName": "orders"}}

test_alone if {
	check.findings == {{
		"message": "A Pod without a controller: when it is evicted or its node goes, nothing creates it again, though its claim stays. Make it the template of a StatefulSet.",
		"path": ["kind"],
	}} with input as pod({}, claim)
}

test_not_reported if {
	check.findings == set() with input as pod({"ownerReferences": [{"apiVersion": "databases.example.com/v1", "kind": "Database", "name": "orders"}]}, claim)
	check.findings == set() with input as pod({}, {"emptyDir": {}})
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": pod({}, claim).review.object.spec}},
	}}}
}

test_silent_when_unknown if check.findings == set() with input as pod({}, {"csi": {"driver": "example.com"}})
