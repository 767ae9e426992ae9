package walguard.checks.change.immutable_test

import data.walguard.checks.change.immutable as check

server(spec, claim) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union(
		{
			"template": {"spec": {"containers": [{"image": "postgres:17"}]}},
			"volumeClaimTemplates": [{"metadata": object.union({"name": "data"}, object.get(claim, "metadata", {})), "spec": object.get(claim, "spec", {})}],
		},
		spec,
	),
}

updated(old, new) := {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}

cure := "of a StatefulSet cannot be changed: the API server refuses the update. Write the old value, or first delete the StatefulSet with --cascade=orphan, which leaves pods and claims."

test_service_name if {
	check.findings == {{
		"message": sprintf("serviceName %s", [cure]),
		"path": ["spec", "serviceName"],
	}} with input as updated(server({"serviceName": "a"}, {}), server({"serviceName": "b"}, {}))
}

test_template if {
	check.findings == {{
		"message": sprintf("volumeClaimTemplates data %s", [cure]),
		"path": ["spec", "volumeClaimTemplates", 0],
	}} with input as updated(
		server({}, {"metadata": {"labels": {"chart": "pg-1"}}}),
		server({}, {"metadata": {"labels": {"chart": "pg-2"}}}),
	)
}

test_two if {
	found := check.findings with input as updated(server({"podManagementPolicy": "Parallel"}, {}), server({}, {"spec": {"storageClassName": "fast"}}))
	{startswith(f.message, "podManagementPolicy and volumeClaimTemplates data of") | some f in found} == {true}
}

test_what_may_change if {
	check.findings == set() with input as updated(server({"replicas": 1}, {"spec": {"volumeMode": "Filesystem"}}), server({"replicas": 2}, {}))
}

test_silent_without_the_old_one if {
	check.findings == set() with input as {"review": {"object": server({"serviceName": "a"}, {})}}
}
