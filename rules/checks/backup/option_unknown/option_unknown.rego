# METADATA
# title: The backup program does not know an option
# description: |
#   pgBackRest leaves out an option that it does not know, with a warning in its log ("configuration file contains invalid option"): a misspelt retention
#   keeps every backup until the repository is full, a misspelt path or key type sends them elsewhere or nowhere. The operators pass on whatever is written
#   below global, and the API server takes any key there. Spilo hands WAL-G the variables that it knows, in capitals: wal_s3_bucket is a key of the operator's configuration, and no variable
#   (an error where backups are asked for and nothing else names their place).
# related_resources:
#   - https://pgbackrest.org/configuration.html
#   - https://github.com/CrunchyData/postgres-operator/issues/3943
#   - https://github.com/zalando/postgres-operator/issues/1965
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the option as the manual of the program spells it.
#   sources: []
package walguard.checks.backup.option_unknown

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some option in get.list(model.cluster, "unknown_options")
	f := unknown(option)
}

unknown(option) := object.union(
	finding.at(option, sprintf("%s has no option %s and leaves it out. Write %s.", [option.program, option.name, option.meant])),
	{"severity": level | level := option.level},
)

# A release that is newer than the list may have it.
unknown(option) := finding.with_severity(
	finding.at(option, sprintf("%s has no option %s and leaves it out, unless a newer release has it. Correct it, or remove it.", [option.program, option.name])),
	"info",
) if {
	not option.meant
}
