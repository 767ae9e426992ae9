package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.lib.sql
import data.walguard.lib.text

# What the scripts of managedSql create; see walguard.model. The operator adds no library for an extension of spec.postgres.extensions: shared_preload_libraries is what the SGPostgresConfig says
# (PatroniConfigEndpoints, description of the field in the CRD).
facts contains {"extensions": extensions} if count(extensions) > 0

extensions := [object.union(
	{
		"name": extension,
		"consequence": sprintf("script %d of SGScript %s", [i + 1, holder.object.metadata.name]),
		"path": ["spec", "scripts", i, "script"],
	},
	object.filter(holder, ["resource"]),
) |
	reviewed_cluster
	some holder in script_holders
	some i, one in get.list(holder.object, ["spec", "scripts"])
	text := get.string(one, "script")
	not placeholder.unknown(text)
	some extension in sort([name | some name in sql.extensions_in(sql.plain(text))])
]

# What is not among the extensions is not downloaded, and the operator hands shared_preload_libraries on as it is. An extension may have a longer name than its library, or a shorter one (timescaledb_tsl, pg_partman).
facts contains {"uninstalled_libraries": object.union(object.filter(written, ["path", "resource"]), {
	"reason": sprintf("shared_preload_libraries names %s, which spec.postgres.extensions does not have", [text.list(lacking, "and")]),
	"cure": "Add it there with its version, or take it out",
})} if {
	single
	written := shared.last_of(parameters, "shared_preload_libraries")
	lacking := sort([library | some library in conf.names(get.text(written.value)); loaded_alone(library)])
	count(lacking) > 0
}

loaded_alone(library) if {
	image.of_others[library]
	not library in {"anon", "decoderbufs", "pgextwlist", "plan_filter", "repmgr"}
	count([1 |
		some extension in get.list(home, ["spec", "postgres", "extensions"])
		name := object.get(extension, "name", "${}")
		related(name, library)
	]) == 0
	not get.unknown(home, ["spec", "postgres", "extensions"])
}

related(name, _) if placeholder.holds(name)

related(name, library) if startswith(name, library)

related(name, library) if startswith(library, name)
