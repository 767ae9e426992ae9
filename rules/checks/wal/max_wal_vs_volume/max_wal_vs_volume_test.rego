package walguard.checks.wal.max_wal_vs_volume_test

import data.walguard.checks.wal.max_wal_vs_volume as check

settings := {"checks": {"wal/max_wal_vs_volume": {"settings": {"wal_volume_percent": 60, "shared_volume_percent": 25}}}}

cluster(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"instances": 1, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5"}, spec),
}

findings(parameters, spec) := found if {
	found := check.findings with input as {
		"review": {"object": cluster(object.union(spec, {"postgresql": {"parameters": parameters}}))},
		"parameters": settings,
	}
}

severities(parameters, spec) := {f.severity | some f in findings(parameters, spec)}

shared(size) := {"storage": {"size": size}}

separate(size) := {"storage": {"size": "500Gi"}, "walStorage": {"size": size}}

gibibyte := 1073741824

test_more_than_the_volume if {
	findings({"max_wal_size": "40GB", "wal_keep_size": "1GB"}, shared("40Gi")) == {{
		"message": "CloudNativePG prod/orders may hold 41Gi of WAL (max_wal_size 40Gi and wal_keep_size 1Gi) on its data volume of 40Gi, 102 %, beside the data; at most 25 % is advised, and a full volume stops the server with a PANIC. Enlarge the volume to 164Gi, or lower max_wal_size to 9Gi",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"max_wal_size_bytes": 40 * gibibyte, "kept_bytes": gibibyte, "wal_bytes": 41 * gibibyte, "size_bytes": 40 * gibibyte, "advised_percent": 25},
	}}
}

test_too_much_of_a_wal_volume if {
	findings({"max_wal_size": "32GB"}, separate("40Gi")) == {{
		"message": "CloudNativePG prod/orders may hold 32.5Gi of WAL (max_wal_size 32Gi and wal_keep_size 512Mi by the operator's default) on its WAL volume of 40Gi, 81 %; at most 60 % is advised, and a full volume stops the server with a PANIC. Enlarge the volume to 55Gi, or lower max_wal_size to 23Gi",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"max_wal_size_bytes": 32 * gibibyte, "kept_bytes": 536870912, "wal_bytes": 34896609280, "size_bytes": 40 * gibibyte, "advised_percent": 60},
	}}
}

# A sample on a small volume.
test_defaults_alone_are_no_error if {
	findings({}, shared("1Gi")) == {{
		"message": "CloudNativePG prod/orders may hold 1.5Gi of WAL (max_wal_size 1Gi by default and wal_keep_size 512Mi by the operator's default) on its data volume of 1Gi, 150 %, beside the data; at most 25 % is advised, and a full volume stops the server with a PANIC. Enlarge the volume to 6Gi",
		"severity": "warning",
		"path": ["spec", "storage", "size"],
		"facts": {"max_wal_size_bytes": gibibyte, "kept_bytes": 536870912, "wal_bytes": 1610612736, "size_bytes": gibibyte, "advised_percent": 25},
	}}
	severities({}, shared("5Gi")) == {"info"}
	severities({}, shared("6Gi")) == set()
}

test_small_written_part_makes_no_error if severities({"wal_keep_size": "16MB"}, shared("1Gi")) == {"warning"}

test_slot_cap_counts_instead_of_what_is_kept if {
	severities({"max_slot_wal_keep_size": "100GB", "max_wal_size": "2GB"}, separate("100Gi")) == {"error"}
	{f.path[3] | some f in findings({"max_slot_wal_keep_size": "100GB", "max_wal_size": "2GB"}, separate("100Gi"))} == {"max_slot_wal_keep_size"}
	severities({"max_slot_wal_keep_size": "-1"}, separate("100Gi")) == set()
}

test_nothing_kept if severities({"wal_keep_size": "0", "max_wal_size": "25GB"}, shared("100Gi")) == set()

test_default_grows_with_the_segment if {
	large := {"bootstrap": {"initdb": {"walSegmentSize": 1024}}}
	{f.facts.wal_bytes | some f in findings({}, object.union(shared("100Gi"), large))} == {(64 * gibibyte) + 536870912}
}

test_silent_without_size if findings({"max_wal_size": "40GB"}, {"storage": {"storageClass": "fast"}}) == set()

test_silent_when_the_limit_is_no_size if findings({"max_wal_size": "40 gigabytes"}, shared("1Gi")) == set()

test_silent_for_a_change_alone if {
	found := check.findings with input as {"parameters": settings, "review": {"object": {
		"apiVersion": "operations.kubeblocks.io/v1alpha1",
		"kind": "OpsRequest",
		"metadata": {"name": "tune", "namespace": "prod"},
		"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{"componentName": "postgresql", "parameters": [{"key": "max_wal_size", "value": "999GB"}]}]},
	}}}
	found == set()
}
