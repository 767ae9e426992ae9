package walguard.operators.kubeblocks

import data.walguard.lib.dcs
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.operators.kubeblocks.changes
import data.walguard.operators.kubeblocks.template

rewind := {
	"used": true,
	"consequence": "Patroni removes the data directory of the former primary and copies the whole cluster again",
}

# ---------------------------------------------------------------------------------------------------- parameters

# There is no place in a Cluster; the annotation holds the parameters that a new one begins with.
parameters_path := ["metadata", "annotations"] if reviewed_cluster

parameters_path := [] if not reviewed_cluster

# METADATA
# description: |
#   Everything that says something, the last one wins – annotation, the user's ConfigMaps, Parameters, ComponentParameters, the change under review. A new Cluster
#   begins with its annotation, whatever lies about.
layers := array.concat(
	[annotated | not created],
	array.concat(
		[
			in_sight("v1", "ConfigMap"),
			in_sight("apps.kubeblocks.io/v1alpha1", "Configuration"),
			in_sight("parameters.kubeblocks.io/v1alpha1", "Parameter"),
			in_sight("parameters.kubeblocks.io/v1alpha1", "ComponentParameter"),
			changes.reviewed,
		],
		[annotated | created],
	),
)

annotated := [at_home(change) | some change in changes.of_annotation(home)]

created if {
	reviewed_cluster
	k8s.operation == "CREATE"
}

in_sight(api_version, kind) := [object.union(change, {"resource": k8s.reference(o)}) |
	home
	some o in inventory.list(k8s.namespace, api_version, kind)
	about_this(o)
	not under_review(o)
	some change in changes.of(o)
]

about_this(o) if changes.cluster_of(o) == cluster_name

about_this(o) if takes(component_spec, get.string(o, ["metadata", "name"]))

under_review(o) if {
	o.kind == k8s.kind
	o.metadata.name == k8s.name
}

applicable := [[change | some change in layer; applies(change)] | some layer in layers]

# Without the Cluster there is nothing to compare the component with.
applies(_) if not home

applies(change) if change.component == ""

applies(change) if change.component == component_name

# The Cluster is in sight and has no component of that name.
ignored := [object.union(object.filter(change, ["name", "path", "resource"]), {"reason": reason}) |
	component_name
	some layer in layers
	some change in layer
	not change.component in ({""} | component_names)
	reason := sprintf("the Cluster has no component %s", [change.component])
]

component_names := {component_name} if is_component(home)

component_names := {name |
	some field in ["componentSpecs", "shardings"]
	some part in get.list(home, ["spec", field])
	name := get.string(part, "name")
} if {
	not is_component(home)
}

names := [{get.lower_case(change.name) | some change in layer} | some layer in applicable]

parameters := array.concat(kept_by_patroni, [object.filter(change, ["name", "value", "path", "line", "resource"]) |
	some i, layer in applicable
	some change in layer
	not change.rendered
	not overridden(i, get.lower_case(change.name))
])

# The addon sets KUBERNETES_USE_CONFIGMAPS, with the component for a scope; its postgresql.conf is Patroni's custom_conf, over which Patroni's own parameters come.
kept_by_patroni := [setting |
	reviewed_cluster
	component.addon == "postgresql"
	some setting in dcs.parameters(sprintf("%s-%s", [cluster_name, component_name]))
	not get.lower_case(setting.name) in names_said
]

unread_of_patroni := [place |
	reviewed_cluster
	component.addon == "postgresql"
	some place in dcs.unread(sprintf("%s-%s", [cluster_name, component_name]))
]

names_said := {name | some layer in names; some name in layer}

overridden(i, name) if {
	some j, later in names
	j > i
	name in later
}

# ---------------------------------------------------------------------------------------------------------- defaults

# What KubeBlocks rendered is closer to the truth than what is computed here.
defaults := object.union(computed_defaults, rendered_defaults)

computed_defaults := template.defaults(component.addon, major_or_null, memory, data_size) if templated

# Of a size that nobody can read: what it makes of little and of much alike, and the rest nobody knows.
computed_defaults := {name: same(text, of_much[name]) | some name, text in of_little} if {
	templated
	not sized
	of_little := template.defaults(component.addon, major_or_null, 1073741824, 10737418240)
	of_much := template.defaults(component.addon, major_or_null, 1099511627776, 10995116277760)
}

same(text, other) := text if text == other

same(text, other) := "" if text != other

sized if {
	memory
	data_size
}

computed_defaults := {} if not templated

templated if component.addon in {"postgresql", "vanilla-postgresql"}

rendered_defaults := object.union_n([{change.name: text} |
	some change in changes.reviewed
	change.rendered
	text := get.text(change.value)
])

# Without a limit the template takes the memory for 0.
memory := quantity.bytes(base_resources.limits.memory)

memory := 0 if not base_resources.limits.memory

data_size := quantity.bytes(data_volume.size)

data_size := 0 if not data_volume.size

major_or_null := major.value

major_or_null := null if not major

managed := {"cluster_name": "", "hot_standby": "on", "listen_addresses": "*", "port": "5432"}
