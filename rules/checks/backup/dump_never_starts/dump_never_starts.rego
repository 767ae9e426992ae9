# METADATA
# title: The job that dumps the database never makes a dump, or never ends
# description: |
#   A CronJob without a Job looks like one whose Jobs succeed: nothing fails, and nobody is told. The controller begins a Job a moment after its time; with
#   startingDeadlineSeconds 0 that is always too late, and with less than 10 it is whenever the controller is busy or restarts, which Kubernetes' documentation warns
#   of. A missed start is not made up for. A schedule for 30 February never comes, and a suspended CronJob starts nothing; that is reported where no other dump, schedule or
#   archive of the cluster was found. Without a shell an item of command or args is one argument: "-F custom" asks for the format " custom", and every dump fails. A job that mounts a ReadWriteOnce claim of the
#   server's pod starts on that pod's node alone, and the scheduler does not know it. A new volume of block storage belongs to root, and a job that runs as another user writes to it
#   with fsGroup alone. pg_dumpall reads pg_authid, which the user of an application may not. pg_dump takes a password from PGPASSWORD or a file, and -W asks a terminal
#   that a job does not have; behind --password= it takes none (an error, as are other words that it never takes). The official image has no aws, mc, rclone or kubectl, so that a dump is made and goes with its pod. A test of the dump by pg_restore --list or head at the end of a pipe reads the beginning alone, and under pipefail the job fails by the SIGPIPE of what comes before it. No shell and no pg_dump makes a directory on the way to a file (an error where the claim is new and no one else's). A redirection or a pipe is none without a shell, and a package manager is root's to run. postgres-backup-s3 with SCHEDULE, postgres-backup-local and kartoza/pg-backup go by a schedule of their own and do not end. The API server refuses jobs without a restartPolicy that a job may have, and has had no batch/v1beta1 since Kubernetes 1.25 (errors). Linkerd's proxy does not end with the container of a job
#   unless it is a native sidecar, which is not its default, and neither does Istio's where it is known not to be one (an annotation, a revision before 1.27), nor a proxy of Cloud SQL that is a container beside the dump: the job stays active, and with it
#   everything that waits for its end. A Kustomization of Flux with values replaces ${X} in all that it applies, also the variables of a shell script, by nothing where it has no value (an error; reported where another variable of the script or the job is there for Flux). Looked at are the backup jobs of operators, and CronJobs that run pg_dump from the
#   official image or Bitnami's, postgres-backup-local or postgres-backup-s3 and name a service of the cluster.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#starting-deadline
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/cronjob/cronjob_controllerv2.go
#   - https://github.com/hjacobs/kube-downscaler/issues/100
#   - https://www.postgresql.org/docs/current/app-pg-dumpall.html
#   - https://github.com/bitnami/charts/pull/19238
#   - https://github.com/bitnami/charts/pull/28906
#   - https://github.com/bitnami/charts/pull/29865
#   - https://github.com/alphagov/govuk-helm-charts/pull/1253
#   - https://linkerd.io/2/features/native-sidecars
#   - https://github.com/percona/percona-postgresql-operator/issues/786
#   - https://github.com/CrunchyData/postgres-operator/issues/2945
#   - https://learn.microsoft.com/azure/aks/istio-native-sidecar
#   - https://github.com/cagriekin/charts/issues/230
#   - https://github.com/GoogleCloudPlatform/cloud-sql-proxy/issues/143
#   - https://github.com/kartoza/docker-pg-backup/issues/76
#   - https://github.com/fluxcd/flux2/issues/2148
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave startingDeadlineSeconds out or give it some minutes, name a day that exists, resume what is suspended, run pg_dumpall as a superuser, bind the job to the node of the claim, give its pod fsGroup, and write every argument as an item of its own.
#   sources: []
package walguard.checks.backup.dump_never_starts

import data.walguard.lib.cron
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.model
import data.walguard.model.dumps
import data.walguard.model.programs

findings contains f if {
	some job in dumps.all
	get.number(job.spec, "startingDeadlineSeconds") == 0
	f := about(job, "startingDeadlineSeconds", sprintf("startingDeadlineSeconds of 0 makes CronJob %s miss every start: the controller is always a moment late, and no dump is made. Set it to 600, or leave it out.", [job.resource.name]))
}

