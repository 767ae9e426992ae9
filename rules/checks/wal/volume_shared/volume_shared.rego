# METADATA
# title: WAL shares its volume with the data
# description: |
#   On one volume a checkpoint and WAL compete for the same bandwidth, and WAL that cannot be archived takes the room of the data: both
#   stop. A volume of its own gives WAL its own bandwidth and its own end, and can be watched and grown by itself. Info where the
#   operator can split the two, from 100 GiB of data on, which is a heuristic: what is smaller seldom has the load.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-internals.html
#   - https://cloudnative-pg.io/docs/current/storage#volume-for-wal
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Give WAL a volume of its own.
#   sources: [S0, S4]
#   settings:
#     from_gib: {default: 100, description: Size of the data volume in GiB from which the check speaks. A heuristic.}
package walguard.checks.wal.volume_shared

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some i, set in model.cluster.instance_sets
	set.wal_path
	id := sprintf("%d/data", [i])
	volume := model.volumes[id]
	volume.shared
	volume.size_bytes >= settings.number("wal/volume_shared", "from_gib") * 1073741824
	f := finding.at(object.union({"path": set.wal_path}, object.filter(set, ["resource"])), sprintf("WAL shares the %s of %s with the data: checkpoints and WAL compete for its bandwidth, and WAL that is not archived takes the data's room. Set %s for a WAL volume of %s or more.", [
		disk.label(model.volumes, id),
		disk.size_text(volume.size_bytes),
		text.path(set.wal_path),
		disk.size_text(wal_size),
	]))
}

wal_size := budget.volume_up(max([10 * budget.gibibyte, ceil((wal.bytes * 100) / settings.number("wal/max_wal_vs_volume", "wal_volume_percent"))]))

wal_size := 10 * budget.gibibyte if not wal.bytes
