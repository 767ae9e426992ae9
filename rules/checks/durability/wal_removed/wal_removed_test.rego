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

by_job(text) := {[f.path, f.severity, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "batch/v1",
		"kind": "Job",
		"metadata": {"name": "fix", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "fix", "image": "postgres:17", "command": ["sh", "-c", text], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
			"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}],
		}}},
	}}}
}

test_by_another_pod if {
	path := ["spec", "template", "spec", "containers", 0]
	by_job("pg_resetwal -f /d") == {[path, "warning", "Container fix runs pg_resetwal on a server's data: the WAL that the server needs after a crash is gone, and its data are inconsistent. Stop the server and copy its data first, or restore a backup."]}
	by_job("rm -f /d/backup_label") == {[path, "warning", "Container fix removes backup_label of a server: a copy that was made while the server ran starts from the wrong checkpoint, and its data are inconsistent. Stop the server and copy its data first, or restore a backup."]}
	by_job("rm -rf /d/pg_xact") == {[path, "warning", "Container fix removes files of the data directory of a server: it does not start any more, or does not know what was committed. Stop the server and copy its data first, or restore a backup."]}
	by_job("pg_dump app > /d/app.sql") == set()
}

test_labels_and_files_in_its_own_pods if {
	{one[1] | some one in cut_by({"name": "fix", "command": ["rm", "-f", "/d/backup_label"]})} == {"Container fix removes backup_label whenever it starts: a copy that was made while the server ran starts from the wrong checkpoint, and its data are inconsistent. Remove that, and restore a backup where the server does not start."}
	{one[1] | some one in cut_by({"name": "fix", "command": ["rm", "-f", "/d/global/pg_control"]})} == {"Container fix removes files of the data directory whenever it starts: it does not start any more, or does not know what was committed. Remove that, and restore a backup where the server does not start."}
}
