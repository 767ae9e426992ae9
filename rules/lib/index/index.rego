# METADATA
# description: |
#   What is looked for among many objects: ten thousand backups for those of a cluster. A function of this package has one parameter, reads
#   nothing else, and gives arrays and objects. Hosts keep what it gave for a part of an inventory as long as that stays the same, so that no review looks through
#   all of it again; the compiler refuses one that reads more.
package walguard.lib.index

# METADATA
# description: Objects of a kind in a namespace by the cluster that they name, each sorted by name.
by_cluster(objects) := {pairs[start][0]: [objects[pair[1]] | some pair in array.slice(pairs, start, ends[i])] |
	pairs := sort([[cluster, name] | some name, o in objects; some cluster in named(o)])
	starts := [start | some start, pair in pairs; not continues(pairs, start, pair[0])]
	ends := array.slice(array.concat(starts, [count(pairs)]), 1, count(starts) + 1)
	some i, start in starts
}

continues(pairs, place, cluster) if pairs[place - 1][0] == cluster

# Of CloudNativePG, Percona, and StackGres.
named(o) := {cluster |
	some cluster in [
		object.get(o, ["spec", "cluster", "name"], null),
		object.get(o, ["spec", "pgCluster"], null),
		object.get(o, ["spec", "sgCluster"], null),
		object.get(o, ["spec", "sgShardedCluster"], null),
	]
	is_string(cluster)
}

# METADATA
# description: |
#   The clusters of all namespaces that were made from others, of what an inventory has by namespace, version, kind and name:
#   [{"apiVersion", "kind", "object"}].
copies(namespaces) := [{"apiVersion": api_version, "kind": kind, "object": o} |
	some versions in namespaces
	some api_version, kinds in versions
	some kind in ["Cluster", "PerconaPGCluster", "PostgresCluster", "postgresql"]
	some o in copies_of(kinds[kind])
]

# METADATA
# description: The objects of them of one kind in one namespace.
copies_of(clusters) := [o | some o in clusters; is_copy(o)]

# METADATA
# description: True of a cluster of CloudNativePG, Zalando, Crunchy or Percona that was made from another one.
is_copy(o) if o.spec.bootstrap.recovery

is_copy(o) if o.spec.clone

is_copy(o) if o.spec.dataSource.postgresCluster

# METADATA
# description: |
#   The other namespaces in which something names a host of a namespace ("postgres.databases"), {namespace: [those, sorted]}, of what an
#   inventory has by namespace, version, kind and name. Only that a text has it; whether a client of PostgreSQL does, its reader says.
callers(namespaces) := {named_one: sort({pair[1] | some pair in pairs; pair[0] == named_one}) |
	pairs := {[host[1], namespace] |
		some namespace, versions in namespaces
		some text in texts_of_clients(versions)
		some host in regex.find_all_string_submatch_n(`[a-z0-9]\.([a-z0-9][a-z0-9-]*)(?:\.svc\b|[^a-z0-9.-]|$)`, text, -1)
		host[1] != namespace
		is_object(namespaces[host[1]])
	}
	some named_one in {pair[0] | some pair in pairs}
}

# METADATA
# description: The kinds in which clients run, [apiVersion, kind].
clients := [["apps/v1", "Deployment"], ["apps/v1", "StatefulSet"], ["batch/v1", "CronJob"], ["batch/v1", "Job"]]

# What runs, and what it takes its variables from.
texts_of_clients(versions) := array.concat(
	[json.marshal(object.get(o, "spec", {})) |
		some [api_version, kind] in clients
		some o in versions[api_version][kind]
	],
	[text |
		some [kind, field] in [["ConfigMap", "data"], ["Secret", "data"], ["Secret", "stringData"]]
		some o in versions.v1[kind]
		some written in object.get(o, field, {})
		is_string(written)
		count(written) < 2000
		text := plain(kind, field, written)
	],
)

plain("Secret", "data", written) := base64.decode(written) if base64.is_valid(written)

plain(kind, field, written) := written if [kind, field] != ["Secret", "data"]
