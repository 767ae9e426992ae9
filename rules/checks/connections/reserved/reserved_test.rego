package walguard.checks.connections.reserved_test

import data.walguard.checks.connections.reserved as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_all_reserved if {
	findings({"max_connections": "10", "superuser_reserved_connections": "10"}) == {{
		"message": "max_connections=10, of which 10 are reserved (superuser_reserved_connections 10, reserved_connections 0): the server does not start. Reserve fewer, or set max_connections to 50.",
		"path": ["spec", "postgresql", "parameters", "superuser_reserved_connections"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_connections", "value": "50"}],
	}}
}

test_both_kinds if {
	findings({"max_connections": "10", "reserved_connections": "7"}) == {{
		"message": "max_connections=10, of which 10 are reserved (superuser_reserved_connections 3, reserved_connections 7): the server does not start. Reserve fewer, or set max_connections to 50.",
		"path": ["spec", "postgresql", "parameters", "reserved_connections"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_connections", "value": "50"}],
	}}
}

# memory/overcommit would refuse the work_mem of so many.
test_no_room_for_more if {
	{object.get(f, "fix", "none") | some f in findings({
		"max_connections": "10",
		"superuser_reserved_connections": "60",
		"work_mem": "1GB",
		"effective_cache_size": "12GB",
	})} == {"none"}
}

test_default_is_too_much if {
	{f.path[3] | some f in findings({"max_connections": "2"})} == {"max_connections"}
}

test_some_left if {
	findings({}) == set()
	findings({"max_connections": "11", "superuser_reserved_connections": "10"}) == set()
}

test_silent_when_a_value_is_refused if findings({"max_connections": "few", "superuser_reserved_connections": "90"}) == set()

test_silent_for_a_change_of_one_alone if {
	check.findings == set() with input as manifests.change({"superuser_reserved_connections": "200"})
}

zalando(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

test_replaced_by_patroni if {
	zalando({"max_connections": "10", "superuser_reserved_connections": "10"}) == set()
	count(zalando({"max_connections": "30", "superuser_reserved_connections": "30"})) == 1
}

# No max_connections that anybody should set holds so many.
test_far_too_many_reserved if {
	findings({"max_connections": "5500", "superuser_reserved_connections": "5500"}) == {{
		"message": "max_connections=5500, of which 5500 are reserved (superuser_reserved_connections 5500, reserved_connections 0): the server does not start. Reserve fewer.",
		"path": ["spec", "postgresql", "parameters", "superuser_reserved_connections"],
	}}
}

test_patroni_takes_25 if count(zalando({"max_connections": "25", "superuser_reserved_connections": "25"})) == 1
