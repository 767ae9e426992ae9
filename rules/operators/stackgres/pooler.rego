package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get

# ---------------------------------------------------------------------------------------------------------- pooler

pooling_off := array.concat(part, ["pods", "disableConnectionPooling"])

pooler := at_home(fact.written(false, pooling_off)) if get.boolean(home, pooling_off)

# Each pod has one, so the primary has one.
pooler := at_home(object.union_n([
	fact.operator(true, pooling_off),
	{"connections": n | n := shared.whole(pool_size)},
])) if {
	not get.boolean(home, pooling_off)
}

pool_size_path := ["pgBouncer", "pgbouncer.ini", "pgbouncer", "default_pool_size"]

pool_size := size if {
	size := get.text_at(home, array.concat(array.concat(part, ["configurations", "pooling"]), pool_size_path))
}

pool_size := size if {
	not get.present(home, array.concat(array.concat(part, ["configurations", "pooling"]), pool_size_path))
	size := get.text_at(named_by_home("SGPoolingConfig", array.concat(part, ["configurations", "sgPoolingConfig"])), array.concat(["spec"], pool_size_path))
}
