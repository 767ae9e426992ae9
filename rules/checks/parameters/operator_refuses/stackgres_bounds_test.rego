package walguard.checks.parameters.operator_refuses_stackgres_bounds_test

import data.walguard.checks.parameters.operator_refuses as check

object_of(kind, name, spec) := {"apiVersion": "stackgres.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

# Messages without who refuses.
said(spec, others) := {split(f.message, "refuses this resource: ")[1] |
	found := check.findings with input as {
		"review": {"object": object_of("SGCluster", "orders", object.union({"instances": 3, "postgres": {"version": "17.6"}, "pods": {"persistentVolume": {"size": "20Gi"}}}, spec))},
		"inventory": {"namespace": {"prod": object.union_n([{one.apiVersion: {one.kind: {one.metadata.name: one}}} | some one in others])}},
	}
	some f in found
}

test_autoscaling if {
	said({"autoscaling": {"mode": "horizontal", "minInstances": 2}}, []) == {"autoscaling of the mode horizontal has no maxInstances. Write maxInstances."}
	said({"autoscaling": {"mode": "vertical", "minAllowed": {}, "maxAllowed": {}}}, []) == set()
	said({"autoscaling": {"mode": "none"}}, []) == set()
	said({"autoscaling": {"mode": "all", "{{ bounds }}": 1}}, []) == set()
}

scripted(entry) := said({"managedSql": {"scripts": [{"sgScript": "s"}]}}, [object_of("SGScript", "s", {"scripts": [entry]})])

test_status_of_scripts if {
	scripted({"script": "SELECT 1", "storeStatusInDatabase": true}) == {"script 1 of SGScript s has storeStatusInDatabase and no wrapInTransaction. Write wrapInTransaction: read-committed."}
	scripted({"script": "SELECT 1", "storeStatusInDatabase": true, "wrapInTransaction": "serializable"}) == set()
	scripted({"script": "SELECT 1", "storeStatusInDatabase": false}) == set()
	scripted({"script": "SELECT 1", "storeStatusInDatabase": true, "{{ transaction }}": 1}) == set()
}

profiled(containers) := said({"sgInstanceProfile": "p"}, [object_of("SGInstanceProfile", "p", {"cpu": "1", "memory": "2Gi", "containers": containers})])

test_container_of_patroni if {
	profiled({"patroni": {"cpu": "1", "memory": "1Gi"}}) == {"SGInstanceProfile p has containers.patroni. Write cpu and memory of the profile itself, which are that container's."}
	profiled({"pgbouncer": {"cpu": "1", "memory": "1Gi"}}) == set()
}

pooled(sections) := said({"configurations": {"sgPoolingConfig": "p"}}, [object_of("SGPoolingConfig", "p", {"pgBouncer": {"pgbouncer.ini": sections}})])

test_options_of_pgbouncer if {
	pooled({"databases": {"shop": {"host": "10.0.0.1", "pool_size": 10}}}) == {"host is among the options of PgBouncer that an SGPoolingConfig does not take. Take it out: the operator writes it."}
	pooled({"users": {"shop": {"auth_type": "trust", "pool_mode": "session"}}}) == {"auth_type is among the options of PgBouncer that an SGPoolingConfig does not take. Take it out: the operator writes it."}
	pooled({"databases": {"shop": {"dbname": "shop"}}, "pgbouncer": {"listen_port": 6432}}) == set()
}
