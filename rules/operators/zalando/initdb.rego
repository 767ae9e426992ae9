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
	not get.present(k8s.object, checksums_path)
}

checksums := fact.written(true, checksums_path) if {
	initialised
	shared.boolean(object.get(k8s.object, checksums_path, null))
}
