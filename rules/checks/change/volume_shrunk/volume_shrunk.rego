# METADATA
# title: A volume is asked to become smaller
# description: |
#   A PersistentVolumeClaim never shrinks: the API server refuses it. The webhook of CloudNativePG refuses such a change, other
#   operators repeat the failing request and do nothing else until the old size is written again, a StatefulSet refuses it too. A
#   smaller volume needs a new instance or cluster with a copy of the data.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the old size again. For less, move the data to a new cluster.
#   sources: []
package walguard.checks.change.volume_shrunk

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	some id, volume in model.all_volumes
	old := before.volumes[id]
	volume.size_bytes < old.size_bytes
	f := finding.with_facts(
		object.union(
			{
				"message": sprintf("The %s volume goes from %s to %s: a claim never shrinks, and the change fails. Write %s again.", [
					volume.role,
					text.bytes(old.size_bytes),
					text.bytes(volume.size_bytes),
					text.bytes(old.size_bytes),
				]),
				"path": volume.size_path,
			},
			object.filter(volume, ["resource"]),
		),
		{"old_bytes": old.size_bytes, "new_bytes": volume.size_bytes},
	)
}
