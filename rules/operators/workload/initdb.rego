package walguard.operators.workload

import data.walguard.lib.initdb

# ---------------------------------------------------------------------------------------------------------- initdb

initdb_variables := ["POSTGRESQL_INITDB_ARGS", "POSTGRES_INITDB_ARGS"] if layout == "bitnami"

# An image of another name is taken for one that does as the official one.
initdb_variables := ["POSTGRES_INITDB_ARGS"] if {
	layout in {"docker", "other"}
	not of_kartoza
}

# env-data.sh of kartoza/postgis, where the official image's comes first.
initdb_variables := ["POSTGRES_INITDB_ARGS", "INITDB_EXTRA_ARGS"] if {
	layout in {"docker", "other"}
	of_kartoza
}

# True when the image runs initdb, with options that are in sight. What Patroni tells initdb may stand in several places of its file.
initialised if {
	layout in {"docker", "bitnami"}
	not unknown(initdb_variables)
	not standby
}

# Copied from a primary, which said how.
standby if first_of(["POSTGRESQL_REPLICATION_MODE", "POSTGRES_REPLICATION_MODE"]).value == "slave"

# The official entrypoint gives them to a shell, Bitnami's splits them at blanks.
initdb_options := [word | some word in initdb.words(first_of(initdb_variables).value, {"docker": "shell", "bitnami": "blanks", "other": "shell"}[layout])]

initdb_place := place(first_of(initdb_variables))

initdb_place := {"path": array.concat(container_path, ["env"])} if not first_of(initdb_variables)

segment := object.union(initdb.option_segment(initdb_options, []), initdb_place) if initialised

checksums := object.union(initdb.option_checksums(initdb_options, [], known_major), initdb_place) if initialised

known_major := server.product.major

known_major := null if not server.product.major

# An item of bootstrap.initdb in Patroni's configuration.
segment := object.union(initdb.segment(sizes[count(sizes) - 1], []), object.filter(place_of_all, ["path", "resource"])) if {
	layout in {"patroni", "spilo"}
	[configured_text, place_of_all] := patroni_said
	sizes := [found[1] | some found in regex.find_all_string_submatch_n(`(?m)^[ \t]*-[ \t]*\{?[ \t]*["']?wal-segsize["']?[ \t]*:[ \t]*["']?([0-9]+)`, configured_text, -1)]
	count(sizes) > 0
}
