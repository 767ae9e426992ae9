package walguard.checks.memory.dev_shm_test

import data.walguard.checks.memory.dev_shm as check
import data.walguard.lib.manifest_test as manifests

stateful_set(args, mounts, volumes) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": {
		"containers": [{"image": "postgres:17", "args": [text | some arg in args; some text in ["-c", arg]], "volumeMounts": mounts}],
		"volumes": volumes,
	}}},
}}}

findings(args) := found if found := check.findings with input as stateful_set(args, [], [])

path := ["spec", "template", "spec", "containers", 0, "volumeMounts"]

test_one_query if {
	findings(["work_mem=64MB"]) == {{
		"message": "/dev/shm has 64MB, and a parallel hash join of 3 processes may take 384MB there (work_mem 64MB × hash_mem_multiplier 2 each): it ends with \"No space left on device\". Mount an emptyDir with medium Memory at /dev/shm.",
		"path": path,
		"facts": {"hash_bytes": 402653184, "hash_mem_multiplier": 2, "processes": 3, "shared_memory_bytes": 67108864, "work_mem_bytes": 67108864},
	}}
}

test_several_queries if {
	findings([]) == {{
		"message": "/dev/shm has 64MB, which parallel queries share: a hash join takes up to 24MB of it, and what comes on top ends with \"No space left on device\". Mount an emptyDir with medium Memory at /dev/shm.",
		"severity": "info",
		"path": path,
	}}
}

test_several_queries_of_a_large_server if {
	findings(["shared_buffers=1GB"]) == {{
		"message": "/dev/shm has 64MB on a server of this size, and the 4 parallel queries that max_parallel_workers 8 allows at once may take 96MB there: one of them ends with \"No space left on device\". Mount an emptyDir with medium Memory at /dev/shm.",
		"path": path,
		"facts": {"hash_bytes": 25165824, "queries": 4, "shared_memory_bytes": 67108864},
	}}
	limited := json.patch(stateful_set([], [], []), [{"op": "add", "path": "/review/object/spec/template/spec/containers/0/resources", "value": {"limits": {"memory": "8Gi"}}}])
	{f.facts.queries | some f in check.findings} == {4} with input as limited
	{f.severity | some f in findings(["shared_buffers=1GB", "max_parallel_workers=4"])} == {"info"}
	findings(["shared_buffers=1GB", "dynamic_shared_memory_type=sysv"]) == set()
}

test_bounded_volume if {
	review := stateful_set(["work_mem=64MB"], [{"name": "shm", "mountPath": "/dev/shm"}], [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "256Mi"}}])
	{f.message | some f in check.findings} == {"/dev/shm has 256MB, and a parallel hash join of 3 processes may take 384MB there (work_mem 64MB × hash_mem_multiplier 2 each): it ends with \"No space left on device\". Give it more."} with input as review
}

test_of_operators if {
	{f.path | some f in check.findings} == {["spec", "ephemeralVolumesSizeLimit", "shm"]} with input as manifests.review({"work_mem": "64MB"}, {"ephemeralVolumesSizeLimit": {"shm": "128Mi"}})
	check.findings == set() with input as manifests.review({"work_mem": "64MB"}, {})
	{f.path | some f in check.findings} == {["spec", "enableShmVolume"]} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"enableShmVolume": false},
	}}}
}

test_no_parallel_query if {
	findings(["work_mem=64MB", "max_parallel_workers_per_gather=0"]) == set()
	findings(["work_mem=64MB", "max_parallel_workers=0"]) == set()
	findings(["work_mem=64MB", "dynamic_shared_memory_type=sysv"]) == set()
}

