# METADATA
# title: WAL segments are not zero-filled on a filesystem that needs it
# description: |
#   With wal_init_zero=off PostgreSQL writes only the last byte of a new segment. On a copy-on-write filesystem that is right. On
#   ext4 the file becomes sparse (15,108 of 16,384 KiB were allocated in a segment half written): space is not reserved, so that a
#   full volume shows when WAL is written – a PANIC – instead of when the file is made, and every first flush writes
#   metadata too. The stall that zero-filling causes has a cheaper cure: segments are zeroed only when they are created, and
#   they are created only when max_wal_size is below what a checkpoint interval writes. The log that blamed zero-filling read "788
#   removed, 0 recycled" at 18.8 GB between checkpoints; with max_wal_size above the distance 0 were removed and 48 recycled under the
#   same load.
#   An error where the manifest sets it and the filesystem is ext4, a warning where the filesystem is unknown. An operator's default
#   (KubeBlocks ships wal_init_zero=off for every filesystem) is info, because the author of the cluster did not choose it.
#   XFS passes, since the sources measured that pair and chose it. XFS does not copy on write, though: its segments become sparse
#   too, and a full volume ends in the same PANIC. Keep room on such a volume.
#   The sources contradict one another here. S0 says that ZFS and XFS "happen to have this COW feature" and that ext4 has
#   not; S3, of which it is the translation, speaks of zero-filling by the filesystem and not of copying on write. XFS
#   overwrites in place and shares only extents that were cloned, and ext4 has the same holes and unwritten extents. S0
#   calls zero-filling the biggest problem, but its own log shows the cause: segments were removed, and none recycled. The
#   hang of ZFS that it reports names no version, and a saturated disk looks the same in its stack.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-INIT-ZERO
#   - https://git.postgresql.org/gitweb/?p=postgresql.git;a=commit;h=475861b261
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set wal_init_zero to on, and raise max_wal_size so that segments are recycled instead of created.
#   sources: [S0, S3]
package walguard.checks.wal.init_zero_filesystem

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	setting.value == false
	f := finding.with_default(
		finding.with_severity(
			patched(finding.at(setting, sprintf("%s %s", [budget.setting(setting), texts[worst]]))),
			severities[worst][who],
		),
		setting,
	)
}

# On is PostgreSQL's default: only what somebody set can be wrong.
setting := model.changed("wal_init_zero")

who := "written" if setting.origin == "written"

who := "default" if setting.origin != "written"

severities := {
	"ext": {"written": "error", "default": "info"},
	"unknown": {"written": "warning", "default": "info"},
	"zfs": {"written": "info", "default": "info"},
}

# The worst filesystem of all WAL volumes speaks for the cluster: the parameter is one.
worst := [kind | some kind in ["ext", "unknown", "zfs"]; kind in kinds][0]

kinds contains kind if {
	some volume in model.wal_volumes
	kind := kind_of(volume)
}

kinds contains "unknown" if count(model.wal_volumes) == 0

# Other filesystems pass: XFS and what copies on write.
kind_of(volume) := "ext" if disk.needs_zeroes(volume)

kind_of(volume) := "zfs" if volume.filesystem.name == "zfs"

kind_of(volume) := "unknown" if {
	not volume.filesystem
	not volume.disk.network
}

texts["ext"] := sprintf("on %s reserves no space for new WAL segments, so a full volume crashes the server. Set it to on; %s.", [filesystems, recycle])

texts["unknown"] := sprintf("on an unknown filesystem (%s): on ext4, most drivers' default, a full volume then crashes the server. Set it to on unless it is XFS, ZFS or btrfs.", [why_unknown])

texts["zfs"] := "suits a ZFS dataset, which gains nothing from zero-filling. One report saw writers hang in zil_commit on ZFS under heavy WAL: test yours."

recycle := sprintf("to avoid the stall of zero-filling raise max_wal_size (now %s)", [budget.shown(wal.limit.bytes)])

recycle := "to avoid the stall of zero-filling raise max_wal_size" if not wal.limit.bytes

filesystems := text.list(
	sort({clause |
		some volume in model.wal_volumes
		kind_of(volume) == "ext"
		clause := described(volume)
	}),
	"and",
)

described(volume) := sprintf("%s%s (%s)", [volume.filesystem.name, on_zvol(volume.filesystem), origin(volume)])

on_zvol(filesystem) := " on a ZVOL" if filesystem.zvol

on_zvol(filesystem) := "" if not filesystem.zvol

origin(volume) := sprintf("StorageClass %s", [disk.class_name(volume)]) if volume.filesystem.origin == "StorageClass"

origin(volume) := sprintf("the default of StorageClass %s", [disk.class_name(volume)]) if volume.filesystem.origin == "driver default"

origin(volume) := "as stated" if volume.filesystem.origin == "stated"

why_unknown := text.list(
	sort({clause |
		some volume in model.wal_volumes
		kind_of(volume) == "unknown"
		clause := reason(volume)
	}),
	"and",
) if {
	count(model.wal_volumes) > 0
}

why_unknown := unstated if count(model.wal_volumes) == 0

unstated := "not stated" if model.cluster.machine

unstated := "its StorageClass was not found" if not model.cluster.machine

reason(volume) := volume.picked

reason(volume) := sprintf("the driver of StorageClass %s is not known", [disk.class_name(volume)]) if {
	not volume.picked
	volume.class
}

reason(volume) := sprintf("StorageClass %s was not found", [volume.class_name]) if {
	not volume.picked
	not volume.class
	volume.class_name != ""
}

reason(volume) := "a volume provisioned by hand" if {
	not volume.picked
	not volume.class
	volume.class_name == ""
}

reason(_) := "not stated" if model.cluster.machine

reason(volume) := "the claim names no StorageClass" if {
	not model.cluster.machine
	not volume.picked
	not volume.class
	not is_string(object.get(volume, "class_name", null))
}

# Only where the filesystem is known to need it is there a fix.
patched(f) := finding.with_parameter(f, setting, "on") if worst == "ext"

patched(f) := f if worst != "ext"
