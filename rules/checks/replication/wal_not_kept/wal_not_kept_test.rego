package walguard.checks.replication.wal_not_kept_test

import data.walguard.checks.replication.wal_not_kept as check

api := "kubegres.reactive-tech.io/v1"

kubegres(spec, text) := {
	"review": {"object": {
		"apiVersion": api,
		"kind": "Kubegres",
		"metadata": {"name": "stock", "namespace": "shop"},
		"spec": object.union({"image": "postgres:17.5", "replicas": 3, "customConfig": "tuned", "database": {"size": "50Gi"}}, spec),
	}},
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"tuned": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "tuned", "namespace": "shop"},
		"data": {"postgres.conf": text},
	}}}}}},
}

test_default if {
	check.findings == {{
		"message": "wal_keep_size=0 (the default) without replication slots and without an archive: a standby that was away finds its WAL removed and must be copied anew. Set it to 10GB.",
		"path": ["spec", "customConfig"],
	}} with input as kubegres({}, "max_connections = 100\n")
}

test_written if {
	found := check.findings with input as kubegres({"database": {"size": "1Gi"}}, "wal_keep_size = 256MB\n")
	{f.message | some f in found} == {"wal_keep_size=256MB without replication slots and without an archive: a standby that was away finds its WAL removed and must be copied anew. Set it to what the volume can spare."}
}

test_not_reported if {
	check.findings == set() with input as kubegres({}, "wal_keep_size = 4GB\n")
	check.findings == set() with input as kubegres({"replicas": 1}, "")
	check.findings == set() with input as kubegres({}, "archive_mode = on\narchive_command = 'copy %p'\n")
}

cnpg(spec) := {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "shop"},
	"spec": object.union({"instances": 2, "storage": {"size": "50Gi"}}, spec),
}}}

test_slots_switched_off if {
	check.findings == set() with input as cnpg({})
	found := check.findings with input as cnpg({"replicationSlots": {"highAvailability": {"enabled": false}}})
	{f.default_of | some f in found} == {"CloudNativePG"}
	written := check.findings with input as cnpg({"replicationSlots": {"highAvailability": {"enabled": false}}, "postgresql": {"parameters": {"wal_keep_size": "0"}}})
	{f.fix | some f in written} == {[{"op": "replace", "path": "/spec/postgresql/parameters/wal_keep_size", "value": "10GB"}]}
}

# Its configuration is not in sight.
test_silent_when_unknown if {
	elsewhere := object.union(kubegres({}, ""), {"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"tuned": null}}}}}})
	check.findings == set() with input as elsewhere
}
