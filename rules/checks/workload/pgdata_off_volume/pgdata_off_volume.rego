# METADATA
# title: The data directory is on no volume
# description: |
#   What lies outside the mounted volumes is in the container's own filesystem and gone with the container, at the first restart
#   already. Seen mostly where a volume is mounted beside the data directory: at the wrong path, or since PostgreSQL 18, whose
#   official image keeps its data in /var/lib/postgresql/18/docker and wants the volume at /var/lib/postgresql – one at
#   /var/lib/postgresql/data, right until 17, it refuses at the start. timescaledb-ha has its data in /home/postgres/pgdata/data, kartoza/postgis in /var/lib/postgresql/16/main, and Red Hat's and Crunchy's images in
#   /var/lib/pgsql/data and /pgdata, whatever PGDATA says. An error where a claim is mounted somewhere, since somebody
#   meant to keep the data, and where a claim of the pod is mounted nowhere; so it is where a StatefulSet has the server. Else a warning, for a server that may be meant to forget. WAL is likewise.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#pgdata
#   - https://github.com/docker-library/postgres/blob/master/docker-entrypoint.sh
#   - https://github.com/kartoza/docker-postgis/issues/203
#   - https://github.com/timescale/timescaledb/issues/8374
#   - https://github.com/sclorg/postgresql-container/blob/master/src/root/usr/share/container-scripts/postgresql/common.sh
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Mount the volume at the data directory or above it, or set PGDATA to a directory on the volume.
#   sources: []
package walguard.checks.workload.pgdata_off_volume

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some lost in model.cluster.unmounted
	count(lost.mounted) > 0
	not refused(lost)
	f := finding.with_severity(
		finding.at_path(lost.path, sprintf("The %s is in %s, which is on no volume and is lost with the container; the persistent volume is mounted at %s. Mount it at or above the directory.", [
			lost.role,
			lost.directory,
			text.list(lost.mounted, "and"),
		])),
		"error",
	)
}

findings contains f if {
	some lost in model.cluster.unmounted
	refused(lost)
	f := finding.with_severity(
		finding.at_path(lost.path, sprintf("The image keeps its data in %s and refuses to start with a volume at %s, where older images kept theirs. Mount it at %s.", [
			lost.directory,
			former,
			parent,
		])),
		"error",
	)
}

# docker_setup_env of docker-entrypoint.sh.
refused(lost) if {
	former in lost.mounted
	regex.match(sprintf(`^%s/[0-9]+/docker$`, [parent]), lost.directory)
}

parent := "/var/lib/postgresql"

former := "/var/lib/postgresql/data"

# Somebody asked for a volume, and mounted it nowhere.
findings contains f if {
	some lost in model.cluster.unmounted
	idle := object.get(lost, "idle", [])
	count(idle) > 0
	f := finding.with_severity(
		finding.at_path(lost.path, sprintf("No container mounts %s, so the data are lost with the container. Mount it at %s.", [text.list([sprintf("the claim %s", [name]) | some name in idle], "and"), lost.directory])),
		"error",
	)
}

findings contains f if {
	some lost in model.cluster.unmounted
	count(lost.mounted) == 0
	count(object.get(lost, "idle", [])) == 0
	f := finding.with_severity(
		finding.at_path(lost.path, sprintf("The %s is in %s, which is on no volume and is lost with the container. Mount a persistent volume there.", [
			lost.role,
			lost.directory,
		])),
		{true: "error", false: "warning"}[object.get(lost, "relied", false)],
	)
}
