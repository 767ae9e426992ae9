package walguard.checks.backup.dump_never_starts_resident_test

import data.walguard.checks.backup.dump_never_starts as check

of(image, more, of_job) := found if {
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:16.4"}]}}}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": object.union({"template": {"spec": {"restartPolicy": "OnFailure", "containers": [object.union({"name": "dump", "image": image}, more)]}}}, of_job)}},
		}}}}}},
	}
}

host(more) := {"env": array.concat([{"name": "POSTGRES_HOST", "value": "db"}, {"name": "POSTGRES_DB", "value": "a"}], more)}

scheduled := host([{"name": "SCHEDULE", "value": "@daily"}])

said := "CronJob dump runs an image that goes by a schedule of its own and does not end: each start leaves another pod, or none follows the first. "

test_images_that_do_not_end if {
	of("eeshugerman/postgres-backup-s3:16", scheduled, {}) == {["warning", concat("", [said, "Leave SCHEDULE out."])]}
	of("prodrigestivill/postgres-backup-local:16", host([]), {}) == {["warning", concat("", [said, "Write command: [/backup.sh]."])]}
	of("schickling/postgres-backup-s3:15", scheduled, {}) != set()
	of("kartoza/pg-backup:16-3.4", host([]), {}) == {["warning", concat("", [said, "Set RUN_ONCE to TRUE."])]}
}

test_images_that_are_told_what_to_run if {
	of("eeshugerman/postgres-backup-s3:16", host([]), {}) == set()
	of("eeshugerman/postgres-backup-s3:16", host([{"name": "SCHEDULE", "value": ""}]), {}) == set()
	of("prodrigestivill/postgres-backup-local:16", object.union(host([]), {"args": ["/backup.sh"]}), {}) == set()
	of("prodrigestivill/postgres-backup-local:16", host([]), {"activeDeadlineSeconds": 3600}) == set()
	of("kartoza/pg-backup:16-3.4", host([{"name": "RUN_ONCE", "value": "TRUE"}]), {}) == set()
	of("example.com/postgres-backup-s3:16", scheduled, {}) == set()
	of("eeshugerman/postgres-backup-s3:16", object.union(scheduled, {"envFrom": [{"configMapRef": {"name": "hidden"}}]}), {}) == set()
}
