# METADATA
# title: Another edition's parameter
# description: |
#   Vendors add parameters to their editions of PostgreSQL – Postgres Pro Enterprise autoprepare_threshold and the cfs_ family,
#   EDB the edb_ family, PolarDB polar_ – and their tuning guides are read by everybody. PostgreSQL itself does not know
#   them and does not start. The edition is read from the image.
#   The gains that S2 reports contradict its own table: its conclusion credits 63, 79 and 74 % to the second
#   configuration, the table to the third with a compressed tablespace (CFS), which only Postgres Pro Enterprise has. With
#   the second one plain PostgreSQL was ahead by 2 to 6 %.
# related_resources:
#   - https://postgrespro.com/docs/enterprise/current/runtime-config
#   - https://www.enterprisedb.com/docs/epas/latest/reference/database_administrator_reference/02_summary_of_configuration_parameters/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out, or run the edition that has it.
#   sources: [S0, S2]
package walguard.checks.parameters.vendor_only

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some name in model.strangers
	vendor := postgres.vendor(name)
	vendor.edition != editions[model.edition]
	setting := model.written[name]
	f := finding.with_severity(
		finding.with_removal(
			finding.at(setting, sprintf("%s=%s: only %s has this parameter; this is %s, and %s. Remove it.", [
				name,
				setting.text,
				vendor.edition,
				editions[model.edition],
				model.rejection.consequence,
			])),
			setting,
		),
		model.rejection.severity,
	)
}

# The editions of walguard.model as the catalogue of vendors calls them.
editions := {
	"postgresql": "PostgreSQL",
	"enterprisedb": "EDB Postgres Advanced Server",
	"postgrespro-enterprise": "Postgres Pro Enterprise",
	"polardb": "PolarDB for PostgreSQL",
}
