package walguard.operators.kubeblocks

import data.walguard.lib.affinity
import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.operators.kubeblocks.changes

facts contains {"major": at_home(major)} if major

facts contains {"minor": at_home(fact.written(number, array.concat(component_path, ["serviceVersion"])))} if {
	number := image.minor_of(service_version, major.value)
}

facts contains {"instances": instances} if instances

# The ComponentDefinition calls initdb, without a segment size; that of the addon postgresql asks for checksums.
facts contains {"segment": at_home({"value": 16, "unit": "MB", "origin": "operator", "path": component_path})} if component.path

facts contains {"checksums": at_home(fact.operator(true, component_path))} if {
	component.addon == "postgresql"
	component.path
}

facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	reviewed_cluster
	not reviewed_component
	component_name
	not sharding
	labels := {
		"app.kubernetes.io/managed-by": "kubeblocks",
		"app.kubernetes.io/instance": k8s.name,
		"apps.kubeblocks.io/component-name": component_name,
	}
}

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

# The addon runs PgBouncer beside every instance.
facts contains {"pooler": at_home(fact.operator(true, component_path))} if {
	component.addon == "postgresql"
	component.path
}

# A component's own policy takes the place of the Cluster's.
node_types := machine.types(k8s.object, array.concat(scheduling_path, ["nodeSelector"]), array.concat(scheduling_path, ["affinity", "nodeAffinity"])) if reviewed_cluster

facts contains {"pod_lists": pod_lists} if count(pod_lists) > 0

pod_lists := [path |
	reviewed_cluster
	some at in [["spec", "schedulingPolicy"], array.concat(component_path, ["schedulingPolicy"])]
	some name in ["tolerations", "topologySpreadConstraints"]
	path := array.concat(at, [name])
	get.present(k8s.object, path)
]

facts contains {"affinities": affinities} if count(affinities) > 0

affinities := [section |
	reviewed_cluster
	some path in array.concat([["spec", "schedulingPolicy", "affinity"]], [array.concat(component_path, ["schedulingPolicy", "affinity"])])
	get.present(k8s.object, path)
	some section in affinity.sections(k8s.object, path)
]

scheduling_path := array.concat(component_path, ["schedulingPolicy"]) if is_object(object.get(component_spec, "schedulingPolicy", null))

scheduling_path := ["spec", "schedulingPolicy"] if not is_object(object.get(component_spec, "schedulingPolicy", null))

# Of these the template is not known: what nobody writes is neither the operator's nor PostgreSQL's default.
partial if not component

partial if component.addon in {"orioledb", "supabase", "apecloud-postgresql"}

# ---------------------------------------------------------------------------------------------- instances, volumes

# What an OpsRequest under review makes of this component, by field; of two of a field the last one.
scaled[field] := last if {
	some field in ["data", "resources", "replicas", "added"]
	found := [change | some change in changes.scaled; change.field == field; change.component == component_name]
	last := found[count(found) - 1]
}

instances := fact.written(scaled.replicas.value, scaled.replicas.path) if scaled.replicas

# No component is scaled in to less than nothing.
instances := fact.written(max([0, own_instances.value + scaled.added.value]), scaled.added.path) if {
	not scaled.replicas
	scaled.added
}

instances := at_home(own_instances) if {
	not scaled.replicas
	not scaled.added
}

own_instances := shared.number_at(home, array.concat(component_path, ["replicas"]))

own_instances := fact.operator(1, array.concat(component_path, ["replicas"])) if not get.present(component_spec, "replicas")

# Releases before 0.9 had a shorthand for one component.
own_instances := shared.number_at(home, ["spec", "replicas"]) if not component.path

base_path := component_path

base_path := ["spec"] if not component.path

resources_place := object.union({"resources_path": array.concat(base_path, ["resources"])}, home_reference) if not scaled.resources

resources_place := {"resources_path": scaled.resources.path} if scaled.resources

base_resources := shared.resources(home, array.concat(base_path, ["resources"])) if {
	home
	not scaled.resources
}

# The operator puts them in the place of all that was there.
base_resources := scaled.resources.value if scaled.resources

# The instances that differ, then the rest of the component.
instance_sets := array.concat(base_set, differing_sets)

templates := [{"index": i, "template": t, "replicas": n} |
	some i, t in get.list(component_spec, "instances")
	is_object(t)
	some n in [m | some m in [shared.whole(object.get(t, "replicas", 1))]]
]

differing := sum([t.replicas | some t in templates])

base_set := [set] if {
	has_base_set
	set := object.union_n([
		{"name": set_name, "path": base_path, "resources": base_resources},
		{"replicas": object.union(instances, {"value": remaining}) | instances},
		{"node_types": found | found := node_types},
		{"data": volume | volume := data_volume},
		resources_place,
	])
}

base_set := [] if not has_base_set

has_base_set if {
	component
	remaining > 0
}

remaining := instances.value - differing

remaining := 1 if not instances

set_name := component_name

set_name := cluster_name if not component_name

differing_sets := [set |
	component
	some t in templates
	path := array.concat(component_path, ["instances", t.index])
	set := object.union_n([
		{
			"name": template_name(t.template),
			"path": path,
			"replicas": at_home({"value": t.replicas, "origin": "written", "path": array.concat(path, ["replicas"])}),
		},
		template_resources(t.template, path),
		{"data": volume | some volume in template_volume(t.template, path)},
	])
]

template_name(t) := get.string(t, "name")

template_name(t) := set_name if not get.string(t, "name")

template_resources(t, path) := object.union(
	{
		"resources": shared.resources(home, array.concat(path, ["resources"])),
		"resources_path": array.concat(path, ["resources"]),
	},
	home_reference,
) if {
	get.present(t, "resources")
}

template_resources(t, _) := object.union({"resources": base_resources}, resources_place) if not get.present(t, "resources")

template_volume(_, path) := [claim_of(path)]

template_volume(_, path) := [volume | volume := data_volume] if not claim_of(path)
