package walguard.operators.polardb_test

import data.walguard.operators.polardb

resource(spec) := {"apiVersion": "mpd.polardb.aliyun.com/v1", "kind": "MPDCluster", "metadata": {"name": "ledger"}, "spec": spec}

read(object) := found if found := polardb.cluster with input as {"review": {"object": object}}

test_whole_cluster if {
	instances := {"value": 3, "origin": "written", "path": ["spec", "followerNum"]}
	read(resource({"followerNum": 2, "classInfo": {"className": "polar.o.x4.large", "cpu": "4000m", "memory": "16Gi", "iops": "9000"}})) == {
		"operator": "PolarDB Stack",
		"edition": "polardb",
		"name": "ledger",
		"namespace": "default",
		"partial": true,
		"torn_page_repair": true,
		"parameters": [],
		"parameters_path": [],
		"parameter_values": "any",
		"defaults": {},
		"managed": {},
		"instances": instances,
		"instance_sets": [{
			"name": "ledger",
			"path": ["spec"],
			"replicas": instances,
			"resources": {"requests": {}, "limits": {"cpu": "4000m", "memory": "16Gi"}},
			"resources_path": ["spec", "classInfo"],
			"resources_filled": true,
		}],
	}
}

test_hostile_values_are_no_facts if {
	every spec in ["x", {"followerNum": "many", "classInfo": ["4"]}, {"followerNum": {}, "classInfo": {"cpu": [], "memory": null}}] {
		cluster := read(resource(spec))
		not cluster.instances
		cluster.instance_sets[0].resources.limits == {}
	}
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "mpd.polardb.aliyun.com/v1", "kind": "MPDLocalVolume"})
	not read({"apiVersion": "example.com/v1", "kind": "MPDCluster"})
}

test_parameters_of_a_config_map if {
	written := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ledger-user-params"}, "data": {"lock_timeout": `{"name":"lock_timeout","value":"0","updateTime":"2021-09-29T07:28:59Z"}`, "x": "y"}}
	setting := {"name": "lock_timeout", "value": "0", "path": ["data", "lock_timeout"]}
	inventory := {"namespace": {"default": {"v1": {"ConfigMap": {"ledger-user-params": written}}, "mpd.polardb.aliyun.com/v1": {"MPDCluster": {"ledger": resource({})}}}}}

	changed := polardb.cluster with input as {"review": {"object": written}, "inventory": inventory}
	changed.change == true
	changed.name == "ledger"
	changed.parameters == [setting]

	whole := polardb.cluster with input as {"review": {"object": resource({})}, "inventory": inventory}
	whole.parameters == [object.union(setting, {"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "ledger-user-params"}})]

	not read(written)
}

# The operator takes the names of fields in any case.
test_parameters_in_capitals if {
	written := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ledger-user-params"}, "data": {"lock_timeout": `{"Name":"lock_timeout","VALUE":"0"}`}}
	inventory := {"namespace": {"default": {"mpd.polardb.aliyun.com/v1": {"MPDCluster": {"ledger": resource({})}}}}}
	found := polardb.cluster with input as {"review": {"object": written}, "inventory": inventory}
	[[one.name, one.value] | some one in found.parameters] == [["lock_timeout", "0"]]
}
