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
