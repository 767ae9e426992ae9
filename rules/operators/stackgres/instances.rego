package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.text

facts contains {"unread": unread_sources} if count(unread_sources) > 0

facts contains {"instance_sets": instance_sets} if home

facts contains {"instance_sets": []} if not home

facts contains {"data_claims": sprintf(`^%s-data-%s-[0-9]+$`, [text.literal(cluster_name), text.literal(cluster_name)])} if home

facts contains {"major": major} if major

facts contains {"minor": at_home(fact.written(number, version_path))} if {
	number := image.minor_of(get.text_at(home, version_path), version_of_home)
}

facts contains {"instances": instances} if instances

facts contains {"segment": at_home({"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]})} if initialised

facts contains {"checksums": at_home(fact.operator(true, ["spec"]))} if initialised

facts contains {"synchronous": synchronous} if synchronous

facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	reviewed_cluster
	not sharded
	labels := {"app": "StackGresCluster", "stackgres.io/cluster-name": k8s.name, "stackgres.io/cluster": "true"}
}

facts contains {"reaches": shared.patroni_reaches(instances.value)} if reviewed_cluster

facts contains {"pooler": pooler} if home

facts contains {"archiving": archiving} if home

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"follows": at_home(fact.written(true, ["spec", "replicateFrom"]))} if get.present(home, ["spec", "replicateFrom"])

node_types(at) := machine.types(k8s.object, array.concat(at, ["pods", "scheduling", "nodeSelector"]), array.concat(at, ["pods", "scheduling", "nodeAffinity"])) if reviewed_cluster

instances := at_home(found) if found := shared.number_at(home, instances_path)

# Of each shard, which is a cluster of its own.
instances_path := array.concat(part, ["instances"]) if not sharded

instances_path := ["spec", "shards", "instancesPerCluster"] if {
	sharded
	part != ["spec", "coordinator"]
}

instances_path := ["spec", "coordinator", "instances"] if {
	sharded
	part == ["spec", "coordinator"]
}

whole_sets := [instance_set(cluster_name, part, instances_path)] if not sharded

whole_sets := [instance_set("coordinator", part, instances_path)] if part == ["spec", "coordinator"]

whole_sets := [instance_set("shards", ["spec", "shards"], instances_path)] if part[2] == "overrides"

whole_sets := [] if {
	sharded
	not other_part
}

instance_sets := array.concat(whole_sets, [set |
	sharded
	not other_part
	some [name, at, replicas_path] in [
		["shards", part, instances_path],
		["coordinator", ["spec", "coordinator"], ["spec", "coordinator", "instances"]],
	]
	configured_alike(at)
	set := instance_set(name, at, replicas_path)
])

# The parameters that are read are those of the shards, or of whoever names the resource under review.
configured_alike(at) if {
	reviewed_cluster
	at == part
}

configured_alike(["spec", "coordinator"]) if {
	reviewed_cluster
	not "the coordinator" in others
}

configured_alike(at) if {
	reviewed_change
	names_reviewed(home, at)
}

# An override alone names it.
configured_alike(at) if {
	reviewed_change
	at == part
	not names_reviewed(home, ["spec", "coordinator"])
}

instance_set(name, at, replicas_path) := at_home(object.union_n([
	{
		"name": name,
		"path": at,
		"resources_path": array.concat(at, ["sgInstanceProfile"]),
	},
	resources(at),
	{"replicas": at_home(found) | found := shared.number_at(home, replicas_path)},
	{"node_types": found | found := node_types(at)},
	{"data": volume | volume := data_volume(at)},
]))

profile(at) := get.map(named_by_home("SGInstanceProfile", array.concat(at, ["sgInstanceProfile"])), "spec")

resources(_) := {"resources": {"requests": {}, "limits": {}}} if unlimited

resources(at) := {"resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}}, "resources_filled": true} if {
	not unlimited
	not get.present(home, array.concat(at, ["sgInstanceProfile"]))
}

# The profile exists, or the operator refuses the cluster.
resources(at) := {"resources": {"requests": {}, "limits": {}}, "resources_filled": true} if {
	not unlimited
	get.present(home, array.concat(at, ["sgInstanceProfile"]))
	not profile(at)
}

resources(at) := {"resources": {"requests": object.union(sizes, amounts(get.map(found, "requests"))), "limits": object.union(sizes, huge)}} if {
	not unlimited
	found := profile(at)
	sizes := amounts(found)
	huge := object.filter(get.map(found, "hugePages"), {"hugepages-2Mi", "hugepages-1Gi"})
}

amounts(parent) := {name: text |
	some name in ["cpu", "memory"]
	text := get.text_at(parent, [name])
}

unlimited_path := ["spec", "nonProductionOptions", "disablePatroniResourceRequirements"]

unlimited if get.boolean(home, unlimited_path)

unlimited if {
	not get.present(home, unlimited_path)
	get.string(home, ["spec", "profile"]) == "development"
}

# What the shards say is meant for them alone.
mode_path := ["spec", "replication", "mode"] if not get.present(home, array.concat(part, ["replication", "mode"]))

mode_path := array.concat(part, ["replication", "mode"]) if get.present(home, array.concat(part, ["replication", "mode"]))

synchronous := at_home(fact.written(true, mode_path)) if {
	get.string(home, mode_path) in {"sync", "strict-sync", "sync-all", "strict-sync-all"}
}

synchronous := at_home(fact.written(false, mode_path)) if get.string(home, mode_path) == "async"

synchronous := at_home(fact.operator(false, mode_path)) if not get.present(home, mode_path)
