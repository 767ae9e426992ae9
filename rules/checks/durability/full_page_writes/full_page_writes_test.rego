package walguard.checks.durability.full_page_writes_test

import data.walguard.checks.durability.full_page_writes as check
import data.walguard.lib.disk_test as disks
import data.walguard.lib.manifest_test as servers
import data.walguard.model
import data.walguard.model.pages

now := "2026-06-15T12:00:00Z"

path := ["spec", "postgresql", "parameters", "full_page_writes"]

setting := {"name": "full_page_writes", "text": "off", "origin": "written", "path": path, "value": false}

parameters := {"full_page_writes": setting, "max_wal_size": {"name": "max_wal_size", "text": "4GB", "origin": "written", "bytes": 4294967296}}

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders"}

sound := object.union(cluster, {
	"checksums": {"value": true, "origin": "written"},
	"archiving": {"value": "on"},
	"standby_backup": {"value": false},
	"backups": [
		{"finished": "2026-06-15T01:00:00Z", "from": "primary", "proven": true},
		"junk",
	],
	"restores": [{"ready": "2026-06-01T00:00:00Z", "proven": true}],
})

volume(facts) := {"0/data": object.union({"role": "data", "class_name": "fast"}, facts)}

message(storage, missing) := sprintf("full_page_writes=off on %s: a crash can leave half-written pages that nothing repairs. Set it to on; for speed raise max_wal_size (now 4GB) and set wal_compression=lz4. Backups do not excuse it: %s", [storage, missing])

finding(storage, missing) := {{
	"message": message(storage, missing),
	"path": path,
	"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/full_page_writes", "value": "on"}],
}}

no_evidence := "WAL archiving not known to be on, data checksums not known to be on, no base backup of the primary in 26 hours and no restore test in 30 days"

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
	on_volume({"filesystem": {"name": "ext4"}}) == finding("ext4", no_evidence)
	on_volume({"filesystem": {"name": "ext4", "zvol": true}}) == finding("ext4 in a ZVOL", no_evidence)
	on_volume({"filesystem": {"name": "zfs", "recordsize_bytes": 4096}}) == finding("a ZFS dataset with a recordsize of 4096 bytes, less than a page", no_evidence)
	on_volume({"atomic": {"bytes": 4096}}) == finding("StorageClass fast, which attests atomic writes of 4096 bytes, less than a page", no_evidence)
	on_volume({}) == finding("StorageClass fast, which is not known here", no_evidence)
	on_volume({"class": {"metadata": {"name": "fast"}}}) == finding("StorageClass fast, whose filesystem is not known", no_evidence)
}

test_no_class_named if {
	expected := finding("an unknown filesystem", no_evidence)
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
	storage := "ext4"
	with_cluster(object.union(sound, {"checksums": {"value": false, "origin": "written"}})) == finding(storage, "data checksums not known to be on")
	with_cluster(object.union(sound, {"archiving": {"value": "discards"}})) == finding(storage, "WAL archiving not known to be on")
	with_cluster(object.union(sound, {"standby_backup": {"value": true}})) == finding(storage, "base backups come from a standby, which fails with it")
	with_cluster(object.union(sound, {"backups": [{"finished": "2026-06-14T09:00:00Z", "from": "primary", "proven": true}]})) == finding(storage, "no base backup of the primary in 26 hours")
	with_cluster(object.union(sound, {"backups": [{"finished": "2026-06-15T11:00:00Z", "from": "standby", "proven": true}]})) == finding(storage, "no base backup of the primary in 26 hours")
	with_cluster(object.union(sound, {"backups": [{"finished": "yesterday", "from": "primary", "proven": true}]})) == finding(storage, "no base backup of the primary in 26 hours")
	with_cluster(object.union(sound, {"restores": [{"ready": "2026-05-01T00:00:00Z", "proven": true}]})) == finding(storage, "no restore test in 30 days")
	with_cluster(object.union(sound, {"restores": [{"ready": "2026-06-01T00:00:00Z", "proven": true, "major": 15}]})) == finding(storage, "no restore test in 30 days")
	with_cluster(object.union(sound, {"restores": []})) == finding(storage, "no restore test in 30 days")
}

