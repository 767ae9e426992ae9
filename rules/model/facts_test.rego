package walguard.model_facts_test

import data.walguard.index
import data.walguard.lib.disk
import data.walguard.model
import data.walguard.model.claims

base := {
	"operator": "CloudNativePG",
	"namespace": "prod",
	"name": "orders",
	"major": {"value": 16},
	"parameters_path": ["spec", "parameters"],
	"parameters": [],
	"defaults": {"wal_keep_size": "512MB"},
	"managed": {"archive_mode": "on", "port": ""},
	"instance_sets": [],
}

asked := ["max_wal_size", "min_wal_size", "wal_keep_size", "archive_mode", "port", "fsync", "checkpoint_timeout", "work_mem"]

# The parameters of a cluster that differs from the base in some facts.
parameters_of(facts) := found if {
	found := model.parameters with claims.cluster as object.union(base, facts) with index.parameters as asked with index.changes as asked
}

setting(name, value) := {"name": name, "value": value, "path": ["spec", "parameters", name]}

test_written_wins_over_operator_over_postgres if {
	found := parameters_of({"parameters": [setting("Wal_Keep_Size", "1GB"), setting("fsync", false)]})
	found.wal_keep_size == {
		"name": "wal_keep_size",
		"text": "1GB",
		"origin": "written",
		"path": ["spec", "parameters", "Wal_Keep_Size"],
		"value": 1024,
		"bytes": 1073741824,
	}
	found.fsync == {"name": "fsync", "text": "off", "origin": "written", "path": ["spec", "parameters", "fsync"], "value": false}
	found.checkpoint_timeout == {
		"name": "checkpoint_timeout",
		"text": "300",
		"origin": "postgres",
		"path": ["spec", "parameters"],
		"value": 300,
		"milliseconds": 300000,
	}
	parameters_of({}).wal_keep_size == {
		"name": "wal_keep_size",
		"text": "512MB",
		"origin": "operator",
		"path": ["spec", "parameters"],
		"value": 512,
		"bytes": 536870912,
	}
}

test_last_of_a_name_wins if {
	found := parameters_of({"parameters": [setting("work_mem", "1MB"), setting("WORK_MEM", "2MB"), setting("work_mem", null), {"name": 5, "value": 1}]})
	found.work_mem.origin == "postgres"
	parameters_of({"parameters": [setting("work_mem", "1MB"), setting("WORK_MEM", "2MB")]}).work_mem.bytes == 2097152
}

test_malformed if {
	model.malformed_parameters == [setting("work_mem", null), setting("fsync", [])] with claims.cluster as object.union(base, {"parameters": [
		setting("work_mem", null),
		setting("fsync", []),
		setting("port", 5432),
	]})
}

test_refused_value_has_no_value if {
	found := parameters_of({"parameters": [setting("max_wal_size", "16gb")]}).max_wal_size
	found == {"name": "max_wal_size", "text": "16gb", "origin": "written", "path": ["spec", "parameters", "max_wal_size"]}
}

test_managed if {
	parameters_of({}).archive_mode.origin == "operator"
	not parameters_of({}).port
}

test_partial_knows_no_defaults if {
	facts := object.union(object.remove(base, ["defaults", "managed"]), {"partial": true, "parameters": [setting("fsync", "off")]})
	found := model.parameters with claims.cluster as facts with index.parameters as asked with index.changes as asked
	object.keys(found) == {"fsync"}
}

test_unknown_major_reads_as_the_newest if {
	found := model.parameters with claims.cluster as object.remove(base, ["major"]) with index.parameters as asked with index.changes as asked
	found.checkpoint_timeout.value == 300
}

test_wal_sizes_follow_the_segment if {
	found := parameters_of({"segment": {"value": 64, "path": []}})
	found.max_wal_size.bytes == 4294967296
	found.min_wal_size.bytes == 335544320
	parameters_of({}).max_wal_size.bytes == 1073741824
	parameters_of({"segment": {"value": 65, "path": []}}).max_wal_size.bytes == 1073741824
}

