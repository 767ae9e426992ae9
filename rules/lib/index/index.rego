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
