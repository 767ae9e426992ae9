# METADATA
# title: postgresql.conf has a line that PostgreSQL cannot read
# description: |
#   A line is a name, perhaps an equals sign, and one value: a bare word, a number, or anything else in single quotes. A path, a
#   list with commas or a text with blanks needs the quotes. One line that is not of that form keeps the server from starting;
#   where it is met on a reload, the whole file is passed over and the server goes on as it was, until its next start. A file of which no line
#   names a parameter of PostgreSQL is another program's with the same name: that is info, once.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-CONFIGURATION-FILE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Put the value into single quotes, or take out what does not belong to it.
#   sources: []
package walguard.checks.parameters.syntax

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.postgres

# Of hundreds the first ones: nobody reads more.
findings contains f if {
	not foreign
	some wrong in array.slice(errors, 0, 20)
	f := finding.at(wrong, sprintf("The server does not start: %s, %s. Put the value into single quotes, or remove the line.", [conf.line(wrong), wrong.reason]))
}

findings contains f if {
	foreign
	f := finding.with_severity(
		finding.at(errors[0], "No line names a parameter of PostgreSQL, so this looks like another program's configuration. Exclude the file if it is."),
		"info",
	)
}

errors := get.list(model.cluster, "syntax_errors")

# Not where other files of the server may say more.
foreign if {
	count(errors) > 1

	# A ConfigMap that is mounted where the server looks is no other program's.
	not errors[0].resource
	count([1 | some setting in model.cluster.parameters; postgres.known(setting.name)]) == 0
	count([1 | some wrong in errors; postgres.known(first_word(wrong.reason))]) == 0
}

first_word(reason) := concat("", [word | some word in regex.find_n(`[A-Za-z_][A-Za-z_0-9.]*`, trim_prefix(reason, "syntax error:"), 1)])
