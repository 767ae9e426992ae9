package walguard.operators.cnpg.plan_test

import data.walguard.operators.cnpg.plan

scheduled(name, spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "ScheduledBackup",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": object.union({"cluster": {"name": "orders"}}, spec),
}

reference(name) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "namespace": "prod", "name": name}

test_schedules if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"backup": {"barmanObjectStore": {}, "volumeSnapshot": {}}, "plugins": ["hostile", {"name": "p"}, {"name": "q", "enabled": false}]}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {
			"a": scheduled("a", {"schedule": "0 0 2 * * *"}),
			"b": scheduled("b", {"schedule": 5, "suspend": true, "method": "volumeSnapshot", "online": false}),
			"d": scheduled("d", {"method": "plugin", "pluginConfiguration": {"name": "p"}}),
			"e": scheduled("e", {"method": "plugin", "pluginConfiguration": {"name": "q"}}),
			"c": scheduled("c", {"schedule": "0 0 2 * * *", "cluster": {"name": "other"}}),
		}}}}},
	}
	found == [
		{"method": "full", "seconds": true, "path": ["spec", "schedule"], "resource": reference("a"), "needs_wal": true, "text": "0 0 2 * * *"},
		{"method": "full", "seconds": true, "path": ["spec", "schedule"], "resource": reference("b"), "needs_wal": false, "suspended": true, "snapshot": true},
		{"method": "full", "seconds": true, "path": ["spec", "schedule"], "resource": reference("d"), "needs_wal": true, "unscheduled": true, "deltas": true},
		{"method": "full", "seconds": true, "path": ["spec", "schedule"], "resource": reference("e"), "needs_wal": true, "unscheduled": true, "deltas": true, "unconfigured": "plugin", "method_path": ["spec", "method"]},
	]
}

# Argo CD's destination gives the namespace.
without_namespace(more) := count(found) if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"backup": {"barmanObjectStore": {}}}}},
		"inventory": {"namespace": object.union({"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"a": scheduled("a", {"schedule": "0 0 2 * * *"})}}}}, more)},
	}
}

test_namespace_left_to_others if {
	without_namespace({}) == 1
	without_namespace({"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"orders": {"metadata": {"name": "orders", "namespace": "prod"}}}}}}) == 0
}

test_nothing_is_configured if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {
			"a": scheduled("a", {}),
			"b": scheduled("b", {"method": "volumeSnapshot"}),
		}}}}},
	}
	[s.unconfigured | some s in found] == ["barmanObjectStore", "volumeSnapshot"]
	[s.method_path | some s in found] == [["spec"], ["spec", "method"]]
}

# A method or a plugin that is filled in later may be one that the cluster has.
test_what_is_filled_in_later_may_be_configured if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"plugins": [{"name": "${PLUGIN}"}]}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {
			"a": scheduled("a", {"method": "${METHOD}"}),
			"aa": scheduled("aa", {"method": "${METHOD:=volumeSnapshot}"}),
			"b": scheduled("b", {"method": "plugin", "pluginConfiguration": {"name": "p"}}),
			"c": scheduled("c", {"method": "unheard-of"}),
		}}}}},
	}
	[object.get(s, "unconfigured", "") | some s in found] == ["", "", "", "unheard-of"]
}

# The sidecar of pgBackRest knows its own instance alone.
test_backups_of_a_standby_by_pgbackrest if {
	doomed({"instances": 2}, {}) == true
	doomed({"instances": 1}, {}) == false
	doomed({"instances": 2, "backup": {"target": "primary"}}, {}) == false
	doomed({"instances": 2}, {"target": "primary"}) == false
	doomed({"instances": 2}, {"pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}}) == false
}

doomed(spec, fields) := count([1 | some s in found; s.doomed]) == 1 if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"a": scheduled("a", object.union({"schedule": "0 0 2 * * *", "method": "plugin", "pluginConfiguration": {"name": "pgbackrest.dalibo.com"}}, fields))}}}}},
	}
}

hibernating(annotations) := object.filter(found[0], ["asleep", "doomed"]) if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod", "annotations": annotations}, "spec": {}}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": {"a": scheduled("a", {"schedule": "0 0 2 * * *"})}}}}},
	}
}

test_hibernated if {
	hibernating({"cnpg.io/hibernation": "on"}) == {"asleep": true, "doomed": {"reason": "the cluster is hibernated (cnpg.io/hibernation: on)", "cure": "Set suspend: true until it is woken", "level": "warning"}}
	hibernating({"cnpg.io/hibernation": "off"}) == {}
	hibernating({}) == {}
}
