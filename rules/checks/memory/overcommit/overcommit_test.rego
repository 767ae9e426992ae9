package walguard.checks.memory.overcommit_test

import data.walguard.checks.memory.overcommit as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"memory/overcommit": {"settings": {"backend_mib": 2, "busy_percent": 33, "warning_percent": 150, "unlimited_connections": 500}}}}}

findings(parameters, limits) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, {"resources": {"limits": limits}}))
}

messages(parameters, limits) := {f.message | some f in findings(parameters, limits)}

test_many_connections if {
	findings({"shared_buffers": "4GB", "max_connections": "1000", "work_mem": "64MB"}, {"memory": "16Gi"}) == {{
		"message": "Memory may reach 26.8GB in a busy hour; the limit is 16GB (shared_buffers 4GB, 1000 connections × 2MB, 330 busy × work_mem 64MB and 3 autovacuum workers × 64MB). Use a pooler and max_connections=200, or lower work_mem to 24MB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_connections"],
		"facts": {"autovacuum_bytes": 201326592, "autovacuum_worker_bytes": 67108864, "autovacuum_workers": 3, "backend_bytes": 2097152, "busy_connections": 330, "connections_bytes": 24243077120, "max_connections": 1000, "memory_limit_bytes": 17179869184, "shared_buffers_bytes": 4294967296, "total_bytes": 28739371008, "work_mem_bytes": 67108864},
		"related": [{"path": ["spec", "resources", "limits", "memory"], "message": "the memory limit"}, {"path": ["spec", "postgresql", "parameters", "work_mem"], "message": "work_mem"}],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/work_mem", "value": "24MB"}],
	}}
}

# Its primary has as many, and a standby with fewer does not start.
test_of_a_standby_the_connections_stay if {
	every replica in [{"enabled": true, "source": "elsewhere"}, {"primary": "elsewhere", "source": "elsewhere"}, {"self": "here", "primary": "elsewhere", "source": "elsewhere"}] {
		found := check.findings with input as object.union(settings, manifests.review({"max_connections": "1000", "work_mem": "64MB"}, {"replica": replica, "resources": {"limits": {"memory": "16Gi"}}}))
		{f.message | some f in found} == {"Memory may reach 22.9GB in a busy hour; the limit is 16GB (shared_buffers 128MB, 1000 connections × 2MB, 330 busy × work_mem 64MB and 3 autovacuum workers × 64MB). Lower work_mem to 32MB, or set a memory limit of 24Gi."}
	}
	every replica in [{"enabled": false, "source": "elsewhere"}, {"self": "here", "primary": "here", "source": "elsewhere"}] {
		found := check.findings with input as object.union(settings, manifests.review({"max_connections": "1000", "work_mem": "64MB"}, {"replica": replica, "resources": {"limits": {"memory": "16Gi"}}}))
		every f in found { contains(f.message, "max_connections=200") }
		count(found) == 1
	}
	too_small := check.findings with input as object.union(settings, manifests.review({"max_connections": "200", "shared_buffers": "100MB"}, {"replica": {"enabled": true}, "resources": {"limits": {"memory": "200Mi"}}}))
	every f in too_small { not contains(f.message, "max_connections") }
	without := check.findings with input as object.union(settings, manifests.review({"max_connections": "1000"}, {"replica": {"enabled": true}}))
	{f.message | some f in without} == {"Memory may reach 3.6GB in a busy hour (shared_buffers 128MB, 1000 connections × 2MB, 330 busy × work_mem 4MB and 3 autovacuum workers × 64MB), and the pods have no memory limit: the node runs out instead. Set a memory limit."}
}

test_no_connections_left if {
	messages({"maintenance_work_mem": "4GB", "autovacuum_work_mem": "8GB"}, {"memory": "16Gi"}) == {"Memory may reach 24.4GB in a busy hour; the limit is 16GB (shared_buffers 128MB, 100 connections × 2MB, 33 busy × work_mem 4MB and 3 autovacuum workers × 8GB). Lower autovacuum_work_mem to 5GB, or set a memory limit of 32Gi."}
	{f.path[3] | some f in findings({"maintenance_work_mem": "4GB", "autovacuum_work_mem": "8GB"}, {"memory": "16Gi"})} == {"maintenance_work_mem"}
}

