package walguard.operators.workload_test

import data.walguard.checks.parameters.unread_source
import data.walguard.operators.workload

# An init container with a script, which mounts the texts of ConfigMap c at /source and the volume of the data at /pg, where the server has it at /data.
copying(container, texts) := {
	"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
		"initContainers": [object.union({"name": "prepare", "image": "busybox:1.36", "volumeMounts": [{"name": "c", "mountPath": "/source"}, {"name": "data", "mountPath": "/pg"}]}, container)],
		"containers": [{
			"name": "postgres",
			"image": "postgres:17.6",
			"args": ["-c", "config_file=/data/postgresql.conf", "-c", "hba_file=/data/pg_hba.conf"],
			"env": [{"name": "PGDATA", "value": "/data/pgdata"}],
			"volumeMounts": [{"name": "data", "mountPath": "/data"}],
		}],
		"volumes": [{"name": "c", "configMap": {"name": "c"}}, {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
	}}},
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}}}}},
}

shell_of(script) := {"command": ["/bin/sh", "-ec", script]}

both_files := {"postgresql.conf": "fsync = on\nwork_mem = 8MB", "pg_hba.conf": "host all all all scram-sha-256"}

brought_over(container, texts) := found if {
	found := {
		"parameters": {setting.name: setting.value | some setting in workload.cluster.parameters; setting.resource.name == "c"},
		"hba": [line.line | some line in object.get(workload.cluster, "hba", [])],
		"unread": [f.message | some f in unread_source.findings],
	} with input as copying(container, texts)
}

nothing_copied(container) if {
	found := brought_over(container, both_files)
	found.parameters == {}
	found.hba == []
	count(found.unread) > 0
}

test_files_that_an_init_container_copies if {
	all_read := {"parameters": {"fsync": "on", "work_mem": "8MB"}, "hba": ["host all all all scram-sha-256"], "unread": []}
	every script in [
		"echo \"Setting up…\"\n# both\ncp /source/postgresql.conf /pg/postgresql.conf\ncp -f '/source/pg_hba.conf' \"/pg/pg_hba.conf\"\nchmod 600 /pg/pg_hba.conf\n",
		"set -e; cp /source/postgresql.conf /pg && cp /source/pg_hba.conf /pg/; exit 0",
	] {
		brought_over(shell_of(script), both_files) == all_read
	}
	brought_over({"command": ["sh"], "args": ["-c", "cp /source/postgresql.conf /pg/\ncp /source/pg_hba.conf /pg/"]}, both_files) == all_read
}

test_what_else_a_script_does if {
	every script in [
		"cp /source/postgresql.conf /pg/; cp /source/pg_hba.conf /pg/; echo fsync=off >> /pg/postgresql.conf",
		"[ -f /pg/postgresql.conf ] || cp /source/postgresql.conf /pg/",
		"cp /source/postgresql.conf /pg/\ncp -r /elsewhere /pg/",
		"cp /source/*.conf /pg/",
		"if true; then\ncp /source/postgresql.conf /pg/\nfi",
		"cp /source/postgresql.conf /pg/\nsh /pg/more.sh",
	] {
		nothing_copied(shell_of(script))
	}
	nothing_copied({"command": ["cp", "/source/postgresql.conf", "/pg/"]})
	nothing_copied({"command": ["python", "-c", "cp /source/postgresql.conf /pg/"]})
	nothing_copied({"command": ["sh", "-c", 5, "cp /source/postgresql.conf /pg/"]})
	nothing_copied({"command": ["sh", "-c", "cp /source/postgresql.conf /pg/"], "volumeMounts": [{"name": "c", "mountPath": "/source"}, {"name": "data", "mountPath": "/pg", "subPath": "a"}]})
	nothing_copied({"command": ["sh", "-c", "cp /source/postgresql.conf /tmp/"]})
}
