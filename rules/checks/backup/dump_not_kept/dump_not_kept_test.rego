package walguard.checks.backup.dump_not_kept_test

import data.walguard.checks.backup.dump_not_kept as check

findings(script, container, pod) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"jobTemplate": {"spec": {"template": {"spec": object.union({"containers": [object.union({"name": "dump", "image": "postgres:17", "command": ["sh", "-c", script]}, container)]}, pod)}}}},
		}}}}}},
	}
}

write := "pg_dump -h orders-rw -Fc orders > /dumps/orders-$(date +%F).dump"

mounted(path) := {"volumeMounts": [{"name": "dumps", "mountPath": path}]}

claim := {"volumes": [{"name": "dumps", "persistentVolumeClaim": {"claimName": "dumps"}}]}

test_no_volume if {
	findings(write, {}, {}) == {{
		"message": "The dump is written to /dumps, where no volume is mounted: nothing is left of it when the pod is gone. Mount a volume there that stays, or send the file to an object store.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
	count(findings(write, mounted("/dump"), claim)) == 1
	count(findings(concat("\n", [write, "# upload by rclone some day"]), {}, {})) == 1
	count(findings("pg_dump -h orders-rw -f $TO/orders.sql orders", {"env": [{"name": "TO", "value": "/dumps"}]}, {})) == 1
}

test_empty_dir if {
	{f.message | some f in findings(write, mounted("/dumps"), {"volumes": [{"name": "dumps", "emptyDir": {}}]})} == {"The dump is written to /dumps, on the emptyDir dumps: nothing is left of it when the pod is gone. Mount a volume there that stays, or send the file to an object store."}
}

test_not_reported if {
	findings(write, mounted("/dumps"), claim) == set()
	findings(write, mounted("/dumps"), {"volumes": [{"name": "dumps", "nfs": {"server": "nas", "path": "/"}}]}) == set()
	findings(concat("\n", [write, "echo \"dump # 1\" && aws s3 cp /dumps/ s3://dumps --recursive"]), {}, {}) == set()
	findings(concat(" ", [write, "&& aws s3 cp /dumps/ s3://dumps --recursive"]), {}, {}) == set()
	findings("pg_dump -h orders-rw -f /tmp/orders.sql orders && gzip -c /tmp/orders.sql > /dumps/orders.gz", mounted("/dumps"), claim) == set()
	findings("pg_dump -h orders-rw orders | rclone rcat dumps:orders.sql", {}, {}) == set()
	findings("pg_dump -h orders-rw orders > /dev/null", {}, {}) == set()
}

test_silent_when_unknown if {
	findings("pg_dump -h orders-rw -f $TO/orders.sql orders", {}, {}) == set()
	findings(write, {}, {"initContainers": [{"name": "mount", "image": "busybox"}]}) == set()
	findings("/scripts/dump.sh orders-rw", {}, {}) == set()
}

# What dumps by itself, for good.
daemon(container, pod) := {[f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"ConfigMap": {"dump": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dump", "namespace": "prod"}, "data": {"SCHEDULE": "@daily"}}}},
			"apps/v1": {"Deployment": {"dump": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "dump", "namespace": "prod"},
				"spec": {"template": {"spec": object.union({"containers": [3, object.union({"name": "dump", "image": "prodrigestivill/postgres-backup-local:17", "env": [{"name": "POSTGRES_HOST", "value": "orders-rw"}]}, container)]}, pod)}},
			}}},
		}}},
	}
	some f in found
}

left_in(directory) := {[["spec", "template", "spec", "containers", 1], sprintf("The dump is written to %s, where no volume is mounted: nothing is left of it when the pod is gone. Mount a volume there that stays, or send the file to an object store.", [directory])]}

of_orders(variables) := {"env": array.concat([{"name": "POSTGRES_HOST", "value": "orders-rw"}], [{"name": name, "value": value} | some name, value in variables])}

test_program_that_dumps_by_itself if {
	daemon({}, {}) == left_in("/backups")
	daemon(of_orders({"BACKUP_DIR": "/dumps/"}), claim) == left_in("/dumps")
	daemon({"envFrom": [{"configMapRef": {"name": "dump"}}]}, {}) == left_in("/backups")
	{message | some [_, message] in daemon(mounted("/backups"), {"volumes": [{"name": "dumps", "emptyDir": {}}]})} == {"The dump is written to /backups, on the emptyDir dumps: nothing is left of it when the pod is gone. Mount a volume there that stays, or send the file to an object store."}
	daemon({"image": "kartoza/pg-backup:17-3.5"}, {}) == left_in("/backups")
	daemon(object.union({"image": "kartoza/pg-backup:17-3.5"}, of_orders({"STORAGE_BACKEND": "file"})), {}) == left_in("/backups")
}

test_program_that_keeps_its_dumps if {
	daemon(mounted("/backups"), claim) == set()
	daemon(mounted("/hooks/send"), claim) == set()
	daemon(of_orders({"WEBHOOK_URL": "https://example.com"}), {}) == set()
	daemon({"command": ["/backup-and-send.sh"]}, {}) == set()
	daemon({"envFrom": [{"secretRef": {"name": "elsewhere"}}]}, {}) == set()
	daemon(object.union({"image": "kartoza/pg-backup:17-3.5"}, of_orders({"STORAGE_BACKEND": "S3"})), {}) == set()
	daemon({"image": "eeshugerman/postgres-backup-s3:17"}, {}) == set()
	daemon({"image": "example.com/postgres-backup-local:17"}, {}) == set()
	daemon({"env": [{"name": "POSTGRES_HOST", "value": "payments-rw"}]}, {}) == set()
}
