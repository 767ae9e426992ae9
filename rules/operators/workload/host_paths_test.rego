package walguard.operators.workload_host_paths_test

import data.walguard.checks.durability.ephemeral_volume
import data.walguard.checks.storage.access_mode
import data.walguard.checks.storage.volume_unbound
import data.walguard.checks.workload.deployment_strategy
import data.walguard.checks.workload.permissions

server(name, volume, pod) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": {
		"selector": {"matchLabels": {"app": name}},
		"strategy": {"type": "Recreate"},
		"template": {"metadata": {"labels": {"app": name}}, "spec": object.union(
			{
				"containers": [{
					"name": "postgres",
					"image": "postgres:17.6",
					"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}, {"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}],
					"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}],
				}],
				"volumes": [object.union({"name": "data"}, volume)],
			},
			pod,
		)},
	},
}

on_node(path) := {"hostPath": {"path": path}}

plain_user := {"securityContext": {"runAsUser": 999, "fsGroup": 999}}

told(volume, pod) := {f.message | some f in permissions.findings with input as {"review": {"object": server("db", volume, pod)}}}

test_directory_of_root if {
	told(on_node("/opt/pg/"), plain_user) == {"The data lie in /opt/pg of the node, which belongs to root unless somebody has given it to user 999: \"Permission denied\", and fsGroup changes nothing there. Run chown 999 on it in an init container as root."}
	told(on_node("/opt/pg"), {"securityContext": {"runAsUser": 999}}) == {"The data lie in /opt/pg of the node, which belongs to root unless somebody has given it to user 999: \"Permission denied\". Run chown 999 on it in an init container as root."}
	told({"hostPath": {"path": "/opt/pg", "type": "DirectoryOrCreate"}}, plain_user) != set()
	told({"hostPath": {"path": "/opt/pg", "type": "Directory"}}, plain_user) == set()
	told(on_node("/opt/pg"), {}) == set()
	told(on_node("/opt/pg"), object.union(plain_user, {"initContainers": [{"name": "own", "image": "busybox:1"}]})) == set()
}

test_swept if {
	every path in ["/tmp/pg", "/run/pg", "/var/run/pg"] {
		{f.message | some f in ephemeral_volume.findings with input as {"review": {"object": server("db", on_node(path), {"nodeName": "a"})}}} == {sprintf("The data directory in %s is on a directory that the node empties when it boots: it is lost then.", [path])}
	}
	every path in ["/tmpfs/pg", "/var/lib/pg", "/data/tmp"] {
		count(ephemeral_volume.findings) == 0 with input as {"review": {"object": server("db", on_node(path), {"nodeName": "a"})}}
	}
}

beside(own, other, pods) := {f.message |
	some f in deployment_strategy.findings with input as {
		"review": {"object": server("b", own, pods[0])},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"a": server("a", other, pods[1])}}}}},
	}
}

test_one_directory if {
	beside(on_node("/data/pg"), on_node("/data/pg/"), [{}, {}]) == {"Deployment a keeps its data in the same directory of the node, /data/pg: one of the two finds the other's data and passwords, or both write there and destroy it. Give each a directory of its own."}
	beside(on_node("/data/pg"), on_node("/data/other"), [{}, {}]) == set()
	beside(on_node("/data/pg"), on_node("/data/pg"), [{"nodeSelector": {"kubernetes.io/hostname": "x"}}, {"nodeSelector": {"kubernetes.io/hostname": "y"}}]) == set()
}

# -------------------------------------------------------------------------------------------- PersistentVolumes

claim(spec) := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "storageClassName": "manual", "resources": {"requests": {"storage": "10Gi"}}}, spec)}

volume(name, spec) := {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "storageClassName": "manual", "capacity": {"storage": "10Gi"}, "hostPath": {"path": "/data/pg"}}, spec)}

review(claim_spec, volumes, classes) := {
	"review": {"object": server("db", {"persistentVolumeClaim": {"claimName": "data"}}, {})},
	"inventory": {
		"namespace": {"shop": {"v1": {"PersistentVolumeClaim": {"data": claim(claim_spec)}}}},
		"cluster": {"v1": {"PersistentVolume": volumes}, "storage.k8s.io/v1": {"StorageClass": classes}},
	},
}

class(provisioner) := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "manual"}, "provisioner": provisioner}

unbound(claim_spec, volumes, classes) := {[f.severity, f.message] | some f in volume_unbound.findings with input as review(claim_spec, volumes, classes)}

