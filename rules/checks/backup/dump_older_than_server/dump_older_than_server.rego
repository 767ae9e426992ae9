# METADATA
# title: pg_dump is older than the server
# description: |
#   pg_dump refuses a server of a newer major: "aborting because of server version mismatch". A CronJob whose image stayed behind when the server was
#   upgraded fails every night from then on, and where a script pipes pg_dump into gzip or an upload, it leaves an empty file and success. Looked at
#   are CronJobs of the cluster's namespace that run pg_dump from the official image, postgres-backup-local, postgres-backup-s3 or pg-bkup and name one of its services, Deployments of such images that dump by a
#   schedule of their own, and Zalando's logical backups, whose image has the programs of the majors of its release.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgdump.html#PG-DUMP-NOTES
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/issues/63
#   - https://github.com/schickling/dockerfiles/issues/163
#   - https://github.com/jkaninda/pg-bkup/issues/222
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the job the image of the server's major; a newer pg_dump reads older servers.
#   sources: []
package walguard.checks.backup.dump_older_than_server

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.dumps

findings contains f if {
	some job in get.list(model.cluster, "own_dumps")
	job.newest < model.major
	f := finding.at(job, sprintf("Image %s has no pg_dumpall newer than %d, and the server is PostgreSQL %d, so every logical backup fails. Use the image of a release that has %d.", [
		job.image,
		job.newest,
		model.major,
		model.major,
	]))
}

findings contains f if {
	some job in array.concat(dumps.jobs, [object.union(one, {"path": array.concat(one.path, ["image"])}) | some one in dumps.daemons; one.major])
	job.major < model.major
	f := finding.at(job, sprintf("pg_dump %d of image %s refuses a server of PostgreSQL %d (\"server version mismatch\"), so every dump fails. Use an image of %d.", [
		job.major,
		job.image,
		model.major,
		model.major,
	]))
}
