# METADATA
# title: A parameter that is more than one line
# description: |
#   Operators write parameters into postgresql.conf line by line. A name with a line break, an equals sign or a blank in it becomes another
#   line there: "z.y = '1'\nfull_page_writes" switches off full page writes under a name that no list of parameters has.
#   A line break in a value ends the line in the middle of the quotes, and the server does not start – or reads the rest as a
#   parameter, where the operator writes no quotes (KubeBlocks).
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-CONFIGURATION-FILE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Names consist of letters, digits, underscores and dots; write a value in one line.
#   sources: []
package walguard.checks.parameters.malformed

import data.walguard.lib.finding
import data.walguard.lib.placeholder
import data.walguard.model

# Of hundreds the first: each is an error.
findings contains f if {
	some setting in array.slice(names, 0, 20)
	f := finding.at(setting, sprintf("%s is not a valid parameter name: in postgresql.conf it becomes something else. Use letters, digits, underscores and dots.", [json.marshal(setting.name)]))
}

findings contains f if {
	some setting in array.slice(values, 0, 20)
	f := finding.at(setting, sprintf("The value of %s has a line break, where the line of postgresql.conf ends: the server does not start, or reads the rest as another parameter. Write it in one line", [setting.name]))
}

# CloudNativePG doubles quotation marks only (escapePostgresConfValue of pkg/postgres/configuration.go).
findings contains f if {
	model.cluster.operator == "CloudNativePG"
	some setting in model.cluster.parameters
	is_string(setting.value)
	endswith(setting.value, `\`)
	(count(setting.value) - count(trim_right(setting.value, `\`))) % 2 == 1
	f := finding.at(setting, sprintf("The value of %s ends in a backslash, which takes the quotation mark that ends it in postgresql.conf: the server does not start. Write it twice, or take it out.", [setting.name]))
}

names := [setting |
	some setting in model.cluster.parameters
	is_string(setting.name)
	model.malformed_name(setting.name)
	not placeholder.holds(setting.name)
]

# What stands on a command line is no line of a file.
values := [setting |
	some setting in model.cluster.parameters
	not setting.argument
	is_string(setting.value)
	broken(setting.value)
	not model.malformed_name(setting.name)
	not placeholder.holds(setting.value)
]

broken(value) if contains(value, "\n")

broken(value) if contains(value, "\r")
