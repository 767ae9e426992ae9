# METADATA
# title: An attestation has expired
# description: |
#   An attestation of atomic writes – in the policy configuration, or in annotations of a StorageClass – is somebody's word, with a
#   date on which the test has to be repeated: firmware, kernels and drivers change. From then on it no longer counts: full_page_writes=off
#   on such a volume is an error again, denied in a new cluster and warned about in one that is there already.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-reliability.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Test the storage again and attest it anew, or set full_page_writes to on in the clusters that rely on it.
#   settings:
#     notice_days: {default: 30, description: So many days before its expiry an attestation is named as info.}
package walguard.checks.policy.attestation_expired

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.policy

findings contains f if {
	some i, attestation in policy.entries("attestations")
	standing := policy.standing(attestation.expires, notice_days)
	place := finding.at_path(["attestations", i, "expires"], message(standing, {
		"class": object.get(attestation, "storageClass", "?"),
		"expires": attestation.expires,
		"evidence": object.get(attestation, "evidence", "unknown"),
	}))
	f := object.union(place, severity[standing])
}

findings contains f if {
	policy.configuration
	some class in inventory.cluster_objects("storage.k8s.io/v1", "StorageClass")
	annotations := get.map(class, ["metadata", "annotations"])
	expires := annotations[annotation]
	standing := policy.standing(expires, notice_days)
	place := finding.at({"path": ["metadata", "annotations", annotation], "resource": k8s.reference(class)}, message(standing, {
		"class": object.get(class, ["metadata", "name"], "?"),
		"expires": expires,
		"evidence": object.get(annotations, "walguard.dev/atomic-write-evidence", "unknown"),
	}))
	f := object.union(place, severity[standing])
}

annotation := "walguard.dev/atomic-write-expires"

notice_days := settings.number("policy/attestation_expired", "notice_days")

severity := {"past": {}, "near": {"severity": "info"}}

message("past", word) := sprintf("The attestation of atomic writes for StorageClass %v expired at %v, so full_page_writes=off is an error there again. Test the storage and renew it (evidence: %v).", [word.class, word.expires, word.evidence])

message("near", word) := sprintf("The attestation of atomic writes for StorageClass %v expires at %v, in less than %d days. Test the storage and renew it (evidence: %v).", [word.class, word.expires, notice_days, word.evidence])
