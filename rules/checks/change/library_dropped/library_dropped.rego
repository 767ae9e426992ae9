# METADATA
# title: A library that holds data is not loaded any more
# description: |
#   Types, indexes and jobs of an extension stay in the database when its library goes: the next statement that needs it fails with "could not access file "$libdir/vectors"" or
#   "must be loaded via shared_preload_libraries", a dump included. An image with another extension in its place (VectorChord for pgvecto.rs) often has not the
#   old library either. Both are needed until the data has moved and DROP EXTENSION is done.
# related_resources:
#   - https://github.com/immich-app/immich-charts/issues/292
#   - https://docs.timescale.com/self-hosted/latest/upgrades/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep the library, in an image that has it, until DROP EXTENSION is done.
#   sources: []
package walguard.checks.change.library_dropped

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	comparable
	gone := sort([name |
		some name in loaded(before.cluster, object.get(before.parameters, "shared_preload_libraries", {}))
		name in holds_data
		not name in loaded(model.cluster, object.get(model.parameters, "shared_preload_libraries", {}))
	])
	count(gone) > 0
	f := finding.at_path(place, sprintf("shared_preload_libraries loses %s: what its extension keeps in the database (types, indexes, jobs) cannot be used or dumped without it. Keep it until DROP EXTENSION is done.", [text.list(gone, "and")]))
}

# What an image preloads of its own accord is known of some images only.
comparable if not is_array(object.get(before.cluster, "preloaded", null))

comparable if is_array(model.cluster.preloaded)

comparable if model.parameters.shared_preload_libraries.origin == "written"

loaded(cluster, _) := {bare(name) | some name in cluster.preloaded} if is_array(cluster.preloaded)

loaded(cluster, setting) := {bare(trim(name, " '\"")) | some name in split(object.get(setting, "text", ""), ",")} if not is_array(object.get(cluster, "preloaded", null))

bare(name) := trim_suffix(name, ".so")

place := places[0].path

places := array.concat(
	[setting | setting := model.parameters.shared_preload_libraries],
	array.concat(
		[libraries | libraries := model.cluster.own_libraries],
		[{"path": model.cluster.parameters_path}],
	),
)

# Their types or indexes stand in tables, or their jobs run by themselves.
holds_data := {"age", "citus", "pg_cron", "pg_search", "pglogical", "timescaledb", "vchord", "vectors"}
