package walguard.operators.workload_names_test

import data.walguard.operators.workload

pod(content) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "pgset", "namespace": "prod"},
	"spec": {"template": {"spec": object.union({"containers": [{"name": "postgres", "image": "postgres:17.6"}]}, content)}},
}

container(content) := pod({"containers": [object.union({"name": "postgres", "image": "postgres:17.6"}, content)]})

# {[path, reason]}
of(object_, namespaces) := {[one.path, one.reason] |
	cluster := workload.cluster with input as {"review": {"object": object_}, "inventory": {"namespace": namespaces}}
	some one in object.get(cluster, "unresolved", [])
}

made(kind, name, namespace) := {namespace: {"v1": {kind: {name: {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}}}}}}

at(below) := array.concat(["spec", "template", "spec"], below)

test_variables if {
	every field, kind in {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"} {
		asked := container({"env": [{"name": "A", "valueFrom": {field: {"name": "settings", "key": "a"}}}]})
		of(asked, made(kind, "setting", "prod")) == {[at(["containers", 0, "env", 0, "valueFrom", field, "name"]), sprintf("Container postgres names %s settings, which is not there, while setting is: it is not created", [kind])]}
		of(asked, made(kind, "settings", "prod")) == set()
		of(asked, made(kind, "others", "prod")) == set()
		of(container({"env": [{"name": "A", "valueFrom": {field: {"name": "settings", "key": "a", "optional": true}}}]}), made(kind, "setting", "prod")) == set()
	}
	every field, kind in {"secretRef": "Secret", "configMapRef": "ConfigMap"} {
		asked := container({"envFrom": [{field: {"name": "settings"}}]})
		of(asked, made(kind, "settings", "other")) == {[at(["containers", 0, "envFrom", 0, field, "name"]), sprintf("Container postgres looks for %s settings in namespace prod, and it is in other: it is not created", [kind])]}
		of(container({"envFrom": [{field: {"name": "settings", "optional": true}}]}), made(kind, "settings", "other")) == set()
	}
}

# A name that another reference of the pod means was not to be this one.
test_names_that_are_meant if {
	asked := container({"envFrom": [{"secretRef": {"name": "settings"}}, {"secretRef": {"name": "setting"}}]})
	of(asked, made("Secret", "setting", "prod")) == set()
}

test_volumes if {
	every case in [["secret", "secretName", "Secret"], ["configMap", "name", "ConfigMap"], ["persistentVolumeClaim", "claimName", "PersistentVolumeClaim"]] {
		asked := pod({"volumes": [{"name": "v", case[0]: {case[1]: "settings"}}]})
		of(asked, made(case[2], "setting", "prod")) == {[at(["volumes", 0, case[0], case[1]]), sprintf("Volume v names %s settings, which is not there, while setting is: the pod does not start", [case[2]])]}
		of(asked, made(case[2], "settings", "prod")) == set()
	}
}

test_service_account if {
	of(pod({"serviceAccountName": "pg"}), made("ServiceAccount", "pg", "other")) == {[at(["serviceAccountName"]), "The pod looks for ServiceAccount pg in namespace prod, and it is in other: no pod is created"]}
	of(pod({"serviceAccountName": "default"}), made("ServiceAccount", "default", "other")) == set()
}

claiming := pod({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "crunchy-pvc"}}]})

