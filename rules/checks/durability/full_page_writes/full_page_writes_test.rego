package walguard.checks.durability.full_page_writes_test

import data.walguard.checks.durability.full_page_writes as check
import data.walguard.lib.manifest_test as servers
import data.walguard.model

now := "2026-06-15T12:00:00Z"

path := ["spec", "postgresql", "parameters", "full_page_writes"]

setting := {"name": "full_page_writes", "text": "off", "origin": "written", "path": path, "value": false}

parameters := {"full_page_writes": setting, "max_wal_size": {"name": "max_wal_size", "text": "4GB", "bytes": 4294967296}}

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders"}

sound := object.union(cluster, {
	"checksums": {"value": true},
	"archiving": {"value": "on"},
	"standby_backup": {"value": false},
	"backups": [
		{"finished": "2026-06-15T01:00:00Z", "from": "primary"},
		"junk",
	],
	"restores": [{"ready": "2026-06-01T00:00:00Z"}],
})

volume(facts) := {"0/data": object.union({"role": "data", "class_name": "fast"}, facts)}

message(storage, missing) := sprintf("CloudNativePG prod/orders runs with full_page_writes=off: a page torn by a crash cannot be repaired. %s; and backups are not verified: %s. Cheaper: raise max_wal_size (4Gi here) so that checkpoints are rare, and set wal_compression=lz4", [storage, missing])

finding(storage, missing) := {{
	"message": message(storage, missing),
	"path": path,
	"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/full_page_writes", "value": "on"}],
}}

no_evidence := "WAL archiving is not known to be on, data checksums are not known to be on, no base backup of the primary completed within 24 hours is in sight and no restore test within 30 days is in sight"

on_volume(facts) := found if {
	found := check.findings with input as {"now": now}
		with model.parameters as parameters
		with model.major as 16
		with model.cluster as cluster
		with model.volumes as volume(facts)
}

with_cluster(facts) := found if {
	found := check.findings with input as {"now": now}
		with model.parameters as parameters
		with model.major as 16
		with model.cluster as facts
		with model.backups as facts.backups
		with model.restores as facts.restores
		with model.volumes as volume({"filesystem": {"name": "ext4"}})
}

test_storage_reasons if {
	on_volume({"filesystem": {"name": "ext4"}}) == finding("ext4 writes pages in place, in blocks of 4 KiB", no_evidence)
	on_volume({"filesystem": {"name": "ext4", "zvol": true}}) == finding("A ZVOL carries ext4, which still writes a page in parts", no_evidence)
	on_volume({"filesystem": {"name": "btrfs"}}) == finding("btrfs is not known to write 8 KiB atomically", no_evidence)
	on_volume({"filesystem": {"name": "zfs", "recordsize_bytes": 4096}}) == finding("The ZFS dataset has a recordsize of 4Ki, less than a page", no_evidence)
	on_volume({"atomic": {"bytes": 4096}}) == finding("StorageClass fast attests atomic writes of 4Ki, less than a page", no_evidence)
	on_volume({}) == finding("StorageClass fast is not in sight or its filesystem not known", no_evidence)
}

test_no_class_named if {
	expected := finding("The volume names no StorageClass, so its filesystem is not known", no_evidence)
	check.findings == expected with input as {"now": now}
		with model.parameters as parameters
		with model.major as 16
		with model.cluster as cluster
		with model.volumes as {"0/data": {"role": "data"}}
}

test_atomic_storage_passes if {
	on_volume({"filesystem": {"name": "zfs", "recordsize_bytes": 131072}}) == set()
	on_volume({"atomic": {"bytes": 8192}}) == set()
}

test_one_volume_of_two_is_not_enough if {
	found := check.findings with input as {"now": now}
		with model.parameters as parameters
		with model.cluster as cluster
		with model.volumes as {
			"0/data": {"role": "data", "atomic": {"bytes": 16384}},
			"1/data": {"role": "data", "filesystem": {"name": "xfs"}},
		}
	count(found) == 1
}

