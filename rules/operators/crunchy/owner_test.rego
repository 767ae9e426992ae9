package walguard.operators.crunchy_test

import data.walguard.operators.crunchy

made_of_percona(group, owner_spec, spec) := count([1 | crunchy.recognised with input as {
	"review": {"object": {
		"apiVersion": sprintf("%s/v1beta1", [group]),
		"kind": "PostgresCluster",
		"metadata": {"name": "db", "namespace": "shop", "ownerReferences": [{"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "name": "db", "uid": "1"}]},
		"spec": spec,
	}},
	"inventory": {"namespace": {"shop": {"pgv2.percona.com/v2": {"PerconaPGCluster": {"db": {
		"apiVersion": "pgv2.percona.com/v2",
		"kind": "PerconaPGCluster",
		"metadata": {"name": "db", "namespace": "shop"},
		"spec": owner_spec,
	}}}}}},
}]) == 0

patroni_says(part) := {"patroni": {"dynamicConfiguration": {"postgresql": part}}}

# Of files, which everybody writes.
test_what_its_owner_says_too if {
	lossy := patroni_says({"parameters": {"fsync": "off"}})
	made_of_percona("upstream.pgv2.percona.com", {}, {})
	made_of_percona("upstream.pgv2.percona.com", lossy, lossy)
	made_of_percona("upstream.pgv2.percona.com", {}, patroni_says({"parameters": {"fsync": "on", "jit": "off"}, "pg_hba": ["host all all all scram-sha-256"]}))
	not made_of_percona("upstream.pgv2.percona.com", {}, lossy)
	not made_of_percona("upstream.pgv2.percona.com", {}, {"config": {"parameters": {"fsync": "off"}}})
	not made_of_percona("upstream.pgv2.percona.com", {}, patroni_says({"pg_hba": ["host all all all trust"]}))
	made_of_percona("upstream.pgv2.percona.com", patroni_says({"pg_hba": ["host all all all trust"]}), patroni_says({"pg_hba": ["host all all all trust"]}))
}

test_group_of_releases if {
	made_of_percona("postgres-operator.crunchydata.com", {"crVersion": "2.7.0"}, {})
	not made_of_percona("postgres-operator.crunchydata.com", {"crVersion": "3.0.0"}, {})
	made_of_percona("upstream.pgv2.percona.com", {"crVersion": "3.0.0"}, {})
}
