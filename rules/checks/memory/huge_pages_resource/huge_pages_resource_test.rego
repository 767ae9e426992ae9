package walguard.checks.memory.huge_pages_resource_test

import data.walguard.checks.memory.huge_pages_resource as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, limits) := found if {
	found := check.findings with input as manifests.review(object.union({"shared_buffers": "4GB"}, parameters), {"resources": {"limits": limits}})
}

test_on_without_pages if {
	findings({"huge_pages": "on"}, {"memory": "16Gi"}) == {{
		"message": "huge_pages=on, and the pods may use none: the server does not start. Set hugepages-2Mi to 4256Mi in requests and limits.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "huge_pages"],
		"facts": {"advised_bytes": 4462739456, "huge_pages_bytes": 0, "least_bytes": 4385144832, "max_connections": 100, "shared_buffers_bytes": 4294967296},
	}}
}

test_on_with_too_few if {
	{[f.severity, f.message] | some f in findings({"huge_pages": "on"}, {"hugepages-2Mi": "4Gi"})} == {["error", "huge_pages=on, and the pods may use 4Gi of them: the server does not start. Set hugepages-2Mi to 4256Mi in requests and limits."]}
}

test_try_with_too_few if {
	{[f.severity, f.message] | some f in findings({}, {"hugepages-2Mi": "1Gi"})} == {["warning", "huge_pages=try (the default), and the pods may use 1Gi of them: too few for shared_buffers of 4GB, so that the server takes none of them, or ends with SIGBUS (runc before 1.1.10). Set hugepages-2Mi to 4256Mi in requests and limits, or set huge_pages to off."]}
}

test_off_with_pages if {
	{[f.severity, f.message] | some f in findings({"huge_pages": "off"}, {"hugepages-1Gi": "5Gi"})} == {["warning", "huge_pages=off, and the pods may use 5Gi of them: the node sets them aside, and they stay unused. Set huge_pages to try, or remove them from the resources."]}
}

test_enough if {
	findings({"huge_pages": "on"}, {"hugepages-2Mi": "4256Mi"}) == set()
	findings({"huge_pages": "on"}, {"hugepages-2Mi": "4182Mi"}) == set()
	count(findings({"huge_pages": "on"}, {"hugepages-2Mi": "4180Mi"})) == 1
	findings({}, {"hugepages-2Mi": "5Gi"}) == set()
}

test_nothing_asked_for if {
	findings({}, {"memory": "16Gi"}) == set()
	findings({"huge_pages": "off"}, {}) == set()
}

test_silent_for_a_change_alone if {
	check.findings == set() with input as manifests.change({"huge_pages": "on", "shared_buffers": "1GB"})
}

# Nobody states them.
test_on_a_machine if {
	found := check.findings with input as manifests.server("huge_pages = on", {"memory": "16Gi"})
	found == set()
}

# Spilo works out much of what nobody says, and says nothing of huge pages.
spilo(configuration, more) := {f.message | some f in found} if found := check.findings with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{
	"name": "postgres",
	"image": "ghcr.io/zalando/spilo-17:4.0-p3",
	"env": array.concat([{"name": "SPILO_CONFIGURATION", "value": sprintf("bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n%s", [configuration])}], more),
	"resources": {"requests": {"hugepages-2Mi": "256Mi"}, "limits": {"hugepages-2Mi": "256Mi"}},
}]}}}}}}

test_spilo if {
	spilo("        max_connections: 300\n        shared_buffers: 256MB\n", []) == {"huge_pages=try (the operator's default), and the pods may use 256Mi of them: too few for shared_buffers of 256MB, so that the server takes none of them, or ends with SIGBUS (runc before 1.1.10). Set hugepages-2Mi to 328Mi in requests and limits, or set huge_pages to off."}
	spilo("        max_connections: 300\n        shared_buffers: 128MB\n", []) == set()
	spilo("        max_connections: 300\n        shared_buffers: 256MB\n        huge_pages: off\n", []) == {"huge_pages=off, and the pods may use 256Mi of them: the node sets them aside, and they stay unused. Set huge_pages to try, or remove them from the resources."}
}

test_spilo_silent_when_unknown if {
	spilo("        max_connections: 300\n", []) == set()
	spilo("        max_connections: 300\n        shared_buffers: 256MB\n", [{"name": "PATRONI_CONFIGURATION", "valueFrom": {"secretKeyRef": {"name": "more", "key": "patroni"}}}]) == set()
}
