package walguard.checks.backup.store_unusable_releases_test

import data.walguard.checks.backup.store_unusable as check

# A pinned image of pgBackRest, and the major of PostgreSQL.
of(kind, given) := {f.message | some f in found; contains(f.message, "unexpected control version")} if {
	found := check.findings with input as {"review": {"object": object.union(kind, {
		"metadata": {"name": "hippo", "namespace": "prod"},
		"spec": {
			"postgresVersion": given.major,
			"instances": [{"dataVolumeClaimSpec": {}}],
			"backups": {"pgbackrest": {
				"image": given.image,
				"global": object.get(given, "global", {}),
				"repos": [object.union({"name": "repo1"}, object.get(given, "repo", {"s3": {"bucket": "b", "endpoint": "s3.eu-central-1.amazonaws.com", "region": "eu-central-1"}}))],
			}},
		},
	})}}
}

pgo := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"}

tag(version) := sprintf("registry.example.com/crunchy-pgbackrest:ubi8-%s-0", [version])

on_volume := {"volume": {"volumeClaimSpec": {}}}

test_older_than_the_server if {
	of(pgo, {"major": 17, "image": tag("2.38")}) == {"pgBackRest 2.38 of the image does not know PostgreSQL 17 (\"unexpected control version\"), as releases since 2.53.1 do: no backup is taken. Take an image of pgBackRest 2.53.1 or newer, best the one that the operator brings: leave the field out."}
	count(of({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"}, {"major": 18, "image": "docker.io/percona/percona-pgbackrest:2.54.2-1"})) == 1
	every major, versions in {15: ["2.38", "2.39"], 16: ["2.45", "2.46"], 17: ["2.52.1", "2.53.1"], 18: ["2.54.2", "2.55.0"]} {
		[count(of(pgo, {"major": major, "image": tag(version), "repo": on_volume})) | some version in versions] == [1, 0]
	}
}

test_what_it_knows if {
	of(pgo, {"major": 17, "image": tag("2.38"), "global": {"pg-version-force": "16"}}) == set()
	of(pgo, {"major": 17, "image": "registry.example.com/crunchy-pgbackrest:latest"}) == set()
	of(pgo, {"major": 19, "image": tag("2.38")}) == set()

	# That it has no server is enough.
	of(pgo, {"major": 17, "image": tag("2.36")}) == set()

	# Before PostgreSQL 17 a bucket is written to from the server's own image.
	of(pgo, {"major": 16, "image": tag("2.45")}) == set()
}
