# METADATA
# title: What takes base backups has too little memory
# description: |
#   The Barman plugin runs in a container of its own beside PostgreSQL, which needs little to archive WAL and far more to send a base backup: with a limit of 128 MiB it was
#   killed (exit code 137) even by the backup of a database of 38 MB, and went through with 512 MiB. WAL is archived all the same, so that it shows when there is nothing to restore from. The limit is
#   that of the ObjectStore, or of a LimitRange in sight where the ObjectStore sets none.
# related_resources:
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/usage/
#   - https://github.com/cozystack/cozystack/pull/4220
#   - https://github.com/siutsin/otaru/pull/2723
#   - https://kubernetes.io/docs/concepts/policy/limit-range/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Give it 512Mi.
#   sources: []
package walguard.checks.backup.sidecar_memory

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.model
import data.walguard.model.limits

findings contains f if {
	some sidecar in get.list(model.cluster, "backup_sidecars")
	too_little(sidecar.limit)
	f := finding.at(sidecar, sprintf("The memory limit of %s is %s, by which base backups were killed (exit code 137) even of small databases, while WAL was archived. Set %s to 512Mi.", [sidecar.what, get.text(sidecar.limit), sidecar.field]))
}

# Where none is written, a LimitRange may set one.
findings contains f if {
	some sidecar in get.list(model.cluster, "backup_sidecars")
	not sidecar.limit
	given := limits.default_of("memory")
	too_little(given.value)
	f := finding.at(sidecar, sprintf("LimitRange %s limits %s to %s of memory, by which base backups were killed (exit code 137) even of small databases. Set %s to 512Mi.", [given.range, sidecar.what, get.text(given.value), sidecar.field]))
}

too_little(limit) if {
	bytes := quantity.bytes(limit)
	bytes > 0
	bytes <= 128 * 1048576
}
