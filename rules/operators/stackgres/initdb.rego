package walguard.operators.stackgres

import data.walguard.lib.get

# True when the operator runs initdb, which it gives no segment size and --data-checksums.
initialised if {
	home
	not get.present(home, ["spec", "initialData", "restore"])
	not get.present(home, ["spec", "replicateFrom"])
}
