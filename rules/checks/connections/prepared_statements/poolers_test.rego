package walguard.checks.connections.prepared_statements_poolers_test

import data.walguard.checks.connections.prepared_statements as check

# Poolers of operators, which do not follow prepared statements where their image or their parameters say so.
web(host) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{
	"name": "web",
	"image": "web:1",
	"env": [{"name": "DATABASE_URL", "value": sprintf("postgresql+asyncpg://app:x@%s:5432/app", [host])}],
}]}}}}

cnpg(parameters, template) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2}}},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"Deployment": {"web": web("pool")}},
			"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
				"apiVersion": "postgresql.cnpg.io/v1",
				"kind": "Pooler",
				"metadata": {"name": "pool", "namespace": "prod"},
				"spec": object.union(template, {"cluster": {"name": "orders"}, "pgbouncer": {"poolMode": "transaction", "parameters": parameters}}),
			}}},
		}}},
	}
	some f in found
}

of_image(reference) := {"template": {"spec": {"containers": [{"name": "pgbouncer", "image": reference}]}}}

fault(cure) := {sprintf("Deployment web prepares statements (asyncpg), and PgBouncer does not follow them with pool_mode transaction: \"prepared statement does not exist\". %s, or set statement_cache_size=0 in the client.", [cure])}

test_pooler_of_cnpg if {
	cnpg({"max_prepared_statements": "0"}, {}) == fault("Set max_prepared_statements to 200")
	cnpg({}, of_image("ghcr.io/cloudnative-pg/pgbouncer:1.23.0")) == fault("Set max_prepared_statements to 200")
	cnpg({}, of_image("ghcr.io/cloudnative-pg/pgbouncer:1.19.1")) == fault("Take PgBouncer 1.24 or newer")
}

test_pooler_of_cnpg_that_follows if {
	cnpg({}, {}) == set()
	cnpg({"max_prepared_statements": "100"}, of_image("ghcr.io/cloudnative-pg/pgbouncer:1.23.0")) == set()
	cnpg({}, of_image("ghcr.io/cloudnative-pg/pgbouncer:1.24.1")) == set()
	cnpg({"max_prepared_statements": "${N}"}, {}) == set()
}

of_crunchy(kind, group, image, settings) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": group, "kind": kind, "metadata": {"name": "hippo", "namespace": "prod"}, "spec": {
			"postgresVersion": 16,
			"instances": [{"dataVolumeClaimSpec": {}}],
			"proxy": {"pgBouncer": {"image": image, "config": {"global": object.union({"pool_mode": "transaction"}, settings)}}},
		}}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": web("hippo-pgbouncer")}}}}},
	}
	some f in found
}

test_pooler_of_crunchy if {
	pgo := {"kind": "PostgresCluster", "group": "postgres-operator.crunchydata.com/v1beta1", "image": "registry.developers.crunchydata.com/crunchydata/crunchy-pgbouncer:ubi8-1.22-1"}
	of_crunchy(pgo.kind, pgo.group, pgo.image, {}) == fault("Set max_prepared_statements to 200")
	of_crunchy(pgo.kind, pgo.group, pgo.image, {"max_prepared_statements": "200"}) == set()
	of_crunchy(pgo.kind, pgo.group, "registry.developers.crunchydata.com/crunchydata/crunchy-pgbouncer:ubi9-1.25-0", {}) == set()
	of_crunchy("PerconaPGCluster", "pgv2.percona.com/v2", "percona/percona-postgresql-operator:2.5.0-ppg16.4-pgbouncer1.23.1", {}) == fault("Set max_prepared_statements to 200")
	of_crunchy("PerconaPGCluster", "pgv2.percona.com/v2", "percona/percona-pgbouncer:1.24.1", {}) == set()
}
