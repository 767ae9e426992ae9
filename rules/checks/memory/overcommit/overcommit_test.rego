package walguard.checks.memory.overcommit_test

import data.walguard.checks.memory.overcommit as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"memory/overcommit": {"settings": {"backend_mib": 5}}}}}

findings(parameters, limits) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, {"resources": {"limits": limits}}))
}

messages(parameters, limits) := {f.message | some f in findings(parameters, limits)}

test_many_connections if {
	findings({"shared_buffers": "4GB", "max_connections": "1000", "work_mem": "64MB"}, {"memory": "16Gi"}) == {{
		"message": "CloudNativePG prod/orders may use 71.6Gi of memory in a busy hour (shared_buffers 4Gi, 1000 connections × (work_mem 64Mi and 5Mi of their own), 3 autovacuum workers × 64Mi), more than the memory limit of 16Gi: the kernel then kills a process and all connections are dropped. Cheapest: a pooler and max_connections=175",
		"path": ["spec", "postgresql", "parameters", "max_connections"],
		"facts": {
			"max_connections": 1000,
			"work_mem_bytes": 67108864,
			"backend_bytes": 5242880,
			"autovacuum_workers": 3,
			"autovacuum_worker_bytes": 67108864,
			"shared_buffers_bytes": 4294967296,
			"connections_bytes": 72351744000,
			"autovacuum_bytes": 201326592,
			"memory_limit_bytes": 17179869184,
		},
	}}
}

test_no_connections_left if {
	messages({"maintenance_work_mem": "4GB", "autovacuum_work_mem": "8GB"}, {"memory": "16Gi"}) == {"CloudNativePG prod/orders may use 25Gi of memory in a busy hour (shared_buffers 128Mi, 100 connections × (work_mem 4Mi and 5Mi of their own), 3 autovacuum workers × 8Gi), more than the memory limit of 16Gi: the kernel then kills a process and all connections are dropped. Cheapest: a memory limit of 26Gi"}
	{f.path[3] | some f in findings({"maintenance_work_mem": "4GB", "autovacuum_work_mem": "8GB"}, {"memory": "16Gi"})} == {"maintenance_work_mem"}
}

test_huge_pages if {
	messages({"shared_buffers": "8GB", "max_connections": "600", "work_mem": "20MB"}, {"memory": "12Gi", "hugepages-2Mi": "9Gi"}) == {"CloudNativePG prod/orders may use 14.8Gi of memory in a busy hour (shared_buffers in huge pages, 600 connections × (work_mem 20Mi and 5Mi of their own), 3 autovacuum workers × 64Mi), more than the memory limit of 12Gi with 9Gi of huge pages: the kernel then kills a process and all connections are dropped. Cheapest: a pooler and max_connections=483"}
	count(messages({"shared_buffers": "8GB", "max_connections": "100", "work_mem": "20MB"}, {"memory": "8Gi", "hugepages-2Mi": "9Gi"})) == 0
	count(messages({"shared_buffers": "8GB", "work_mem": "4MB", "huge_pages": "off"}, {"memory": "9Gi", "hugepages-2Mi": "9Gi"})) == 1
}

test_enough if findings({"shared_buffers": "4GB", "max_connections": "200", "work_mem": "16MB"}, {"memory": "16Gi"}) == set()

test_defaults_are_nobodys_mistake if {
	findings({}, {"memory": "512Mi"}) == set()
	findings({"shared_buffers": "128MB"}, {"memory": "512Mi"}) == set()
}

test_silent_without_limit if findings({"max_connections": "10000"}, {}) == set()

test_silent_when_a_value_is_refused if findings({"max_connections": "10000", "work_mem": "4 mega"}, {"memory": "1Gi"}) == set()

test_left_to_the_check_of_shared_buffers if findings({"shared_buffers": "4GB", "work_mem": "64MB"}, {"memory": "4Gi"}) == set()

test_on_a_machine if {
	found := check.findings with input as manifests.server("work_mem = 1GB", {"memory": "16Gi"})
	some f in found
	contains(f.message, "more than the machine's memory of 16Gi: the kernel then kills a process")
}
