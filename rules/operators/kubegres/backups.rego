package walguard.operators.kubegres

import data.walguard.lib.cluster as shared

# The words stand in one text.
placed(f, path) := object.union(f, {"path": path})

# ------------------------------------------------------------------------------------------------------- backups

archiving := shared.archiving(parameters)

archiving := at_home({"value": "off", "origin": "postgres", "path": custom_path}) if {
	home
	not unseen
	not shared.archiving(parameters)
}
