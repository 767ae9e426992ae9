package walguard.operators.percona_refused_test

import data.walguard.operators.percona

paths(spec) := [refusal.path | some refusal in object.get(found, "refusals", [])] if {
	found := percona.cluster with input as {"review": {"object": {
		"apiVersion": "pgv2.percona.com/v2",
		"kind": "PerconaPGCluster",
		"metadata": {"name": "stock", "namespace": "shop"},
		"spec": object.union({"crVersion": "2.7.0", "postgresVersion": 16}, spec),
	}}}
}

test_backups_without_a_repository if {
	every backups in [{}, {"enabled": true}, {"pgbackrest": {"repos": []}}, {"pgbackrest": {"image": "pgbackrest:1"}}] {
		paths({"backups": backups}) == [["spec", "backups", "pgbackrest"]]
	}
	every backups in [{"enabled": false}, {"pgbackrest": {"repos": [{"name": "repo1"}]}}, {"pgbackrest": {"repos": "${REPOSITORIES}"}}, {"pgbackrest": "${BACKUPS}"}] {
		paths({"backups": backups}) == []
	}
	paths({}) == []
}

replicas := [{"name": "reports", "dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]

test_what_a_newer_server_has if {
	paths({"postgresVersion": 16, "logicalReplicas": replicas}) == [["spec", "logicalReplicas"]]
	paths({"postgresVersion": 17, "logicalReplicas": replicas}) == []
	paths({"postgresVersion": 14, "users": [{"name": "a", "grantPublicSchemaAccess": true}]}) == [["spec", "users", 0, "grantPublicSchemaAccess"]]
	paths({"postgresVersion": 15, "users": [{"name": "a", "grantPublicSchemaAccess": true}]}) == []
	paths({"postgresVersion": 15, "extensions": {"pg_tde": {"enabled": true, "vault": {"host": "v"}}}}) == [["spec", "extensions", "pg_tde", "enabled"]]
	paths({"postgresVersion": "${MAJOR}", "logicalReplicas": replicas}) == []
}

test_encryption if {
	paths({"extensions": {"pg_tde": {"enabled": true}}}) == [["spec", "extensions", "pg_tde", "enabled"]]
	paths({"extensions": {"pg_tde": {"enabled": true, "vault": {"host": "v"}, "walEncryption": true}}}) == []
	paths({"extensions": {"pg_tde": {"walEncryption": true}}}) == [["spec", "extensions", "pg_tde", "walEncryption"]]
	paths({"extensions": {"pg_tde": {"enabled": "${TDE}", "walEncryption": true}}}) == []
}

test_version_of_the_resource if {
	paths({"crVersion": "2.7"}) == [["spec", "crVersion"]]
	every version in ["2.7.0", "", "2.7.0-rc1", "${VERSION}"] {
		paths({"crVersion": version}) == []
	}
}

test_volume_as_the_source_of_a_restore if {
	volume := ["spec", "dataSource", "pgbackrest", "repo", "volume"]
	volume in paths({"dataSource": {"pgbackrest": {"stanza": "db", "repo": {"name": "repo1", "volume": {"volumeClaimSpec": {}}}}}})
	not volume in paths({"dataSource": {"pgbackrest": {"stanza": "db", "repo": {"name": "repo1", "s3": {"bucket": "b"}}}}})
}

test_backups_left_out if {
	whole := {"image": "percona/percona-distribution-postgresql:16.9", "instances": [{"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}
	paths(whole) == [["spec"]]
	paths(object.union(whole, {"backups": {"enabled": false}})) == []
	paths(object.union(whole, {"backups": "${BACKUPS}"})) == []

	# A patch has less.
	paths(object.remove(whole, ["image"])) == []
}

two(first, second) := {"postgresVersion": 17, "instances": [{"name": "first"}], "logicalReplicas": [object.union(replicas[0], {"name": first}), object.union(replicas[0], {"name": second})]}

test_names_of_logical_replicas if {
	named(two("reports", "reports")) == {1}
	named(two("first", "reports")) == {0}
	named(two("reports", "sales")) == set()
	named(two("${NAME}", "${NAME}")) == set()
}

named(spec) := {path[2] | some path in paths(spec); path[1] == "logicalReplicas"; path[3] == "name"}
