package walguard.operators.crunchy_upgrades_test

import data.walguard.operators.crunchy

reasons(spec, upgrade) := [fault.reason | some fault in object.get(found, "wrong_images", [])] if {
	found := crunchy.cluster with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "shop"}, "spec": object.union({"postgresVersion": 15}, spec)}},
		"inventory": {"namespace": {"shop": {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {"up": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PGUpgrade",
			"metadata": {"name": "up", "namespace": "shop"},
			"spec": object.union({"postgresClusterName": "hippo", "fromPostgresVersion": 15, "toPostgresVersion": 16, "image": "registry.developers.crunchydata.com/crunchydata/crunchy-upgrade:ubi8-5.3.0-0"}, upgrade),
		}}}}}},
	}
}

without_postgis := ["The image of PGUpgrade up has no PostGIS, which the cluster runs: pg_upgrade fails at databases that use it, while the cluster is shut down"]

test_postgis if {
	reasons({"postGISVersion": "3.3"}, {}) == without_postgis
	reasons({"image": "registry.developers.crunchydata.com/crunchydata/crunchy-postgres-gis:ubi8-15.6-3.3-0"}, {}) == without_postgis
}

# Without PostGIS, with an image of one's own, when it is over, of another cluster.
test_no_fault if {
	reasons({}, {}) == []
	reasons({"postGISVersion": "3.3"}, {"image": "registry.example.org/crunchy-upgrade-gis:1"}) == []
	reasons({"postGISVersion": "3.3", "postgresVersion": 16}, {}) == []
	reasons({"postGISVersion": "3.3"}, {"postgresClusterName": "rhino"}) == []
}

test_image_of_the_operator if {
	reasons({}, {"image": "registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi8-5.8.0-0"}) == ["The image registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi8-5.8.0-0 of PGUpgrade up is the operator's, which has no PostgreSQL: the upgrade fails while the cluster is shut down"]
}

waiting(metadata, spec, upgrade) := {fault.reason | some fault in object.get(found, "refusals", []); fault.by == "PGUpgrade up"} if {
	found := crunchy.cluster with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": object.union({"name": "hippo", "namespace": "shop"}, metadata), "spec": object.union({"postgresVersion": 15, "instances": [{}]}, spec)}},
		"inventory": {"namespace": {"shop": {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {"up": object.union(
			{
				"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
				"kind": "PGUpgrade",
				"metadata": {"name": "up", "namespace": "shop"},
				"spec": {"postgresClusterName": "hippo", "fromPostgresVersion": 15, "toPostgresVersion": 16},
			},
			upgrade,
		)}}}}},
	}
}

test_waits if {
	waiting({}, {}, {}) == {"it waits for the cluster's shutdown and annotation"}
	waiting({}, {"shutdown": true}, {}) == {"it waits for the cluster's annotation"}
	waiting({"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "up-14"}}, {"shutdown": true}, {}) == {"it waits for the cluster's annotation"}
	waiting({"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "up"}}, {"shutdown": false}, {}) == {"it waits for the cluster's shutdown"}
}

# Allowed, over, of another cluster or another version, or not filled in.
test_does_not_wait if {
	waiting({"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "up"}}, {"shutdown": true}, {}) == set()
	waiting({"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "${UPGRADE}"}}, {"shutdown": "${SHUTDOWN}"}, {}) == set()
	waiting({}, {}, {"status": {"conditions": [{"type": "Succeeded", "status": "True"}]}}) == set()
	waiting({}, {}, {"spec": {"postgresClusterName": "rhino", "fromPostgresVersion": 15, "toPostgresVersion": 16}}) == set()
	waiting({}, {"postgresVersion": 16}, {}) == set()
}

grave(allowed) := {fault.level | some fault in found.refusals; fault.by == "PGUpgrade up"} if {
	upgrade := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PGUpgrade", "spec": {"postgresClusterName": "hippo", "fromPostgresVersion": 15, "toPostgresVersion": 16}}
	found := crunchy.cluster with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": object.union({"name": "hippo", "namespace": "shop"}, allowed), "spec": {"postgresVersion": 15, "instances": [{}]}}},
		"inventory": {"namespace": {"shop": {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {name: object.union(upgrade, {"metadata": {"name": name, "namespace": "shop"}}) | some name in ["up", "later"]}}}}},
	}
}

# Another one that is there may come first, and without the annotation the step is still to come.
test_allowed_to_none if {
	grave({"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "upp"}}) == {"error"}
	every metadata in [{}, {"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "later"}}, {"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": ""}}, {"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "${UPGRADE}"}}] {
		grave(metadata) == {"warning"}
	}
}
