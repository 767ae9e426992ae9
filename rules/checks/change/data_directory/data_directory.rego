# METADATA
# title: The data directory moves, or its new server cannot start in it
# description: |
#   Another PGDATA, another subPath or mountPath, or another claim: nothing moves the files there are. The server finds an empty directory, initdb makes a new cluster in it, and the
#   database is up and empty. Seen where a chart mends "initdb: directory exists but is not empty" for new installations by a directory below the root of the volume. The data are not
#   lost, but what is written meanwhile must be brought together by hand. An error within one volume; a warning where another claim is mounted, which may have been filled before. An init
#   container that moves or copies files is trusted to move these.
#   In the same directory another image can fail as well. Bitnami's has its configuration files elsewhere, and the official one stops without them ("could not access the server
#   configuration file"). PostgreSQL starts only as the owner of its files ("data directory has wrong ownership"): the entrypoint of the official image gives them to its user while it is
#   root, and nothing else does; fsGroup changes the group alone.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#pgdata
#   - https://github.com/helm/charts/pull/416
#   - https://github.com/iflytek/skillhub/pull/367
#   - https://github.com/cloudfoundry/cf-for-k8s/issues/212
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the old place again, or stop the server, move the files in the volume and then change the manifest.
#   sources: []
package walguard.checks.change.data_directory

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	now.volume == old.volume
	now.within != old.within
	not other_major(now, old)
	f := finding.at(now, sprintf("In the volume the data directory goes from %s to %s, where there is nothing: the server starts with an empty cluster, and the data stay where they are. Write the old place again, or move the files first.", [name(old.within), name(now.within)]))
}

findings contains f if {
	now.volume != old.volume
	not model.cluster.data_brought
	not other_major(now, old)
	f := finding.with_severity(
		finding.at(now, sprintf("The data directory goes from %s to %s: what nobody has filled before is empty, and the data stay where they are. Copy them first, or keep the old one.", [old.volume, now.volume])),
		"warning",
	)
}

# Two changes through a place that nobody sees may end at another one.
findings contains f if {
	place := model.cluster.data_place_hidden
	f := finding.with_severity(
		finding.at(place, sprintf("The data lie in %s of their volume, and %s comes from what was not found now: at another place the server starts with an empty cluster. Write the place itself.", [name(old.within), place.variable])),
		"warning",
	)
}

findings contains f if {
	place := before.cluster.data_place_hidden
	f := finding.with_severity(
		finding.at(now, sprintf("%s came from what was not found, and the data directory is %s of the volume now: where the data lie at another place, the server starts with an empty cluster. Look where they are first.", [place.variable, name(now.within)])),
		"warning",
	)
}

# Another image finds the files and not what it starts with.
findings contains f if {
	at_rest
	old.configuration == "outside"
	now.configuration == "inside"
	f := finding.at(now, "Bitnami's image keeps postgresql.conf and pg_hba.conf outside the data directory: another one finds none there and does not start. Create both in the data directory first, or name them by -c config_file and -c hba_file.")
}

findings contains f if {
	at_rest
	was_running
	old.owner != now.owner
	not now.adapts
	f := finding.with_severity(
		finding.at(now, sprintf("The files belong to user %d, which the server ran as; as %d it refuses a data directory of another owner, and fsGroup does not change that. Set runAsUser: %d again, or chown them first.", [old.owner, now.owner, old.owner])),
		"warning",
	)
}

now := model.cluster.data_place

old := before.cluster.data_place

# The same directory of the same volume.
at_rest if {
	now.volume == old.volume
	now.within == old.within
	not other_major(now, old)
}

# One that never started has no files, or those of somebody else.
was_running if not is_object(object.get(k8s.old_object, "status", null))

was_running if object.get(k8s.old_object, ["status", "readyReplicas"], 0) > 0

# Another major lies in another directory by design.
other_major(new, former) if new.major != former.major

name(within) := "its root" if within == ""

name(within) := within if within != ""
