package walguard.checks.storage.class_missing_test

import data.walguard.checks.storage.class_missing as check
import data.walguard.lib.disk_test as manifests

# The class of the inventory is called "fast", the cluster asks for "quick".
asking(what) := manifests.review(object.union(
	{
		"provisioner": "ebs.csi.aws.com",
		"size": "10Gi",
		"complete": true,
		"spec": {"storage": {"storageClass": "quick"}},
	},
	what,
))

with_volume(name) := object.union(asking({}), {"inventory": {"cluster": {"v1": {"PersistentVolume": {"pv": {"spec": {"storageClassName": name}}}}}}})

with_classes(names) := object.union(
	json.remove(asking({}), ["inventory/cluster"]),
	{"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {name: {} | some name in names}}}}},
)

findings(review) := found if {
	found := check.findings with input as review
}

test_missing if {
	findings(with_volume("other")) == {{
		"message": "StorageClass quick of the data volume does not exist, and the claim stays pending. There is fast.",
		"severity": "error",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_volumes_out_of_sight if {
	findings(asking({})) == {{
		"message": "StorageClass quick of the data volume does not exist, and the claim stays pending unless a volume created by hand has that name. There is fast.",
		"severity": "warning",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_what_there_is if {
	{f.message | some f in findings(with_classes(["b", "a"]))} == {"StorageClass quick of the data volume does not exist, and the claim stays pending unless a volume created by hand has that name. There are a and b."}
	{f.message | some f in findings(with_classes([]))} == {"StorageClass quick of the data volume does not exist, and the claim stays pending unless a volume created by hand has that name. There is none at all."}
}

test_told_once if {
	count(findings(asking({"wal": "1Gi", "spec": {"storage": {"storageClass": "quick"}, "walStorage": {"storageClass": "quick"}}}))) == 1
}

test_volume_made_by_hand if findings(with_volume("quick")) == set()

test_there if findings(asking({"spec": {"storage": {"storageClass": "fast"}}})) == set()

test_no_class_named if findings(asking({"spec": {"storage": {"storageClass": ""}}})) == set()

test_silent_when_not_everything_is_in_sight if findings(asking({"complete": false})) == set()

named(name) := {[f.severity, f.message] | some f in findings(asking({"complete": false, "spec": {"storage": {"storageClass": name}}}))}

test_name_that_sed_replaces if {
	named("STORAGE_CLASS") == set()
	named("MY_STORAGE_CLASS2") == set()
	count(named("FAST")) == 1
	stored := asking({"complete": false, "spec": {"storage": {"storageClass": "STORAGE_CLASS"}}})
	count(findings(object.union(stored, {"review": {"operation": "CREATE"}}))) == 1
}

test_impossible_name if {
	named("Fast_SSD") == {["error", "StorageClass Fast_SSD of the data volume cannot exist: the API server takes lower case letters, digits, - and . only, and refuses the claim."]}
}

test_impossible_name_is_told_once if count(findings(asking({"spec": {"storage": {"storageClass": "Fast_SSD"}}}))) == 1

test_a_placeholder_is_filled_in_later if {
	every name in ["<STORAGE_CLASS>", "${CLASS}", "{{ class }}", "REPLACE_ME"] {
		named(name) == set()
	}
}

test_the_default_of_a_placeholder_is_a_name if {
	{m | some [_, m] in named("${CLASS:=Fast_SSD}")} == {m | some [_, m] in named("Fast_SSD")}
}

test_in_a_cluster_it_is_text if {
	review := asking({"complete": false, "spec": {"storage": {"storageClass": "${CLASS}"}}})
	asked := object.union(review, {"review": object.union(review.review, {"operation": "CREATE"})})
	count(findings(asked)) == 1
}

test_possible_names if {
	every name in ["a", "gp3-xfs", "rook.io-block.1"] {
		named(name) == set()
	}
}

mixed(spec, objects) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"cluster": objects},
	}
}

snapshots := {"snapshot.storage.k8s.io/v1": {"VolumeSnapshotClass": {"csi-snapshots": {"kind": "VolumeSnapshotClass", "metadata": {"name": "csi-snapshots"}, "driver": "ebs.csi.aws.com"}}}}

disks := {"storage.k8s.io/v1": {"StorageClass": {"fast": {"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "ebs.csi.aws.com"}}}}

test_snapshot_class_for_a_volume if {
	mixed({"storage": {"size": "10Gi", "storageClass": "csi-snapshots"}}, snapshots) == {{
		"message": "StorageClass csi-snapshots of the data volume is a VolumeSnapshotClass, and no StorageClass: the claim stays pending.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "error",
	}}
	mixed({"storage": {"size": "10Gi", "storageClass": "fast"}}, snapshots) == set()
}

# Longhorn's chart creates the StorageClass longhorn, and people give its VolumeSnapshotClass the same name.
test_both_kinds_may_share_a_name if {
	of_longhorn := {"snapshot.storage.k8s.io/v1": {"VolumeSnapshotClass": {"longhorn": {"metadata": {"name": "longhorn"}, "driver": "driver.longhorn.io"}}}}
	mixed({"storage": {"size": "10Gi", "storageClass": "longhorn"}}, of_longhorn) == set()
	mixed({"backup": {"volumeSnapshot": {"className": "fast"}}}, object.union(of_longhorn, disks)) == set()
	mixed({"backup": {"volumeSnapshot": {"className": "fast"}}}, disks) == set()
}

test_storage_class_for_snapshots if {
	mixed({"backup": {"volumeSnapshot": {"className": "fast"}}}, object.union(snapshots, disks)) == {{
		"message": "VolumeSnapshotClass fast of the backups is a StorageClass: no snapshot is taken, and every backup fails. Name a VolumeSnapshotClass of the same driver.",
		"path": ["spec", "backup", "volumeSnapshot", "className"],
	}}
	mixed({"backup": {"volumeSnapshot": {"className": "csi-snapshots"}}}, object.union(snapshots, disks)) == set()
	mixed({"backup": {"volumeSnapshot": {"className": "elsewhere"}}}, object.union(snapshots, disks)) == set()
}

# ---------------------------------------------------------------------------------------------- no class by default

marking(annotations) := {"metadata": {"name": "c", "annotations": annotations}}

off := marking({"storageclass.kubernetes.io/is-default-class": "false"})

on := marking({"storageclass.beta.kubernetes.io/is-default-class": "true"})

undecided(classes, volumes, complete, more) := {[f.severity, f.message] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}, object.get(more, "claim", {}))}],
			},
		}},
		"inventory": {
			"complete": complete,
			"cluster": {"storage.k8s.io/v1": {"StorageClass": classes}, "v1": {"PersistentVolume": volumes}},
			"namespace": object.get(more, "namespace", {}),
		},
	}
	some f in found
}

