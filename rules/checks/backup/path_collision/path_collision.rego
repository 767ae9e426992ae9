# METADATA
# title: Two clusters archive to one place
# description: |
#   A WAL archive belongs to one cluster: segments are called by timeline and number, so that two clusters write the same names. Either archiving
#   fails at the second one, and its WAL piles up, or it overwrites the other's, and neither can be restored. It comes of copied manifests, of
#   one cluster name in two namespaces with one bucket, and of a cluster that is recovered from an archive and goes on to write there – info
#   where its author asked for that (CloudNativePG's skipEmptyWalArchiveCheck): WAL then goes on on a new timeline.
#   The clusters of one operator are compared: all of them where the place does not carry the name of the cluster that writes there,
#   those of the same name where it does, and none where it carries the namespace too, since the copy then has a path of its own. At admission that is everything
#   in the cluster; a run over files compares up to 100 namespaces and 300 clusters, since each would be compared with each.
#   A prefix among the variables that Zalando's operator gives all pods is one place for all clusters, unless it names the cluster ($(SCOPE)).
#   What it cannot see: places that stand in secrets. KubeBlocks puts the uid of the cluster into the path,
#   so that two never meet; of plain workloads several may be one cluster, so that nothing is said of them.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/recovery
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/tutorials/backups-disaster-recovery/backups
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give each cluster a path or server name of its own.
#   sources: []
package walguard.checks.backup.path_collision

import data.walguard.lib.finding
import data.walguard.lib.placeholder
import data.walguard.model

findings contains f if {
	some place, names in others
	found := [collision | some collision in real; collision.place == place; not collision.source][0]
	near := {name | some name in names; of_this_namespace(name)}
	f := object.union(
		finding.at(found, sprintf("WAL goes to %s, where %s archives too%s: the files have the same names and overwrite each other, and neither cluster can be restored for certain. Give each a path of its own.", [
			place,
			example(near),
			and_more(count(names) - 1),
		])),
		milder(near),
	)
}

of_this_namespace(name) if startswith(name, sprintf("%s/", [model.cluster.namespace]))

# Whoever has both files may know.
of_this_namespace(_) if not model.admission

# Somebody in another namespace could write the place into a cluster of his own to keep this one out: that is no ground to refuse it, nor to
# tell his cluster's name.
milder(near) := {} if count(near) > 0

milder(near) := {"severity": "warning"} if count(near) == 0

example(near) := min(near) if count(near) > 0

example(near) := "a cluster of another namespace" if count(near) == 0

findings contains f if {
	some collision in real
	collision.source
	not collision.accepted
	f := finding.at(collision, sprintf("WAL goes to %s, the archive this cluster is recovered from: archiving is refused, or overwrites the WAL of the source. Archive to a path of its own.", [collision.place]))
}

findings contains f if {
	some collision in real
	collision.source
	f := finding.with_severity(
		finding.at(collision, sprintf("WAL goes on in %s, the archive this cluster is recovered from (%s). That is safe only while nothing else writes there; a path of its own is safe always.", [collision.place, collision.accepted])),
		"info",
	)
}

# A template's <bucket> or ${bucket} is as many places as it is filled in with.
real := [collision | some collision in model.collisions; not placeholder.unknown(collision.place)]

others[place] := names if {
	some collision in real
	place := collision.place
	names := {other.other | some other in real; other.place == place; not other.source}
	count(names) > 0
}

and_more(0) := ""

and_more(n) := sprintf(", and %d more", [n]) if n > 0
