package walguard.checks.wal.max_wal_vs_volume_test

import data.walguard.checks.wal.max_wal_vs_volume as check
import data.walguard.lib.disk_test as disks
import data.walguard.lib.manifest_test as manifests

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

test_more_than_the_volume if {
	findings({"max_wal_size": "40GB", "wal_keep_size": "1GB"}, shared("40Gi")) == {{
		"message": "WAL may reach 40GB, 100 % of the data volume of 40Gi, which also holds the data (max_wal_size 40GB). A full volume stops the server; lower max_wal_size to 10GB, or grow the volume to 160Gi.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"advised_percent": 25, "distance_bytes": 22605091031, "kept_bytes": 1073741824, "max_wal_size_bytes": 42949672960, "size_bytes": 42949672960, "wal_bytes": 42949672960},
		"related": [{"path": ["spec", "storage", "size"], "message": "the volume"}],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "10GB"}],
	}}
}

test_too_much_of_a_wal_volume if {
	findings({"max_wal_size": "33GB"}, separate("40Gi")) == {{
		"message": "WAL may reach 33GB, 82 % of the WAL volume of 40Gi (max_wal_size 33GB). A full volume stops the server; lower max_wal_size to 24GB, or grow the volume to 60Gi.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"advised_percent": 60, "distance_bytes": 18649200101, "kept_bytes": 536870912, "max_wal_size_bytes": 35433480192, "size_bytes": 42949672960, "wal_bytes": 35433480192},
		"related": [{"path": ["spec", "walStorage", "size"], "message": "the volume"}],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "24GB"}],
	}}
}

# The smaller volume decides, the larger value gives in: nothing costs less.
test_a_slot_cap_that_is_too_large_is_lowered if {
	findings({"max_wal_size": "8GB", "max_slot_wal_keep_size": "40GB"}, separate("50Gi")) == {{
		"message": "WAL may reach 44.2GB, 88 % of the WAL volume of 50Gi (max_wal_size 8GB and max_slot_wal_keep_size 40GB). A full volume stops the server; lower max_slot_wal_keep_size to 24GB, or grow the volume to 80Gi.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "max_slot_wal_keep_size"],
		"facts": {"advised_percent": 60, "distance_bytes": 4521018206, "kept_bytes": 42949672960, "max_wal_size_bytes": 8589934592, "size_bytes": 53687091200, "wal_bytes": 47470691166},
		"related": [{"path": ["spec", "walStorage", "size"], "message": "the volume"}, {"path": ["spec", "postgresql", "parameters", "max_wal_size"], "message": "max_wal_size"}],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "24GB"}],
	}}
}

test_thresholds if {
	severities({"max_wal_size": "24GB"}, separate("40Gi")) == set()
	severities({"max_wal_size": "25GB"}, separate("40Gi")) == {"info"}
	severities({"max_wal_size": "33GB"}, separate("40Gi")) == {"warning"}
	severities({"max_wal_size": "40GB"}, separate("40Gi")) == {"error"}
	severities({"max_wal_size": "10GB"}, shared("40Gi")) == set()
	severities({"max_wal_size": "11GB"}, shared("40Gi")) == {"info"}
	severities({"max_wal_size": "21GB"}, shared("40Gi")) == {"warning"}
	severities({"max_wal_size": "40GB"}, shared("40Gi")) == {"error"}
}

# 256MB and 128MB were seen at 273 MB.
test_what_is_kept_is_not_added if {
	severities({"max_wal_size": "16GB", "wal_keep_size": "8GB"}, separate("40Gi")) == set()
	{f.facts.wal_bytes | some f in findings({"max_wal_size": "19GB", "wal_keep_size": "10GB"}, shared("40Gi"))} == {21474836480}
}

test_a_small_wal_volume_of_a_large_one if severities({}, separate("1Gi")) == {"warning"}

# A sample on a small volume.
test_defaults_alone_are_advice if {
	findings({}, shared("1Gi")) == {{
		"message": "WAL may reach 1GB, 102 % of the data volume of 1Gi, which also holds the data (max_wal_size 1GB by default and wal_keep_size 512MB by the operator's default). A full volume stops the server; grow the volume to 5Gi.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters"],
		"default_of": "CloudNativePG",
		"facts": {"advised_percent": 25, "distance_bytes": 565127275, "kept_bytes": 536870912, "max_wal_size_bytes": 1073741824, "size_bytes": 1073741824, "wal_bytes": 1101998187},
		"related": [{"path": ["spec", "storage", "size"], "message": "the volume"}],
		"suggestion": [{"op": "replace", "path": "/spec/storage/size", "value": "5Gi"}],
	}}
	severities({}, shared("4Gi")) == {"info"}
	severities({}, shared("5Gi")) == set()
}

test_defaults_on_a_real_volume if {
	large := {"bootstrap": {"initdb": {"walSegmentSize": 1024}}}
	severities({}, object.union(shared("100Gi"), large)) == {"warning"}
}

# WAL alone fills it, whatever it is for.
test_sample_without_room if {
	severities({}, shared("512Mi")) == {"warning"}
	severities({}, shared("526Mi")) == {"info"}
}

test_as_much_memory_as_disk if {
	severities({}, object.union(shared("1Gi"), {"resources": {"requests": {"memory": "1Gi"}}})) == {"warning"}
	severities({}, object.union(shared("1Gi"), {"resources": {"limits": {"memory": "2Gi"}}})) == {"warning"}
	severities({}, object.union(shared("1Gi"), {"resources": {"requests": {"memory": "512Mi"}, "limits": {"memory": "1Gi"}}})) == {"info"}
	severities({}, object.union(shared("1Gi"), {"resources": {"requests": {"cpu": "1"}}})) == {"info"}
	severities({}, object.union(shared("1400Mi"), {"resources": {"requests": {"memory": "2Gi"}}})) == {"info"}
}

