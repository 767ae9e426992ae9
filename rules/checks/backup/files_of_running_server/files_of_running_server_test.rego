package walguard.checks.backup.files_of_running_server_test

import data.walguard.checks.backup.files_of_running_server as check

findings(object, others) := found if found := check.findings with input as {"review": {"object": object}, "inventory": {"namespace": {"prod": others}}}

workload(annotations, more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"template": {
			"metadata": {"annotations": annotations},
			"spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, more)]},
		},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
	},
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

source(claim, method) := {"volsync.backube/v1alpha1": {"ReplicationSource": {"db": {
	"apiVersion": "volsync.backube/v1alpha1",
	"kind": "ReplicationSource",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"sourcePVC": claim, "restic": {"copyMethod": method}},
}}}}

test_velero if {
	findings(workload({"backup.velero.io/backup-volumes": "logs, data"}, {}), {}) == {{
		"message": "Velero copies the data directory file by file while the server writes to it: what is restored may lack tables or not start. Use CSI snapshots, or a pre.hook.backup.velero.io/command that writes a dump elsewhere.",
		"path": ["spec", "template", "metadata", "annotations", "backup.velero.io/backup-volumes"],
	}}
	count(findings(cnpg({"inheritedMetadata": {"annotations": {"backup.velero.io/backup-volumes": "pgdata"}}}), {})) == 1
}

test_volsync if {
	findings(workload({}, {}), source("data-db-0", "Direct")) == {{
		"message": "VolSync (copyMethod Direct of db) copies the data directory file by file while the server writes to it: what is restored may lack tables or not start. Set copyMethod to Snapshot.",
		"path": ["spec", "restic", "copyMethod"],
		"resource": {"apiVersion": "volsync.backube/v1alpha1", "kind": "ReplicationSource", "name": "db", "namespace": "prod"},
	}}
	count(findings(cnpg({"storage": {"size": "1Gi"}}), source("orders-1", "Direct"))) == 1
}

job(command) := {"batch/v1": {"CronJob": {"night": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "night", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {
	"containers": [{"name": "pack", "command": ["sh", "-c", command], "volumeMounts": [{"name": "db", "mountPath": "/db"}]}],
	"volumes": [{"name": "db", "persistentVolumeClaim": {"claimName": "data-db-0"}}],
}}}}}}}}}

test_job if {
	{f.message | some f in findings(workload({}, {}), job("tar czf /backup/db.tgz /db"))} == {"CronJob night (tar) copies the data directory file by file while the server writes to it: what is restored may lack tables or not start. Use pg_dump or pg_basebackup, or CSI snapshots."}
	findings(workload({}, {}), job("pg_dump -f /backup/db && tar czf /backup/db.tgz /backup/db /db")) == set()
	findings(workload({}, {}), job("tar czf /backup/etc.tgz /etc")) == set()
	findings(workload({}, {}), job("df -h /db")) == set()
}

test_not_reported if {
	findings(workload({"backup.velero.io/backup-volumes": "data", "pre.hook.backup.velero.io/command": "[\"pg_backup\"]"}, {}), {}) == set()
	findings(workload({"backup.velero.io/backup-volumes": "logs"}, {}), {}) == set()
	findings(workload({"backup.velero.io/backup-volumes": "data"}, {"args": ["-c", "archive_command=wal-g wal-push %p"]}), {}) == set()
	findings(workload({}, {}), source("data-db-0", "Snapshot")) == set()
}

test_silent_when_unknown if {
	findings(workload({}, {}), source("data-web-0", "Direct")) == set()
	findings(workload({"backup.velero.io/backup-volumes": "${VOLUMES}"}, {}), {}) == set()
	findings(workload({}, {}), {}) == set()
}