# What the author of the cluster may have written, and what initdb of the image's major would do, prove nothing.
test_hearsay if {
	with_cluster(object.union(sound, {"checksums": {"value": true, "origin": "postgres"}})) == finding("ext4", "data checksums not known to be on")
	with_cluster(object.union(sound, {"backups": [{"finished": "2026-06-15T11:00:00Z", "from": "primary"}]})) == finding("ext4", "no base backup of the primary in 26 hours")
	with_cluster(object.union(sound, {"restores": [{"ready": "2026-06-01T00:00:00Z"}]})) == finding("ext4", "no restore test in 30 days")
}

# One cause, one entry.
test_says_what_follows_for_a_former_primary if {
	found := with_cluster(object.union(sound, {"backups": [], "instances": {"value": 3}, "rewind": {"used": true, "consequence": "the former primary stays away"}}))
	{f.message | some f in found} == {concat("", [message("ext4", "no base backup of the primary in 26 hours"), "; and pg_rewind refuses it after a failover"])}
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
	found == finding("ext4", "no base backup of the primary in 1 hours")
}

# Without the cluster in sight (an OpsRequest) it is an error all the same: safety fails closed.
test_partial_resource if {
	found := check.findings with input as {"now": now}
		with model.parameters as {"full_page_writes": setting}
		with model.major as 14
		with model.cluster as object.union(cluster, {"partial": true})
		with model.volumes as {}
	{f.message | some f in found} == {"full_page_writes=off on an unknown volume: a crash can leave half-written pages that nothing repairs. Set it to on; for speed raise max_wal_size and set wal_compression=on. Backups do not excuse it: WAL archiving not known to be on, data checksums not known to be on, no base backup of the primary in 26 hours and no restore test in 30 days"}
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
	startswith(f.message, "full_page_writes=off on an unknown filesystem: ")
	[f.path, f.line] == [["spec", "configuration", 0, "text"], 1]
	count(on_a_machine({"data": {"filesystem": "zfs", "recordSize": "4Ki"}})) == 1
	on_a_machine({"data": {"filesystem": "zfs", "recordSize": "8Ki"}}) == set()
}

# Data checksums that are asked for in a cluster that is there already.

cnpg(initdb) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod", "uid": "1", "creationTimestamp": "2026-06-01T00:00:00Z"},
	"spec": {
		"instances": 1,
		"imageName": "ghcr.io/cloudnative-pg/postgresql:17.5",
		"bootstrap": {"initdb": initdb},
		"backup": {"target": "primary", "barmanObjectStore": {"destinationPath": "s3://orders"}},
	},
}

backup := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Backup",
	"metadata": {"name": "base", "namespace": "prod", "generation": 1},
	"spec": {"cluster": {"name": "orders"}},
	"status": {"phase": "completed", "stoppedAt": "2026-06-15T01:00:00Z"},
}

rehearsal := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "rehearsal", "namespace": "prod", "generation": 1},
	"spec": {"bootstrap": {"recovery": {"backup": {"name": "base"}}}},
	"status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-06-15T03:00:00Z"}]},
}

asked(before, after, backups) := found if {
	found := check.findings with input as {
		"review": {"operation": "UPDATE", "object": cnpg(after), "oldObject": cnpg(before)},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Backup": backups, "Cluster": {"rehearsal": rehearsal}}}}},
		"now": "2026-06-15T12:00:00Z",
	}
}

test_checksums_asked_late if {
	asked({}, {"dataChecksums": true}, {"base": backup}) == {{
		"message": "spec.bootstrap.initdb.dataChecksums asks for data checksums after the cluster was created: that turns nothing on, and would excuse full_page_writes=off. Leave it as it was",
		"path": ["spec", "bootstrap", "initdb", "dataChecksums"],
	}}
}

