package walguard.operators.crunchy_images_test

import data.walguard.operators.crunchy

faults(spec, variables) := {[fault.reason, fault.path] | some fault in object.get(found, "wrong_images", [])} if {
	found := crunchy.cluster with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "shop"}, "spec": object.union({"postgresVersion": 17}, spec)}},
		"inventory": {"namespace": {"pgo": {"apps/v1": {"Deployment": {"pgo": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pgo", "namespace": "pgo"},
			"spec": {"template": {"spec": {"containers": [{"name": "operator", "image": "registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi9-5.8.2-0", "env": [{"name": name, "value": "an-image"} | some name in variables]}]}}},
		}}}}}},
	}
}

variables_of_operator := ["RELATED_IMAGE_POSTGRES_16", "RELATED_IMAGE_POSTGRES_17", "RELATED_IMAGE_POSTGRES_17_GIS_3.4", "RELATED_IMAGE_PGBACKREST"]

test_unnamed_images if {
	faults({"postgresVersion": 13}, variables_of_operator) == {["spec.image is missing, and the operator has none (RELATED_IMAGE_POSTGRES_13 of Deployment pgo/pgo): it goes no further (\"MissingRequiredImage\")", ["spec", "image"]]}
	{path | some [_, path] in faults({"postGISVersion": "3.3"}, variables_of_operator)} == {["spec", "image"]}
	{path | some [_, path] in faults({"proxy": {"pgBouncer": {}}}, variables_of_operator)} == {["spec", "proxy", "pgBouncer", "image"]}
}

# Named, known to the operator, shut down for an upgrade, or an operator whose variables are elsewhere.
test_named_images if {
	faults({}, variables_of_operator) == set()
	faults({"postGISVersion": "3.4"}, variables_of_operator) == set()
	faults({"postgresVersion": 13, "image": "registry.example.org/postgres:13"}, variables_of_operator) == set()
	faults({"postgresVersion": 13, "shutdown": true}, variables_of_operator) == set()
	faults({"postgresVersion": 13}, []) == set()
	faults({"postgresVersion": "${VERSION}"}, variables_of_operator) == set()
	faults({"postgresVersion": 13}, ["RELATED_IMAGE_POSTGRES_16", "${VARIABLE}"]) == set()
	faults({"backups": {"pgbackrest": {"repos": [{"name": "repo1"}]}}}, variables_of_operator) == set()
}

pgadmin(version, section) := {reason | some [reason, _] in faults({"postgresVersion": version, "userInterface": {"pgAdmin": section}}, [])}

test_pgadmin if {
	pgadmin(15, {}) == {"userInterface.pgAdmin is pgAdmin 4.30, which reads columns that PostgreSQL 15 no longer has: it opens no database"}
	count(pgadmin(17, {"image": "registry.developers.crunchydata.com/crunchydata/crunchy-pgadmin4:ubi8-4.30-31"})) == 1
	count(pgadmin(14, {"image": "registry.developers.crunchydata.com/crunchydata/crunchy-pgadmin4:ubi8-4.30-3"})) == 1
	pgadmin(14, {"image": "dpage/pgadmin4:8.12"}) == {"The image dpage/pgadmin4:8.12 is not Crunchy's pgAdmin 4.30, and the operator finds no program in it: its pod does not start"}
	pgadmin(14, {}) == set()
	pgadmin(17, {"image": "registry.example.org/pgadmin:8"}) == set()
	pgadmin("${VERSION}", {}) == set()
}

unseen(spec) := {fault.reason | some fault in object.get(found, "wrong_images", [])} if {
	found := crunchy.cluster with input as {"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "shop"}, "spec": spec}}}
}

# Where the operator is not in sight.
test_versions_of_former_operators if {
	unseen({"postgresVersion": 11}) == {"spec.image is missing, and PGO since 5.4 has none for PostgreSQL 11: it goes no further (\"MissingRequiredImage\")"}
	count(unseen({"postgresVersion": 13})) == 1
	unseen({"postgresVersion": 14}) == set()
	unseen({"postgresVersion": 11, "image": "registry.example.org/postgres:11"}) == set()
	unseen({"postgresVersion": 13, "shutdown": true}) == set()
}