test_accessors if {
	model.parameter("wal_keep_size").value == 512 with claims.cluster as base with index.parameters as asked with index.changes as asked
	model.bytes("wal_keep_size") == 536870912 with claims.cluster as base with index.parameters as asked with index.changes as asked
	model.milliseconds("checkpoint_timeout") == 300000 with claims.cluster as base with index.parameters as asked with index.changes as asked
}

test_edition if {
	model.edition == "postgresql" with claims.cluster as base
	model.edition == "polardb" with claims.cluster as object.union(base, {"edition": "polardb"})
}

test_title if model.title == "CloudNativePG prod/orders" with claims.cluster as base

test_no_cluster_no_facts if {
	input_ := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
	not model.cluster with input as input_
	not model.title with input as input_
	model.parameters == {} with input as input_
	model.volumes == {} with input as input_
}

# ------------------------------------------------------------------------------------------------------- volumes

class := {
	"apiVersion": "storage.k8s.io/v1",
	"kind": "StorageClass",
	"metadata": {"name": "fast"},
	"provisioner": "ebs.csi.aws.com",
	"mountOptions": ["noatime", 5],
	"parameters": {"Type": "gp3", "iops": 4000},
}

attributes := {
	"apiVersion": "storage.k8s.io/v1",
	"kind": "VolumeAttributesClass",
	"metadata": {"name": "gold"},
	"parameters": {"iops": "8000"},
}

surroundings := {"cluster": {"storage.k8s.io/v1": {
	"StorageClass": {"fast": class},
	"VolumeAttributesClass": {"gold": attributes},
}}}

instance_set(facts) := object.union(
	object.remove(whole_set, object.keys(facts)),
	facts,
)

whole_set := {
	"name": "main",
	"path": ["spec"],
	"resources": {"limits": {"cpu": "4"}},
	"data": {"path": ["spec", "storage"], "size": "100Gi", "size_path": ["spec", "storage", "size"], "class": "fast", "class_path": ["spec", "storage", "class"]},
}

claims_of(facts, annotations) := found if {
	found := claims.claims with claims.cluster as object.union(base, {"instance_sets": [instance_set(facts)]})
		with input as {
			"review": {"object": {"apiVersion": "v1", "kind": "X", "metadata": {"annotations": annotations}}},
			"inventory": surroundings,
			"parameters": {"checks": {"storage/bandwidth_below_demand": {"settings": {"mbps_per_core": 20}}}},
		}
}

test_claim_is_joined_with_its_class if {
	claims_of({}, {}) == {"0/data": {
		"set": "main",
		"role": "data",
		"shared": true,
		"path": ["spec", "storage"],
		"size_path": ["spec", "storage", "size"],
		"class_path": ["spec", "storage", "class"],
		"size_bytes": 107374182400,
		"class_name": "fast",
		"class": class,
		"provisioner": "ebs.csi.aws.com",
		"mount_options": ["noatime"],
		"parameters": {"type": "gp3", "iops": "4000"},
		"demand": {"bytes_per_second": 80000000, "origin": "cpu", "cores_thousandths": 4000},
	}}
}

test_volume_attributes_and_the_claim_win if {
	volume := object.union(instance_set({}).data, {"attributes_class": "gold", "parameters": {"throughput": 300}})
	found := claims_of({"data": volume}, {})["0/data"]
	found.parameters == {"type": "gp3", "iops": "8000", "throughput": "300"}
	found.attributes_class == attributes
}

test_two_volumes_share_the_demand if {
	found := claims_of({"wal": {"path": ["spec", "wal"], "size": "10Gi"}, "resources": {"requests": {"cpu": "500m"}}}, {})
	object.keys(found) == {"0/data", "0/wal"}
	found["0/wal"] == {
		"set": "main",
		"role": "wal",
		"shared": false,
		"path": ["spec", "wal"],
		"size_bytes": 10737418240,
		"parameters": {},
		"demand": {"bytes_per_second": 5000000, "origin": "cpu", "cores_thousandths": 500},
	}
}

