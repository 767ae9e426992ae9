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

long(name, instances, versions) := {[f.message, f.path, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "db-1d8a9b06-696d-4e3f-8db5", "namespace": "prod"}, "spec": {"postgresVersion": 16, "instances": instances}}},
		"inventory": {"namespace": {"prod": {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {"up": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PGUpgrade",
			"metadata": {"name": name, "namespace": "prod"},
			"spec": object.union({"postgresClusterName": "db-1d8a9b06-696d-4e3f-8db5", "fromPostgresVersion": 16, "toPostgresVersion": 17}, versions),
		}}}}}},
	}
	some f in found
}

test_names_of_jobs_of_an_upgrade if {
	two := [{"name": "one"}, {"name": "instance1", "replicas": 2}]
	long("db-1d8a9b06-696d-4e3f-8db5-1314upgrade", two, {}) == {[
		"The API server refuses this resource: a Job of the upgrade, named after it, the cluster and instance1, would have a name of 80 characters, and 63 are allowed, so that the cluster stays shut down. Give the PGUpgrade a name of 21 characters at most.",
		["metadata", "name"],
		"db-1d8a9b06-696d-4e3f-8db5-1314upgrade",
	]}
	alone := concat("", [sprintf("%d", [n]) | some n in numbers.range(30, 58)])
	{message | some [message, _, _] in long(alone, [{"name": "instance1"}], {})} == {"The API server refuses this resource: a Job of the upgrade, named after it alone, would have a name of 65 characters, and 63 are allowed, so that the cluster stays shut down. Give the PGUpgrade a name of 56 characters at most."}
	long("a-name-of-21-letters-", two, {}) == set()
	long("db-1d8a9b06-696d-4e3f-8db5-1314upgrade", [{"name": "instance1", "replicas": 1}], {}) == set()
	long("db-1d8a9b06-696d-4e3f-8db5-1314upgrade", [{"name": "${SET}", "replicas": 2}], {}) == set()
	long("db-1d8a9b06-696d-4e3f-8db5-${VERSION}upgrade", two, {}) == set()

	# It is over, and no name would do.
	long("db-1d8a9b06-696d-4e3f-8db5-1314upgrade", two, {"fromPostgresVersion": 15, "toPostgresVersion": 16}) == set()
	long("up", [{"name": "a-set-with-a-name-of-forty-four-characters-in", "replicas": 2}], {}) == set()
}

beside(version, kind, spec) := {[f.message, f.path] |
	found := check.findings with input as {"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}
	some f in found
	contains(f.message, "two containers")
}

twice(name, path) := {[sprintf("The API server refuses this resource: the pods would have two containers called %s (\"Duplicate value\"). Give the sidecar another name.", [name]), path]}

kinds := {"PostgresCluster": ["postgres-operator.crunchydata.com/v1beta1", "containers"], "PerconaPGCluster": ["pgv2.percona.com/v2", "sidecars"]}

repository := {"pgbackrest": {"repos": [{"name": "repo1"}]}}

test_containers_of_one_name if {
	every kind, how in kinds {
		[version, field] := how
		beside(version, kind, {"backups": repository, "instances": [{"name": "a"}, {"name": "b", field: [{"name": "exporter"}, {"name": "pgbackrest"}]}]}) == twice("pgbackrest", ["spec", "instances", 1, field, 1, "name"])
		beside(version, kind, {"instances": [{"name": "a", field: [{"name": "database"}]}]}) == twice("database", ["spec", "instances", 0, field, 0, "name"])
		beside(version, kind, {"instances": [{"name": "a", field: [{"name": "c"}, {"name": "c"}]}]}) == twice("c", ["spec", "instances", 0, field, 1, "name"])
		beside(version, kind, {"proxy": {"pgBouncer": {field: [{"name": "pgbouncer-config"}]}}}) == twice("pgbouncer-config", ["spec", "proxy", "pgBouncer", field, 0, "name"])

		# The repository's container is elsewhere, or there is none.
		beside(version, kind, {"backups": repository, "instances": [{"name": "a", field: [{"name": "exporter"}, {"name": "${NAME}"}, {"name": "${NAME}"}, {}]}]}) == set()
		beside(version, kind, {"instances": [{"name": "a", field: [{"name": "pgbackrest"}]}]}) == set()
	}
}