test_huge_pages if {
	messages({"shared_buffers": "8GB", "max_connections": "600", "work_mem": "20MB"}, {"memory": "12Gi", "hugepages-2Mi": "9Gi"}) == set()
	count(messages({"shared_buffers": "8GB", "max_connections": "100", "work_mem": "20MB"}, {"memory": "8Gi", "hugepages-2Mi": "9Gi"})) == 0
	count(messages({"shared_buffers": "8GB", "work_mem": "5MB", "huge_pages": "off"}, {"memory": "8500Mi", "hugepages-2Mi": "9Gi"})) == 1
}

test_enough if findings({"shared_buffers": "4GB", "max_connections": "200", "work_mem": "16MB"}, {"memory": "16Gi"}) == set()

test_defaults_are_nobodys_mistake if {
	findings({}, {"memory": "512Mi"}) == set()
	findings({"shared_buffers": "128MB"}, {"memory": "512Mi"}) == set()
	findings({"shared_buffers": "256MB", "max_connections": "100", "work_mem": "4MB"}, {"memory": "512Mi"}) == set()
	count(findings({"shared_buffers": "256MB", "max_connections": "101"}, {"memory": "512Mi"})) == 1
}

severities(parameters, limits) := {f.severity | some f in findings(parameters, limits)}

# Two hundred connections of a small cluster: possible, and seldom so.
test_a_little_more_is_advice if {
	severities({"max_connections": "200", "work_mem": "8MB"}, {"memory": "1Gi"}) == {"info"}
	severities({"max_connections": "600", "work_mem": "16MB"}, {"memory": "2Gi"}) == {"warning"}
}

test_a_pooler_bounds_what_is_busy if {
	pooler := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "instances": 2, "pgbouncer": {"parameters": {"default_pool_size": "30"}}}}
	seen := {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"p": pooler}}}}}
	reviewed := object.union(settings, manifests.review({"shared_buffers": "4GB", "max_connections": "1000", "work_mem": "64MB"}, {"resources": {"limits": {"memory": "16Gi"}}}))
	check.findings == set() with input as object.union(reviewed, {"inventory": seen})
}

# 500 to 800 connections were silent as soon as the limit was left out.
test_without_limit if {
	findings({"shared_buffers": "256MB", "max_connections": "800"}, {}) == {{
		"message": "Memory may reach 3GB in a busy hour (shared_buffers 256MB, 800 connections × 2MB, 264 busy × work_mem 4MB and 3 autovacuum workers × 64MB), and the pods have no memory limit: the node runs out instead. Use a pooler with 100 to 200 connections, and set a memory limit.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "max_connections"],
		"facts": {"autovacuum_bytes": 201326592, "autovacuum_worker_bytes": 67108864, "autovacuum_workers": 3, "backend_bytes": 2097152, "busy_connections": 264, "connections_bytes": 2785017856, "max_connections": 800, "shared_buffers_bytes": 268435456, "total_bytes": 3254779904, "work_mem_bytes": 4194304},
	}}
	findings({"max_connections": "400"}, {}) == set()
}

test_without_limit_and_with_a_request_that_holds_it if {
	reviewed := manifests.review({"max_connections": "800"}, {"resources": {"requests": {"memory": "8Gi"}}})
	check.findings == set() with input as object.union(settings, reviewed)
}

test_silent_when_a_value_is_refused if findings({"max_connections": "10000", "work_mem": "4 mega"}, {"memory": "1Gi"}) == set()

test_left_to_the_check_of_shared_buffers if findings({"shared_buffers": "4GB", "work_mem": "64MB"}, {"memory": "4Gi"}) == set()

test_on_a_machine if {
	found := check.findings with input as manifests.server("work_mem = 1GB", {"memory": "16Gi"})
	some f in found
	contains(f.message, "; the machine is 16GB (")
}

