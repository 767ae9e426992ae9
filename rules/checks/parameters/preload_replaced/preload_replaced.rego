# METADATA
# title: Libraries that the image preloads are lost
# description: |
#   shared_preload_libraries is one list: what is written replaces it whole. Spilo preloads bg_mon, pg_stat_statements, pgextwlist,
#   pg_auth_mon, set_user, pg_cron and pg_stat_kcache, and its scripts, its extension whitelist and the monitoring of the operator count on them; a
#   list that names only the library which was to be added turns them off. Bitnami's postgresql-repmgr preloads repmgr in the postgresql.conf that it
#   generates, and one of the chart's values (configuration) takes the place of the whole file, as does one of one's own for TimescaleDB's image, whose scripts create the extension; images such as immich's name their libraries
#   in their own command, which args of the container replace. An error there, for then nothing works without them, and where Spilo lacks pg_cron, without which its first start fails (post_init.sh); a warning where such an image serves others.
# related_resources:
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
#   - https://github.com/zalando/spilo/issues/1043
#   - https://github.com/bitnami/charts/issues/2829
#   - https://github.com/immich-app/immich/issues/18439
#   - https://github.com/timescale/timescaledb-docker/blob/main/docker-entrypoint-initdb.d/000_install_timescaledb.sh
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the whole list, those of the image first.
#   sources: []
package walguard.checks.parameters.preload_replaced

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	setting := model.written.shared_preload_libraries
	needed := get.list(model.cluster, "preload")
	lost := [name | some name in needed; not name in conf.names(setting.text)]
	count(lost) > 0
	all := concat(",", array.concat(needed, [name | some name in split(setting.text, ","); not trim(name, ` "'`) in {n | some n in needed}]))
	place := finding.at(setting, sprintf("%s. Write \"%s\".", [outcome(lost), all]))
	f := finding.with_parameter(object.union(place, {"severity": "error" | model.cluster.preload_first in lost}), setting, all)
}

outcome(lost) := sprintf("shared_preload_libraries replaces the list of the image and lacks %s, which Spilo creates first: a new cluster is never initialised", [first]) if {
	first := model.cluster.preload_first
	first in lost
} else := sprintf("shared_preload_libraries replaces the list of the image, so %s not loaded", [verb(lost)])

findings contains f if {
	lost := model.cluster.lost_libraries
	f := finding.with_severity(
		finding.at(lost, sprintf("What is written here takes the place of what the image preloads, so %s not loaded: %s. Add shared_preload_libraries = '%s'.", [
			verb(lost.libraries),
			lost.consequence,
			concat(", ", lost.libraries),
		])),
		object.get(lost, "level", "error"),
	)
}

verb(lost) := sprintf("%s is", [lost[0]]) if count(lost) == 1

verb(lost) := sprintf("%s are", [text.list(lost, "and")]) if count(lost) in {2, 3, 4}

verb(lost) := sprintf("%s and %d others are", [concat(", ", array.slice(lost, 0, 3)), count(lost) - 3]) if count(lost) > 4
