# METADATA
# title: A standby that was away finds its WAL gone
# description: |
#   A standby reads on from where it stopped. The primary keeps that WAL for a replication slot, or as much as wal_keep_size says, or an archive
#   has it; where none of these is so, it goes with the next checkpoints. After a failover or a restart the standby repeats "requested WAL
#   segment has already been removed" until somebody copies it anew, and the cluster has one copy less all the while. Kubegres uses neither
#   slots nor an archive, and PostgreSQL's default for wal_keep_size is 0. Reported for clusters with standbys up to 512MB, the default of
#   CloudNativePG, which a busy server writes in a minute.
# related_resources:
#   - https://www.postgresql.org/docs/current/warm-standby.html#STREAMING-REPLICATION
#   - https://github.com/reactive-tech/kubegres/issues/183
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set wal_keep_size to what the volume can spare, use replication slots, or archive WAL.
#   sources: []
#   settings:
#     enough_mib: {default: 512, description: wal_keep_size in MB above which this is not reported.}
package walguard.checks.replication.wal_not_kept

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	model.cluster.slots.value == false
	model.cluster.instances.value > 1
	model.cluster.archiving.value in {"off", "discards"}
	not model.partial
	setting := model.parameter("wal_keep_size")
	setting.bytes <= settings.number("replication/wal_not_kept", "enough_mib") * budget.mebibyte
	f := cured(setting, finding.with_default(
		finding.at(setting, sprintf("%s without replication slots and without an archive: a standby that was away finds its WAL removed and must be copied anew. %s.", [
			budget.setting(setting),
			cure,
		])),
		setting,
	))
}

cured(setting, f) := finding.with_parameter(f, setting, budget.text(wal.slots_within(wal.spare))) if wal.slots_within(wal.spare)

cured(_, f) := f if not wal.slots_within(wal.spare)

cure := sprintf("Set it to %s", [budget.text(wal.slots_within(wal.spare))])

cure := "Set it to what the volume can spare" if not wal.slots_within(wal.spare)
