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

after_pod(kind, field, mounted, env) := {[f.path, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{
				"image": "postgres:17",
				"env": array.concat([{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": field}}}], env),
				"volumeMounts": [object.union({"name": "data", "mountPath": "/var/lib/postgresql/data"}, mounted)],
			}],
			"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "orders"}}],
		}}},
	}}}
}

test_directory_called_after_the_pod if {
	after_pod("StatefulSet", "metadata.uid", {"subPathExpr": "$(POD)"}, []) == {[
		["spec", "template", "spec", "containers", 0, "volumeMounts", 0, "subPathExpr"],
		"The data are in the directory $(POD) of their volume, and POD is new with each pod: the next one begins with an empty database beside the old one. Write a subPath that stays.",
	]}
	{found[0] | some found in after_pod("Deployment", "metadata.name", {}, [{"name": "PGDATA", "value": "/var/lib/postgresql/data/$(POD)"}])} == {["spec", "template", "spec", "containers", 0, "env", 1, "value"]}
	count(after_pod("Deployment", "metadata.name", {"subPathExpr": "pg/$(POD)"}, [])) == 1
	after_pod("StatefulSet", "metadata.name", {"subPathExpr": "$(POD)"}, []) == set()
	after_pod("StatefulSet", "metadata.name", {}, [{"name": "PGDATA", "value": "/var/lib/postgresql/data/$(POD)"}]) == set()
	after_pod("Deployment", "metadata.namespace", {"subPathExpr": "$(POD)"}, []) == set()
	after_pod("Deployment", "spec.nodeName", {"subPathExpr": "$(POD)"}, []) == set()
	after_pod("Deployment", "metadata.uid", {"subPathExpr": "$(OTHER)"}, []) == set()
	after_pod("Deployment", "metadata.uid", {"subPath": "pgdata"}, []) == set()
}

# Patroni's example: a directory on the volume that is named already.
patroni_on(directory, volumes) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db"},
		"spec": {"template": {"spec": {
			"containers": [{
				"name": "db",
				"image": "patroni:17",
				"env": [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": directory}, {"name": "PATRONI_SCOPE", "value": "db"}],
				"volumeMounts": [{"name": "data", "mountPath": "/home/postgres/pgdata"}, {"name": "scratch", "mountPath": "/scratch"}],
			}],
			"volumes": volumes,
		}}},
	}}}
}

test_patroni_once if {
	empty := [{"name": "data", "emptyDir": {}}, {"name": "scratch", "emptyDir": {}}]
	claimed := [{"name": "data", "persistentVolumeClaim": {"claimName": "db"}}, {"name": "scratch", "emptyDir": {}}]
	patroni_on("/home/postgres/pgdata/pgroot/data", empty) == {"Data volume on an emptyDir: what is on it is lost with the pod."}
	patroni_on("/home/postgres/pgdata/pgroot/data", claimed) == set()
	count(patroni_on("/scratch/data", claimed)) > 0
	count(patroni_on("/data", claimed)) > 0
}
