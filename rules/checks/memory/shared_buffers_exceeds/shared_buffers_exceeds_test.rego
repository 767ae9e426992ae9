package walguard.checks.memory.shared_buffers_exceeds_test

import data.walguard.checks.memory.shared_buffers_exceeds as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"memory/shared_buffers_exceeds": {"settings": {"high_percent": 40, "low_percent": 10, "low_from_gib": 4}}}}}

findings(parameters, limits) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, {"resources": {"limits": limits}}))
}

severities(parameters, limits) := {f.severity | some f in findings(parameters, limits)}

test_more_than_the_limit if {
	findings({"shared_buffers": "16GB"}, {"memory": "16Gi"}) == {{
		"message": "shared_buffers=16GB is 100 % of the memory limit of 16Gi: once they are used the kernel kills the server, again after every restart. Set it to about 4GB, 25 % or less.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
		"facts": {"memory_limit_bytes": 17179869184, "share_percent": 100, "shared_buffers_bytes": 17179869184},
		"related": [{"path": ["spec", "resources", "limits", "memory"], "message": "the memory limit"}],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/shared_buffers", "value": "4GB"}],
	}}
}

test_too_large if {
	{f.message | some f in findings({"shared_buffers": "8GB"}, {"memory": "16Gi"})} == {"shared_buffers=8GB is 50 % of the memory limit of 16Gi: above 40 % connections and the page cache lack memory. Set it to about 4GB, 25 % or less."}
	severities({"shared_buffers": "8GB"}, {"memory": "16Gi"}) == {"warning"}
}

test_default_in_much_memory if {
	{f.message | some f in findings({}, {"memory": "16Gi"})} == {"shared_buffers=128MB (the default) is less than 1 % of the memory limit of 16Gi: pages that would fit are read and written again and again. Set it to about 4GB, 25 % or less."}
	severities({}, {"memory": "16Gi"}) == {"info"}
	severities({}, {"memory": "2Gi"}) == set()
}

test_default_in_little_memory if {
	severities({}, {"memory": "256Mi"}) == set()
	severities({}, {"memory": "100Mi"}) == {"warning"}
	severities({"shared_buffers": "128MB"}, {"memory": "128Mi"}) == {"error"}
	severities({}, {"memory": "192Mi"}) == {"warning"}
	severities({"shared_buffers": "128MB"}, {"memory": "192Mi"}) == {"warning"}
	severities({"shared_buffers": "200MB"}, {"memory": "256Mi"}) == {"error"}
	severities({"shared_buffers": "900MB"}, {"memory": "1Gi"}) == {"error"}
	severities({"shared_buffers": "800MB"}, {"memory": "1Gi"}) == {"warning"}
	{f.message | some f in findings({}, {"memory": "192Mi"})} == {"shared_buffers=128MB (the default) is 66 % of the memory limit of 192Mi: the 64MB that are left are too little for a server: once the buffers are used the kernel kills it, again in each recovery. Raise the memory limit."}
}

test_huge_pages_are_counted_once if {
	{f.message | some f in findings({"shared_buffers": "16GB"}, {"memory": "16Gi", "hugepages-2Mi": "17Gi"})} == set()
	findings({"shared_buffers": "16GB"}, {"memory": "48Gi", "hugepages-2Mi": "17Gi"}) == set()
}

test_bounds_the_wrong_way_round if {
	crossed := {"parameters": {"checks": {"memory/shared_buffers_exceeds": {"settings": {"high_percent": 7, "low_percent": 15, "low_from_gib": 4}}}}}
	reviewed := object.union(crossed, manifests.review({"shared_buffers": "2GB"}, {"resources": {"limits": {"memory": "16Gi"}}}))
	found := check.findings with input as reviewed
	{f.severity | some f in found} == {"warning"}
}

test_suitable if findings({"shared_buffers": "4GB"}, {"memory": "16Gi"}) == set()

