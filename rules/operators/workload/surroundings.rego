package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

facts contains {"hosts": hosts} if count(hosts) > 0

hosts := sort({name |
	server
	name := get.string(k8s.object, ["spec", "serviceName"])
} | {name |
	server
	count(pod_labels) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
	name := get.string(service, ["metadata", "name"])
})

facts contains {"annotations": {"path": ["spec", "template", "metadata", "annotations"], "volume": mount_of(directory).name}} if {
	k8s.kind != "Pod"
	lasts(mount_of(directory).name)
}

missing_keys := array.concat(
	[found |
		server
		some list in ["initContainers", "containers"]
		some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
		some found in keys.of_environment(array.concat(pod_path, [list, i]), one)
	],
	[found |
		server
		some found in keys.of_volumes(pod_path)
	],
)

# ---------------------------------------------------------------------------------------------------------- poolers

# A pooler is the server's when its environment names one of the server's Services. Of Pgpool-II each child keeps a connection for each pair of
# user and database, and at least one (https://www.pgpool.net/docs/latest/en/html/runtime-config-connection.html).
facts contains {"pooler": object.union(poolers[0].fact, {"connections": sum([one.connections | some one in poolers])})} if count(poolers) > 0

poolers := [{"connections": replicas_of * size, "fact": {"value": true, "origin": "written", "path": array.concat(path, [i, "env"]), "resource": k8s.reference(made)}} |
	count(hosts) > 0
	names := {host | some host in hosts}
	some made in inventory.list(k8s.namespace, "apps/v1", "Deployment")
	path := ["spec", "template", "spec", "containers"]
	some i, one in get.list(made, path)
	kind := pooler_kinds[image.name(get.string(one, "image"))]
	values := {name: value |
		some variable in get.list(one, "env")
		name := get.string(variable, "name")
		value := get.text_at(variable, "value")
	}
	count([1 |
		some name in kind.hosts
		some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, values[name], -1)
		count([part | some part in split(found, "."); part in names]) > 0
	]) > 0
	size := [number | some name in kind.sizes; number := shared.whole(values[name])][0]
	replicas_of := shared.whole(object.get(made, ["spec", "replicas"], 1))
]

pooler_kinds := {
	"pgpool": {"hosts": ["PGPOOL_BACKEND_NODES"], "sizes": ["PGPOOL_NUM_INIT_CHILDREN"]},
	"pgbouncer": {"hosts": ["DB_HOST", "DATABASE_URL", "DATABASE_URLS", "POSTGRESQL_HOST", "PGBOUNCER_DSN_0"], "sizes": ["DEFAULT_POOL_SIZE", "PGBOUNCER_DEFAULT_POOL_SIZE"]},
}
