package walguard.tune_test

import data.walguard.operators.server.skeleton as configuration
import data.walguard.operators.workload.skeleton as patroni
import data.walguard.tune
import data.walguard.tune.skeletons

machine := {"version": "17.5", "cpu": "16", "memory": "64Gi", "data": {"disk": "aws-gp3", "size": "500Gi", "filesystem": "xfs"}, "parameters": []}

with_wal := object.union(machine, {"wal": {"disk": "ali-essd-pl1", "size": "100Gi"}})

some_parameters := [{"name": "work_mem", "value": "8MB"}, {"name": "max_connections", "value": "100"}]

for_target(target, more) := object.union(machine, object.union(more, {"target": target}))

manifest(asked) := found if found := tune.manifest with input as {"tune": asked}

proposal(asked, more) := found if {
	objects := manifest(asked).objects
	classes := {object.metadata.name: object | some object in objects; object.kind == "StorageClass"}
	profiles := {object.metadata.name: object | some object in objects; object.kind == "SGInstanceProfile"}
	texts := {object.metadata.name: object | some object in objects; object.kind == "ConfigMap"}
	inventory := {
		"cluster": {"storage.k8s.io/v1": {"StorageClass": classes}},
		"namespace": {"default": {"stackgres.io/v1": {"SGInstanceProfile": profiles}, "v1": {"ConfigMap": texts}}},
	}
	found := tune.proposal with input as {"review": {"object": objects[0]}, "inventory": inventory, "tune": more}
}

values(asked, more) := {row.name: row.value | some row in proposal(asked, more).parameters}

targets := {"cnpg", "conf", "crunchy", "kubeblocks", "kubegres", "patroni", "percona", "stackgres", "zalando"}

test_targets if {
	{target | some target in tune.targets} == targets
	tune.targets == skeletons.targets
	{configuration.title, patroni.title} - {target | some target in tune.targets} == set()
}

# Whatever is asked for, or not: the first object is the cluster, which an adapter reads.
test_every_target_reads_its_own_manifest if {
	every target in targets {
		written := for_target(target, {"parameters": some_parameters})
		found := proposal(written, {"workload": "oltp"})
		rows := {row.name: row | some row in found.parameters}
		rows.work_mem.now == "8MB"
		rows.max_connections.now == "100"
		rows.shared_buffers.value == "16GB"
		rows.max_wal_size.value in {"48GB", "64GB"}
	}
}

test_nothing_is_asked_for if {
	every target in targets {
		count(manifest({"target": target, "parameters": []}).objects) > 0
	}
}

test_volume_for_wal if {
	{target | some target in targets; manifest(object.union(with_wal, {"target": target})).refusal} == {"kubeblocks", "kubegres", "stackgres", "zalando"}
	cluster := manifest(object.union(with_wal, {"target": "cnpg"})).objects[0]
	cluster.spec.storage == {"size": "500Gi", "storageClass": "postgres-data"}
	cluster.spec.walStorage == {"size": "100Gi", "storageClass": "postgres-wal"}
}

test_classes if {
	objects := manifest(object.union(with_wal, {"target": "percona"})).objects
	[object.parameters | some object in objects; object.kind == "StorageClass"] == [
		{"csi.storage.k8s.io/fstype": "xfs", "type": "gp3"},
		{"performanceLevel": "PL1", "type": "cloud_essd"},
	]
}

test_texts if {
	manifest(for_target("conf", {"parameters": some_parameters})).text == "work_mem = '8MB'\nmax_connections = 100\n"
	manifest(for_target("patroni", {"parameters": some_parameters})).text == "postgresql:\n  parameters:\n    work_mem: \"8MB\"\n    max_connections: \"100\"\n"
}

test_values if {
	values(for_target("cnpg", {}), {"workload": "oltp"}) == {
		"autovacuum_max_workers": "4",
		"autovacuum_work_mem": "1GB",
		"checkpoint_completion_target": "0.9",
		"checkpoint_timeout": "15min",
		"effective_cache_size": "48GB",
		"effective_io_concurrency": "16",
		"maintenance_work_mem": "2GB",
		"max_connections": "200",
		"max_parallel_maintenance_workers": "4",
		"max_parallel_workers": "16",
		"max_parallel_workers_per_gather": "2",
		"max_slot_wal_keep_size": "80GB",
		"max_wal_size": "64GB",
		"max_worker_processes": "24",
		"min_wal_size": "16GB",
		"random_page_cost": "1.1",
		"shared_buffers": "16GB",
		"wal_compression": "lz4",
		"work_mem": "64MB",
	}
}

test_disk_is_the_limit if {
	found := proposal(for_target("conf", {"data": {"disk": "ali-essd-pl1", "size": "300Gi"}}), {})
	count([1 | some remark in found.remarks; contains(remark, "grow to 460Gi for 350 MB/s"); contains(remark, "(the first costs +160Gi of size)")]) == 1
}

test_disk_that_cannot_be_had if {
	found := proposal(for_target("conf", {"data": {"disk": "gcp-pd-extreme", "size": "10Gi"}}), {})
	startswith(found.remarks[0], "The data volume cannot be provisioned: pd-extreme starts at 500Gi")
}