test_each_set_of_instances if {
	found := check.findings with input as object.union(settings, {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "hippo", "namespace": "prod"},
		"spec": {
			"config": {"parameters": {"shared_buffers": "2GB"}},
			"instances": [
				{"name": "large", "resources": {"limits": {"memory": "8Gi"}}},
				{"name": "small", "resources": {"limits": {"memory": "2Gi"}}},
				{"name": "free"},
			],
		},
	}}})
	{f.message | some f in found} == {"shared_buffers=2GB is 100 % of the memory limit of the set small of 2Gi: once they are used the kernel kills the server, again after every restart. Set it to about 512MB, 25 % or less."}
}

test_silent_without_limit if findings({"shared_buffers": "999GB"}, {}) == set()

test_left_to_the_check_of_values if findings({"shared_buffers": "999 GB!"}, {"memory": "1Gi"}) == set()

# What exceeds the limit without any buffers, and what nobody knows, is no reason for smaller ones than a quarter.
test_other_parts_that_exceed_the_limit_or_are_not_known if {
	every more in [{"max_connections": "5000", "work_mem": "64MB"}, {"work_mem": "4 mega"}] {
		{f.fix[0].value | some f in findings(object.union({"shared_buffers": "16GB"}, more), {"memory": "8Gi"})} == {"2GB"}
	}
}

test_huge_pages_in_the_message if {
	some f in findings({"shared_buffers": "16GB"}, {"memory": "4Gi", "hugepages-2Mi": "8Gi"})
	contains(f.message, " of the memory limit of 4Gi with 8Gi of huge pages")
}

test_on_a_machine if {
	found := check.findings with input as object.union(settings, manifests.server("shared_buffers = 12GB", {"memory": "16Gi"}))
	some f in found
	contains(f.message, " of the machine's memory of 16Gi")
}

# Larger ones only as far as a checkpoint can write them at the load that is stated.
test_no_larger_than_a_checkpoint_can_write if {
	volume := {"role": "data", "demand": {"origin": "stated"}, "disk": {"throughput_bytes_per_second": 10000000, "rejections": []}}
	found := check.findings with input as object.union(settings, manifests.review({}, {"resources": {"limits": {"memory": "64Gi"}}}))
		with data.walguard.model.data_volumes as {"0/data": volume}
	{f.fix[0].value | some f in found} == {"2GB"}
	slow := object.union(volume, {"disk": {"throughput_bytes_per_second": 1000}})
	none := check.findings with input as object.union(settings, manifests.review({}, {"resources": {"limits": {"memory": "64Gi"}}}))
		with data.walguard.model.data_volumes as {"0/data": slow}
	none == set()
}

timescale(limit, more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "metrics", "namespace": "prod"},
	"spec": {
		"template": {"spec": {"containers": [object.union(
			{"name": "db", "image": "timescale/timescaledb:2.27.2-pg17", "resources": {"limits": {"memory": limit}}, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
			more,
		)]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}}],
	},
}

lowered(old, new, before, after) := found if {
	found := check.findings with input as object.union(settings, {"review": {"operation": "UPDATE", "oldObject": timescale(old, before), "object": timescale(new, after)}})
}

test_buffers_of_the_first_start if {
	lowered("20Gi", "1Gi", {}, {}) == {{
		"message": "timescaledb-tune sets shared_buffers at the first start alone: the 5Gi that it took of a limit of 20Gi are 500 % of 1Gi, and once they are used the kernel kills the server. Write -c shared_buffers=256MB into args.",
		"severity": "error",
		"path": ["spec", "template", "spec", "containers", 0, "resources", "limits", "memory"],
	}}
	{f.severity | some f in lowered("2Gi", "1Gi", {}, {})} == {"warning"}
	lowered("1Gi", "20Gi", {}, {}) == set()
	lowered("20Gi", "16Gi", {}, {}) == set()
	lowered("20Gi", "1Gi", {}, {"args": ["-c", "shared_buffers=256MB"]}) == set()
	told := {"env": [{"name": "TS_TUNE_MEMORY", "value": "1GB"}]}
	lowered("20Gi", "1Gi", told, told) == set()
	lowered("20Gi", "1Gi", {"envFrom": [{"configMapRef": {"name": "a"}}]}, {}) == set()
	lowered("20Gi", "1Gi", {"image": "postgres:17"}, {"image": "postgres:17"}) == set()
}
