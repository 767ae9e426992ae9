package walguard.checks.memory.best_effort_test

import data.walguard.checks.memory.best_effort as check
import data.walguard.lib.manifest_test as manifests

findings(spec) := found if found := check.findings with input as manifests.review({}, spec)

# With a schedule of its backups, suspended or not.
scheduled(spec, suspended) := found if {
	review := manifests.review({}, spec)
	cluster := review.review.object
	schedule := {
		"apiVersion": cluster.apiVersion,
		"kind": "ScheduledBackup",
		"metadata": {"name": "daily", "namespace": cluster.metadata.namespace},
		"spec": {"cluster": {"name": cluster.metadata.name}, "schedule": "0 0 2 * * *", "suspend": suspended},
	}
	inventory := {"namespace": {cluster.metadata.namespace: {cluster.apiVersion: {"ScheduledBackup": {"daily": schedule}}}}}
	found := check.findings with input as object.union(review, {"inventory": inventory})
}

archived := {"backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}

test_nothing if {
	scheduled(archived, false) == {{
		"message": "No CPU or memory is requested: the pods are the first to be evicted and killed when their node runs short. Set requests of both, and a memory limit equal to its request.",
		"severity": "warning",
		"path": ["spec", "resources"],
	}}
}

test_a_sample_is_advised if {
	{f.severity | some f in findings({})} == {"info"}
	{f.severity | some f in findings(archived)} == {"info"}
	{f.severity | some f in scheduled(archived, true)} == {"info"}
	{f.severity | some f in scheduled(object.union(archived, {"instances": 1}), false)} == {"info"}
}

test_something if {
	findings(object.union(archived, {"resources": {"requests": {"cpu": "1"}}})) == set()
	findings(object.union(archived, {"resources": {"limits": {"memory": "1Gi"}}})) == set()
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.change({"fsync": "on"})
	check.findings == set() with input as manifests.server("fsync = on", {})
}

# What the API server fills in.
test_limit_range_of_the_namespace if {
	every item in [{"default": {"memory": "1Gi"}}, {"default": {"memory": "${LIMIT}"}}, {"max": {"memory": "64Gi"}}] {
		with_range(object.union({"type": "Container"}, item)) == set()
	}
	every item in [{"type": "Container", "default": {"ephemeral-storage": "1Gi"}}, {"type": "Pod", "max": {"memory": "64Gi"}}] {
		count(with_range(item)) == 1
	}
}

with_range(item) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1, "resources": {}}}},
		"inventory": {"namespace": {"prod": {"v1": {"LimitRange": {"all": {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "all", "namespace": "prod"}, "spec": {"limits": [item]}}}}}}},
	}
}

pooled(resources, template) := found if {
	review := manifests.review({}, {"resources": resources})
	cluster := review.review.object
	pooler := {
		"apiVersion": cluster.apiVersion,
		"kind": "Pooler",
		"metadata": {"name": "orders-rw", "namespace": cluster.metadata.namespace},
		"spec": object.union({"cluster": {"name": cluster.metadata.name}}, template),
	}
	found := check.findings with input as object.union(review, {"inventory": {"namespace": {cluster.metadata.namespace: {cluster.apiVersion: {"Pooler": {"orders-rw": pooler}}}}}})
}

of_pgbouncer(container) := {"template": {"spec": {"containers": [object.union({"name": "pgbouncer"}, container)]}}}

test_pooler if {
	pooled({"requests": {"memory": "4Gi"}}, {}) == {{
		"message": "Pooler orders-rw asks for no CPU or memory: its pods are evicted before the servers when their node runs short, and the connections of all clients go with them. Set resources of container pgbouncer in its template.",
		"path": ["spec"],
		"severity": "info",
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "namespace": "prod", "name": "orders-rw"},
	}}
	count(pooled({"limits": {"memory": "4Gi"}}, of_pgbouncer({}))) == 1
	pooled({"requests": {"memory": "4Gi"}}, of_pgbouncer({"resources": {"requests": {"memory": "64Mi"}}})) == set()
	pooled({"requests": {"memory": "4Gi"}}, of_pgbouncer({"resources": "${RESOURCES}"})) == set()
	pooled({"requests": {"memory": "4Gi"}}, {"template": {"spec": {"containers": [], "resources": {"requests": {"memory": "64Mi"}}}}}) == set()
	pooled({"requests": {"memory": "4Gi"}}, {"template": "${TEMPLATE}"}) == set()
	count(pooled({}, {})) == 1
}
