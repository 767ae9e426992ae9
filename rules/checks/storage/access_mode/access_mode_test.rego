package walguard.checks.storage.access_mode_test

import data.walguard.checks.storage.access_mode as check

claim(modes, rest) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"template": {"spec": {"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": object.union({"accessModes": modes, "resources": {"requests": {"storage": "10Gi"}}}, rest)}],
	},
}}}

test_many if {
	check.findings == {{
		"message": "ReadWriteMany for the data volume: with a filesystem only network filesystems offer it, and a second pod may open the same data directory. Ask for ReadWriteOnce or ReadWriteOncePod.",
		"path": ["spec", "volumeClaimTemplates", 0, "spec", "accessModes"],
	}} with input as claim(["ReadWriteOnce", "ReadWriteMany"], {})
}

test_of_an_operator if {
	count(check.findings) == 1 with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "storage": {"pvcTemplate": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "10Gi"}}}}},
	}}}
}

test_once if {
	check.findings == set() with input as claim(["ReadWriteOnce"], {})
	check.findings == set() with input as claim(["ReadWriteMany"], {"volumeMode": "Block"})
}

# ReadWriteOncePod stands alone.
test_mixed if {
	check.findings == {{
		"message": "The API server refuses the claim of the data volume: ReadWriteOncePod stands beside another access mode (\"may not use ReadWriteOncePod with other access modes\"), so that no pod starts. Leave one of them.",
		"path": ["spec", "volumeClaimTemplates", 0, "spec", "accessModes"],
		"severity": "error",
	}} with input as claim(["ReadWriteOnce", "ReadWriteOncePod"], {})
	every kind, spec in {
		["postgresql.cnpg.io/v1", "Cluster"]: {"instances": 1, "storage": {"size": "10Gi"}, "walStorage": {"size": "1Gi", "pvcTemplate": {"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}}},
		["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"]: {"postgresVersion": 17, "instances": [{"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce", "ReadWriteOncePod"], "resources": {"requests": {"storage": "10Gi"}}}}]},
	} {
		found := check.findings with input as {"review": {"object": {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}
		count(found) == 1
	}
	every modes in [["ReadWriteOncePod"], ["ReadWriteOncePod", "${MODE}"], ["ReadWriteOnce", "ReadOnlyMany"], "ReadWriteOncePod"] {
		check.findings == set() with input as claim(modes, {})
	}
}

test_network_filesystem if {
	given := object.union(
		claim(["ReadWriteMany"], {"storageClassName": "nfs"}),
		{"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"nfs": {"metadata": {"name": "nfs"}, "provisioner": "nfs.csi.k8s.io"}}}}}},
	)
	check.findings == set() with input as given
}

test_silent_when_unknown if {
	check.findings == set() with input as claim([], {})
	check.findings == set() with input as claim("ReadWriteMany", {})
}

zalando(instances, directory, rest) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"numberOfInstances": instances, "patroni": {"initdb": {"waldir": "/home/postgres/wal/pg_wal"}}, "additionalVolumes": [object.union(
		{"name": "more", "mountPath": directory, "volumeSource": {"persistentVolumeClaim": {"claimName": "more"}}},
		rest,
	)]},
}}}

test_one_claim_for_all if {
	check.findings == {{
		"message": "All 3 instances mount claim more at /home/postgres/pgdata/tablespaces and write into the same files. Give each a volume of its own, or keep the directory on the data volume.",
		"path": ["spec", "additionalVolumes", 0],
		"severity": "error",
	}} with input as zalando(3, "/home/postgres/pgdata/tablespaces", {})
	of_wal := check.findings with input as zalando(2, "/home/postgres/wal", {"targetContainers": ["all"]})
	count(of_wal) == 1
}

test_claim_that_nobody_writes_to_together if {
	check.findings == set() with input as zalando(1, "/home/postgres/pgdata/tablespaces", {})
	check.findings == set() with input as zalando(3, "/usr/share/postgresql/17/tsearch_data", {})
	check.findings == set() with input as zalando(3, "/home/postgres/pgdata/tablespaces", {"targetContainers": ["exporter"]})
	check.findings == set() with input as zalando(3, "/home/postgres/pgdata/tablespaces", {"volumeSource": {"persistentVolumeClaim": null, "emptyDir": {}}})
}

beside(kind, spec, pod, modes) := {[f.message, f.severity, f.path, f.resource.name] | some f in found} if {
	given := object.union({"containers": [{"name": "a", "image": "reports:1"}], "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data-orders-0"}}]}, pod)
	found := check.findings with input as object.union(claim(modes, {"storageClassName": "gp3"}), {"inventory": {"namespace": {"prod": {"apps/v1": {kind: {"reports": {
		"apiVersion": "apps/v1",
		"kind": kind,
		"metadata": {"name": "reports", "namespace": "prod"},
		"spec": object.union({"template": {"spec": given}}, spec),
	}}}}}}})
}

test_claim_of_the_server_elsewhere if {
	beside("Deployment", {}, {}, ["ReadWriteOnce"]) == {[
		"Deployment reports mounts claim data-orders-0, which the server's pod holds, and ReadWriteOnce admits one node: on another one it hangs in ContainerCreating (Multi-Attach). Add a required podAffinity to the server, or give it a claim of its own.",
		"warning",
		["spec", "template", "spec", "volumes", 0],
		"reports",
	]}
	{[message, level] | some [message, level, _, _] in beside("StatefulSet", {}, {"nodeName": "a"}, ["ReadWriteOncePod"])} == {[
		"StatefulSet reports mounts claim data-orders-0, which the server's pod holds, and ReadWriteOncePod admits no second pod: one of the two never starts. Give it a claim of its own.",
		"error",
	]}
	beside("Deployment", {"replicas": 0}, {}, ["ReadWriteOnce"]) == set()
	beside("Deployment", {}, {"nodeName": "a"}, ["ReadWriteOnce"]) == set()
	beside("Deployment", {}, {"containers": [{"name": "a", "image": "postgres:17"}]}, ["ReadWriteOnce"]) == set()
	beside("Deployment", {}, {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "mine"}}]}, ["ReadWriteOnce"]) == set()
	beside("Deployment", {}, {}, ["ReadWriteMany"]) == set()
}