test_stated_demand_wins if {
	found := claims_of({}, {"walguard.dev/required-throughput": "350M"})
	found["0/data"].demand == {"bytes_per_second": 350000000, "origin": "stated"}
}

test_unknown_facts_are_absent if {
	found := claims_of({"data": {"path": ["spec"], "class": "gone"}, "resources": {}}, {})
	found == {"0/data": {"set": "main", "role": "data", "shared": true, "path": ["spec"], "class_name": "gone", "parameters": {}}}
}

test_default_class_of_a_complete_inventory if {
	default_class := object.union(class, {"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}})
	inventory := {"complete": true, "cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": default_class}}}}
	volume := {"path": ["spec"], "size": "1Gi"}
	found := claims.claims with claims.cluster as object.union(base, {"instance_sets": [{"name": "m", "path": [], "data": volume}]})
		with input as {"review": {"object": {}}, "inventory": inventory}
	found["0/data"].provisioner == "ebs.csi.aws.com"
}

test_parameters_in_any_case if {
	twice := object.union(class, {"parameters": {"type": "gp3", "Type": "io2", "IOPS": 3000, "iops": "3000", "encrypted": {}}})
	inventory := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": twice}}}}
	volume := {"path": ["spec"], "size": "1Gi", "class": "fast"}
	found := claims.claims with claims.cluster as object.union(base, {"instance_sets": [{"name": "m", "path": [], "data": volume}]})
		with input as {"review": {"object": {}}, "inventory": inventory}
	found["0/data"].parameters == {"type": "gp3 or io2", "iops": "3000"}
}

volumes := {
	"0/data": {"role": "data", "shared": false},
	"0/wal": {"role": "wal", "shared": false},
	"1/data": {"role": "data", "shared": true},
}

test_roles if {
	object.keys(model.data_volumes) == {"0/data", "1/data"} with model.volumes as volumes
	object.keys(model.wal_volumes) == {"0/wal", "1/data"} with model.volumes as volumes
}

filesystem_of(claim) := found if {
	found := {volume.filesystem | some volume in model.volumes} with claims.claims as {"0/data": object.union({"role": "data", "shared": true, "parameters": {}}, claim)}
}

test_filesystem_of_a_driver_that_no_vendor_lists if {
	explicit := {"csi.storage.k8s.io/fstype": "xfs"}
	filesystem_of({"provisioner": "csi.example.com", "parameters": explicit}) == {{"name": "xfs", "origin": "StorageClass", "copy_on_write": false}}
	filesystem_of({"provisioner": "csi.example.com", "parameters": {"fstype": "xfs"}}) == set()
	filesystem_of({"provisioner": "csi.example.com"}) == set()
	filesystem_of({"parameters": explicit}) == set()
}

# ------------------------------------------------------------------------------------------------------- trust

annotated(annotations) := {"class_name": "fast", "class": {"metadata": {"annotations": annotations}}}

word := {
	"walguard.dev/atomic-write-bytes": "16384",
	"walguard.dev/atomic-write-evidence": "200 power cuts",
	"walguard.dev/atomic-write-expires": "2027-01-01T00:00:00Z",
}

accepted := {"bytes": 16384, "evidence": "200 power cuts", "expires": "2027-01-01T00:00:00Z"}

at(now, configuration) := {"review": {"object": {}}, "now": now, "parameters": configuration}

attested(claim, now, configuration) := found if {
	found := model.attestation(claim) with input as at(now, configuration)
}

test_annotations_of_the_class if attested(annotated(word), "2026-06-01T00:00:00Z", {}) == accepted

test_expired_is_no_word if not attested(annotated(word), "2027-06-01T00:00:00Z", {})

test_incomplete_is_no_word if {
	some_word := word
	every key in object.keys(some_word) {
		not attested(annotated(object.remove(some_word, [key])), "2026-06-01T00:00:00Z", {})
	}
}

