# METADATA
# title: PostgreSQL has no such parameter
# description: |
#   A name that PostgreSQL does not know in postgresql.conf is an error – 'unrecognized configuration parameter' – and the server does
#   not start; a running one refuses to reload. Patroni leaves such a name out and says so in its log only, which is how a
#   misspelt setting stays without effect for years. A name with a dot in it belongs to an extension: PostgreSQL takes every one,
#   so a misspelt prefix is never noticed (info only, since it may be an extension that walguard does not know). Where the version
#   is not known, a name is unknown when no version from 12 to 19 has it. Forks may have parameters of their own: on
#   their images nothing is said. The names of each version were read from real servers.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html
#   - https://www.postgresql.org/docs/current/runtime-config-custom.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Correct the name, or take it out.
#   sources: [S0, S3]
package walguard.checks.parameters.unknown

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.postgres
import data.walguard.postgres.similar

findings contains f if {
	count(model.strangers) > 0
	some name in plain
	setting := model.written[name]
	f := finding.with_severity(
		renamed(setting, finding.at(setting, sprintf("%s=%s: %s has no such parameter, and %s. %s", [
			name,
			setting.text,
			model.release,
			model.rejection.consequence,
			meant(postgres.nearest(name, newest)),
		]))),
		severity,
	)
}

renamed(setting, f) := finding.with_name(f, setting, name, setting.text) if {
	name := postgres.meant(setting.name, newest)
} else := f

severity := model.rejection.severity if not model.uncharted

# A version that is not known yet may have it.
severity := "warning" if model.uncharted

findings contains f if {
	some name in model.strangers
	contains(name, ".")
	not postgres.extension(name)
	setting := model.written[name]
	prefix := split(name, ".")[0]
	f := finding.with_severity(
		finding.at(setting, sprintf("%s=%s: PostgreSQL accepts any name with a dot, and walguard knows no extension that reads %s. %s", [
			name,
			setting.text,
			sprintf("%s.*", [prefix]),
			perhaps(similar.ranked(prefix, object.keys(data.walguard.postgres.extensions))),
		])),
		"info",
	)
}

# Those that are not named one by one.
findings contains f if {
	count(model.strangers) == 100
	others := {name | some name in (object.keys(model.written) - (object.keys(model.readings) | model.strangers)); not model.malformed_name(name)}
	count(others) > 0
	setting := model.written[sort(others)[0]]
	f := finding.with_severity(
		finding.at(setting, sprintf("%d more names, such as %s, are unknown to %s: walguard lists the first 100 only. Correct or remove those first.", [count(others), setting.name, model.release])),
		{true: severity, false: "info"}[count([1 | some name in others; not contains(name, ".")]) > 0],
	)
}

# What no check of this area calls by another name: removed, too_new, vendor_only. A fork may know names that we do not.
plain contains name if {
	some name in model.strangers
	model.edition == "postgresql"
	not contains(name, ".")
	not postgres.known(name)
	not postgres.vendor(name)
	not name in directives
}

# Lines of postgresql.conf that are no parameters.
directives := {"include", "include_dir", "include_if_exists"}

newest := model.major

newest := postgres.major_max if not model.major

meant([]) := "Correct the name or remove it."

meant(names) := sprintf("Did you mean %s?", [text.list(names, "or")]) if count(names) > 0

perhaps([]) := "Make sure that an extension of the image does."

perhaps(prefixes) := sprintf("Did you mean %s?", [prefixes[0]]) if count(prefixes) > 0
