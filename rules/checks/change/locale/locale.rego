# METADATA
# title: The locale of an existing database changes on paper only
# description: |
#   initdb fixes the locale once. A change in the manifest does nothing to the databases there are, and a cluster that is made anew
#   from it sorts text differently: dumps load, but indexes, partitions and constraints on text behave otherwise.
# related_resources:
#   - https://www.postgresql.org/docs/current/locale.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the old locale again; another one needs a new cluster and a dump.
#   sources: []
package walguard.checks.change.locale

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	some locale in model.cluster.locales
	some old in before.cluster.locales
	old.name == locale.name
	old.value != locale.value
	f := finding.at(locale, sprintf("%s goes from %s to %s, but the locale of a cluster is fixed by initdb. Write %s again; another one needs a new cluster.", [
		locale.name,
		old.value,
		locale.value,
		old.value,
	]))
}
