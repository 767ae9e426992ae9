package walguard.operators.cnpg_lost_stores_test

import data.walguard.operators.cnpg

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "db"}, "spec": spec}

archives(name) := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": name}}]}

stores(namespace, names) := {namespace: {"barmancloud.cnpg.io/v1": {"ObjectStore": {name: {"metadata": {"name": name, "namespace": namespace}} | some name in names}}}}

found(spec, others) := lost if {
	inventory := object.union(others, {"db": object.union(object.get(others, "db", {}), {"postgresql.cnpg.io/v1": {"Cluster": {"pg": cluster(spec)}}})})
	lost := cnpg.lost_stores with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": inventory}}
}

test_another_name if {
	found(archives("archive"), stores("db", {"old-s3"})) == [{
		"path": ["spec", "plugins", 0, "parameters", "barmanObjectName"],
		"reason": "There is no ObjectStore archive in the namespace, and old-s3, which is there, is used by no cluster: the plugin stops the operator at this cluster, and nothing is created or archived",
		"cure": "Write old-s3",
	}]

	# Another check says this.
	found(archives("s3-old"), stores("db", {"old-s3"})) == []
}

test_another_namespace if {
	[[f.reason, f.cure] | some f in found(archives("store"), stores("backups", {"store"}))] == [[
		"There is no ObjectStore store in the namespace, only in backups, and it is looked for beside the cluster: the plugin stops the operator at this cluster, and nothing is created or archived",
		"Create it in db too",
	]]
}

test_source_of_a_recovery if {
	source := {"bootstrap": {"recovery": {"source": "old"}}, "externalClusters": [{"name": "old", "plugin": {"parameters": {"barmanObjectName": "archive"}}}]}
	[f.path | some f in found(source, stores("db", {"old-s3"}))] == [["spec", "externalClusters", 0, "plugin", "parameters", "barmanObjectName"]]
	found(object.remove(source, ["bootstrap"]), stores("db", {"old-s3"})) == []
}

# What is named after this cluster is made elsewhere, and the other one is another cluster's.
test_store_of_another_cluster if {
	found(archives("pg-store"), stores("db", {"n8n-store"})) == []
	count(found(archives("pg-store"), stores("db", {"pg-old"}))) == 1
	count(found(archives("store"), stores("db", {"n8n-store"}))) == 1
}

# It may be made elsewhere.
test_silent_when_unknown if {
	found(archives("store"), {}) == []
	found(archives("store"), stores("db", {"store", "other"})) == []
	found(archives("${STORE}"), stores("db", {"other"})) == []
	found(archives("store"), stores("db", {"${STORE}"})) == []
	used := {"backups": object.union(
		stores("backups", {"store"}).backups,
		{"postgresql.cnpg.io/v1": {"Cluster": {"x": {"metadata": {"name": "x", "namespace": "backups"}, "spec": archives("store")}}}},
	)}
	found(archives("store"), used) == []
}
