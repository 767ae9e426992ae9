package walguard.model.dumps_faults_test

import data.walguard.checks.backup.dump_never_starts as check

seen(container) := found if {
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
				"restartPolicy": "Never",
				"containers": [object.union({"name": "dump", "image": "postgres:17.6", "env": [{"name": "PGHOST", "value": "orders"}, {"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]}, container)],
			}}}}},
		}}}}}},
	}
}

scripted(script, more) := seen(object.union({"command": ["sh", "-ec", script]}, more))

mounted(fields) := {"volumeMounts": [object.union({"name": "dumps", "mountPath": "/dumps"}, fields)]}

test_without_a_shell if {
	seen({"command": ["pg_dump", "-h", "orders", "shop", ">", "/dumps/a.sql"]}) == {"CronJob dump runs pg_dump without a shell and gives it \">\", which it takes for an argument (\"too many command-line arguments\"): there is no dump. Write command: [sh, -ec] and the line as one argument."}
	seen({"command": ["pg_dump"], "args": ["-h", "$PGHOST", "-f", "/dumps/a.sql"]}) == {"CronJob dump runs pg_dump without a shell, and Kubernetes does not replace $PGHOST: there is no dump. Write $(PGHOST), or run it by sh -c."}
	seen({"command": ["pg_dump"], "args": ["-h", "$(PGHOST)", "-f", "/dumps/a.sql"]}) == set()
	seen({"command": ["pg_dump"], "args": ["-h", "orders", "-f", "/dumps/$OTHER.sql"]}) == set()
	scripted("pg_dump -h orders > /dumps/a.sql", mounted({})) == set()
}

test_installed_by_a_user if {
	scripted("apt-get -qq update && apt-get install -y awscli\npg_dump -f /dumps/a", object.union(mounted({}), {"securityContext": {"runAsUser": 999}})) == {"CronJob dump runs apt-get -qq update as user 999, and that is root's to do (\"Permission denied\"): there is no dump. Take an image that has it, or let an init container fetch it."}
	scripted("apk add --no-cache aws-cli || true\npg_dump -f /dumps/a", object.union(mounted({}), {"securityContext": {"runAsUser": 999}})) == set()
	scripted("apk add --no-cache aws-cli\npg_dump -f /dumps/a", mounted({})) == set()
}

test_read_only if {
	scripted("pg_dump -Fc -f /dumps/a.dump", mounted({"readOnly": true})) == {"CronJob dump dumps to /dumps, which it mounts read-only (\"Read-only file system\"): there is no dump. Remove readOnly."}
	scripted("pg_dump -Fc -f /dumps/a.dump", mounted({})) == set()
	scripted("pg_dump -Fc -f /tmp/a.dump; aws s3 cp /tmp/a.dump s3://a/", mounted({"readOnly": true, "mountPath": "/tools"})) == set()
	scripted("pg_dump -Fc -f /dumps/new/a.dump", {"volumeMounts": [{"name": "dumps", "mountPath": "/dumps", "readOnly": true}, {"name": "new", "mountPath": "/dumps/new"}]}) == set()
}

test_password_behind_the_option if {
	scripted("pg_dumpall --password=x -f /dumps/a", mounted({})) == {"CronJob dump gives pg_dumpall a password behind --password, which takes none (\"option '--password' doesn't allow an argument\"): there is no dump. Leave it out, and set PGPASSWORD."}
	scripted("pg_dump --no-password -f /dumps/a; echo --password=x", mounted({})) == set()
}
