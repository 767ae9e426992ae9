# METADATA
# title: A parameter makes the server read another file
# description: |
#   include, include_if_exists and include_dir are no parameters: written among parameters, the line that an operator makes of one is a directive
#   (shown on PostgreSQL 15), and whatever stands in that file is set – fsync=off too – without a word in the resource. Patroni's custom_conf
#   puts a file in the place of postgresql.conf. On a command line they are no directives, and the server does not start. What such a file says cannot be judged, so that none of them passes.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-INCLUDES
#   - https://patroni.readthedocs.io/en/latest/yaml_configuration.html#postgresql
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out, and write the parameters of that file here.
#   sources: []
package walguard.checks.parameters.include

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some setting in model.cluster.parameters
	is_string(setting.name)
	get.lower_case(setting.name) in conf.includes
	f := finding.at(setting, sprintf("%s is not a parameter: %s. Remove it, and write the parameters of that file here.", [setting.name, outcome(setting)]))
}

# "unrecognized configuration parameter" (guc.c): a directive is one of a file alone.
outcome(setting) := sprintf("on a command line it stops the server (\"unrecognized configuration parameter\"), and %s is not read", [get.shown(setting.value)]) if setting.argument

outcome(setting) := sprintf("the server reads the file %s and applies whatever it sets", [get.shown(setting.value)]) if not setting.argument

findings contains f if {
	some inclusion in get.list(model.cluster, "inclusions")
	f := finding.at(inclusion, sprintf("%s replaces postgresql.conf by the file %s, which walguard cannot read. Remove it, and write the parameters of that file here.", [inclusion.name, inclusion.file]))
}
