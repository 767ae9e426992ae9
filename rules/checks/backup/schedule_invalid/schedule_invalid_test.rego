package walguard.checks.backup.schedule_invalid_test

import data.walguard.checks.backup.schedule_invalid as check
import data.walguard.model

# sbnosched: spec.schedule is missing.
test_no_moment if {
	findings([schedule({"unscheduled": true})]) == {{
		"message": "The schedule has no spec.schedule, so the API server refuses it and no backup runs. Write six fields, such as \"0 0 2 * * *\".",
		"severity": "error",
		"path": ["spec", "schedule"],
	}}
}

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": []}

schedule(fields) := object.union({"method": "full", "path": ["spec", "schedule"], "needs_wal": true}, fields)

findings(schedules) := found if found := check.findings with model.cluster as cluster with model.schedules as schedules

said(severity, text, clause) := {{
	"message": sprintf("Schedule \"%s\": %s.", [text, clause]),
	"severity": severity,
	"path": ["spec", "schedule"],
}}

of_five(text) := findings([schedule({"text": text})])

of_six(text) := findings([schedule({"text": text, "seconds": true})])

test_right if {
	of_five("0 2 * * *") == set()
	of_five("30\t1 * * SUN,wed") == set()
	of_five("@daily") == set()
	of_five("CRON_TZ=Europe/Vienna 0 2 * * *") == set()
	of_six("0 0 0,12 * * *") == set()
	of_six("0 0 0 29 2 ?") == set()
}

test_wrong_number_of_fields if {
	of_five("0 0 2 * * *") == said("error", "0 0 2 * * *", "6 fields are not five, so no backup ever runs. Correct it")
	of_six("0 2 *") == said("error", "0 2 *", "3 fields are not six, so no backup ever runs. Correct it")
}

test_five_fields_where_six_are_read if {
	of_six("0 2 * * *") == said("warning", "0 2 * * *", "CloudNativePG reads the first of five fields as seconds, so hour and minute shift. Write \"0 0 2 * * *\"")
	of_six("50 * * * *") == said("error", "50 * * * *", "CloudNativePG reads the first of five fields as seconds, so this starts a base backup every minute of the day. Write \"0 50 * * * *\"")
	of_six("0 * 2 * *") == said("error", "0 * 2 * *", "CloudNativePG reads the first of five fields as seconds, so this starts a base backup every minute of its hours. Write \"0 0 * 2 * *\"")
}

test_out_of_range if {
	of_five("0 24 * * 7") == said("error", "0 24 * * 7", "\"24\" is not a valid hour (0 to 23) and \"7\" is not a valid day of the week (0 to 6), so no backup ever runs. Correct it")
	of_five("nightly 2 * * *") == said("error", "nightly 2 * * *", "\"nightly\" is not a valid minute (0 to 59), so no backup ever runs. Correct it")
}

test_day_that_never_comes if {
	of_five("0 2 31 2 *") == said("error", "0 2 31 2 *", "no such day exists, so no backup ever runs. Correct it")
	of_five("0 2 31 2 1") == set()
}

test_every_hour_and_oftener if {
	of_five("0 * * * *") == said("warning", "0 * * * *", "this takes 24 full base backups a day, and each reads the whole cluster. Write one hour and one minute")
	of_six("0 * * * * *") == said("warning", "0 * * * * *", "this takes 1440 full base backups a day, and each reads the whole cluster. Write one hour and one minute")
	of_six("* 0 2 * * *") == said("warning", "* 0 2 * * *", "this takes 60 full base backups a day, and each reads the whole cluster. Write one hour and one minute, and one second before them")
	findings([schedule({"text": "0 * * * *", "method": "incremental"})]) == set()
	findings([schedule({"text": "0 * * * *", "snapshot": true})]) == set()
}

test_suspended if {
	suspended := schedule({"text": "0 2 * * *", "suspended": true})
	findings([suspended]) == said("warning", "0 2 * * *", "suspended or disabled, and no other schedule was found: nothing is backed up. Resume it")
	findings([suspended, schedule({"text": "0 2 * * *"})]) == set()
}

test_method_that_is_not_configured if {
	findings([schedule({"text": "0 2 * * *", "unconfigured": "plugin"})]) == said("error", "0 2 * * *", "the cluster does not configure the method plugin, so every backup fails. Configure it, or use another method")
}

test_backups_that_all_fail if {
	doomed := {"doomed": {"reason": "it runs where the program does not work", "cure": "Run it elsewhere"}}
	findings([schedule(object.union({"text": "0 2 * * *"}, doomed))]) == said("error", "0 2 * * *", "it runs where the program does not work, so every backup fails. Run it elsewhere")
}

test_hibernated if {
	asleep := schedule({"text": "0 2 * * *", "asleep": true, "doomed": {"reason": "the cluster is hibernated", "cure": "Suspend it", "level": "warning"}})
	findings([asleep]) == said("warning", "0 2 * * *", "the cluster is hibernated, so every backup fails. Suspend it")
	findings([object.union(asleep, {"suspended": true})]) == set()
}

