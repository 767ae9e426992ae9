package walguard.operators.percona_images_test

import data.walguard.operators.percona

read(spec, variables) := found if {
	found := percona.cluster with input as {
		"review": {"object": {
			"apiVersion": "pgv2.percona.com/v2",
			"kind": "PerconaPGCluster",
			"metadata": {"name": "cluster1", "namespace": "pg"},
			"spec": object.union({"crVersion": "2.8.0", "postgresVersion": 17, "instances": [{}]}, spec),
		}},
		"inventory": {"namespace": {"pg": {"apps/v1": {"Deployment": {"percona-postgresql-operator": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "percona-postgresql-operator", "namespace": "pg"},
			"spec": {"template": {"spec": {"containers": [{"name": "operator", "image": "docker.io/percona/percona-postgresql-operator:2.8.0", "env": [{"name": name, "value": "x"} | some name in variables]}]}}},
		}}}}}},
	}
}

unnamed(spec, variables) := {fault.path | some fault in object.get(read(spec, variables), "wrong_images", [])}

test_unnamed_images if {
	unnamed({"proxy": {"pgBouncer": {}}}, ["WATCH_NAMESPACE"]) == {["spec", "image"], ["spec", "proxy", "pgBouncer", "image"]}
	unnamed({}, ["WATCH_NAMESPACE", "RELATED_IMAGE_POSTGRES_17"]) == set()
	unnamed({"image": "percona/percona-distribution-postgresql:17.7-1"}, []) == set()
	unnamed({"pause": true}, []) == set()
	unnamed({"image": "percona/percona-distribution-postgresql:17.7-1", "backups": {"enabled": false, "pgbackrest": {"repos": [{"name": "repo1"}]}}}, []) == set()
}

ignored(extensions) := [setting.path | some setting in read({"image": "percona/percona-distribution-postgresql:17.7-1", "extensions": extensions}, []).ignored]

test_custom_extensions if {
	ignored({"image": "x", "custom": [{"name": "pg_cron", "version": "1.6.1"}], "storage": {"type": "s3", "bucket": "b"}}) == [["spec", "extensions", "custom"]]
	ignored({"image": "x", "custom": [{"name": "pg_cron", "version": "1.6.1"}], "storage": {"type": "s3", "bucket": "b", "secret": {"name": "s"}}}) == []
	ignored({"image": "x", "custom": [], "storage": {"type": "s3"}}) == []
}
