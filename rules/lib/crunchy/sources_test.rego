package walguard.lib.crunchy.sources_test

import data.walguard.operators.crunchy

object_of(named, metadata) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": object.union({"name": "orders", "namespace": "shop"}, metadata),
	"spec": {"postgresVersion": 17, "dataSource": {"postgresCluster": object.union({"repoName": "repo1"}, named)}},
}

cluster(name) := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": name, "namespace": "shop"}, "spec": {}}

among(review, names, complete) := found if {
	found := crunchy.cluster with input as {
		"review": review,
		"inventory": {"complete": complete, "namespace": {"shop": {"postgres-operator.crunchydata.com/v1beta1": {"PostgresCluster": {name: cluster(name) | some name in names}}}}},
	}
}

test_a_source_that_is_not_there if {
	among({"object": object_of({"clusterName": "hippo"}, {})}, ["other"], true).unresolved == [{
		"reason": "dataSource names PostgresCluster hippo, which is not in namespace shop: nothing is restored and no instance starts",
		"cure": "Take spec.dataSource out, or name a cluster that is there",
		"level": "warning",
		"path": ["spec", "dataSource", "postgresCluster", "clusterName"],
	}]
	count(among({"operation": "CREATE", "object": object_of({"clusterName": "hippo"}, {"creationTimestamp": "2026-01-02T03:04:05Z"})}, ["other"], true).unresolved) == 1
}

test_a_slip_of_the_pen if {
	among({"object": object_of({"clusterName": "hipppo"}, {})}, ["hippo"], false).unresolved == [{
		"reason": "dataSource names PostgresCluster hipppo, which is not there, while hippo is: nothing is restored and no instance starts",
		"cure": "Write hippo",
		"path": ["spec", "dataSource", "postgresCluster", "clusterName"],
	}]
}

test_from_itself if {
	among({"object": object_of({"clusterName": "orders"}, {})}, [], false).unresolved == [{
		"reason": "dataSource names PostgresCluster orders itself, which has no backup before it has data: nothing is restored and no instance starts",
		"cure": "Name the cluster to copy, restore by dataSource.pgbackrest, or take spec.dataSource out",
		"path": ["spec", "dataSource", "postgresCluster", "clusterName"],
	}]
}

# It is there, elsewhere, out of sight, not written yet, or was read when the cluster was created.
test_silent_when_unknown if {
	not among({"object": object_of({"clusterName": "hippo"}, {})}, ["hippo"], true).unresolved
	not among({"object": object_of({"clusterName": "hippo", "clusterNamespace": "old"}, {})}, ["other"], true).unresolved
	not among({"object": object_of({"clusterName": "hippo"}, {})}, ["other"], false).unresolved
	not among({"operation": "UPDATE", "object": object_of({"clusterName": "orders"}, {})}, ["orders"], true).unresolved
	not among({"object": object_of({"clusterName": "${SOURCE}"}, {})}, ["other"], true).unresolved
	not among({"object": object_of({}, {})}, ["other"], true).unresolved
	not among({"object": object_of({"clusterName": "hippo"}, {"creationTimestamp": "2026-01-02T03:04:05Z"})}, ["other"], true).unresolved
	not among({"operation": "UPDATE", "object": object_of({"clusterName": "hippo"}, {})}, ["other"], true).unresolved
}

moment(options) := among({"object": object_of({"clusterName": "hippo", "options": options}, {})}, [], false).recovery_target

test_the_moment_of_a_restore if {
	moment(["--type=time", "--target=\"2026-01-02T03:04:05+00\""]) == {"value": "2026-01-02 03:04:05+00", "origin": "written", "path": ["spec", "dataSource", "postgresCluster", "options"], "local": true}
	not moment(["--type=immediate"])
	not moment(["--target=2026-01-02 03:04:05+00"])
	not moment(["--type=time", "--target=${MOMENT}"])
}

alone(options) := [f.path | some f in object.get(among({"object": object_of({"clusterName": "hippo", "options": options}, {})}, ["hippo"], false), "ignored", [])]

test_a_set_without_a_type if {
	alone(["--set=20220608-135823F"]) == [["spec", "dataSource", "postgresCluster", "options"]]
	count(alone(["--set 20220608-135823F_20220609-135823I", "--log-level-console=info"])) == 1
	alone(["--set=20220608-135823F", "--type=immediate"]) == []
	alone(["--type=time", "--target=\"2022-06-08 14:00:00+00\"", "--set=20220608-135823F"]) == []
	alone(["--set=${SET}"]) == []
	alone([]) == []
}

aside(spec) := {setting.name | some setting in object.get(found, "ignored", [])} if {
	found := crunchy.cluster with input as {"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": object.union({"postgresVersion": 17}, spec)}}}
}

test_two_ways_of_a_source if {
	first := {"clusterName": "hippo", "repoName": "repo1"}
	second := {"stanza": "db", "repo": {"name": "repo1", "s3": {"bucket": "b"}}}
	aside({"dataSource": {"postgresCluster": first, "pgbackrest": second}}) == {"dataSource.pgbackrest"}
	aside({"dataSource": {"pgbackrest": second}}) == set()
	aside({"dataSource": {"postgresCluster": first, "pgbackrest": {}}}) == set()
}

dynamic(more) := {"patroni": {"dynamicConfiguration": object.union({"slots": {"warehouse": {"type": "logical", "database": "app", "plugin": "pgoutput"}}}, more)}}

# The operator's default is no slots.
test_slots_that_are_not_used if {
	aside(dynamic({})) == {"slots"}
	aside(dynamic({"postgresql": {"use_slots": false}})) == {"slots"}
	aside(dynamic({"postgresql": {"use_slots": true}})) == set()
	aside(dynamic({"postgresql": {"use_slots": "${SLOTS}"}})) == set()
	aside({"patroni": {"dynamicConfiguration": {"slots": {}}}}) == set()
}

apart(list, entry) := {[setting.level, setting.reason] | some setting in object.get(found, "ignored", [])} if {
	found := crunchy.cluster with input as {"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {
		"postgresVersion": 17,
		"instances": [{"name": "a", "affinity": {"podAntiAffinity": {list: entry}}}, {"name": "b"}],
	}}}}
}

pods_of(cluster_, set_) := {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"postgres-operator.crunchydata.com/cluster": cluster_, "postgres-operator.crunchydata.com/instance-set": set_}}}

test_kept_away_from_others if {
	required := "requiredDuringSchedulingIgnoredDuringExecution"
	preferred := "preferredDuringSchedulingIgnoredDuringExecution"
	strange := "it keeps away from pods with the label postgres-operator.crunchydata.com/cluster: hippo, and those of this set have orders"
	apart(required, [pods_of("hippo", "a")]) == {["warning", strange]}
	apart(preferred, [{"weight": 1, "podAffinityTerm": pods_of("hippo", "instance1")}]) == {["info", strange]}
	apart(required, [pods_of("orders", "instance1")]) == {["warning", "it keeps away from pods with the label postgres-operator.crunchydata.com/instance-set: instance1, and those of this set have a"]}

	# One of several terms is for these, another set, or not filled in.
	apart(required, [pods_of("hippo", "a"), pods_of("orders", "a")]) == set()
	apart(required, [pods_of("orders", "b")]) == set()
	apart(required, [pods_of("${NAME}", "a")]) == set()
	apart(required, [{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "x"}}}]) == set()
}