test_small_written_part_of_a_sample if severities({"wal_keep_size": "16MB"}, shared("1Gi")) == {"info"}

# Half of a volume is much for what is there at every load, not for a bound that only a missing standby reaches.
test_slot_cap_is_a_bound_and_no_habit if {
	severities({"max_slot_wal_keep_size": "10GB", "max_wal_size": "2GB"}, three(shared("20Gi"))) == {"info"}
	severities({"max_slot_wal_keep_size": "17GB", "max_wal_size": "2GB"}, three(shared("20Gi"))) == {"warning"}
	severities({"wal_keep_size": "12GB", "max_wal_size": "2GB"}, shared("20Gi")) == {"warning"}
}

test_slot_cap_counts_instead_of_what_is_kept if {
	severities({"max_slot_wal_keep_size": "100GB", "max_wal_size": "2GB"}, three(separate("100Gi"))) == {"warning"}
	severities({"max_slot_wal_keep_size": "30GB"}, three(shared("20Gi"))) == {"warning"}
	severities({"max_slot_wal_keep_size": "30GB", "max_wal_size": "21GB"}, shared("20Gi")) == {"error"}
	{f.path[3] | some f in findings({"max_slot_wal_keep_size": "100GB", "max_wal_size": "2GB"}, separate("100Gi"))} == {"max_slot_wal_keep_size"}
	severities({"max_slot_wal_keep_size": "-1"}, separate("100Gi")) == set()
}

three(volumes) := object.union(volumes, {"instances": 3})

# A cap below nearly all of a volume of its own was set to bound it; and where no standby and no subscriber is, no slot holds anything.
test_slot_cap_that_bounds if {
	severities({"max_slot_wal_keep_size": "8GB"}, three(separate("10Gi"))) == {"info"}
	severities({"max_slot_wal_keep_size": "10GB"}, three(separate("10Gi"))) == {"warning"}
	severities({"max_slot_wal_keep_size": "10GB"}, separate("10Gi")) == {"info"}
}

test_nothing_kept if {
	severities({"wal_keep_size": "0", "max_wal_size": "25GB"}, shared("100Gi")) == set()
	[f.facts | some f in findings({"wal_keep_size": "0", "max_wal_size": "40GB"}, shared("40Gi"))] == [{
		"advised_percent": 25,
		"distance_bytes": 0,
		"kept_bytes": 0,
		"max_wal_size_bytes": 42949672960,
		"size_bytes": 42949672960,
		"wal_bytes": 42949672960,
	}]
}

# A load that is stated wants max_wal_size: the volume has to grow.
test_demand_keeps_the_limit if {
	demanding := manifests.annotated({"max_wal_size": "24GB"}, {"storage": {"size": "40Gi"}}, {"walguard.dev/required-throughput": "250M"})
	found := check.findings with input as object.union(demanding, {"parameters": settings})
	{f.suggestion | some f in found} == {[{"op": "replace", "path": "/spec/storage/size", "value": "100Gi"}]}
	{f | some f in found; f.fix} == set()
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

# A completion target that is refused is taken for the default.
test_target_that_is_no_number if {
	given := {"max_wal_size": "24GB", "wal_keep_size": "10GB"}
	findings(object.union(given, {"checkpoint_completion_target": "soon"}), shared("40Gi")) == findings(given, shared("40Gi"))
	{f.facts.distance_bytes | some f in findings(given, shared("40Gi"))} == {13563054618}
}

# A larger gp3 disk is no faster: growing it would exchange one finding for another.
test_disk_that_size_does_not_help if {
	large := disks.review({"provisioner": "ebs.csi.aws.com", "parameters": {"type": "gp3"}, "size": "800Gi", "postgresql": {"max_wal_size": "500GB", "min_wal_size": "400GB"}})
	found := check.findings with input as large
	{contains(f.message, " and set its throughput.") | some f in found} == {true}
	{f | some f in found; f.suggestion} == set()
	slow := disks.review({"provisioner": "ebs.csi.aws.com", "parameters": {"type": "gp3"}, "size": "1000Gi", "postgresql": {"max_wal_size": "500GB", "min_wal_size": "400GB"}})
	found_there := check.findings with input as slow
	count({f | some f in found_there; f.suggestion}) == 1
}

of_class(provisioner) := severities_ if {
	found := check.findings with input as {
		"review": {"object": cluster({"storage": {"size": "10Gi", "storageClass": "c"}, "postgresql": {"parameters": {"max_wal_size": "8GB"}}})},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"c": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "c"}, "provisioner": provisioner}}}}},
		"parameters": settings,
	}
	severities_ := {f.severity | some f in found}
}

# Nothing keeps such a directory to the size of its claim.
test_directories_without_a_quota if {
	of_class("nfs.csi.k8s.io") == {"info"}
	of_class("cluster.local/nfs-subdir-external-provisioner") == {"info"}
	of_class("rancher.io/local-path") == {"info"}
	of_class("ebs.csi.aws.com") == {"warning"}
}

named(class, size) := severities({"max_wal_size": size}, {"storage": {"size": "5Gi", "storageClass": class}})

# The class is made by the chart of its provisioner, and not in sight.
test_directories_by_the_name_of_their_class if {
	every class in ["local-path", "microk8s-hostpath", "nfs-client", "openebs-hostpath"] {
		named(class, "5GB") == {"info"}
	}
	named("fast", "5GB") == {"error"}
	named("longhorn", "5GB") == {"error"}
}