test_without_limit_and_with_a_request_that_is_too_small if {
	reviewed := manifests.review({"max_connections": "800"}, {"resources": {"requests": {"memory": "512Mi"}}})
	found := check.findings with input as object.union(settings, reviewed)
	{f.severity | some f in found} == {"warning"}
	{f.message | some f in found} == {"Memory may reach 2.9GB in a busy hour (shared_buffers 128MB, 800 connections × 2MB, 264 busy × work_mem 4MB and 3 autovacuum workers × 64MB), and the pods have no memory limit and request 512Mi: the node runs out instead. Use a pooler with 100 to 200 connections, and set a memory limit."}
}

# A machine has no limit to raise, and neither part alone can be small enough.
test_machine_too_small_for_either_cure if {
	found := check.findings with input as object.union(settings, manifests.server("shared_buffers = 100MB\nmax_connections = 200", {"memory": "256Mi"}))
	{[f.message, object.get(f, "fix", "none")] | some f in found} == {[
		"Memory may reach 956MB in a busy hour; the machine is 256MB (shared_buffers 100MB, 200 connections × 2MB, 66 busy × work_mem 4MB and 3 autovacuum workers × 64MB). Lower work_mem and max_connections together.",
		"none",
	]}
}

# Behind poolers that open 200 connections 200 are too few.
test_what_the_poolers_open_has_to_fit if {
	every instances, offered in {1: true, 4: false} {
		pooler := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "instances": instances, "pgbouncer": {"parameters": {"default_pool_size": "50"}}}}
		reviewed := object.union(settings, manifests.review({"shared_buffers": "4GB", "max_connections": "1000", "work_mem": "64MB"}, {"resources": {"limits": {"memory": "8Gi"}}}))
		found := check.findings with input as object.union(reviewed, {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"p": pooler}}}}}})
		[contains(f.message, "se a pooler and max_connections=") | some f in found] == [offered]
	}
}

# They have to be lowered first, and what comes beside them is reported with that.
test_shared_buffers_above_the_limit if {
	messages({"shared_buffers": "16GB", "autovacuum_work_mem": "8GB"}, {"memory": "1Gi"}) == {"Memory may reach 24.6GB in a busy hour; the limit is 1GB (shared_buffers lowered to 256MB, 100 connections × 2MB, 33 busy × work_mem 4MB and 3 autovacuum workers × 8GB). Lower autovacuum_work_mem to 128MB, or set a memory limit of 32Gi."}
	messages({"shared_buffers": "16GB"}, {"memory": "1Gi"}) == set()
}

# Without a limit what the cache is said to be tells how large the machine is.
test_machine_that_the_cache_speaks_of if {
	large := {"shared_buffers": "16GB", "max_connections": "200", "work_mem": "1GB"}
	found := findings(object.union(large, {"effective_cache_size": "44GB"}), {})
	{f.severity | some f in found} == {"info"}
	{f.severity | some f in findings(object.union(large, {"effective_cache_size": "16GB"}), {})} == {"warning"}
	{f.message | some f in found} == {"66 busy of 200 connections × work_mem 1GB are 66GB, and effective_cache_size=44GB speaks of a machine with 58.7GB: the kernel kills the server in a busy hour. Lower work_mem to 384MB."}
	findings(large, {}) == set()
	part := check.findings with input as object.union(settings, {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"partial": true, "configuration": [{"file": "10-memory.conf", "text": "max_connections = 500\nwork_mem = 128MB\neffective_cache_size = 12GB\n"}]},
	}}})
	count(part) == 1
	findings(object.union(large, {"effective_cache_size": "192GB"}), {}) == set()
	{f.message | some f in findings(object.union(large, {"effective_cache_size": "44GB"}), {"memory": "256Gi"})} == set()
}

# One sort in each busy connection fills the limit.
test_sorts_alone if {
	{f.severity | some f in findings({"max_connections": "200", "work_mem": "64MB"}, {"memory": "4Gi"})} == {"warning"}
	{f.severity | some f in findings({"max_connections": "200", "work_mem": "56MB"}, {"memory": "4Gi"})} == {"info"}
}