test_silent_without_text if findings([schedule({})]) == set()

test_silent_without_schedules if findings([]) == set()

test_incremental_ones_too_often if {
	every kind in ["incremental", "differential"] {
		pgbackrest([{"full": "5 1 * * 0", kind: "*/15 2-23 * * *"}]) == set()
		pgbackrest([{"full": "5 1 * * 0", kind: "*/15 * * * *"}]) == {"Schedule \"*/15 * * * *\": this takes 96 incremental backups a day, and each is kept until its full backup expires. Take a few a day: WAL already restores to any moment between them."}
	}
}

pgbackrest(repos) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "backups": {"pgbackrest": {"repos": [{"name": sprintf("repo%d", [i + 1]), "schedules": schedules} | some i, schedules in repos]}}},
	}}}
}

test_two_that_start_together if {
	pgbackrest([{"full": "0 1 * * *", "incremental": "0 * * * *"}]) == {"Schedule \"0 * * * *\": it starts together with the full backup of \"0 1 * * *\", and pgBackRest takes one at a time of a repository: one of the two fails (\"unable to acquire lock\"). Move it to another hour or minute."}
	pgbackrest([{"differential": "*/15 1 * * 1-6", "full": "30 1 * * 6"}]) == {"Schedule \"*/15 1 * * 1-6\": it starts together with the full backup of \"30 1 * * 6\", and pgBackRest takes one at a time of a repository: one of the two fails (\"unable to acquire lock\"). Move it to another hour or minute."}

	# Since 2.53 backups into several repositories run beside one another.
	pgbackrest([{"full": "0 1 * * 0"}, {"full": "0 1 * * 0"}]) == set()
	count(pgbackrest([{"full": "0 1 1 * *", "incremental": "0 1 * * *"}])) == 1
}

test_two_that_do_not if {
	pgbackrest([{"full": "0 1 * * 0", "differential": "0 1 * * 1-6"}]) == set()
	pgbackrest([{"full": "0 1 * * *", "incremental": "30 * * * *"}]) == set()
	pgbackrest([{"full": "0 1 1 * *", "incremental": "0 1 * * 0"}]) == set()
	pgbackrest([{"differential": "0 1 * * *", "incremental": "0 1 * * *"}]) == set()
	pgbackrest([{"full": "${FULL}", "incremental": "0 1 * * *"}]) == set()
	pgbackrest([{"full": "@daily", "incremental": "0 0 * * *"}]) == set()
}

# The schedule that a program takes from a variable.
dumping(repository, name, text) := {[f.message, f.path] | some f in found} if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "storage": {"size": "10Gi"}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"dump": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "dump", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "dump", "image": repository, "env": [{"name": "POSTGRES_HOST", "value": "orders-rw"}, {"name": name, "value": text}]}]}}},
	}}}}}},
}

test_schedules_in_variables if {
	dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "*/2 * * *") == {["Schedule \"*/2 * * *\" of Deployment dump: it has 4 fields in the place of 5, so no backup ever runs. Correct it.", ["spec", "template", "spec", "containers", 0, "env", 1, "value"]]}
	count(dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "0 24 * * *")) == 1
	dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "0 2 * * 7") == set()
	dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "0 0 2 * * *") == set()
	dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "@daily") == set()
	count(dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "0 2 * *")) == 1
	dumping("example.com/dump:1", "CRON_SCHEDULE", "*/2 * * *") == set()
	count(dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "'*/2 * * *'")) == 1
	dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "\"0 2 * * *\"") == set()
	dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "@reboot") == set()
	count(dumping("kartoza/pg-backup:16-3.4", "CRON_SCHEDULE", "@every 1h")) == 1
	every name in ["@yearly", "@annually", "@monthly", "@weekly", "@midnight", "@hourly", "@every 12h"] {
		dumping("eeshugerman/postgres-backup-s3:17", "SCHEDULE", name) == set()
	}
	{message | some [message, _] in dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "@midday")} == {"Schedule \"@midday\" of Deployment dump: it is none of @annually, @daily, @every, @hourly, @midnight, @monthly, @weekly, @yearly, so no backup ever runs. Correct it."}
	{message | some [message, _] in dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "'@daily'")} == {"Schedule \"'@daily'\" of Deployment dump: it stands in quotes, which the program takes for a part of it, so no backup ever runs. Correct it."}
	dumping("prodrigestivill/postgres-backup-local:17", "SCHEDULE", "${SCHEDULE}") == set()
}

by_plugin(name) := count(found) if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"plugins": [{"name": name, "isWALArchiver": true}]}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"often": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "ScheduledBackup",
			"metadata": {"name": "often", "namespace": "prod"},
			"spec": {"schedule": "0 */15 * * * *", "cluster": {"name": "orders"}, "method": "plugin", "pluginConfiguration": {"name": name}},
		}}}}}},
	}
}

test_plugins_that_take_differences if {
	by_plugin("barman-cloud.cloudnative-pg.io") == 1
	by_plugin("cnpg-extensions.yandex.cloud") == 0
}
