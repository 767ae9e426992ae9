package walguard.checks.durability.wal_removed_test

import data.walguard.checks.durability.wal_removed as check

cut_by(container) := {[f.path, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {
				"initContainers": [container],
				"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
			}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
		},
	}}}
}

test_wal_that_is_cut if {
	cut_by({"name": "fix", "command": ["sh", "-c", "gosu postgres pg_resetwal -f $PGDATA"]}) == {[
		["spec", "template", "spec", "initContainers", 0],
		"Container fix runs pg_resetwal whenever it starts: the WAL that the server needs after a crash is gone, and its data are inconsistent. Remove that, and restore a backup where the server does not start.",
	]}
	count(cut_by({"command": ["sh", "-c", "rm -rf /data/pg_wal/*"]})) == 1
	cut_by({"command": ["sh", "-c", "pg_resetwal -n $PGDATA"]}) == set()
	cut_by("junk") == set()
}

test_wal_that_is_cut_in_pods_of_an_operator if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"volume": {"size": "10Gi"}, "initContainers": [{"name": "fix", "command": ["pg_resetwal", "-f", "/home/postgres/pgdata/pgroot/data"]}]},
	}}}
	{f.path | some f in found} == {["spec", "initContainers", 0]}
}
