# METADATA
# title: Checkpoints are so frequent that full page images dominate WAL
# description: |
#   After every checkpoint the first change of a page logs all 8 KiB of it. The more often there are checkpoints, the more of WAL is
#   such images: with max_wal_size=1GB under a write load they cost 30 % of the throughput (10,073 against 13,070 transactions a
#   second, S1). Reported when checkpoint_timeout is set below 5 minutes, the default; and of a max_wal_size of 1 GB or less when the
#   cluster states its demand (walguard.dev/required-throughput) or, as advice, when it has 8 cores or more, which is a heuristic. Where
#   full_page_writes=off has to be turned on, both are reported at once, since the cost begins with that.
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

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.pages

findings contains f if {
	setting := model.changed("checkpoint_timeout")
	setting.milliseconds < 300000
	full_pages
	f := finding.with_parameter(
		finding.with_default(
			finding.with_severity(
				finding.at(setting, sprintf("%s: a checkpoint every %d s, after each of which every changed page is logged whole again%s. Set it to 15min, or leave the default of 5min.", [
					budget.setting(setting),
					floor(setting.milliseconds / 1000),
					once_on,
				])),
				grades[setting.origin],
			),
			setting,
		),
		setting,
		"15min",
	)
}

# Nobody chose the default of an operator.
grades := {"written": "warning", "operator": "info"}

findings contains f if {
	wal.limit.bytes <= 1073741824
	full_pages
	count(demands) > 0
	demand := demands[0]
	f := raised(
		finding.with_severity(
			finding.with_default(
				finding.at(wal.limit, sprintf("%s %s: WAL forces checkpoints, after each of which every changed page is logged whole again%s (30 %% of the throughput in a benchmark). %s or more.", [
					budget.setting(wal.limit),
					demand.text,
					once_on,
					wal.raise_text(demand.bytes),
				])),
				wal.limit,
			),
			demand.severity,
		),
		demand,
	)
}

raised(f, demand) := finding.with_parameter(f, wal.limit, budget.text(wal.raised(demand.bytes)))

raised(f, demand) := f if not wal.raised(demand.bytes)

full_pages if not full_page_writes.value == false

full_pages if due

# Nothing excuses that they are off, and what they cost is better known before they are turned on.
due if {
	full_page_writes.value == false
	not pages.safe
}

once_on := " once full_page_writes is on" if due

once_on := "" if not due

full_page_writes := model.changed("full_page_writes")

# Four gigabytes at least, and where the load is stated what it writes in a minute.
demands := array.concat(
	[{"severity": "warning", "text": sprintf("at a stated %s", [disk.megabytes(volume.demand.bytes_per_second * disk.shares(volume))]), "bytes": 4294967296} |
		some volume in model.wal_volumes
		volume.demand.origin == "stated"
	],
	[{"severity": "info", "text": sprintf("for %s cores", [text.thousandths(volume.demand.cores_thousandths)]), "bytes": 4294967296} |
		some volume in model.wal_volumes
		volume.demand.cores_thousandths >= settings.number("checkpoint/frequent", "cores") * 1000
	],
)
