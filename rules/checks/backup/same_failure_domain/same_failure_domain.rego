# METADATA
# title: All backups are in the storage of the cluster itself
# description: |
#   A repository on a PersistentVolumeClaim survives a mistake in SQL, but not the loss of the storage system, of the Kubernetes cluster, or of
#   the namespace: the claim goes with them. Info only, as the volumes may be replicated elsewhere.
#   A CronJob that writes its dumps to the very claim on which the data directory lies (a warning) loses them with it, and fills its disk.
# related_resources:
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/tutorials/backups-disaster-recovery/backups
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Add a repository in object storage outside of the Kubernetes cluster.
#   sources: []
package walguard.checks.backup.same_failure_domain

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.dumps

findings contains f if {
	places := [repository | some repository in model.repositories; not repository.idle]
	count(places) > 0
	count([1 | some repository in places; repository.store != "volume"]) == 0
	f := finding.at(places[0], sprintf("All backups are on volumes next to the data (%s): losing the storage or the namespace loses both. Add a repository in object storage elsewhere.", [concat(", ", [repository.name | some repository in places])]))
}

findings contains f if {
	some one in dumps.beside_the_data
	f := finding.with_severity(finding.at(one, sprintf("CronJob %s writes its dumps to claim %s, where the data of the server lie: what takes the volume or fills it takes both. Give them a claim of another disk, or send them to an object store.", [one.resource.name, one.claim])), "warning")
}
