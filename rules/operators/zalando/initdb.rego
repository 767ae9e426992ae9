package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.k8s

# -------------------------------------------------------------------------------------------------------- initdb

# True when the operator runs initdb.
initialised if {
	count(spec) > 0
	not get.present(spec, "standby")
	not get.present(spec, "clone")
}

segment_path := ["spec", "patroni", "initdb", "wal-segsize"]

segment := initdb.segment(object.get(k8s.object, segment_path, null), segment_path) if initialised

segment := initdb.default_segment(segment_path) if {
	initialised
	not get.present(k8s.object, segment_path)
}

checksums_path := ["spec", "patroni", "initdb", "data-checksums"]

# Spilo's own list for initdb has data-checksums; "false" is no word that initdb knows.
checksums := fact.operator(true, checksums_path) if {
	initialised
	not without_checksums
	not get.present(k8s.object, checksums_path)
}

# The operator hands on the name of one that is "true", behind those of Spilo; initdb takes the beginnings of it that mean one thing only, and knows it since PostgreSQL 18.
checksums := fact.written(false, array.concat(["spec", "patroni", "initdb"], [without_checksums])) if initialised

without_checksums := [name |
	some name, value in get.map(k8s.object, ["spec", "patroni", "initdb"])
	initdb.without_checksums(sprintf("--%s", [name]))
	shared.boolean(value)
][0]

checksums := fact.written(true, checksums_path) if {
	initialised
	not without_checksums
	shared.boolean(object.get(k8s.object, checksums_path, null))
}
