package walguard.operators.stackgres

import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.sql

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
