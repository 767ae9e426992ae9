# METADATA
# title: All backups are in the storage of the cluster itself
# description: |
#   A repository on a PersistentVolumeClaim survives a mistake in SQL, but not the loss of the storage system, of the Kubernetes cluster, or of
#   the namespace: the claim goes with them. Info only, as the volumes may be replicated elsewhere.
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

findings contains f if {
	places := [repository | some repository in model.repositories; not repository.idle]
	count(places) > 0
	count([1 | some repository in places; repository.store != "volume"]) == 0
	f := finding.at(places[0], sprintf("All backups are on volumes next to the data (%s): losing the storage or the namespace loses both. Add a repository in object storage elsewhere.", [concat(", ", [repository.name | some repository in places])]))
}
