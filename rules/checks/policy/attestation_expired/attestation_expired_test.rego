package walguard.checks.policy.attestation_expired_test

import data.walguard.checks.policy.attestation_expired as check

attestation(expires) := {"storageClass": "fast", "atomicWriteBytes": 8192, "evidence": "OPS-1", "by": "dba", "expires": expires}

class(annotations) := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast", "annotations": annotations}}

found(attestations, classes) := findings if {
	findings := check.findings with input as {
		"now": "2026-06-15T12:00:00Z",
		"review": {"object": {
			"apiVersion": "walguard.dev/v1",
			"kind": "Configuration",
			"metadata": {"name": "walguard.yaml"},
			"attestations": attestations,
		}},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": classes}}},
	}
}

test_of_the_configuration if {
	found([attestation("2026-06-15"), attestation("2026-07-01"), attestation("2027-06-15")], {}) == {
		{
			"path": ["attestations", 0, "expires"],
			"message": "The attestation of atomic writes for StorageClass fast expired at 2026-06-15, so full_page_writes=off is an error there again. Test the storage and renew it (evidence: OPS-1).",
		},
		{
			"path": ["attestations", 1, "expires"],
			"severity": "info",
			"message": "The attestation of atomic writes for StorageClass fast expires at 2026-07-01, in less than 30 days. Test the storage and renew it (evidence: OPS-1).",
		},
	}
}

test_of_a_class if {
	found([], {"fast": class({"walguard.dev/atomic-write-expires": "2026-06-01T00:00:00Z", "walguard.dev/atomic-write-evidence": "OPS-2"}), "slow": class({})}) == {{
		"path": ["metadata", "annotations", "walguard.dev/atomic-write-expires"],
		"resource": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "namespace": "", "name": "fast"},
		"message": "The attestation of atomic writes for StorageClass fast expired at 2026-06-01T00:00:00Z, so full_page_writes=off is an error there again. Test the storage and renew it (evidence: OPS-2).",
	}}
}

test_silent_where_nothing_is_known if {
	found(["junk", {}, {"expires": 1}, {"expires": "soon"}], {"a": class("junk"), "b": class({"walguard.dev/atomic-write-expires": "soon"}), "c": 1}) == set()

	# Of a class alone nobody asked.
	check.findings == set() with input as {"review": {"object": {"kind": "Cluster"}}, "inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": class({"walguard.dev/atomic-write-expires": "2020-01-01"})}}}}}
	check.findings == set() with input as {}
}
