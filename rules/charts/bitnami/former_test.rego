package walguard.charts.former_test

import data.walguard.charts

release(spec, values) := {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"chart": {"spec": object.union({"chart": "postgresql", "sourceRef": {"name": "bitnami"}}, spec)}, "values": values}}

# What is said of the StatefulSets, with where it was written.
unread(spec, values) := {name: {"now": now, "to": [path.to | some path in part.paths; path.from == ["metadata", "annotations", name]]} |
	found := charts.rendered with input as {"review": {"object": release(spec, values)}}
	some part in found
	part.object.kind == "StatefulSet"
	some name, now in object.get(part.object, ["metadata", "annotations"], {})
	startswith(name, "charts.walguard.dev/former.")
}

modern := {"version": "16.7.27"}

test_names_of_before_11 if {
	unread(modern, {"postgresqlUsername": "shop", "postgresqlPassword": "hidden", "persistence": {"size": "20Gi"}, "replication": {"enabled": true}}) == {
		"charts.walguard.dev/former.postgresqlUsername": {"now": "auth.username=shop", "to": [["spec", "values", "postgresqlUsername"]]},
		"charts.walguard.dev/former.postgresqlPassword": {"now": "auth.password", "to": [["spec", "values", "postgresqlPassword"]]},
		"charts.walguard.dev/former.persistence": {"now": "primary.persistence", "to": [["spec", "values", "persistence"]]},
		"charts.walguard.dev/former.replication.enabled": {"now": "architecture: replication", "to": [["spec", "values", "replication", "enabled"]]},
	}
	object.keys(unread({"version": "11.0.0"}, {"existingSecret": "s"})) == {"charts.walguard.dev/former.existingSecret"}
}

test_nothing_lost if {
	unread({"version": "10.16.2"}, {"postgresqlUsername": "shop", "persistence": {"size": "20Gi"}}) == {}
	unread({}, {"postgresqlUsername": "shop", "persistence": {"size": "20Gi"}}) == {}
	unread(modern, {"postgresqlUsername": "postgres", "persistence": {}, "replication": {"enabled": false, "numSynchronousReplicas": 1}}) == {}
	unread(modern, {"postgresqlUsername": "shop", "auth": {"username": "shop"}}) == {}
	unread(object.union(modern, {"chart": "postgresql-ha"}), {"persistence": {"size": "20Gi"}, "existingSecret": "s"}) == {}
}

# What it passes over it does not take.
test_passed_over if {
	found := charts.rendered with input as {"review": {"object": release(modern, {"postgresqlDatabase": "shop", "existingSecret": "s", "global": {"postgresql": {"existingSecret": "s"}}})}}
	{part.object.metadata.name | some part in found; part.object.kind == "Secret"} == {"pg-postgresql"}
	not contains(json.marshal(found), "POSTGRES_DATABASE")
}
