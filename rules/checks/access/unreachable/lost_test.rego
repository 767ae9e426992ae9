package walguard.checks.access.unreachable_lost_test

import data.walguard.checks.access.unreachable as check

api := "postgresql.cnpg.io/v1"

found(spec, env, objects) := {[f.severity, f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {"apiVersion": api, "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": spec}},
		"inventory": {"namespace": {"shop": object.union(
			{"apps/v1": {"Deployment": {"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": name, "value": value} | some name, value in env]}]}}}}}}},
			objects,
		)}},
	}
}

disabled := {"instances": 3, "managed": {"services": {"disabledDefaultServices": ["ro"]}}}

test_service_that_leads_nowhere if {
	left_out := {["error", "Container app connects to Service pg-ro, which spec.managed.services leaves out: no connection succeeds. Take ro out of disabledDefaultServices."]}
	found(disabled, {"PGHOST": "pg-ro"}, {}) == left_out
	found(disabled, {"URL": "postgres://a:b@pg-ro.shop.svc:5432/app"}, {}) == left_out
	found({"instances": 1}, {"DB_READ_HOST": "pg-ro:5432"}, {}) == {["error", "Container app connects to Service pg-ro, which leads to standbys alone, and 1 instance has none: no connection succeeds. Write pg-rw, or run 2 instances or more."]}
}

test_service_that_leads_to_pods if {
	found(disabled, {"PGHOST": "pg-r"}, {}) == set()
	found(disabled, {"PGHOST": "pg-ro.other"}, {}) == set()
	found(disabled, {"NAME": "pg-ro"}, {}) == set()
	found({"instances": 3}, {"PGHOST": "pg-ro"}, {}) == set()
	found({"instances": "${INSTANCES}"}, {"PGHOST": "pg-ro"}, {}) == set()
	found({"instances": 3, "managed": {"services": {"disabledDefaultServices": ["ro"], "additional": [{"selectorType": "ro", "serviceTemplate": {"metadata": {"name": "pg-ro"}}}]}}}, {"PGHOST": "pg-ro"}, {}) == set()
	found(disabled, {"PGHOST": "pg-ro"}, {"v1": {"Service": {"pg-ro": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg-ro", "namespace": "shop"}, "spec": {"ports": [{"port": 5432}]}}}}}) == set()
}
