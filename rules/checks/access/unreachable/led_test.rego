package walguard.checks.access.unreachable_led_test

import data.walguard.checks.access.unreachable as check

# The Service has the server's port, and no other container of the pod does.
led(containers) := {f.severity | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"metadata": {"labels": {"app": "orders"}}, "spec": {"containers": array.concat([{"name": "db", "image": "postgres:17", "args": ["-c", "listen_addresses=localhost"]}], containers)}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"Service": {"orders": {"metadata": {"name": "orders"}, "spec": {"selector": {"app": "orders"}, "ports": [{"port": 5432, "targetPort": 5432}]}}}}}}},
	}
}

test_a_service_to_its_port_makes_an_error if {
	led([]) == {"error"}
	led([{"name": "proxy", "image": "proxy:1", "ports": [{"containerPort": 5432}]}]) == set()
}
