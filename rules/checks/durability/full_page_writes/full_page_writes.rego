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
#   and a recent restore of it that became ready. What the author of the cluster could have written does not count (docs/evidence.md), which
#   is why data checksums that are asked for after the cluster was created are refused where all else is verified. Not accepted: "16 KiB atomic writes" of a cloud disk (they hold
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
#     backup_window_hours: {default: 26, description: A base backup older than this does not count as verified; a daily one ends a little later every now and then.}
#     restore_window_days: {default: 30, description: A restore test older than this does not count.}
package walguard.checks.durability.full_page_writes

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.pages

findings contains f if {
	setting.value == false
	not pages.safe
	f := finding.with_parameter(
		finding.at(setting, sprintf("full_page_writes=%s on %s: a crash can leave half-written pages that nothing repairs. Set it to on; for speed raise max_wal_size%s%s. Backups do not excuse it: %s%s", [
			setting.text,
			storage,
			current_size,
			compression,
			text.list(sort(pages.missing), "and"),
			rewind,
		])),
		setting, "on",
	)
}

# Else the next change could switch full page writes off.
findings contains f if {
	pages.made_up
	f := finding.at(model.cluster.checksums, sprintf("%s asks for data checksums after the cluster was created: that turns nothing on, and would excuse full_page_writes=off. Leave it as it was", [text.path(model.cluster.checksums.path)]))
}

setting := model.parameter("full_page_writes")

storage := text.list(sort(pages.reasons), "and") if count(pages.reasons) > 0

storage := "an unknown volume" if count(pages.reasons) == 0

current_size := sprintf(" (now %s)", [budget.now(model.parameter("max_wal_size"))]) if model.bytes("max_wal_size")

current_size := "" if not model.bytes("max_wal_size")

compression := " and set wal_compression=lz4" if model.major >= 15

compression := " and set wal_compression=on" if not lz4_known

lz4_known if model.major >= 15

# One cause, one entry: what full_page_writes_rewind says where the storage is safe.
rewind := "; and pg_rewind refuses it after a failover" if rewinds

rewind := "" if not rewinds

rewinds if {
	model.cluster.rewind.used
	model.cluster.instances.value > 1
}
