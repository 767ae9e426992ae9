# METADATA
# title: A dump goes with the pod that made it
# description: |
#   What a Job writes to a directory without a volume, or to an emptyDir, is deleted with its pod: the CronJob is Complete night after night, and there is no dump. So it is where the
#   volume is mounted at another path than the script writes to, and where the image does not have that directory every run fails. Looked at are CronJobs that run pg_dump from the
#   official image and name a service of the cluster, in one container, with a script that sends the file nowhere and moves none. postgres-backup-local and kartoza/pg-backup dump by themselves to /backups, for which
#   their images declare a volume that the container runtime removes with the container.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/volumes/#emptydir
#   - https://github.com/allenporter/k8s-gitops/issues/720
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/debian.Dockerfile
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Mount a volume that stays where the script writes – a claim, or a share of other storage than the database's –, or send the dump to an object store.
#   sources: []
package walguard.checks.backup.dump_not_kept

import data.walguard.lib.finding
import data.walguard.model.dumps

findings contains f if {
	some dump in array.concat(dumps.lost, dumps.unkept_by_daemons)
	f := finding.at(dump, sprintf("The dump is written to %s, %s: nothing is left of it when the pod is gone. Mount a volume there that stays, or send the file to an object store.", [dump.directory, nature(dump)]))
}

nature(dump) := sprintf("on the emptyDir %s", [dump.volume]) if dump.volume

nature(dump) := "where no volume is mounted" if not dump.volume
