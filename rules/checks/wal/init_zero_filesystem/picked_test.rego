package walguard.checks.wal.init_zero_filesystem_test

import data.walguard.checks.wal.init_zero_filesystem
import data.walguard.lib.manifest_test as manifest

test_a_volume_that_the_claim_picks if {
	found := init_zero_filesystem.findings with input as manifest.review({"wal_init_zero": "off"}, {"storage": {"size": "100Gi", "storageClass": "zfs", "pvcTemplate": {"selector": {"matchLabels": {"a": "b"}}}}})
	{one.message | some one in found} == {"wal_init_zero=off on an unknown filesystem (a PersistentVolume that the claim picks by its selector): on ext4, most drivers' default, a full volume then crashes the server. Set it to on unless it is XFS, ZFS or btrfs."}
}
