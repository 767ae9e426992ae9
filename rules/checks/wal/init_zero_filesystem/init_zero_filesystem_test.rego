package walguard.checks.wal.init_zero_filesystem_test

import data.walguard.checks.wal.init_zero_filesystem as check
import data.walguard.lib.disk_test as manifests
import data.walguard.lib.manifest_test as servers

off(provisioner, parameters) := {
	"provisioner": provisioner,
	"parameters": parameters,
	"size": "100Gi",
	"postgresql": {"wal_init_zero": "off", "max_wal_size": "4GB"},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

# An operator that switches it off, and volumes whose filesystem is given.
by_default(volumes) := found if {
	found := check.findings with data.walguard.model.cluster as {
		"operator": "KubeBlocks",
		"namespace": "prod",
		"name": "orders",
		"parameters": [],
		"parameters_path": [],
		"managed": {},
		"defaults": {"wal_init_zero": "off", "max_wal_size": "4GB"},
	}
		with data.walguard.model.wal_volumes as volumes
}

summary(found) := {[f.severity, f.message] | some f in found}

test_ext4_of_the_driver if {
	findings(off("ebs.csi.aws.com", {})) == {{
		"message": "wal_init_zero=off on ext4 (the default of StorageClass fast) reserves no space for new WAL segments, so a full volume crashes the server. Set it to on; to avoid the stall of zero-filling raise max_wal_size (now 4GB).",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "wal_init_zero"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/wal_init_zero", "value": "on"}],
	}}
}

test_ext4_of_the_class if {
	summary(findings(off("ebs.csi.aws.com", {"csi.storage.k8s.io/fstype": "ext4"}))) == {["error", "wal_init_zero=off on ext4 (StorageClass fast) reserves no space for new WAL segments, so a full volume crashes the server. Set it to on; to avoid the stall of zero-filling raise max_wal_size (now 4GB)."]}
}

test_zvol_is_judged_by_its_filesystem if {
	[f] := [one | some one in findings(off("zfs.csi.openebs.io", {}))]
	f.severity == "error"
	contains(f.message, "on ext4 on a ZVOL (the default of StorageClass fast)")
}

test_zfs_dataset if {
	findings(off("zfs.csi.openebs.io", {"fstype": "zfs"})) == {{
		"message": "wal_init_zero=off suits a ZFS dataset, which gains nothing from zero-filling. One report saw writers hang in zil_commit on ZFS under heavy WAL: test yours.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "wal_init_zero"],
	}}
}

test_xfs if findings(off("ebs.csi.aws.com", {"csi.storage.k8s.io/fstype": "xfs"})) == set()

test_btrfs if findings(off("local.csi.openebs.io", {"fsType": "btrfs"})) == set()

test_on if findings(object.union(off("ebs.csi.aws.com", {}), {"postgresql": {"wal_init_zero": "on"}})) == set()

test_postgresql_default_is_on if findings(object.remove(off("ebs.csi.aws.com", {}), ["postgresql"])) == set()

# The data volume's filesystem does not matter where WAL has its own.
test_wal_volume_decides if {
	volumes := {"0/wal": {"class": {"metadata": {"name": "x"}}, "filesystem": {"name": "xfs", "origin": "StorageClass"}}}
	by_default(volumes) == set()
}

test_unknown_driver if {
	[f] := [one | some one in findings(off("example.com/disk", {}))]
	f.severity == "warning"
	f.message == "wal_init_zero=off on an unknown filesystem (the driver of StorageClass fast is not known): on ext4, most drivers' default, a full volume then crashes the server. Set it to on unless it is XFS, ZFS or btrfs."
	not f.fix
}

test_class_out_of_sight if {
	found := check.findings with input as manifests.blind(off("ebs.csi.aws.com", {}))
	[f] := [one | some one in found]
	f.severity == "warning"
	contains(f.message, "(StorageClass fast was not found)")
}

test_no_class_named if {
	[f] := [one | some one in by_default({"0/data": {"path": []}})]
	contains(f.message, "(the claim names no StorageClass)")
}

test_made_by_hand if {
	[f] := [one | some one in by_default({"0/data": {"path": [], "class_name": ""}})]
	contains(f.message, "(a volume provisioned by hand)")
}

test_no_volume_in_sight if {
	[f] := [one | some one in by_default({})]
	f.severity == "info"
	contains(f.message, "(its StorageClass was not found)")
}

test_network_filesystem_is_told_elsewhere if by_default({"0/data": {"disk": {"network": true}}}) == set()

test_default_of_the_operator if {
	by_default({"0/data": {"class": {"metadata": {"name": "standard"}}, "filesystem": {"name": "ext4", "origin": "driver default"}}}) == {{
		"message": "wal_init_zero=off (the operator's default) on ext4 (the default of StorageClass standard) reserves no space for new WAL segments, so a full volume crashes the server. Set it to on; to avoid the stall of zero-filling raise max_wal_size (now 4GB).",
		"severity": "info",
		"path": [],
		"default_of": "KubeBlocks",
	}}
}

test_worst_of_several_sets if {
	found := by_default({
		"0/data": {"class": {"metadata": {"name": "a"}}, "filesystem": {"name": "xfs", "origin": "StorageClass"}},
		"1/data": {"class": {"metadata": {"name": "b"}}, "filesystem": {"name": "ext4", "origin": "StorageClass"}},
		"2/data": {"path": []},
	})
	[f] := [one | some one in found]
	f.severity == "info"
	contains(f.message, " on ext4 (StorageClass b) ")
}

test_max_wal_size_unknown if {
	found := check.findings with data.walguard.model.cluster as {
		"operator": "KubeBlocks",
		"namespace": "prod",
		"name": "change",
		"partial": true,
		"parameters": [{"name": "wal_init_zero", "value": "off", "path": ["spec", "x"]}],
		"parameters_path": ["spec"],
	}
		with data.walguard.model.wal_volumes as {"0/wal": {"class": {"metadata": {"name": "a"}}, "filesystem": {"name": "ext4", "origin": "StorageClass"}}}
	[f] := [one | some one in found]
	f.severity == "error"
	endswith(f.message, "to avoid the stall of zero-filling raise max_wal_size.")
}

test_silent_when_unknown if {
	check.findings == set() with data.walguard.model.cluster as {"partial": true, "parameters": [], "managed": {"wal_init_zero": ""}}
}

on_a_machine(volumes) := [[f.severity, f.message] | some f in found] if {
	found := check.findings with input as servers.server("wal_init_zero = off", {"volumes": volumes})
}

test_on_a_machine if {
	some [error, told] in on_a_machine({"data": {"filesystem": "ext4"}})
	error == "error"
	startswith(told, "wal_init_zero=off on ext4 (as stated) reserves")
	every volumes in [{}, {"data": {"disk": "aws-gp3", "size": "1Ti"}}] {
		some [warning, guessed] in on_a_machine(volumes)
		warning == "warning"
		contains(guessed, "on an unknown filesystem (not stated):")
	}
}