findings contains f if {
	some job in dumps.all
	seconds := get.number(job.spec, "startingDeadlineSeconds")
	seconds > 0
	seconds < 10
	f := about(job, "startingDeadlineSeconds", sprintf("startingDeadlineSeconds of %d makes CronJob %s skip its dump whenever the controller is busy or restarts for that long. Set it to 600, or leave it out.", [seconds, job.resource.name]))
}

findings contains f if {
	some job in dumps.all
	written := get.string(job.spec, "schedule")
	words := cron.words(written)
	count(words) == 5
	count(cron.objections(words, cron.five)) == 0
	cron.never(words[2], words[3], words[4])
	f := about(job, "schedule", sprintf("Schedule \"%s\" of CronJob %s names a day that does not exist, so no dump is ever made. Correct it.", [written, job.resource.name]))
}

# validateScheduleFormat of the API server, by cron.ParseStandard of robfig/cron.
findings contains f if {
	some job in dumps.all
	written := get.string(job.spec, "schedule")
	not placeholder.unknown(written)
	not regex.match(`^@|TZ=`, written)
	objection := objection_to(cron.words(written))
	f := as_error(about(job, "schedule", sprintf("The API server refuses CronJob %s for its schedule \"%s\": %s. Correct it.", [job.resource.name, written, objection])))
}

objection_to(words) := sprintf("it has %d fields, and five are taken (minute, hour, day of the month, month, day of the week)", [count(words)]) if count(words) != 5

objection_to(words) := cron.objections(words, cron.five)[0] if count(words) == 5

# It may be kept for dumps by hand, where something else backs up.
findings contains f if {
	count(dumps.all) > 0
	count([1 | some job in dumps.all; not suspended(job)]) == 0
	nothing_else
	some job in dumps.all
	f := about(job, "suspend", sprintf("CronJob %s is suspended, and no other backup of the database was found. Resume it.", [job.resource.name]))
}

# The first of them tells it.
findings contains f if {
	some job in dumps.all
	first := [one | some one in dumps.joined; one.resource == job.resource][0]
	f := finding.at(first, sprintf("CronJob %s gives pg_dump %q as one argument: %s, and every dump fails. Write option and value as two items.", [job.resource.name, first.argument, first.answer]))
}

# The first volume tells it.
findings contains f if {
	some one in dumps.apart
	first := [other | some other in dumps.apart; other.resource == one.resource][0]
	f := graded(finding.at(first, sprintf("%s mounts claim %s, which the server's pod holds, and %s.", [first.job, first.claim, outcome[first.single]])), first.single)
}

graded(f, true) := as_error(f)

graded(f, false) := f

outcome := {
	true: "ReadWriteOncePod admits no second pod: it never starts, and there is no backup. Give it a claim of its own",
	false: "ReadWriteOnce admits one node: scheduled to another it hangs in ContainerCreating, and there is no backup. Add a required podAffinity to the server's labels, or a claim of its own",
}

# The first container that cannot tells it.
findings contains f if {
	some one in dumps.unwritable
	first := [other | some other in dumps.unwritable; other.resource == one.resource][0]
	f := finding.at(first, sprintf("CronJob %s dumps to %s as user %d, and a new volume of claim %s belongs to root: \"Permission denied\", and there is no dump. Set fsGroup: %d in the securityContext of its pod.", [first.resource.name, first.directory, first.user, first.claim, first.user]))
}

findings contains f if {
	some one in dumps.broken_pipes
	f := finding.at(one, sprintf("%s fails with every dump above 64 kB: %s ends before it has read all, and pipefail counts the SIGPIPE (141) of what writes to it. Let it read a file, or write | { %s; cat > /dev/null; }.", [one.job, one.reads, one.reads]))
}

findings contains f if {
	some one in programs.denied_dumps
	f := finding.at(one, sprintf("%s runs pg_dumpall as %s, who is no superuser and may not read the passwords of the roles (pg_authid): every dump fails. Run it as a superuser.", [one.job, one.role]))
}

findings contains f if {
	some job in get.list(model.cluster, "unending_jobs")
	f := finding.at(job, sprintf("%s in %s does not end with the backup %s: they stay active, and no further backup starts. Set %s in %s.", [job.proxy, job.what, job.unless, job.off, job.field]))
}

findings contains f if {
	some job in dumps.unending
	f := about(job, "jobTemplate", sprintf("%s in the pods of CronJob %s does not end with the dump %s: the job stays active. Annotate its pods with %s%s.", [job.proxy, job.resource.name, job.unless, job.off, or_native(job)]))
}