test_small_volume if {
	found := proposal(for_target("conf", {"data": {"disk": "aws-gp3", "size": "50Gi"}}), {"workload": "oltp"})
	some remark in found.remarks
	remark == "max_wal_size is 8GB where the load asks for 64GB: the data volume of 50Gi holds no more. 400Gi would hold it (+350Gi)"
}

test_volume_without_room if {
	found := proposal(for_target("conf", {"data": {"size": "50Mi"}}), {})
	some remark in found.remarks
	remark == "The data volume of 50Mi holds no max_wal_size of two segments (32Mi)"
	not "max_wal_size" in {row.name | some row in found.parameters}
}

test_connections if {
	values(for_target("conf", {}), {"connections": 300}).max_connections == "300"
	values(for_target("conf", {"memory": "1Gi"}), {"connections": 300}).max_connections == "100"
	found := proposal(for_target("conf", {}), {"connections": 5000})
	{row.name: row.value | some row in found.parameters}.max_connections == "200"
	count([1 | some remark in found.remarks; startswith(remark, "5000 connections need a pooler")]) == 1
}

test_what_is_unknown_is_not_proposed if {
	found := proposal({"target": "cnpg", "version": "17", "parameters": []}, {})
	{row.name | some row in found.parameters} == {"checkpoint_completion_target", "wal_compression"}
	found.remarks == [
		"The memory is not known: no proposal for shared_buffers, work_mem and max_connections",
		"The CPU cores are not known: no proposal for workers",
		"The disk is not known: no proposal for random_page_cost and vacuum",
	]
}

test_too_little_memory if {
	found := proposal(for_target("conf", {"memory": "100Mi"}), {})
	some remark in found.remarks
	remark == "100Mi of memory is too little to divide; give it 256Mi or more"
}

test_majors if {
	old := values(for_target("conf", {"version": "12"}), {})
	not "wal_compression" in object.keys(old)
	not "max_slot_wal_keep_size" in object.keys(old)
	old.checkpoint_completion_target == "0.9"
}

# -------------------------------------------------------------------------------------------------- a cluster that is

cluster(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"instances": 3, "imageName": "postgresql:17.6", "resources": {"limits": {"cpu": "8", "memory": "32Gi"}}, "storage": {"size": "500Gi", "storageClass": "fast"}}, spec),
}

fast := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": {
	"apiVersion": "storage.k8s.io/v1",
	"kind": "StorageClass",
	"metadata": {"name": "fast"},
	"provisioner": "ebs.csi.aws.com",
	"parameters": {"type": "gp3", "throughput": "900", "iops": "6000", "csi.storage.k8s.io/fstype": "ext4"},
}}}}}

rows(object_, more) := {row.name: row | some row in found.parameters} if {
	found := tune.proposal with input as {"review": {"object": object_}, "inventory": fast, "tune": more}
}

test_operations if {
	found := rows(cluster({"postgresql": {"parameters": {"work_mem": "1GB"}}}), {})
	found.work_mem.operations == [{"op": "replace", "path": "/spec/postgresql/parameters/work_mem", "value": found.work_mem.value}]
	found.shared_buffers.operations == [{"op": "add", "path": "/spec/postgresql/parameters/shared_buffers", "value": "8GB"}]
	found.max_worker_processes.same
	found.autovacuum_vacuum_cost_limit.value == "1000"
}

test_placeholders_are_left if {
	found := rows(cluster({"postgresql": {"parameters": {"work_mem": "${WORK_MEM}"}}}), {})
	not found.work_mem.now
}

test_zeros if rows(cluster({"postgresql": {"parameters": {"wal_init_zero": "off"}}}), {}).wal_init_zero.value == "on"

test_shared_memory if {
	found := rows(cluster({"ephemeralVolumesSizeLimit": {"shm": "64Mi"}}), {"workload": "dw"})
	found.work_mem.value == "6MB"
	found.max_parallel_maintenance_workers.value == "0"
}

test_huge_pages if {
	found := rows(cluster({"postgresql": {"parameters": {"huge_pages": "off"}}, "resources": {"limits": {"cpu": "8", "memory": "24Gi", "hugepages-2Mi": "8Gi"}}}), {})
	found.shared_buffers.value == "7680MB"
	found.huge_pages.value == "try"
	found.effective_cache_size.value == "24GB"
}

test_request_bounds_buffers if {
	found := rows(cluster({"resources": {"limits": {"cpu": "8", "memory": "32Gi"}, "requests": {"memory": "4Gi"}}}), {})
	found.shared_buffers.value == "4GB"
	found.shared_buffers.formula == "the memory request"
}

test_wal_kept_is_bounded if {
	found := rows(cluster({"postgresql": {"parameters": {"wal_keep_size": "100GB"}}}), {})
	found.wal_keep_size.value == "12GB"
}

annotated(name, text) := object.union(cluster({}), {"metadata": {"annotations": {name: text}}})

test_wishes if {
	latency := rows(annotated("walguard.dev/workload", "latency"), {})
	latency.max_wal_size.value == "24GB"
	latency.checkpoint_timeout.value == "15min"
	rows(annotated("walguard.dev/rto", "60s"), {}).max_wal_size.value == "5GB"
	rows(annotated("walguard.dev/required-throughput", "2MB/s"), {}).max_wal_size.value == "2GB"
	rows(cluster({}), {"workload": "dw"}).checkpoint_timeout.value == "30min"
}

test_no_cluster if not tune.proposal with input as {"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}}}