test_another_claim if {
	of(claiming, made("PersistentVolumeClaim", "pgset-pvc", "prod")) == {[at(["volumes", 0, "persistentVolumeClaim", "claimName"]), "Volume data names claim crunchy-pvc, which is not there, while pgset-pvc is and no pod mounts it: the pod stays Pending"]}
	every name in ["crunchy-pvc", "web-pvc", "web-data", "pgset-backups", "${NAME}-pgset"] {
		of(claiming, made("PersistentVolumeClaim", name, "prod")) == set()
	}

	# Which of two is meant, nobody knows, and one that is mounted is somebody else's.
	of(claiming, object.union(made("PersistentVolumeClaim", "pgset-pvc", "prod"), made("PersistentVolumeClaim", "postgres-pvc", "prod"))) == set()
	every case in [
		["apps/v1", "Deployment", ["spec", "template", "spec"]],
		["apps/v1", "StatefulSet", ["spec", "template", "spec"]],
		["batch/v1", "CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
		["v1", "Pod", ["spec"]],
	] {
		other := nested(case[2], {"volumes": [{"persistentVolumeClaim": {"claimName": "pgset-pvc"}}]})
		of(claiming, object.union(made("PersistentVolumeClaim", "pgset-pvc", "prod"), {"prod": {case[0]: {case[1]: {"web": other}}}})) == set()
	}
}

nested(path, value) := json.patch({}, array.concat(
	[{"op": "add", "path": array.slice(path, 0, i + 1), "value": {}} | some i, _ in path],
	[{"op": "add", "path": path, "value": value}],
))

of_maps(volume, mounts, maps) := of(
	pod({"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": mounts}], "volumes": [{"name": "v", "configMap": volume}]}),
	{"prod": {"v1": {"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "prod"}, "data": data_of} | some name, data_of in maps}}}},
)

test_map_with_another_word if {
	told := {[at(["volumes", 0, "configMap", "name"]), "Volume v names ConfigMap pg-metrics, which is not there, while pg-primary-metrics is and no pod takes it: the pod does not start"]}
	of_maps({"name": "pg-metrics"}, [], {"pg-primary-metrics": {"a": "b"}}) == told
	of_maps({"name": "pg-metrics"}, [{"name": "v", "mountPath": "/a", "subPath": "a"}], {"pg-primary-metrics": {"a": "b"}, "pg": {}}) == told
	of_maps({"name": "pg-metrics"}, [{"name": "v", "mountPath": "/a", "subPath": "other"}], {"pg-primary-metrics": {"a": "b"}}) == set()
	of_maps({"name": "pg-metrics", "optional": true}, [], {"pg-primary-metrics": {"a": "b"}}) == set()
	of_maps({"name": "pg-metrics"}, [], {"pg-primary-metrics": {"a": "b"}, "pg-replica-metrics": {"a": "b"}}) == set()
	of_maps({"name": "pg-metrics"}, [], {"pg-metrics": {}, "pg-primary-metrics": {"a": "b"}}) == set()
	of_maps({"name": "pg-metrics"}, [], {"pg-settings": {"a": "b"}, "pg": {}}) == set()
	of_maps({"name": "${NAME}-metrics"}, [], {"pg-primary-metrics": {"a": "b"}}) == set()
}

test_map_that_another_pod_takes if {
	taken := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "envFrom": [{"configMapRef": {"name": "pg-primary-metrics"}}]}]}}}}
	of(pod({"volumes": [{"name": "v", "configMap": {"name": "pg-metrics"}}]}), {"prod": {
		"v1": {"ConfigMap": {"pg-primary-metrics": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pg-primary-metrics", "namespace": "prod"}, "data": {"a": "b"}}}},
		"apps/v1": {"Deployment": {"web": taken}},
	}}) == set()
}

mounting(option, more) := pod({
	"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", sprintf("%s=/etc/postgresql/own.conf", [option])], "volumeMounts": [object.union({"name": "conf", "mountPath": "/etc/postgresql/own.conf"}, more)]}],
	"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
})

test_directories_for_files if {
	every option in ["config_file", "hba_file"] {
		of(mounting(option, {}), {}) == {[at(["containers", 0, "volumeMounts"]), sprintf("%s is /etc/postgresql/own.conf, where a ConfigMap is mounted whole, which makes a directory of it: the server does not start (\"Is a directory\")", [option])]}
		of(mounting(option, {"subPath": "own.conf"}), {}) == set()
		of(mounting(option, {"mountPath": "/etc/postgresql"}), {}) == set()
	}
}
