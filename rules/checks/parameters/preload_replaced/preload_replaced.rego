# METADATA
# title: Libraries that the image preloads are lost
# description: |
#   shared_preload_libraries is one list: what is written replaces it whole. Spilo preloads bg_mon, pg_stat_statements, pgextwlist,
#   pg_auth_mon and set_user, and its scripts, its extension whitelist and the monitoring of the operator count on them; a
#   list that names only the library which was to be added turns them off.
# related_resources:
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the whole list, those of the image first.
#   sources: []
package walguard.checks.parameters.preload_replaced

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	setting := model.written.shared_preload_libraries
	needed := get.list(model.cluster, "preload")
	loaded := {trim(name, ` "'`) | some name in split(setting.text, ",")}
	lost := [name | some name in needed; not name in loaded]
	count(lost) > 0
	all := concat(",", array.concat(needed, [name | some name in split(setting.text, ","); not trim(name, ` "'`) in {n | some n in needed}]))
	message := sprintf("shared_preload_libraries replaces the list of the image, so %s not loaded. Write \"%s\".", [verb(lost), all])
	f := finding.with_parameter(finding.at(setting, message), setting, all)
}

verb(lost) := sprintf("%s is", [lost[0]]) if count(lost) == 1

verb(lost) := sprintf("%s are", [text.list(lost, "and")]) if count(lost) > 1