test_verified_backups_pass if with_cluster(sound) == set()

test_each_piece_of_evidence_is_needed if {
	storage := "ext4 writes pages in place, in blocks of 4 KiB"
	with_cluster(object.union(sound, {"checksums": {"value": false}})) == finding(storage, "data checksums are not known to be on")
	with_cluster(object.union(sound, {"archiving": {"value": "discards"}})) == finding(storage, "WAL archiving is not known to be on")
	with_cluster(object.union(sound, {"standby_backup": {"value": true}})) == finding(storage, "base backups come from a standby, which PostgreSQL refuses without full page writes")
	with_cluster(object.union(sound, {"backups": [{"finished": "2026-06-14T11:00:00Z", "from": "primary"}]})) == finding(storage, "no base backup of the primary completed within 24 hours is in sight")
	with_cluster(object.union(sound, {"backups": [{"finished": "2026-06-15T11:00:00Z", "from": "standby"}]})) == finding(storage, "no base backup of the primary completed within 24 hours is in sight")
	with_cluster(object.union(sound, {"backups": [{"finished": "yesterday", "from": "primary"}]})) == finding(storage, "no base backup of the primary completed within 24 hours is in sight")
	with_cluster(object.union(sound, {"restores": [{"ready": "2026-05-01T00:00:00Z"}]})) == finding(storage, "no restore test within 30 days is in sight")
	with_cluster(object.union(sound, {"restores": []})) == finding(storage, "no restore test within 30 days is in sight")
}

test_product_that_repairs_pages_passes if with_cluster(object.union(sound, {"backups": [], "torn_page_repair": true})) == set()

test_windows_are_settings if {
	found := check.findings with input as {"now": now, "parameters": {"checks": {"durability/full_page_writes": {"settings": {"backup_window_hours": 1}}}}}
		with model.parameters as parameters
		with model.major as 16
		with model.cluster as sound
		with model.backups as sound.backups
		with model.restores as sound.restores
		with model.volumes as volume({"filesystem": {"name": "ext4"}})
	found == finding("ext4 writes pages in place, in blocks of 4 KiB", "no base backup of the primary completed within 1 hours is in sight")
}

# Without the cluster in sight (an OpsRequest) it is an error all the same: safety fails closed.
test_partial_resource if {
	found := check.findings with input as {"now": now}
		with model.parameters as {"full_page_writes": setting}
		with model.major as 14
		with model.cluster as object.union(cluster, {"partial": true})
		with model.volumes as {}
	{f.message | some f in found} == {"CloudNativePG prod/orders runs with full_page_writes=off: a page torn by a crash cannot be repaired. No volume is in sight that could be known to write 8 KiB atomically; and backups are not verified: WAL archiving is not known to be on, data checksums are not known to be on, no base backup of the primary completed within 24 hours is in sight and no restore test within 30 days is in sight. Cheaper: raise max_wal_size so that checkpoints are rare, and set wal_compression=on"}
}

test_silent_when_on_or_unknown if {
	check.findings == set() with model.parameters as {"full_page_writes": object.union(setting, {"value": true})}
		with model.cluster as cluster
	check.findings == set() with model.parameters as {} with model.cluster as cluster
	check.findings == set() with model.parameters as {"full_page_writes": object.remove(setting, ["value"])}
		with model.cluster as cluster
}

on_a_machine(volumes) := found if found := check.findings with input as servers.server("full_page_writes = off", {"volumes": volumes})

test_on_a_machine if {
	some f in on_a_machine({"data": {"size": "1Ti"}})
	startswith(f.message, "PostgreSQL server db1 runs with full_page_writes=off: a page torn by a crash cannot be repaired. Nobody states the filesystem of the volume;")
	[f.path, f.line] == [["spec", "configuration", 0, "text"], 1]
	count(on_a_machine({"data": {"filesystem": "zfs", "recordSize": "4Ki"}})) == 1
	on_a_machine({"data": {"filesystem": "zfs", "recordSize": "8Ki"}}) == set()
}
