package walguard.lib.dcs_test

import data.walguard.lib.dcs

found(annotations) := parameters if {
	parameters := dcs.parameters("orders") with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"orders-config": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orders-config", "namespace": "shop", "annotations": annotations}}}}}}},
	}
}

test_parameters if {
	found({"config": `{"ttl": 30, "postgresql": {"parameters": {"fsync": "off"}}}`}) == [{
		"name": "fsync",
		"value": "off",
		"path": ["metadata", "annotations", "config"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "orders-config"},
	}]
}

test_nothing if {
	every annotations in [{}, {"config": "{"}, {"config": "{}"}, {"config": `{"postgresql": []}`}] {
		found(annotations) == []
	}
}

test_recovery if {
	[setting.name | some setting in found({"config": `{"postgresql": {"recovery_conf": {"fsync": "off", "restore_command": "true"}}}`})] == ["fsync"]
}

unread(text) := found if {
	found := {place.severity | some place in dcs.unread("orders")} with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}}},
		"inventory": {"complete": true, "namespace": {"shop": {"v1": {"ConfigMap": {"orders-config": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orders-config", "namespace": "shop", "annotations": {"config": text}}}}}}}},
	}
}

test_unread if {
	every text in [`{"postgresql": {"custom_conf": "/tmp/a"}}`, `{"postgresql": {"pre_promote": "echo fsync=off >> postgresql.auto.conf"}}`, `{"standby_cluster": {"restore_command": "echo a >> postgresql.auto.conf"}}`] {
		unread(text) == {"warning"}
	}
	every text in ["{", "[]", `{"ttl": 30}`, `{"postgresql": {"parameters": {"archive_command": "cp %p /a/%f"}}, "standby_cluster": {"restore_command": "cp /a/%f %p"}}`] {
		unread(text) == set()
	}
}