test_volumes_that_do_not_serve if {
	few := "No PersistentVolume of class manual serves the claim of the data volume: pv has 5Gi, and the claim asks for 10Gi. Ask for no more."
	unbound({}, {"pv": volume("pv", {"capacity": {"storage": "5Gi"}})}, {}) == {["warning", few]}
	unbound({}, {"pv": volume("pv", {"capacity": {"storage": "5Gi"}})}, {"manual": class("kubernetes.io/no-provisioner")}) == {["error", few]}
	unbound({}, {"pv": volume("pv", {"accessModes": ["ReadWriteMany"]})}, {}) == {["warning", "No PersistentVolume of class manual serves the claim of the data volume: pv has the access modes ReadWriteMany, and the claim asks for ReadWriteOnce. Write the same accessModes in both."]}
	unbound({}, {"pv": volume("pv", {"capacity": {"storage": "5Gi"}})}, {"manual": class("ebs.csi.aws.com")}) == set()
	unbound({}, {"a": volume("a", {"capacity": {"storage": "5Gi"}}), "b": volume("b", {})}, {}) == set()
	unbound({}, {"pv": volume("pv", {"capacity": {"storage": "5Gi"}, "claimRef": {"namespace": "shop", "name": "other"}})}, {}) == set()
	unbound({"storageClassName": "standard"}, {"pv": volume("pv", {"storageClassName": "standard", "capacity": {"storage": "5Gi"}})}, {}) == set()
	unbound({}, {}, {}) == set()
}

test_one_path_of_two_volumes if {
	mine := volume("b", {"claimRef": {"namespace": "shop", "name": "data"}})
	others := volume("a", {"claimRef": {"namespace": "old", "name": "data"}})
	{f.message | some f in deployment_strategy.findings} == {"PersistentVolume a keeps its data in the same directory of the node, /data/pg: one of the two finds the other's data and passwords, or both write there and destroy it. Give each a directory of its own."} with input as review({}, {"a": others, "b": mine}, {})
	apart := {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["x"]}]}]}}
	deployment_strategy.findings == set() with input as review({}, {"a": object.union(others, {"spec": {"nodeAffinity": apart}}), "b": mine}, {})
}

test_mode_that_is_refused if {
	many := {"accessModes": ["ReadWriteMany"]}
	{[f.severity, f.message] | some f in access_mode.findings} == {["error", "rancher.io/local-path refuses ReadWriteMany with a filesystem: the claim of the data volume stays Pending, and so does the pod. Ask for ReadWriteOnce or ReadWriteOncePod."]} with input as review(many, {}, {"manual": class("rancher.io/local-path")})
	{object.get(f, "severity", "warning") | some f in access_mode.findings} == {"warning"} with input as review(many, {}, {"manual": class("driver.longhorn.io")})
	{object.get(f, "severity", "warning") | some f in access_mode.findings} == {"warning"} with input as review(object.union(many, {"volumeName": "pv"}), {"pv": volume("pv", many)}, {"manual": class("ebs.csi.aws.com")})
}

# ------------------------------------------------------------------------------------------------ of a template

of_template(spec, template, volumes, classes) := {f.message |
	some f in permissions.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": object.union(
				{
					"template": {"metadata": {"labels": {"app": "db"}}, "spec": {
						"securityContext": {"fsGroup": 1001},
						"containers": [{"name": "postgresql", "image": "bitnami/postgresql:17.6.0", "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}],
					}},
					"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "storageClassName": "manual", "resources": {"requests": {"storage": "8Gi"}}}, template)}],
				},
				spec,
			),
		}},
		"inventory": {"cluster": {"v1": {"PersistentVolume": volumes}, "storage.k8s.io/v1": {"StorageClass": classes}}},
	}
}

test_volume_of_a_template if {
	of_template({}, {}, {"pv": volume("pv", {})}, {}) == {"The data lie in /data/pg of the node, which belongs to root unless somebody has given it to user 1001: \"Permission denied\", and fsGroup changes nothing there. Run chown 1001 on it in an init container as root."}
	count(of_template({}, {}, {"pv": volume("pv", {"claimRef": {"namespace": "shop", "name": "data-db-0"}})}, {})) == 1
	of_template({}, {}, {"pv": volume("pv", {"claimRef": {"namespace": "shop", "name": "data-other-0"}})}, {}) == set()
	of_template({}, {}, {"a": volume("a", {}), "b": volume("b", {})}, {}) == set()
	of_template({}, {}, {"pv": volume("pv", {})}, {"manual": class("rancher.io/local-path")}) == set()
	of_template({}, {"storageClassName": "${CLASS}"}, {"pv": volume("pv", {"storageClassName": "${CLASS}"})}, {}) == set()
	of_template({}, {"storageClassName": ""}, {"pv": volume("pv", {"storageClassName": ""})}, {}) == set()
	of_template({"replicas": 2}, {}, {"pv": volume("pv", {})}, {}) == set()
	of_template({}, {}, {"pv": object.union(object.remove(volume("pv", {}), ["spec"]), {"spec": {"storageClassName": "manual", "csi": {"driver": "ebs.csi.aws.com"}}})}, {}) == set()
}
