package walguard.checks.backup.dump_from_standby_test

import data.walguard.checks.backup.dump_from_standby as check

job(script) := {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "dump", "namespace": "prod"},
	"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump", "image": "postgres:17", "command": ["sh", "-c", script]}]}}}}},
}

findings(spec, script) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "storage": {"size": "100Gi"}}, spec)}},
	"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": job(script)}}}}},
}

settings(parameters) := {"postgresql": {"parameters": parameters}}

from_standby := "pg_dump -h orders-ro.prod.svc -Fc -f /dumps/orders.dump orders"

test_standby_that_cancels if {
	findings({}, from_standby) == {{
		"message": "CronJob dump dumps from a standby (orders-ro) without hot_standby_feedback: what vacuum removes on the primary ends dumps of more than 30 s (\"conflict with recovery\"). Set hot_standby_feedback=on, or dump from the primary.",
		"severity": "warning",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
	count(findings(settings({"max_standby_streaming_delay": "599s"}), from_standby)) == 1
	count(findings(settings({"hot_standby_feedback": "off"}), from_standby)) == 1
}

test_small_volume if {
	{f.severity | some f in findings({"storage": {"size": "10Gi"}}, from_standby)} == {"info"}
	{f.severity | some f in findings({"storage": {"size": "20G"}}, from_standby)} == {"warning"}
	{f.severity | some f in findings({"storage": {"size": "${SIZE}"}}, from_standby)} == {"info"}
}

test_standby_that_waits if {
	findings(settings({"hot_standby_feedback": "on"}), from_standby) == set()
	findings(settings({"max_standby_streaming_delay": "-1"}), from_standby) == set()
	findings(settings({"max_standby_streaming_delay": "10min"}), from_standby) == set()
	findings(settings({"hot_standby_feedback": "${FEEDBACK}"}), from_standby) == set()
	findings(settings({"max_standby_streaming_delay": "${DELAY}"}), from_standby) == set()
}

test_other_dumps if {
	findings({}, "pg_dump -h orders-rw -f /d orders") == set()
	findings({}, "pg_dump -h orders-r -f /d orders") == set()
	findings({}, "pg_isready -h orders-rw && pg_dump -h orders-ro -f /d orders") == set()
	findings({}, "pg_dump -h payments-ro -f /d orders") == set()
	findings({}, "psql -h orders-ro -c 'select 1'") == set()
}

# A StatefulSet of standbys: all its names lead to one.
follower(variables) := {f.severity |
	server := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "pg-read", "namespace": "prod"}, "spec": {
		"serviceName": "pg-read-hl",
		"template": {"metadata": {"labels": {"role": "read"}}, "spec": {"containers": [{"name": "db", "image": "bitnamilegacy/postgresql:17.6.0", "env": [{"name": name, "value": value} | some name, value in variables], "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "100Gi"}}}}],
	}}
	found := check.findings with input as {"review": {"object": server}, "inventory": {"namespace": {"prod": {
		"batch/v1": {"CronJob": {"dump": job("pg_dump -h pg-read-hl -f /d orders")}},
		"apps/v1": {"StatefulSet": {"pg": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "pg", "namespace": "prod"}, "spec": {}}}},
	}}}}
	some f in found
}

test_standby_of_a_workload if {
	follower({"POSTGRESQL_REPLICATION_MODE": "slave", "POSTGRESQL_MASTER_HOST": "pg"}) == {"warning"}
	follower({"POSTGRESQL_REPLICATION_MODE": "master"}) == set()
}