test_nonsense_is_no_word if {
	not attested(annotated(object.union(word, {"walguard.dev/atomic-write-bytes": "16k"})), "2026-06-01T00:00:00Z", {})
	not attested(annotated(object.union(word, {"walguard.dev/atomic-write-bytes": "0"})), "2026-06-01T00:00:00Z", {})
	not attested(annotated(object.union(word, {"walguard.dev/atomic-write-expires": "never"})), "2026-06-01T00:00:00Z", {})
}

entry := {"storageClass": "fast", "atomicWriteBytes": 16384, "evidence": "200 power cuts", "by": "storage team", "expires": "2027-01-01T00:00:00Z"}

test_policy_configuration if {
	attested({"class_name": "fast"}, "2026-06-01T00:00:00Z", {"attestations": [entry]}) == accepted
	not attested({"class_name": "slow"}, "2026-06-01T00:00:00Z", {"attestations": [entry]})
	not attested({"class_name": "fast"}, "2028-06-01T00:00:00Z", {"attestations": [entry]})
	not attested({"class_name": "fast"}, "2026-06-01T00:00:00Z", {"attestations": [object.remove(entry, ["by"]), "junk", null]})
}

test_within if {
	model.within("2026-06-01T00:00:00Z", 86400) with input as at("2026-06-01T23:00:00Z", {})
	not model.within("2026-06-01T00:00:00Z", 86400) with input as at("2026-06-02T01:00:00Z", {})
	not model.within("junk", 86400) with input as at("2026-06-02T01:00:00Z", {})
}

test_complete if {
	model.complete with input as {"inventory": {"complete": true}}
	not model.complete with input as {"inventory": {}}
}

# ------------------------------------------------------------------------------------------------- tablespaces

fast_class := {"metadata": {"name": "fast"}, "provisioner": "zfs.csi.openebs.io", "parameters": {"recordsize": "8k"}}

with_tablespaces := object.union(base, {"instance_sets": [{
	"name": "orders",
	"resources": {"limits": {"cpu": "4"}},
	"data": {"path": ["data"], "size": "10Gi", "class": "fast"},
	"tablespaces": [
		{"name": "cold", "path": ["cold"], "size": "1Ti", "class": "slow"},
		{"name": "scratch", "path": ["scratch"], "size": "5Gi", "class": "slow", "temporary": true},
	],
}]})

test_tablespaces_are_volumes_apart if {
	inventory := {"review": {"object": {}}, "inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": fast_class}}}}}
	object.keys(model.volumes) == {"0/data"} with claims.cluster as with_tablespaces with input as inventory
	object.keys(model.all_volumes) == {"0/data", "0/tablespace/0", "0/tablespace/1"} with claims.cluster as with_tablespaces with input as inventory
	object.keys(model.page_volumes) == {"0/data", "0/tablespace/0"} with claims.cluster as with_tablespaces with input as inventory
	object.keys(model.wal_volumes) == {"0/data"} with claims.cluster as with_tablespaces with input as inventory
	found := model.all_volumes with claims.cluster as with_tablespaces with input as inventory
	found["0/data"].demand
	not found["0/tablespace/0"].demand
	found["0/tablespace/0"].tablespace == "cold"
	disk.label(found, "0/tablespace/0") == "volume of tablespace cold"
}

# What a change says of a volume is its own, whatever resource the rest of it stands in.
test_place_of_a_change if {
	volume := {"path": ["a"], "size_path": ["b"], "class_path": ["c"], "resource": {"name": "other"}, "own": ["size_path"]}
	disk.place(volume, "size_path") == {"path": ["b"]}
	disk.place(volume, "class_path") == {"path": ["c"], "resource": {"name": "other"}}
}

# A word for certain clusters only.
test_policy_configuration_of_certain_clusters if {
	configuration := {"attestations": [object.union(entry, {"resource": {"namespace": "prod", "name": "orders*"}})]}
	every name, words in {"orders-1": [16384], "users": []} {
		given := object.union(at("2026-06-01T00:00:00Z", configuration), {"review": {"object": {"metadata": {"namespace": "prod", "name": name}}}})
		found := [word.bytes | word := model.attestation({"class_name": "fast"})] with input as given
		found == words
	}
}