stays(names) := sprintf("The claim of the data volume names no StorageClass, and %s: it stays pending where no other class is. Write storageClassName in the claim, or mark a class as the default.", [names])

test_no_default if {
	undecided({"a": off, "b": {}}, {}, true, {}) == {["warning", stays("a and b are not the default")]}
	undecided({"gold": {}}, {}, true, {}) == {["warning", stays("gold is not the default")]}
	{severity | some [severity, _] in undecided({"a": {}, "b": {}}, {"pv": {"spec": {"storageClassName": "other"}}}, true, {})} == {"error"}
}

test_a_default_that_may_be if {
	undecided({"gp2": off, "gp3": on}, {}, true, {}) == set()
	undecided({"gp2": off}, {}, false, {}) == set()
	undecided({"gold": {}}, {}, false, {}) == set()
	undecided({}, {}, true, {}) == set()
	undecided({"gold": {}}, {"pv": {"spec": {}}}, true, {}) == set()
	undecided({"gold": {}}, {"pv": {"spec": {"storageClassName": ""}}}, true, {}) == set()
	undecided({"gold": {}}, {}, true, {"claim": {"storageClassName": ""}}) == set()
	undecided({"gold": {}}, {}, true, {"claim": {"volumeName": "pv"}}) == set()
}

test_no_default_of_a_claim_by_itself if {
	of := {f.path |
		found := check.findings with input as {
			"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
			}}}}},
			"inventory": {
				"complete": true,
				"cluster": {"storage.k8s.io/v1": {"StorageClass": {"gp2": off}}},
				"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"data": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "prod"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}}}}},
			},
		}
		some f in found
	}
	count(of) == 1
}

provisioned := {"metadata": {"name": "c"}, "provisioner": "rook-ceph.rbd.csi.ceph.com"}

test_no_default_among_the_files if {
	undecided({"block": provisioned}, {}, false, {}) == {["info", "The claim of the data volume names no StorageClass, and block is not the default: it stays pending unless the Kubernetes cluster has another that is. Write storageClassName in the claim, or mark a class as the default."]}
	count(undecided({"block": provisioned, "file": provisioned}, {}, false, {})) == 1
	undecided({"block": provisioned, "file": provisioned, "fast": provisioned}, {}, false, {}) == set()
	undecided({"block": object.union(provisioned, on)}, {}, false, {}) == set()
	undecided({"local": {"metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner"}}, {}, false, {}) == set()
	undecided({"block": provisioned}, {}, false, {"claim": {"storageClassName": "block"}}) == set()
}
