# METADATA
# title: Torn pages after a crash are not repaired
# description: |
#   A page is 8 KiB; Linux filesystems and disks write 4 KiB or less at once, so a crash can leave half of a page old and
#   half new. PostgreSQL repairs such a page from the full image it logs at the first change after a checkpoint; with
#   full_page_writes=off there is no image, and the corruption is silent or makes crash recovery fail. The saving is real
#   but small once checkpoints are rare: 10,073 to 13,070 transactions a second (+30 %) were measured with
#   max_wal_size=1GB, that is with a checkpoint every few seconds, and most of it can be had by larger max_wal_size instead.
#   Accepted as protection: a ZFS dataset with recordsize of 8 KiB or more; an unexpired attestation of atomic 8 KiB
#   writes on the StorageClass or in the policy configuration; a product that repairs pages from its storage. Accepted as
#   a knowing risk: verified backups, that is data checksums on, WAL archiving really on, a recent base backup taken on the primary
#   and a recent restore of it that became ready. Not accepted: "16 KiB atomic writes" of a cloud disk (they hold
#   for direct I/O, PostgreSQL writes through the page cache), a ZVOL, battery-backed RAID, data checksums alone (they detect,
#   they do not repair).
#   The sources disagree on what it brings: S1 measured 1.3 times, S4 speaks of 4 to 12 times, for its own product on one
#   cloud and without the configuration; S0 weighed turning it off and had it on in its final comparison. S1 argues
#   against checksums as a remedy that their 8 bytes may collide: PostgreSQL's have 2 bytes, and do not repair at any
#   size.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-FULL-PAGE-WRITES
#   - https://www.postgresql.org/docs/current/wal-reliability.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set full_page_writes to on. For write throughput raise max_wal_size and checkpoint_timeout first, then set wal_compression.
#   sources: [S0, S1, S3, S4]
#   settings:
#     backup_window_hours: {default: 24, description: A base backup older than this does not count as verified.}
#     restore_window_days: {default: 30, description: A restore test older than this does not count.}
package walguard.checks.durability.full_page_writes

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

page_bytes := 8192

findings contains f if {
	setting.value == false
	not model.cluster.torn_page_repair
	not storage_never_tears
	not backups_verified
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s runs with full_page_writes=%s: a page torn by a crash cannot be repaired. %s; and backups are not verified: %s. Cheaper: %s", [
			model.title,
			setting.text,
			storage_reason,
			text.list(missing_evidence, "and"),
			cheaper_way,
		])),
		setting, "on",
	)
}

setting := model.parameter("full_page_writes")

# ------------------------------------------------------------------------------------------ (a) storage

storage_never_tears if {
	count(model.page_volumes) > 0
	count(torn) == 0
}

# The data volumes that can tear a page, each with the reason.
torn[id] := reason if {
	some id, volume in model.page_volumes
	not never_tears(volume)
	reason := why(volume)
}

never_tears(volume) if volume.atomic.bytes >= page_bytes

never_tears(volume) if {
	volume.filesystem.name == "zfs"
	volume.filesystem.recordsize_bytes >= page_bytes
}

storage_reason := text.list(sort({reason | some reason in torn}), "and") if count(torn) > 0

storage_reason := "No volume is in sight that could be known to write 8 KiB atomically" if count(model.page_volumes) == 0

why(volume) := sprintf("StorageClass %s attests atomic writes of %s, less than a page", [volume.class_name, text.bytes(volume.atomic.bytes)]) if {
	volume.atomic
}

why(volume) := sprintf("The ZFS dataset has a recordsize of %s, less than a page", [text.bytes(volume.filesystem.recordsize_bytes)]) if {
	not volume.atomic
	volume.filesystem.name == "zfs"
	volume.filesystem.recordsize_bytes
}

why(volume) := sprintf("A ZVOL carries %s, which still writes a page in parts", [volume.filesystem.name]) if {
	not volume.atomic
	volume.filesystem.zvol
}

why(volume) := sprintf("%s writes pages in place, in blocks of 4 KiB", [volume.filesystem.name]) if {
	not volume.atomic
	not volume.filesystem.zvol
	volume.filesystem.name in {"ext3", "ext4", "xfs"}
}

why(volume) := sprintf("%s is not known to write 8 KiB atomically", [volume.filesystem.name]) if {
	not volume.atomic
	not volume.filesystem.zvol
	not volume.filesystem.name in {"ext3", "ext4", "xfs"}
	not volume.filesystem.recordsize_bytes
}

why(volume) := sprintf("StorageClass %s is not in sight or its filesystem not known", [volume.class_name]) if {
	not volume.atomic
	not volume.filesystem
	is_string(volume.class_name)
}

why(volume) := "Nobody states the filesystem of the volume" if {
	not volume.atomic
	not volume.filesystem
	model.cluster.machine
}

why(volume) := "The volume names no StorageClass, so its filesystem is not known" if {
	not model.cluster.machine
	not volume.atomic
	not volume.filesystem
	not volume.class_name
}

# ------------------------------------------------------------------------------------------ (b) backups

backups_verified if count(missing_evidence) == 0

missing_evidence := sort(missing)

missing contains "data checksums are not known to be on" if not model.cluster.checksums.value == true

missing contains "WAL archiving is not known to be on" if not model.cluster.archiving.value == "on"

missing contains "base backups come from a standby, which PostgreSQL refuses without full page writes" if {
	model.cluster.standby_backup.value == true
}

missing contains reason if {
	not recent_backup
	reason := sprintf("no base backup of the primary completed within %d hours is in sight", [backup_window_hours])
}

missing contains reason if {
	not recent_restore
	reason := sprintf("no restore test within %d days is in sight", [restore_window_days])
}

recent_backup if {
	some backup in model.backups
	backup.from == "primary"
	model.within(backup.finished, backup_window_hours * 3600)
}

recent_restore if {
	some restore in model.restores
	model.within(restore.ready, restore_window_days * 86400)
}

backup_window_hours := settings.number("durability/full_page_writes", "backup_window_hours")

restore_window_days := settings.number("durability/full_page_writes", "restore_window_days")

# ------------------------------------------------------------------------------------------ advice

cheaper_way := sprintf("raise max_wal_size (%s here) so that checkpoints are rare%s", [text.bytes(model.bytes("max_wal_size")), compression])

cheaper_way := sprintf("raise max_wal_size so that checkpoints are rare%s", [compression]) if not model.bytes("max_wal_size")

compression := ", and set wal_compression=lz4" if model.major >= 15

compression := ", and set wal_compression=on" if not lz4_known

lz4_known if model.major >= 15
