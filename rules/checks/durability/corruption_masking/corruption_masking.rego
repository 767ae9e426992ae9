# METADATA
# title: Corruption is hidden instead of reported
# description: |
#   These four parameters let a server go on where it should stop. zero_damaged_pages and ignore_checksum_failure are for taking
#   what is left out of a damaged database, by session; set for the cluster, they turn damage into missing rows that
#   replicas and backups inherit. ignore_invalid_pages lets recovery step over pages that should exist. data_sync_retry goes on after
#   a failed fsync, although Linux drops the pages that it could not write and calls the next fsync a success.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-developer.html
#   - https://www.postgresql.org/docs/current/runtime-config-error-handling.html#GUC-DATA-SYNC-RETRY
#   - https://wiki.postgresql.org/wiki/Fsync_Errors
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Turn the parameter off. To save what is left of a damaged database set it in the one session that copies the data out.
#   sources: []
#   cel:
#     - {operators: [crunchy, percona, zalando], found: variables.data_sync_retry in variables.true_texts}
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.ignore_checksum_failure in variables.true_texts}
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.ignore_invalid_pages in variables.true_texts}
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.zero_damaged_pages in variables.true_texts}
package walguard.checks.durability.corruption_masking

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some setting in settings
	setting.value == true
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s=%s: %s. Turn it off.", [
			setting.name,
			setting.text,
			effects[setting.name],
		])),
		setting,
		"off",
	)
}

settings contains model.changed("data_sync_retry")

settings contains model.changed("ignore_checksum_failure")

settings contains model.changed("ignore_invalid_pages")

settings contains model.changed("zero_damaged_pages")

effects := {
	"data_sync_retry": "after a failed fsync the server goes on although the kernel has dropped the pages it could not write, so that committed changes are lost without a trace; off, it stops and recovers them from WAL",
	"ignore_checksum_failure": "pages with a wrong checksum are used, so that damage spreads to whatever is computed and copied from them",
	"ignore_invalid_pages": "recovery steps over WAL for pages that should exist and do not, so that the server comes up with data missing",
	"zero_damaged_pages": "a damaged page is emptied when it is read, and all its rows are gone at the next write",
}
