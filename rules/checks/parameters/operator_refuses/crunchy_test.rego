package walguard.checks.parameters.operator_refuses_crunchy_test

import data.walguard.checks.parameters.operator_refuses as check

crunchy(spec) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"postgresVersion": 17, "instances": [{"name": "main", "dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}]}, spec),
	}}}
}

allowed(options) := crunchy({"users": [{"name": "app", "databases": ["app"], "options": options}]})

test_options_of_users if {
	allowed("CREATEDATABASE NOSUPERUSER") == {"PostgreSQL refuses this resource: the options of user app have the word CREATEDATABASE, which ALTER ROLE does not read, so that no user is created or changed. Write words such as CREATEDB, CREATEROLE or CONNECTION LIMIT 10, with spaces between them."}
	allowed("CREATEDB, CREATEROLE") == {"PostgreSQL refuses this resource: the options of user app have the word CREATEDB,, which ALTER ROLE does not read, so that no user is created or changed. Write words such as CREATEDB, CREATEROLE or CONNECTION LIMIT 10, with spaces between them."}
	allowed("CREATEDB -- for tests") == {"PostgreSQL refuses this resource: the options of user app have a comment, which the operator does not allow, so that no user is created or changed. Write words such as CREATEDB, CREATEROLE or CONNECTION LIMIT 10, with spaces between them."}
	every options in ["", " ", "CREATEDB  nologin", "CONNECTION LIMIT 10 BYPASSRLS", "VALID UNTIL '2030-01-01 00:00' REPLICATION", "${OPTIONS}", "NOINHERIT CONNECTION LIMIT -1"] {
		allowed(options) == set()
	}
}

test_port_of_a_node if {
	crunchy({"service": {"type": "ClusterIP", "nodePort": 32000}}) == {"Crunchy Postgres for Kubernetes refuses this resource: spec.service has a nodePort and type ClusterIP (\"NodePort cannot be set with type ClusterIP\"), and the operator goes no further. Set type: NodePort or LoadBalancer, or leave nodePort out."}
	every service in [{"type": "NodePort", "nodePort": 32000}, {"type": "${TYPE}", "nodePort": 32000}, {"type": "ClusterIP"}] {
		crunchy({"service": service}) == set()
	}
}

upgraded(former, later) := {[f.message, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 16, "instances": [{"name": "main"}]}}},
		"inventory": {"namespace": {"prod": {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {"up": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PGUpgrade",
			"metadata": {"name": "up", "namespace": "prod"},
			"spec": {"postgresClusterName": "orders", "fromPostgresVersion": former, "toPostgresVersion": later},
		}}}}}},
	}
	some f in found
}

test_upgrade_of_another_version if {
	upgraded(15, 17) == {["PGUpgrade up refuses this resource: it is from PostgreSQL 15, and the cluster has 16, so that the upgrade never begins. Write fromPostgresVersion: 16.", "up"]}
	upgraded(17, 16) == {["PGUpgrade up refuses this resource: it is from PostgreSQL 17 to 16, which is no upgrade. Write a later version in toPostgresVersion.", "up"]}
	upgraded(16, 17) == set()

	# It is over.
	upgraded(15, 16) == set()
	upgraded("${FROM}", 17) == set()
}
