package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.pgbouncer as ini_settings

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

pool_size := object.get(pooling_settings.values, "default_pool_size", null)

# Of the cluster itself, else of the SGPoolingConfig that it names.
pooling_settings := {"values": values, "path": array.concat(path, ini), "resource": k8s.reference(home)} if {
	path := array.concat(part, ["configurations", "pooling"])
	values := get.map(home, array.concat(path, ini))
	count(values) > 0
} else := {"values": get.map(named, array.concat(["spec"], ini)), "path": array.concat(["spec"], ini), "resource": k8s.reference(named)} if {
	named := named_by_home("SGPoolingConfig", array.concat(part, ["configurations", "sgPoolingConfig"]))
}

ini := ["pgBouncer", "pgbouncer.ini", "pgbouncer"]

# PgBouncer of each pod takes 1000 unless told otherwise (pgbouncer-default-values.properties), and port 5433 of the Services leads past it.
facts contains {"pooler_limits": pooler_limits} if count(pooler_limits) > 0

pooler_limits := [{
	"hosts": hosts,
	"clients": each * copies,
	"written": shared.pooler_limit("max_client_conn", each, copies, is_string(settings.written)),
	"each": copies,
	"cure": "Set max_client_conn in pgbouncer.ini to %d",
	"path": settings.path,
	"resource": settings.resource,
	"direct_port": 5433,
} |
	reviewed_cluster
	not sharded
	not get.boolean(home, pooling_off)
	settings := limit_settings
	each := settings.each
	some [hosts, copies] in [
		[[k8s.name, sprintf("%s-primary", [k8s.name])], 1],
		[[sprintf("%s-replicas", [k8s.name])], max([1, instances.value - 1])],
	]
]

limit_settings := {"each": each, "written": written, "path": array.concat(pooling_settings.path, ["max_client_conn"]), "resource": pooling_settings.resource} if {
	written := get.text_at(pooling_settings.values, ["max_client_conn"])
	each := shared.whole(written)
} else := {"each": 1000, "written": false, "path": pooling_settings.path, "resource": pooling_settings.resource} if {
	not get.present(pooling_settings.values, "max_client_conn")
} else := {"each": 1000, "written": false, "path": ["spec"], "resource": k8s.reference(home)} if {
	not pooling_settings
	not get.present(home, ["spec", "configurations", "sgPoolingConfig"])
	not get.present(home, ["spec", "configurations", "pooling"])
}

# The ini file is written as it stands here (PgBouncerConfig), and the container of PgBouncer does not get ready with it.
facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := [object.union(
	{"reason": sprintf("%s: nobody gets in through PgBouncer", [fault.reason]), "path": array.concat(pooling_settings.path, [fault.name]), "resource": pooling_settings.resource},
	object.filter(fault, ["cure", "level"]),
) |
	reviewed_cluster
	not get.boolean(home, pooling_off)
	some fault in ini_settings.faults({name: value | some name, value in pooling_settings.values; not contains(get.text(value), "'")})
]