test_silent_when_unbounded_or_unknown if {
	check.findings == set() with input as stateful_set(["work_mem=64MB"], [{"name": "shm", "mountPath": "/dev/shm/"}], [{"name": "shm", "emptyDir": {"medium": "Memory"}}])
	check.findings == set() with input as manifests.change({"work_mem": "64MB"})
	host := object.union(stateful_set(["work_mem=64MB"], [], []), {"review": {"object": {"spec": {"template": {"spec": {"hostIPC": true}}}}}})
	check.findings == set() with input as host
}

test_parallel_vacuum if {
	one := {{
		"message": "/dev/shm has 64MB, and a parallel VACUUM keeps up to maintenance_work_mem (512MB) there: it ends with \"could not resize shared memory segment\". Mount an emptyDir with medium Memory at /dev/shm.",
		"path": path,
		"facts": {"maintenance_work_mem_bytes": 536870912, "shared_memory_bytes": 67108864},
	}}
	findings(["maintenance_work_mem=512MB"]) == one

	# The workers of a VACUUM are no workers of a query.
	findings(["maintenance_work_mem=512MB", "max_parallel_workers_per_gather=0"]) == one
}

test_no_parallel_vacuum if {
	findings(["maintenance_work_mem=512MB", "max_parallel_maintenance_workers=0"]) == findings([])
	findings(["maintenance_work_mem=512MB", "dynamic_shared_memory_type=sysv"]) == set()
	findings(["maintenance_work_mem=64MB"]) == findings([])
	before_13 := json.patch(stateful_set(["maintenance_work_mem=512MB"], [], []), [{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/image", "value": "postgres:12"}])
	found := check.findings with input as before_13
	{f.severity | some f in found} == {"info"}
}

test_one_finding_where_both_exceed if {
	findings(["maintenance_work_mem=512MB", "work_mem=64MB"]) == findings(["work_mem=64MB"])
}

of_image(image, env, args) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{
		"image": image,
		"args": [text | some arg in args; some text in ["-c", arg]],
		"env": [{"name": name, "value": value} | some name, value in env],
		"volumeMounts": [{"name": "data", "mountPath": "/data"}],
		"resources": {"limits": {"memory": "8Gi"}},
	}]}}},
}}}

# hash_mem_multiplier came with 13, and is 1 at least.
test_without_a_multiplier if {
	of_image("postgres:12.6", {}, ["work_mem=32MB"]) == {{
		"message": "/dev/shm has 64MB, and a parallel hash join of 3 processes may take 96MB there (work_mem 32MB each): it ends with \"No space left on device\". Mount an emptyDir with medium Memory at /dev/shm.",
		"path": path,
		"facts": {"hash_bytes": 100663296, "hash_mem_multiplier": 1, "processes": 3, "shared_memory_bytes": 67108864, "work_mem_bytes": 33554432},
	}}
	{f.severity | some f in of_image("postgres:12.6", {}, [])} == {"info"}
}

unread := {
	"message": "Nothing larger is mounted at /dev/shm, which has 64MB for all parallel queries: unless what was not read turns them off, they end with \"could not resize shared memory segment\". Mount an emptyDir with medium Memory at /dev/shm.",
	"severity": "warning",
	"path": path,
}

# An image of another name, whose configuration nobody sees.
test_an_image_of_another_name if {
	evident := {"PGDATA": "/data/pgdata", "POSTGRES_USER": "a"}
	of_image("corp.example/data:3", evident, []) == {unread}
	of_image("corp.example/data:3", {}, []) == set()
	every option in ["max_parallel_workers_per_gather=0", "max_parallel_workers=0", "dynamic_shared_memory_type=mmap"] {
		of_image("corp.example/data:3", evident, [option]) == set()
	}
	small := json.patch(stateful_set([], [{"name": "data", "mountPath": "/var/lib/postgresql/data"}], []), [
		{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/image", "value": "corp.example/data:3"},
		{"op": "add", "path": "/review/object/spec/template/spec/containers/0/env", "value": [{"name": "POSTGRES_USER", "value": "a"}]},
	])
	check.findings == {object.union(unread, {"severity": "info"})} with input as small
}
