package walguard.checks.change.max_connections_lowered_test

import data.walguard.checks.change.max_connections_lowered as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

repmgr(connections, replicas) := workload(
	{"image": "docker.io/bitnami/postgresql-repmgr:17", "env": [{"name": "POSTGRESQL_MAX_CONNECTIONS", "value": connections}]},
	{"replicas": replicas},
	{},
)

test_lowered if {
	check.findings == {{
		"message": "max_connections goes from 500 to 200, and the standbys restart first: they stop until the primary has the lower value too. Restart the primary first, or keep 500.",
		"path": array.concat(in_container, ["env", 0, "value"]),
		"facts": {"old": 500, "new": 200},
	}} with input as updated(repmgr("500", 3), repmgr("200", 3))
}

test_not_reported if {
	check.findings == set() with input as updated(repmgr("200", 3), repmgr("500", 3))
	check.findings == set() with input as updated(repmgr("500", 1), repmgr("200", 1))
}

test_silent_without_both if {
	check.findings == set() with input as repmgr("200", 3)
	check.findings == set() with input as updated(workload({}, {"replicas": 3}, {}), workload({"args": ["-c", "max_connections=50"]}, {"replicas": 3}, {}))
}

cluster(parameters) := {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5", "postgresql": {"parameters": parameters}},
}}}

# CloudNativePG restarts the primary first where it sees that a limit is lowered.
test_removed_of_cloudnativepg if {
	check.findings == {{
		"message": "max_connections goes from 200 to 100, and the standbys restart first: they stop until the primary has the lower value too. Restart the primary first, or keep 200.",
		"path": ["spec", "postgresql", "parameters"],
		"facts": {"old": 200, "new": 100},
	}} with input as updated(cluster({"max_connections": "200"}), cluster({"jit": "off"}))
	check.findings == set() with input as updated(cluster({"max_connections": "200"}), cluster({"max_connections": "100"}))
	check.findings == set() with input as updated(cluster({"jit": "off"}), cluster({}))
}

supervised(parameters) := object.union(cluster(parameters), {"review": {"object": {"spec": {"primaryUpdateStrategy": "supervised"}}}})

# Whoever switches over before the primary has the lower limit gets it back below its own data.
test_lowered_under_supervision if {
	{f.message | some f in check.findings with input as updated(supervised({"max_connections": "200"}), supervised({"max_connections": "100"}))} == {"max_connections goes from 200 to 100, and the standbys restart first: they stop until the primary has the lower value too. Restart the primary first, or keep 200."}
	check.findings == set() with input as updated(supervised({"max_connections": "100"}), supervised({"max_connections": "200"}))
}
