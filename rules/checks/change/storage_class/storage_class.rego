# METADATA
# title: The StorageClass of existing volumes changes on paper only
# description: |
#   The class of a claim cannot be changed. What follows depends on the operator: new instances come up on the new class beside old
#   ones on the old, the operator repeats a request that the API server refuses, or nothing happens. The manifest no longer says where
#   the data lie. IOPS and throughput of existing volumes are changed by a VolumeAttributesClass or at the cloud.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/
#   - https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the old class again; move to another class with new instances (or a new cluster) one at a time.
#   sources: []
package walguard.checks.change.storage_class

import data.walguard.model
import data.walguard.model.before

findings contains f if {
	some id, volume in model.all_volumes
	old := before.volumes[id]
	volume.class_name != old.class_name
	f := object.union(
		{
			"message": sprintf("The StorageClass of the %s volume goes from %q to %q, but existing volumes stay on %q. Write %q again, or move to new instances one at a time.", [
				volume.role,
				old.class_name,
				volume.class_name,
				old.class_name,
				old.class_name,
			]),
			"path": volume.class_path,
		},
		object.filter(volume, ["resource"]),
	)
}