findings contains f if {
	some job in dumps.proxied
	f := about(job, "jobTemplate", sprintf("The proxy in container %s of CronJob %s does not end with the dump: the job stays active, and its pods pile up. Move it to initContainers with restartPolicy: Always.", [job.proxy, job.resource.name]))
}

or_native(job) := sprintf(", or with %s", [job.native])

or_native(job) := "" if not job.native

# The first container without one tells it. Who writes no variable at all may have drawn a sketch.
findings contains f if {
	some one in dumps.without_password
	first := [other | some other in dumps.without_password; other.resource == one.resource; not other.bare][0]
	f := finding.at(first, sprintf("%s, and there is no dump. %s.", [unanswered(first), given(first)]))
}

unanswered(one) := sprintf("CronJob %s has no password for the server, which asks every client for one: \"fe_sendauth: no password supplied\"", [one.resource.name]) if {
	not one.asks
	not one.misnamed
}

unanswered(one) := sprintf("CronJob %s has the password in %s, which pg_dump does not read: \"fe_sendauth: no password supplied\"", [one.resource.name, one.misnamed]) if {
	not one.asks
	one.misnamed
}

unanswered(one) := sprintf("CronJob %s lets pg_dump ask for the password (-W, --password), and a job has no terminal to answer at", [one.resource.name]) if one.asks

given(one) := {
	true: "Leave the option out, and set PGPASSWORD from the Secret of the server",
	false: "Set PGPASSWORD from the Secret of the server",
}[one.asks]

findings contains f if {
	some one in dumps.unequipped
	f := finding.at(one, sprintf("The image %s has no %s, which CronJob %s runs (\"%s: not found\"): what it should keep elsewhere goes nowhere. Install it in the script, or take an image that has it beside pg_dump.", [one.image, one.program, one.resource.name, one.program]))
}

findings contains f if {
	some one in dumps.unmade_directories
	f := finding.with_severity(
		finding.at(one, sprintf("CronJob %s writes its dump to %s, a directory that nothing makes on the volume at %s: \"Directory nonexistent\", and there is no dump%s. Write mkdir -p %s before it.", [
			one.resource.name,
			one.directory,
			one.mount,
			{true: "", false: " unless somebody made it by hand"}[one.certain],
			one.directory,
		])),
		{true: "error", false: "warning"}[one.certain],
	)
}

# The first of them tells it.
findings contains f if {
	some one in dumps.faults
	first := [other | some other in dumps.faults; other.resource == one.resource][0]
	f := object.union(
		finding.at(first, sprintf("CronJob %s %s: there is no dump. %s.", [first.job, first.reason, first.cure])),
		{"severity": level | level := first.level},
	)
}

findings contains f if {
	some one in dumps.blanked
	f := as_error(finding.at(one, sprintf("%s. %s.", [one.reason, one.cure])))
}

findings contains f if {
	some one in dumps.resident
	f := finding.at(one, sprintf("CronJob %s %s. %s.", [one.job, one.reason, one.cure]))
}

# https://kubernetes.io/docs/reference/using-api/deprecation-guide/#cronjob-v125
findings contains f if {
	some job in dumps.all
	get.string(job.made, "apiVersion") == "batch/v1beta1"
	f := as_error(finding.at({"path": ["apiVersion"], "resource": job.resource}, sprintf("The API server has had no batch/v1beta1 since Kubernetes 1.25: CronJob %s is not created, and no dump is made. Write batch/v1.", [job.resource.name])))
}

# The default, Always, is none that a Job may have.
findings contains f if {
	some job in dumps.all
	policy := object.get(job.pod, "restartPolicy", "")
	policy in {"", "Always"}
	f := as_error(about(job, "jobTemplate", sprintf("The API server refuses CronJob %s: the restartPolicy of a job's pods must be OnFailure or Never. Write OnFailure.", [job.resource.name])))
}

as_error(f) := finding.with_severity(f, "error")

suspended(job) if job.spec.suspend == true

nothing_else if {
	not model.partial
	not archived
	count([1 | some schedule in model.schedules; not schedule.suspended]) == 0
}

archived if {
	state := model.cluster.archiving.value
	not state in {"off", "discards"}
}

about(job, field, message) := finding.at({"path": ["spec", field], "resource": job.resource}, message)
