# METADATA
# title: This PostgreSQL cannot compress WAL in that way
# description: |
#   wal_compression was on or off up to PostgreSQL 14; 15 added the methods pglz, lz4 and zstd, of which lz4 and zstd must be built in. A server
#   that does not know the value does not start. The images of the operators and of the PostgreSQL community have both built in; of other
#   editions it is not known, which is info (pg_config --configure shows it).
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-COMPRESSION
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set wal_compression to on, which is pglz, or use PostgreSQL 15 or newer.
#   sources: [S2]
package walguard.checks.wal.compression_available

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	count(too_new) > 0
	f := finding.with_parameter(
		finding.with_severity(
			finding.at(setting, sprintf("wal_compression=%s is unknown to PostgreSQL %d, and %s. Set it to on, or upgrade to 15.", [
				setting.text,
				model.major,
				model.rejection.consequence,
			])),
			model.rejection.severity,
		),
		setting,
		"on",
	)
}

findings contains f if {
	setting.value in {"lz4", "zstd"}
	model.edition != "postgresql"
	f := finding.with_severity(
		finding.at(setting, sprintf("wal_compression=%s needs a build with it; whether this edition (%s) has it is unknown, and without it the server does not start. Check pg_config --configure, or set it to on.", [
			setting.text,
			model.edition,
		])),
		"info",
	)
}

setting := model.changed("wal_compression")

# METADATA
# description: '{"wal_compression"} where this check tells of the value that parameters/invalid_value would find unreadable.'
too_new contains "wal_compression" if {
	get.lower_case(setting.text) in {"lz4", "pglz", "zstd"}
	model.major < 15
}