test_checksums_asked_before if asked({"dataChecksums": true}, {"dataChecksums": true}, {"base": backup}) == set()

test_checksums_not_asked if asked({}, {}, {"base": backup}) == set()

# It excuses nothing yet.
test_checksums_nothing_verified if asked({}, {"dataChecksums": true}, {}) == set()

test_checksums_new_cluster if {
	check.findings == set() with input as {"review": {"operation": "CREATE", "object": cnpg({"dataChecksums": true})}}
}

test_restore_of_the_same_major if {
	with_cluster(object.union(sound, {"restores": [{"ready": "2026-06-01T00:00:00Z", "proven": true, "major": 16}]})) == set()
}

zfs := {"provisioner": "zfs.csi.openebs.io", "parameters": {"fstype": "zfs"}, "size": "100Gi", "postgresql": {"full_page_writes": "off"}}

# Whoever writes a file may write any class beside it.
test_attestation_in_a_file_is_hearsay if {
	attested := {"metadata": {"annotations": {
		"walguard.dev/atomic-write-bytes": "16384",
		"walguard.dev/atomic-write-evidence": "OPS-1",
		"walguard.dev/atomic-write-expires": "2027-01-01T00:00:00Z",
	}}}
	review := object.union(disks.review({"provisioner": "ebs.csi.aws.com", "size": "100Gi", "postgresql": {"full_page_writes": "off"}, "class": attested}), {"now": now})
	pages.reasons == {"StorageClass fast, whose attestation of atomic writes is a file's and so anybody's word"} with input as review
	pages.reasons == set() with input as object.union(review, {"inventory": {"live": true}})
}

# The claims that there are, whatever the resource says by now.
test_claims_of_another_class if {
	every class, reasons in {"slow": {"StorageClass slow, which is not known here"}, "fast": set()} {
		claim := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "orders-1", "namespace": "prod"}, "spec": {"storageClassName": class}}
		other := object.union(claim, {"metadata": {"name": "users-1"}, "spec": {"storageClassName": "slow"}})
		seen := {"inventory": {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"orders-1": claim, "users-1": other}}}}}}
		pages.reasons == reasons with input as object.union(disks.review(zfs), seen)
	}
}

of_major(major) := servers.review({"full_page_writes": "off"}, {"imageName": sprintf("ghcr.io/cloudnative-pg/postgresql:%d.5", [major])}).review.object

# Nothing was restored of the new major yet.
test_major_that_changes if {
	clause := "nothing was restored since the change of the major version that this is"
	every earlier, told in {16: {clause}, 17: set()} {
		missing := pages.missing with input as {"review": {"operation": "UPDATE", "object": of_major(17), "oldObject": of_major(earlier)}}
		missing & {clause} == told
	}
}

stored(initdb) := object.union(cnpg(initdb), {"spec": {"storage": {"size": "100Gi", "storageClass": "fast"}}})

# Where no page can be torn there is nothing to excuse.
test_checksums_asked_late_on_storage_that_never_tears if {
	seen := {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Backup": {"base": backup}, "Cluster": {"rehearsal": rehearsal}}}}}
	late := {"review": {"operation": "UPDATE", "object": stored({"dataChecksums": true}), "oldObject": stored({})}, "now": now}
	classes := disks.review(zfs).inventory.cluster
	check.findings == set() with input as object.union(late, {"inventory": object.union(seen, {"cluster": classes})})
	found := check.findings with input as object.union(late, {"inventory": seen})
	count(found) == 1
}

# What nobody wrote is shown as such, in a unit for people.
test_max_wal_size_by_default if {
	found := check.findings with input as {"now": now}
		with model.parameters as object.union(parameters, {"max_wal_size": {"name": "max_wal_size", "text": "1024MB", "origin": "postgres", "bytes": 1073741824}})
		with model.major as 16
		with model.cluster as cluster
		with model.volumes as volume({"filesystem": {"name": "ext4"}})
	{contains(f.message, "raise max_wal_size (now 1GB, the default) and") | some f in found} == {true}
}
