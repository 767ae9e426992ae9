package walguard.checks.durability.ephemeral_volume_test

import data.walguard.checks.durability.ephemeral_volume as check

findings(volume) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "v1",
		"kind": "Pod",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
			"volumes": [object.union({"name": "data"}, volume)],
		},
	}}}
}

test_empty_dir if {
	findings({"emptyDir": {}}) == {{
		"message": "Data volume on an emptyDir: what is on it is lost with the pod.",
		"path": ["spec", "volumes", 0],
	}}
}

test_host_path if {
	{f.message | some f in findings({"hostPath": {"path": "/data"}})} == {"Data volume on a hostPath of whatever node the pod comes to: on another node it finds an empty directory. Keep it on one node (nodeSelector), or use a PersistentVolumeClaim."}
}

test_claim if findings({"persistentVolumeClaim": {"claimName": "orders"}}) == set()

test_part_of_the_data if {
	check.findings == {{"message": "PGDATA=/tmp/d is on no lasting volume: it is lost with the pod.", "path": ["spec", "env", 0, "value"]}} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"volume": {"size": "10Gi"}, "env": [{"name": "PGDATA", "value": "/tmp/d"}]},
	}}}
}
