# METADATA
# description: |
#   What keeps a torn page from being lost where full page writes are off: storage that never tears one, a product that repairs it, or verified
#   backups. Every excuse is one of walguard.lib.evidence; no other fact is.
package walguard.model.pages

import data.walguard.lib.before
import data.walguard.lib.evidence
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.mount
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.claims

page_bytes := 8192

# METADATA
# description: True where full_page_writes=off loses nothing.
safe if model.cluster.torn_page_repair

safe if storage_never_tears

safe if count(missing) == 0

# ------------------------------------------------------------------------------------------------------- storage

storage_never_tears if {
	count(model.page_volumes) > 0
	count(reasons) == 0
}

# METADATA
# description: What is known of the storage that can tear a page, each the end of "full_page_writes=off on".
reasons := (now | earlier) | held

now := {reason | some reason in torn}

# The volumes stay where they are when a resource names another class for them.
earlier := {text |
	was := before.review
	some reason in torn with input as was
	text := sprintf("%s, where the volumes are that there were before this change", [reason])
	count(now) == 0
}

# METADATA
# description: The data volumes that can tear a page, each with what is known of it.
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

why(volume) := sprintf("StorageClass %s, which attests atomic writes of %d bytes, less than a page", [volume.class_name, volume.atomic.bytes]) if volume.atomic

why(volume) := sprintf("StorageClass %s, whose attestation of atomic writes is a file's and so anybody's word", [volume.class_name]) if {
	not volume.atomic
	hearsay(volume)
}

why(volume) := sprintf("a ZFS dataset with a recordsize of %d bytes, less than a page", [volume.filesystem.recordsize_bytes]) if {
	plain(volume)
	volume.filesystem.name == "zfs"
	volume.filesystem.recordsize_bytes
}

why(volume) := sprintf("%s in a ZVOL", [volume.filesystem.name]) if {
	plain(volume)
	volume.filesystem.zvol
}

why(volume) := volume.filesystem.name if {
	plain(volume)
	not volume.filesystem.zvol
	not volume.filesystem.recordsize_bytes
}

why(volume) := sprintf("StorageClass %s, which is not known here", [volume.class_name]) if {
	plain(volume)
	not volume.filesystem
	is_string(volume.class_name)
	not volume.class
}

why(volume) := sprintf("StorageClass %s, whose filesystem is not known", [volume.class_name]) if {
	plain(volume)
	not volume.filesystem
	is_string(volume.class_name)
	volume.class
}

why(volume) := "an unknown filesystem" if {
	plain(volume)
	not volume.filesystem
	not volume.class_name
}

why(volume) := volume.picked

plain(volume) if {
	not volume.picked
	not volume.atomic
	not hearsay(volume)
}

hearsay(volume) if {
	not volume.picked
	get.string(volume.class, ["metadata", "annotations", "walguard.dev/atomic-write-bytes"])
	not evidence.vouched(volume.class)
}

# Claims of the cluster's data that were made with a class that tears pages, whatever the resource says by now.
held := {sprintf("the claim %s of StorageClass %s", [name, class_name]) |
	count(now) == 0
	pattern := model.cluster.data_claims
	some name, claim in inventory.by_name(model.cluster.namespace, "v1", "PersistentVolumeClaim")
	regex.match(pattern, name)
	class_name := mount.class_of(claim)
	not good(claim, class_name)
}

good(claim, class_name) if {
	class_name in good_classes
	not elsewhere(claim, class_name)
}

# What is bound by hand is whatever it is.
elsewhere(claim, class_name) if {
	name := get.string(claim, ["spec", "volumeName"])
	not claims.made_by_class(name, claim, inventory.storage_class(class_name))
}

elsewhere(claim, _) if {
	get.present(claim, ["spec", "selector"])
	not get.string(claim, ["spec", "volumeName"])
}

good_classes := {volume.class_name | some volume in model.page_volumes; never_tears(volume)}

# ------------------------------------------------------------------------------------------------------- backups

# METADATA
# description: What is missing for the backups to count as verified, each a clause.
missing contains "data checksums not known to be on" if not checksums

missing contains "WAL archiving not known to be on" if not model.cluster.archiving.value == "on"

missing contains "base backups come from a standby, which fails with it" if {
	model.cluster.standby_backup.value == true
}

missing contains reason if {
	not recent_backup
	reason := sprintf("no base backup of the primary in %d hours", [backup_window_hours])
}

missing contains reason if {
	not recent_restore
	reason := sprintf("no restore test in %d days", [restore_window_days])
}

missing contains "nothing was restored since the change of the major version that this is" if major_changes

# A default of initdb tells how a cluster is made that begins today, not what a running one has; and what is asked for after that is nothing.
checksums if {
	asked_for
	not asked_later
}

asked_for if {
	model.cluster.checksums.value == true
	model.cluster.checksums.origin != "postgres"
}

asked_later if {
	was := before.review
	not asked_for_before(was)
}

asked_for_before(was) if asked_for with input as was

major_changes if {
	was := before.review
	major := model.major
	earlier_major := model.major with input as was
	major != earlier_major
}

recent_backup if {
	some backup in model.backups
	backup.proven
	backup.from == "primary"
	model.within(backup.finished, backup_window_hours * 3600)
}

recent_restore if {
	some restore in model.restores
	restore.proven
	model.within(restore.ready, restore_window_days * 86400)
	same_major(restore)
}

same_major(restore) if not restore.major

same_major(restore) if restore.major == model.major

backup_window_hours := settings.number("durability/full_page_writes", "backup_window_hours")

restore_window_days := settings.number("durability/full_page_writes", "restore_window_days")

# METADATA
# description: |
#   True where an update makes up a fact that full_page_writes=off would be excused by: data checksums are asked for in a cluster that is
#   there already, and all else is verified.
made_up if {
	asked_later
	asked_for
	model.cluster.checksums.origin == "written"
	recent_backup
	recent_restore
	not safe_storage
}

safe_storage if storage_never_tears
