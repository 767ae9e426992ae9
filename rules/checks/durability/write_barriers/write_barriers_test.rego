package walguard.checks.durability.write_barriers_test

import data.walguard.checks.durability.write_barriers as check
import data.walguard.lib.disk_test as manifests

mounted(options) := {"provisioner": "ebs.csi.aws.com", "size": "100Gi", "class": {"mountOptions": options}}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_barrier_off if {
	findings(mounted(["noatime,barrier=0"])) == {{
		"message": "Data volume: StorageClass fast mounts with barrier=0, so that fsync does not flush the disk's cache and a power failure corrupts the database.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "error",
	}}
}

test_nobarrier_on_xfs if {
	findings(object.union(mounted(["nobarrier"]), {"parameters": {"fstype": "xfs"}})) == {{
		"message": "Data volume: StorageClass fast mounts with nobarrier, which XFS refuses since Linux 4.19: the volume cannot be mounted, and on older kernels a power failure corrupts the database.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "error",
	}}
}

test_writeback if {
	findings(mounted(["data=writeback"])) == {{
		"message": "Data volume: StorageClass fast mounts with data=writeback, so that old contents of blocks can appear in files after a crash; it gains little, since PostgreSQL writes WAL anyway.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "warning",
	}}
}

test_host_cache if {
	findings({"provisioner": "disk.csi.azure.com", "parameters": {"skuName": "Premium_LRS", "cachingMode": "ReadWrite"}}) == {{
		"message": "Data volume: StorageClass fast sets cachingMode: ReadWrite, so that writes are acknowledged from a cache of the host and are lost with it.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "error",
	}}
}

# Mount options do not depend on what the driver is.
test_unknown_driver if count(findings(object.union(mounted(["nobarrier"]), {"provisioner": "example.com/disk"}))) == 1

test_told_once if count(findings(object.union(mounted(["nobarrier"]), {"wal": "10Gi"}))) == 1

test_other_options if findings(mounted(["noatime", "discard", "barrier=1"])) == set()

test_no_options if findings({"provisioner": "ebs.csi.aws.com"}) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(mounted(["nobarrier"]))
}

# No StorageClass, and volumes made by hand for its name.
by_hand(options, class_name) := found if {
	volume := {"spec": {"storageClassName": class_name, "mountOptions": options}}
	review := object.union(manifests.blind(mounted([])), {"inventory": {"cluster": {"v1": {"PersistentVolume": {"disk-1": volume}}}}})
	found := check.findings with input as review
}

test_volumes_made_by_hand if {
	by_hand(["noatime,nobarrier", 1], "fast") == {{
		"message": "Data volume: PersistentVolume disk-1, made by hand for the class fast, mounts with nobarrier, so that fsync does not flush the disk's cache and a power failure corrupts the database.",
		"path": ["spec", "storage", "storageClass"],
		"severity": "error",
	}}
	{f.severity | some f in by_hand(["data=writeback"], "fast")} == {"warning"}
	by_hand(["nobarrier"], "other") == set()
	by_hand("nobarrier", "fast") == set()
	by_hand(["noatime"], "fast") == set()
}

test_volumes_of_a_class_have_its_options if {
	volume := {"spec": {"storageClassName": "fast", "mountOptions": ["nobarrier"]}}
	review := object.union(manifests.review(mounted([])), {"inventory": {"cluster": {"v1": {"PersistentVolume": {"disk-1": volume}}}}})
	check.findings == set() with input as review
}
