package walguard.checks.wal.slot_retention_unbounded_test

import data.walguard.checks.wal.slot_retention_unbounded as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"wal/slot_retention_unbounded": {"settings": {"wal_volume_percent": 50, "shared_volume_percent": 20}}}}}

findings(parameters, spec) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, spec))
}

written := {"max_slot_wal_keep_size": "-1"}

test_written if {
	findings(written, {}) == {{
		"message": "CloudNativePG prod/orders keeps WAL for its standbys without bound (max_slot_wal_keep_size=-1): one of its 3 instances that stays away fills the data volume of 100Gi and stops the primary. Set a bound, 20GB for example",
		"path": ["spec", "postgresql", "parameters", "max_slot_wal_keep_size"],
		"severity": "warning",
	}}
}

test_default_is_advice if {
	findings({}, {"walStorage": {"size": "40Gi"}}) == {{
		"message": "CloudNativePG prod/orders keeps WAL for its standbys without bound (max_slot_wal_keep_size=-1, the default): one of its 3 instances that stays away fills the WAL volume of 40Gi and stops the primary. Set a bound, 20GB for example",
		"path": ["spec", "postgresql", "parameters"],
		"severity": "info",
	}}
}

test_logical_subscribers if {
	findings(object.union(written, {"wal_level": "logical"}), {"instances": 1}) == {{
		"message": "CloudNativePG prod/orders keeps WAL for logical subscribers without bound (max_slot_wal_keep_size=-1): one of them (wal_level=logical) that stays away fills the data volume of 100Gi and stops the primary. Set a bound, 20GB for example",
		"path": ["spec", "postgresql", "parameters", "max_slot_wal_keep_size"],
		"severity": "warning",
	}}
	findings(object.union(written, {"wal_level": "replica"}), {"instances": 1}) == set()
}

test_small_volume if {
	{f.message | some f in findings(written, {"storage": {"size": "1Gi"}})} == {"CloudNativePG prod/orders keeps WAL for its standbys without bound (max_slot_wal_keep_size=-1): one of its 3 instances that stays away fills the data volume of 1Gi and stops the primary. Set a bound, and a larger volume"}
}

test_bounded if findings({"max_slot_wal_keep_size": "20GB"}, {}) == set()

test_no_standby if findings(written, {"instances": 1}) == set()

test_no_slots if findings(written, {"replicationSlots": {"highAvailability": {"enabled": false}}}) == set()

test_silent_without_size if findings(written, {"storage": {"size": null}}) == set()
