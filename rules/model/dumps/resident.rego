package walguard.model.dumps

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image

# METADATA
# description: |
#   Jobs with an image that goes by a schedule of its own and does not end, since nothing says what else to run: {"job": its name, "reason", "cure", "path", "resource"}.
# related_resources:
#   - https://github.com/eeshugerman/postgres-backup-s3/blob/master/src/run.sh
#   - https://github.com/kartoza/docker-pg-backup/blob/master/scripts/start.sh
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/init.sh
#   - https://github.com/schickling/dockerfiles/blob/master/postgres-backup-s3/run.sh
resident := [object.union(habit, {"job": job.resource.name, "path": job.path, "resource": job.resource}) |
	some job in written
	of_image := habits[image.repository(job.image)]
	count([1 | some field in ["command", "args"]; get.present(job.container, field)]) == 0
	count([1 | some source in get.list(job.container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	count([1 | some place in [job.pod, get.map(job.spec, ["jobTemplate", "spec"])]; get.present(place, "activeDeadlineSeconds")]) == 0
	habit := of_image[schedule_of(job)]
	not of_image.once in {get.string(variable, "name") | some variable in get.list(job.container, "env")}
]

schedule_of(job) := "written" if {
	some variable in get.list(job.container, "env")
	get.string(variable, "name") == "SCHEDULE"
	not get.string(variable, "value") in {"", "**None**"}
}

schedule_of(job) := "none" if {
	count([1 |
		some variable in get.list(job.container, "env")
		get.string(variable, "name") == "SCHEDULE"
		not get.string(variable, "value") in {"", "**None**"}
	]) == 0
}

# Without SCHEDULE postgres-backup-s3 dumps once.
habits := {
	"docker.io/eeshugerman/postgres-backup-s3": {"once": "", "written": {"reason": by_itself, "cure": "Leave SCHEDULE out"}},
	"docker.io/kartoza/pg-backup": {"once": "RUN_ONCE", "none": {"reason": by_itself, "cure": "Set RUN_ONCE to TRUE"}},
	"docker.io/prodrigestivill/postgres-backup-local": {
		"once": "",
		"none": {"reason": by_itself, "cure": "Write command: [/backup.sh]"},
		"written": {"reason": by_itself, "cure": "Write command: [/backup.sh]"},
	},
	"docker.io/schickling/postgres-backup-s3": {"once": "", "written": {"reason": by_itself, "cure": "Leave SCHEDULE out"}},
}

by_itself := "runs an image that goes by a schedule of its own and does not end: each start leaves another pod, or none follows the first"
