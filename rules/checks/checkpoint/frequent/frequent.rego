# METADATA
# title: Checkpoints are so frequent that full page images dominate WAL
# description: |
#   After every checkpoint the first change of a page logs all 8 KiB of it. The more often there are checkpoints, the more of WAL is
#   such images: with max_wal_size=1GB under a write load they cost 30 % of the throughput (10,073 against 13,070 transactions a
#   second, S1). Told when checkpoint_timeout is set below 5 minutes, the default; and of a max_wal_size of 1 GB or less when the
#   cluster states its demand (walguard.dev/required-throughput) or, as advice, when it has 8 cores or more, which is a heuristic.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-configuration.html
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-CHECKPOINT-TIMEOUT
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise checkpoint_timeout to 15min or more and max_wal_size so far that WAL does not force checkpoints.
#   sources: [S0, S1]
#   settings:
#     cores: {default: 8, description: CPU cores from which a max_wal_size of 1 GB is remarked upon. A heuristic.}
package walguard.checks.checkpoint.frequent

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	setting := model.changed("checkpoint_timeout")
	setting.milliseconds < 300000
	full_pages
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s runs with checkpoint_timeout=%s: a checkpoint every %d s, after each of which every changed page is logged whole again. Set it to 15min, or leave the default of 5min", [
			model.title,
			setting.text,
			floor(setting.milliseconds / 1000),
		])),
		setting,
		"15min",
	)
}

findings contains f if {
	setting := model.parameter("max_wal_size")
	setting.bytes <= 1073741824
	full_pages
	count(demands) > 0
	demand := demands[0]
	f := finding.with_severity(
		finding.at(setting, sprintf("%s runs with max_wal_size=%s%s%s: WAL forces a checkpoint whenever it has grown by about half of that, after which every changed page is logged whole again; 30 %% of the throughput was measured to go into that. Raise max_wal_size to 4GB or more", [
			model.title,
			setting.text,
			by_default[setting.origin],
			demand.text,
		])),
		demand.severity,
	)
}

by_default := {"written": "", "operator": ", the operator's default,", "postgres": ", the default,"}

full_pages if not full_page_writes.value == false

full_page_writes := model.changed("full_page_writes")

demands := array.concat(
	[{"severity": "warning", "text": sprintf(" and a stated demand of %s", [disk.megabytes(volume.demand.bytes_per_second * disk.shares(volume))])} |
		some volume in model.wal_volumes
		volume.demand.origin == "stated"
	],
	[{"severity": "info", "text": sprintf(" on %s cores", [text.thousandths(volume.demand.cores_thousandths)])} |
		some volume in model.wal_volumes
		volume.demand.cores_thousandths >= settings.number("checkpoint/frequent", "cores") * 1000
	],
)
