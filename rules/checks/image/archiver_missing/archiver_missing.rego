# METADATA
# title: The image lacks the program that archives WAL
# description: |
#   With spec.backup.barmanObjectStore CloudNativePG calls barman-cloud-wal-archive in the server's image. The project's "minimal" and
#   "standard" images are made for backup plugins and do not have it; "system" images do. Archiving then fails at every segment: there is no
#   backup, and pg_wal grows until the volume is full. So it is with an archive_command of pgBackRest, WAL-G, Barman or a cloud's command line in the official image, which has none of them.
# related_resources:
#   - https://github.com/cloudnative-pg/postgres-containers
#   - https://cloudnative-pg.io/plugin-barman-cloud/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take an image that has the program; with CloudNativePG a system image, or the Barman Cloud plugin.
#   sources: []
package walguard.checks.image.archiver_missing

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	program := model.cluster.archive_program
	not program.absent
	kind := images.without(image.reference, program.value)
	f := finding.at(program, sprintf("The image %s has no %s (%s images come without): WAL archiving fails and pg_wal fills the volume. Use the Barman Cloud plugin, or a system image.", [
		image.reference,
		program.value,
		kind,
	]))
}

findings contains f if {
	program := model.cluster.archive_program
	program.absent
	f := finding.at(program, sprintf("archive_command runs %s, which the image %s does not have: no WAL is archived, and pg_wal fills the volume. Use an image with %s.", [program.value, image.reference, program.value]))
}
