# METADATA
# title: The data directory moves and the data stay behind
# description: |
#   Another PGDATA, another subPath or mountPath, or another claim: nothing moves the files there are. The server finds an empty directory, initdb makes a new cluster in it, and the
#   database is up and empty. Seen where a chart mends "initdb: directory exists but is not empty" for new installations by a directory below the root of the volume. The data are not
#   lost, but what is written meanwhile must be brought together by hand. An error within one volume; a warning where another claim is mounted, which may have been filled before. An init
#   container that moves or copies files is trusted to move these.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#pgdata
#   - https://github.com/helm/charts/pull/416
#   - https://github.com/iflytek/skillhub/pull/367
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the old place again, or stop the server, move the files in the volume and then change the manifest.
#   sources: []
package walguard.checks.change.data_directory

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	now := model.cluster.data_place
	old := before.cluster.data_place
	now.volume == old.volume
	now.within != old.within
	not other_major(now, old)
	f := finding.at(now, sprintf("In the volume the data directory goes from %s to %s, where there is nothing: the server starts with an empty cluster, and the data stay where they are. Write the old place again, or move the files first.", [name(old.within), name(now.within)]))
}

findings contains f if {
	now := model.cluster.data_place
	old := before.cluster.data_place
	now.volume != old.volume
	not model.cluster.data_brought
	not other_major(now, old)
	f := finding.with_severity(
		finding.at(now, sprintf("The data directory goes from %s to %s: what nobody has filled before is empty, and the data stay where they are. Copy them first, or keep the old one.", [old.volume, now.volume])),
		"warning",
	)
}

# Another major lies in another directory by design.
other_major(now, old) if now.major != old.major

name(within) := "its root" if within == ""

name(within) := within if within != ""
