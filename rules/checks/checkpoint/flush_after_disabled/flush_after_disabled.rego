# METADATA
# title: Dirty pages pile up in the kernel until it stalls
# description: |
#   checkpoint_flush_after and bgwriter_flush_after ask the kernel to write out what was handed to it, 256 kB or 512 kB at a time. At 0 the
#   pages stay in the page cache until the kernel's own limits (vm.dirty_background_ratio, 10 % of memory by default) or the fsync at the end
#   of the checkpoint force gigabytes out at once, and whoever writes waits: S0 saw freezes of several tens of seconds on 10 GB.
#   One of the benchmarks that walguard's advice comes from (S2) sets bgwriter_flush_after=0 on a host with 1 TB of memory and a raid of
#   its own; on cloud disks and in a memory limit the pages have no such room.
#   S0 and S3 cure that stall by vm.dirty_background_ratio alone (see node/dirty_background) and do not mention these
#   parameters, so that S2 turns off what would have helped S0.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-CHECKPOINT-FLUSH-AFTER
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-BGWRITER-FLUSH-AFTER
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave checkpoint_flush_after and bgwriter_flush_after at their defaults, 256kB and 512kB.
#   sources: [S0, S2]
package walguard.checks.checkpoint.flush_after_disabled

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some setting in settings
	setting.value == 0
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s=%s: what %s writes piles up in the page cache until the kernel writes it all at once and every commit waits. Set it to %s, the default.", [
			setting.name,
			setting.text,
			writers[setting.name],
			defaults[setting.name],
		])),
		setting,
		defaults[setting.name],
	)
}

settings contains model.changed("bgwriter_flush_after")

settings contains model.changed("checkpoint_flush_after")

writers := {"bgwriter_flush_after": "the background writer", "checkpoint_flush_after": "a checkpoint"}

defaults := {"bgwriter_flush_after": "512kB", "checkpoint_flush_after": "256kB"}
