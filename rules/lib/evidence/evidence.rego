# METADATA
# title: Evidence
# description: |
#   Of every fact that excuses something one asks: who could have written this? What the author of the object under review may have written never
#   excuses. A status is the word of a controller where the kind has a /status subresource, which users of a namespace may not write, and
#   speaks of the spec that it was written for: of one that was never changed (metadata.generation 1), or by what the status itself names.
#   Files are anybody's word: there neither a status nor an attestation counts, be it in the file under review or beside it.
# custom:
#   excuses:
#     - fact: attestation of a StorageClass
#       written_by: storage administrators (StorageClasses are cluster-scoped)
#       bound_by: unexpired, with evidence; the class before the update has to be good too, and that of the claims in sight
#       admission: yes
#       audit: yes
#       lint: "with --context cluster"
#     - fact: attestation of the policy configuration
#       written_by: the owners of the policy
#       bound_by: names the class, and the clusters where it names any; by whom, evidence, expiry
#       admission: yes
#       audit: yes
#       lint: yes
#     - fact: ZFS dataset with a recordsize of 8 KiB or more
#       written_by: "storage administrators: it follows from the StorageClass"
#       bound_by: the class before the update has to be good too, and that of the claims in sight
#       admission: yes
#       audit: yes
#       lint: yes
#     - fact: torn pages are repaired by the product
#       written_by: nobody; it follows from the kind
#       bound_by: the kind
#       admission: yes
#       audit: yes
#       lint: yes
#     - fact: data checksums
#       written_by: "the author, when the cluster is created; the operator, where it always asks for them"
#       bound_by: "written, or the operator's own; before the update too. A default of initdb says nothing of a running cluster"
#       admission: yes
#       audit: where written
#       lint: where written
#     - fact: WAL archiving
#       written_by: the author
#       bound_by: "it is what the operator does from now on"
#       admission: yes
#       audit: yes
#       lint: yes
#     - fact: completed base backup
#       written_by: "the operator's controller, in a status"
#       bound_by: "spec never changed, or what the status names: uid of the cluster, job, path; finished after the cluster was created, not in the future"
#       admission: yes
#       audit: yes
#       lint: "with --context cluster"
#     - fact: restore that became ready
#       written_by: "the operator's controller, in a status"
#       bound_by: "spec never changed; of a backup of this cluster that was finished before; same major; not in the future"
#       admission: yes
#       audit: yes
#       lint: "with --context cluster"
#     - fact: owner that is judged instead
#       written_by: anybody
#       bound_by: "an object in sight of this group, kind, name and uid, not being deleted and not unmanaged, that gives such a name to what it makes, within the number of its instances; or a request by a controller of Kubernetes"
#       admission: yes
#       audit: yes
#       lint: by name
#     - fact: waiver
#       written_by: the owners of the policy
#       bound_by: check, namespace, kind and name; reason, owner, expiry
#       admission: yes
#       audit: yes
#       lint: yes
#     - fact: exempted user or group
#       written_by: the owners of the policy
#       bound_by: the name that the API server authenticated; * stays between two colons
#       admission: yes
#       audit: "no"
#       lint: "no"
#     - fact: namespace that an entry of the policy is for
#       written_by: whoever may label namespaces
#       bound_by: name or labels of the Namespace
#       admission: yes
#       audit: yes
#       lint: where it is among the files
#     - fact: object on its way out
#       written_by: the API server
#       bound_by: "metadata.deletionTimestamp, on an UPDATE that changes nothing but metadata and status"
#       admission: yes
#       audit: yes
#       lint: "no"
package walguard.lib.evidence

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: True of an object in sight that comes from an API server and not from a file.
vouched(o) if {
	inventory.live
	not inventory.from_file(o)
}

# METADATA
# description: |
#   The status of an object in sight as its controller wrote it: of a kind with a /status subresource, and from an API server. {} otherwise.
status(o) := get.map(o, "status") if {
	vouched(o)
	not k8s.group_of(get.string(o, "apiVersion")) in writable
} else := {}

# The groups whose kinds have no /status subresource (StackGres' CRDs): whoever may write the object writes its status.
writable := {"stackgres.io"}

# METADATA
# description: True of an object whose spec is the one that it was created with, so that whoever wrote its status saw it.
unchanged(o) if get.number(o, ["metadata", "generation"]) == 1

# METADATA
# description: The status of an object that was written for the spec it has; {} otherwise.
recorded(o) := status(o) if unchanged(o)

recorded(o) := {} if not unchanged(o)

# METADATA
# description: |
#   The status of the object under review. The API server keeps that of the object as it was; without an API server it is what the object says
#   in sight of one.
own_status := get.map(k8s.changed, "status") if {
	k8s.changed
	not k8s.group in writable
} else := get.map(k8s.object, "status") if {
	k8s.operation == "UPDATE"
	not k8s.group in writable
} else := status(inventory.namespaced_object(k8s.namespace, k8s.api_version, k8s.kind, k8s.name)) if {
	not k8s.operation
} else := {}

# METADATA
# description: True of a moment (RFC 3339) that lies not ahead, but for what clocks differ by.
past(text) if time.parse_rfc3339_ns(text) <= k8s.now_nanoseconds + ((300 * 1000) * 1000000)

# METADATA
# description: True where one moment is not later than another (both RFC 3339).
in_order(earlier, later) if time.parse_rfc3339_ns(earlier) <= time.parse_rfc3339_ns(later)
