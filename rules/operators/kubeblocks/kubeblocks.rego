# METADATA
# title: KubeBlocks
# description: |
#   PostgreSQL in KubeBlocks: the addons postgresql and vanilla-postgresql with what their templates set, orioledb and
#   supabase with what the resource says. A Cluster holds no parameters; they come as an OpsRequest, a ComponentParameter, a
#   Parameter, an annotation or a ConfigMap. Such a change is judged together with its Cluster where that is in sight, else as a
#   partial one – and then only when something in it names PostgreSQL. Of several PostgreSQL components and shardings of a Cluster the
#   first one is read, components before shardings, and of a sharding what all shards have in common. An OpsRequest that expands
#   volumes or scales is judged by the Cluster that it makes, where that is in sight. A Component is judged where no Cluster in sight
#   made it. A ConfigMap that KubeBlocks rendered repeats
#   the template: what its template sets counts as the operator's default, the rest as written.
# related_resources:
#   - https://kubeblocks.io/docs/release-1_0/user_docs/references/api-reference/cluster
#   - https://github.com/apecloud/kubeblocks-addons/tree/main/addons/postgresql/config
# custom:
#   kinds:
#     - {group: apps.kubeblocks.io, versions: [v1, v1alpha1], kind: Cluster, plural: clusters, namespaced: true, role: cluster}
#     - {group: apps.kubeblocks.io, versions: [v1, v1alpha1], kind: Component, plural: components, namespaced: true, role: cluster}
#     - {group: apps.kubeblocks.io, versions: [v1alpha1], kind: OpsRequest, plural: opsrequests, namespaced: true, role: change, watched: false}
#     - {group: operations.kubeblocks.io, versions: [v1alpha1], kind: OpsRequest, plural: opsrequests, namespaced: true, role: change, watched: false}
#     - {group: apps.kubeblocks.io, versions: [v1alpha1], kind: Configuration, plural: configurations, namespaced: true, role: change}
#     - {group: parameters.kubeblocks.io, versions: [v1alpha1], kind: ComponentParameter, plural: componentparameters, namespaced: true, role: change}
#     - {group: parameters.kubeblocks.io, versions: [v1alpha1], kind: Parameter, plural: parameters, namespaced: true, role: change}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [postgresql.conf], named: {at: ["spec.componentSpecs[].configs[].configMap.name", "spec.shardings[].template.configs[].configMap.name", "spec.configs[].configMap.name", "spec.componentSpecs[].volumes[].configMap.name", "spec.volumes[].configMap.name", "spec.componentSpecs[].env[].valueFrom.configMapKeyRef.name", "spec.env[].valueFrom.configMapKeyRef.name", "spec.configItemDetails[].userConfigTemplates.templateRef", "spec.configItemDetails[].importTemplateRef.templateRef", "spec.initial.userConfigTemplates[].templateRef", "spec.desired.userConfigTemplates[].templateRef", "spec.componentParameters[].userConfigTemplates[].templateRef"], made: ["{metadata.name}-{spec.componentSpecs[].name}-config"]}}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], watched: false, named: {made: ["data-{metadata.name}-{spec.componentSpecs[].name}-0", "data-{metadata.name}-0", "{spec.componentSpecs[].volumeClaimTemplates[].persistentVolumeClaimName}-{metadata.name}-{spec.componentSpecs[].name}-0"]}}
#     - {group: dataprotection.kubeblocks.io, versions: [v1alpha1], kind: Backup, plural: backups, namespaced: true, role: support}
#     - {group: dataprotection.kubeblocks.io, versions: [v1alpha1], kind: BackupSchedule, plural: backupschedules, namespaced: true, role: support}
#     - {group: dataprotection.kubeblocks.io, versions: [v1alpha1], kind: Restore, plural: restores, namespaced: true, role: support}
#   generated:
#     - {group: apps.kubeblocks.io, kind: Component, owners: [Cluster]}
#   facts:
#     version: {read: "serviceVersion; else componentDef or clusterVersionRef"}
#     parameters: {read: "annotation init-parameters; ConfigMap of the component; Parameter; ComponentParameter; OpsRequest"}
#     defaults: {default: "the template of the addon for this major, memory and volume"}
#     fixed: {default: "listen_addresses; port; hot_standby; cluster_name"}
#     ignored: {read: "changes of components that the Cluster does not have"}
#     instances: {read: "replicas; OpsRequest HorizontalScaling", default: "1"}
#     resources: {read: "resources; those of instances; OpsRequest VerticalScaling"}
#     huge_pages: {read: "resources"}
#     machine: {read: "schedulingPolicy"}
#     volume: {read: "volumeClaimTemplates data; those of instances; OpsRequest VolumeExpansion"}
#     storage_class: {read: "volumeClaimTemplates data"}
#     performance: {read: "volumeClaimTemplates data volumeAttributesClassName"}
#     segment: {default: "16 MB"}
#     checksums: {default: "on (addon postgresql)"}
#     synchronous: {unread: "the environment of the component"}
#     slots: {unread: "Patroni's file inside the addon"}
#     rewind: {default: "always (addon postgresql)"}
#     pooler: {default: "PgBouncer beside every instance (addon postgresql)"}
#     archiving: {read: "backup.pitrEnabled; continuous methods of BackupSchedule; archive_command", default: "WAL is discarded, where all schedules are in sight"}
#     schedules: {read: "backup.cronExpression; BackupSchedule"}
#     repositories: {unread: "BackupRepos are shared, and a Backup expires by its retentionPeriod"}
#     standby_backup: {read: "method pg-basebackup, which goes to a secondary"}
#     backups: {read: "Backup, without dumps"}
#     restores: {read: "Restore"}
package walguard.operators.kubeblocks

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.owner
import data.walguard.lib.placeholder
import data.walguard.lib.schema
import data.walguard.lib.text
import data.walguard.operators.kubeblocks.changes

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

# ------------------------------------------------------------------------------------------------- what is reviewed

reviewed_cluster if {
	k8s.group == "apps.kubeblocks.io"
	k8s.kind == "Cluster"
}

reviewed_cluster if reviewed_component

# The operator runs one that no Cluster asked for like any other.
reviewed_component if {
	is_component(k8s.object)
	not made_by_cluster(k8s.object)
}

is_component(o) if {
	o.kind == "Component"
	k8s.group_of(o.apiVersion) == "apps.kubeblocks.io"
}

# The operator calls it after the Cluster and the component or the shard (pkg/constant/naming.go), and writes it anew.
made_by_cluster(o) if {
	some version in versions
	some made in owner.of(o, k8s.namespace, version, "Cluster")
	some part in parts(made)
	regex.match(sprintf(`^%s-%s(-[a-z0-9]+)?$`, [text.literal(made.metadata.name), text.literal(part.name)]), o.metadata.name)
	same_length(part, made.metadata.name, o.metadata.name)
}

# Shards alone have a word behind the name.
same_length(part, _, _) if part.path[1] != "componentSpecs"

same_length(part, cluster, name) if name == sprintf("%s-%s", [cluster, part.name])

# Its component is PostgreSQL, whether the Cluster is under review or in sight.
recognised if component

# The Cluster is not in sight: the change itself must say that it is for PostgreSQL.
recognised if {
	not home
	changes.cluster_name
	some change in changes.reviewed
	changes.for_postgresql(change)
}

cluster_name := k8s.name if {
	reviewed_cluster
	not reviewed_component
}

# What changes a Component names the Cluster of its label, and the rest of its name.
cluster_name := cluster_of(k8s.object) if reviewed_component

cluster_of(o) := name if {
	name := get.string(o, ["metadata", "labels", "app.kubernetes.io/instance"])
	startswith(o.metadata.name, sprintf("%s-", [name]))
} else := o.metadata.name

cluster_name := changes.cluster_name if not reviewed_cluster

cluster_name := get.string(referring[chosen_home], ["metadata", "name"]) if {
	not reviewed_cluster
	not changes.cluster_name
}

# METADATA
# description: The Cluster, be it under review or, for a change, in sight.
home := k8s.object if reviewed_cluster

home := found[0] if {
	not reviewed_cluster
	changing
	found := [o |
		some version in versions
		o := inventory.namespaced_object(k8s.namespace, version, "Cluster", changes.cluster_name)
	]
	count(found) > 0
}

home := referring[chosen_home] if {
	not reviewed_cluster
	not changes.cluster_name
}

changing if count(changes.reviewed) > 0

changing if count(changes.scaled) > 0

changing if count(unread_of_request) > 0

changing if {
	k8s.kind == "OpsRequest"
	some version in versions
	count(strangers_of(inventory.namespaced_object(k8s.namespace, version, "Cluster", changes.cluster_name))) > 0
}

changing if {
	k8s.kind != "ConfigMap"
	(count(changes.hba_of(k8s.object)) + count(changes.templates_of(k8s.object))) + count(changes.unread_files_of(k8s.object)) > 0
}

changing if {
	k8s.kind == "OpsRequest"
	get.string(k8s.object, ["spec", "type"]) in {"DataScript", "Custom"}
}

# The Clusters that take the ConfigMap under review for their configuration.
referring := [o |
	k8s.kind == "ConfigMap"
	configures
	some version in versions
	some kind in ["Cluster", "Component"]
	some o in inventory.list(k8s.namespace, version, kind)
	not by_cluster(o)
	some part in parts(o)
	takes_or_mounts(o, part)
]

configures if count(changes.reviewed) > 0

configures if count(changes.hba_of(k8s.object)) > 0

takes_or_mounts(_, part) if takes(part.spec, k8s.name)

# What the operator renders for a component (pkg/configuration/core, GetComponentCfgName) is mounted by its name, whatever becomes of its labels.
takes_or_mounts(o, part) if {
	endswith(k8s.name, "postgresql-configuration")
	startswith(k8s.name, sprintf("%s-%s-", [cluster_of(o), part.name]))
}

by_cluster(o) if {
	is_component(o)
	made_by_cluster(o)
}

takes(part, name) if {
	some config in get.list(part, "configs")
	get.string(config, ["configMap", "name"]) == name
}

versions := ["apps.kubeblocks.io/v1", "apps.kubeblocks.io/v1alpha1"]

# Facts of a Cluster that is not under review say so.
home_reference := {} if reviewed_cluster

home_reference := {"resource": k8s.reference(home)} if not reviewed_cluster

at_home(f) := object.union(f, home_reference)

# ----------------------------------------------------------------------------------------------- which component

addons := ["postgresql", "vanilla-postgresql", "orioledb", "supabase", "apecloud-postgresql"]

definitions := [name |
	some field in ["clusterDef", "clusterDefinitionRef"]
	name := get.string(home, ["spec", field])
]

definition := definitions[0]

# The components of a Cluster, and those that its shardings are made of, {"path", "name"?, "spec"}. A Component is one itself.
parts(o) := [{"path": ["spec"], "spec": get.map(o, "spec"), "name": trim_prefix(o.metadata.name, sprintf("%s-", [cluster_of(o)]))}] if is_component(o)

parts(o) := array.concat(
	[object.union({"path": ["spec", "componentSpecs", i], "spec": c}, object.filter(c, ["name"])) |
		some i, c in get.list(o, ["spec", "componentSpecs"])
		is_object(c)
	],
	[object.union({"path": ["spec", field, i, "template"], "spec": c}, object.filter(one, ["name"])) |
		some field in ["shardings", "shardingSpecs"]
		some i, one in get.list(o, ["spec", field])
		c := object.get(one, "template", null)
		is_object(c)
	],
) if not is_component(o)

components := parts(home)

candidates := array.concat(
	[object.union(c, {"addon": addon}) |
		some c in components
		some addon in addons
		defined_by(c.spec, addon)
	],
	[object.union(c, {"addon": definition}) |
		definition in addons
		some name in ["postgresql", definition]
		some c in components
		not own_definition(c.spec)
		get.string(c, "name") == name
	],
)

# The name of its component is that of the topology, and the only one of another name was to be it.
candidates_by_name := [object.union(c, {"addon": definition}) |
	some c in components
	get.string(home, ["spec", "clusterDef"]) == "postgresql"
	count(components) == 1
	not own_definition(c.spec)
	get.string(c, "name") != "postgresql"
]

# METADATA
# description: The PostgreSQL component, {"path"?, "name"?, "spec"?, "addon"}; undefined when the Cluster has none. No path – the Cluster has no list of components.
component := candidates[chosen_component]

component := candidates_by_name[0]

component := {"addon": definition} if {
	count(candidates) == 0
	count(components) == 0
	definition in addons
}

# Of several Clusters that take the ConfigMap under review, and of several components, the first unless another one is chosen.
chosen_home := place_of([title_of(o) | some o in referring])

chosen_component := place_of([component_title(c) | some c in candidates])

place_of(titles) := places[0] if {
	places := [i | some i, title in titles; title == k8s.chosen]
	count(places) > 0
} else := 0

title_of(o) := sprintf("%s %s/%s", [o.kind, k8s.namespace, o.metadata.name])

component_title(c) := sprintf("component %s", [object.get(c, "name", "")])

facts contains {"others": others} if count(others) > 0

others := array.concat(
	[title_of(o) | some i, o in referring; i > 0],
	[component_title(c) |
		some c in candidates
		c.path != candidates[0].path
	],
)

sharding if component.path[1] in {"shardings", "shardingSpecs"}

own_definition(c) := [name | some field in ["componentDef", "componentDefRef", "compDef"]; name := get.string(c, field)][0]

defined_by(c, addon) if own_definition(c) == addon

# "postgresql-16-1.0.3"; in some releases pgBouncer is a component of its own.
defined_by(c, addon) if {
	name := trim_left(own_definition(c), "^")
	startswith(name, sprintf("%s-", [addon]))
	not contains(name, "pgbouncer")
}

# A pattern that names of the addon's definitions match (the operator's PrefixOrRegexMatched).
defined_by(c, addon) if {
	pattern := own_definition(c)
	regex.match(`[\^$*+?(\[|]`, pattern)
	not startswith(trim_left(pattern, "^"), sprintf("%s-", [addon]))
	some major_ in numbers.range(12, 19)
	regex.match(pattern, sprintf("%s-%d-1.0.0", [addon, major_]))
}

component_spec := component.spec

component_spec := {} if not component.path

component_path := component.path

component_name := get.string(component, "name")

# ------------------------------------------------------------------------------------------------------- version

service_version := get.string(component_spec, "serviceVersion")

major := fact.written(shared.major(service_version), array.concat(component_path, ["serviceVersion"])) if service_version

major := fact.written(shared.major(version), array.concat(component_path, [field])) if {
	not service_version
	some field in ["componentDef", "compDef"]
	version := trim_prefix(trim_left(get.string(component_spec, field), "^"), sprintf("%s-", [component.addon]))
}

major := fact.written(shared.major(version), ["spec", "clusterVersionRef"]) if {
	not service_version
	not get.string(component_spec, "componentDef")
	version := trim_prefix(get.string(home, ["spec", "clusterVersionRef"]), sprintf("%s-", [component.addon]))
}

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(array.concat(array.concat(versions_that_are_none, definitions_that_are_none), array.concat(strange_topology, array.concat(requests_refused, former_definitions))), [fault |
	reviewed_cluster
	not reviewed_component
	k8s.api_version == "apps.kubeblocks.io/v1"
	some fault in schema.faults("kubeblocks", k8s.object)
])

# "specified cluster topology not found", "component … not defined in topology" (controllers/apps/cluster/transformer_cluster_validation.go): the addon has the topology replication with the component postgresql
# (templates/clusterdefinition.yaml). A ClusterDefinition of one's own has others.
strange_topology := [{"path": fault[0], "reason": fault[1], "cure": fault[2]} |
	reviewed_cluster
	not reviewed_component
	get.string(home, ["spec", "clusterDef"]) == "postgresql"
	not inventory.cluster_object("apps.kubeblocks.io/v1", "ClusterDefinition", "postgresql")
	some fault in array.concat(
		[[["spec", "topology"], sprintf("its ClusterDefinition postgresql has no topology %s, and nothing is created", [topology]), "Write replication, which a single replica has too, or take topology out"] |
			topology := get.string(home, ["spec", "topology"])
			not topology in {"", "replication"}
			not placeholder.holds(topology)
		],
		[[array.concat(c.path, ["name"]), sprintf("topology replication has no component %s, and nothing is created", [c.name]), "Call it postgresql"] |
			some c in components
			c.path[1] == "componentSpecs"
			name := get.string(c, "name")
			name != "postgresql"
			not placeholder.holds(name)
		],
	)
]

# The fields of v1alpha1 for a definition are gone in v1: the API server drops them, and nothing says what the components are.
former_definitions := [{"path": ["spec", "clusterDefinitionRef"], "reason": "clusterDefinitionRef and componentDefRef are of v1alpha1 and dropped in v1, no definition is left, and nothing is created", "cure": "Write clusterDef: postgresql and topology: replication, and serviceVersion in the component"} |
	reviewed_cluster
	k8s.api_version == "apps.kubeblocks.io/v1"
	get.string(home, ["spec", "clusterDefinitionRef"]) == "postgresql"
	not get.present(home, ["spec", "clusterDef"])
	count([1 | some c in get.list(home, ["spec", "componentSpecs"]); get.present(c, "componentDef")]) == 0
]

# CompareServiceVersion takes semantic versions only, and one that no ComponentVersion of the addon has finds "no matched component definition" (release 1, and 0.9).
versions_that_are_none := [{"path": array.concat(component_path, ["serviceVersion"]), "reason": sprintf("serviceVersion %s is %s, and nothing is created", [service_version, fault]), "cure": cure} |
	reviewed_cluster
	not placeholder.holds(service_version)
	[fault, cure] := no_version(service_version)
]

no_version(version) := ["no semantic version", sprintf("Write three numbers, such as %s", [example(version)])] if {
	version != ""
	not regex.match(`^v?[0-9]+\.[0-9]+\.[0-9]+([-+].*)?$`, version)
}

no_version(version) := ["none of the addon's", sprintf("Write %s", [text.list([sprintf("%d.%s", [number, one]) | some one in known], "or")])] if {
	component.addon == "postgresql"
	found := regex.find_all_string_submatch_n(`^v?([0-9]+)\.([0-9]+)\.([0-9]+)$`, version, 1)[0]
	number := to_number(found[1])
	known := addon_versions[found[1]]
	not sprintf("%s.%s", [found[2], found[3]]) in known
	to_number(found[2]) < max([to_number(split(one, ".")[0]) | some one in known])
}

# compatibilityRules of the addon's ComponentVersion (templates/cmpv.yaml) have releases of one major for the definitions of that major.
definitions_that_are_none := [{"path": array.concat(component_path, ["componentDef"]), "reason": reason, "cure": cure} |
	reviewed_cluster
	asked := get.string(component_spec, "componentDef")
	found := regex.find_all_string_submatch_n(`^\^?postgresql-([0-9]+)(?:-|$)`, asked, 1)
	count(found) == 1
	[reason, cure] := no_definition(asked, found[0][1])
]

no_definition(asked, number) := [
	sprintf("componentDef %s is for PostgreSQL %s, serviceVersion %s is not, and nothing is created", [asked, number, service_version]),
	sprintf("Write componentDef: postgresql-%s", [split(trim_prefix(service_version, "v"), ".")[0]]),
] if {
	regex.match(`^v?[0-9]+\.[0-9]+\.[0-9]+$`, service_version)
	split(trim_prefix(service_version, "v"), ".")[0] != number
}

no_definition(asked, number) := [
	sprintf("componentDef %s is none of the addon's, which has PostgreSQL 12 to %d, and nothing is created", [asked, max([to_number(one) | some one, _ in addon_versions])]),
	"Write that of a major that it has",
] if {
	not service_version
	to_number(number) < 12
}

# "16.4.0" for "postgresql-16.4.0", and the oldest that there is for a major alone.
example(version) := regex.find_n(`[0-9]+\.[0-9]+\.[0-9]+`, version, 1)[0]

example(version) := sprintf("%s.%s", [major_of_version(version), addon_versions[major_of_version(version)][0]]) if not regex.match(`[0-9]+\.[0-9]+\.[0-9]+`, version)

major_of_version(version) := number if {
	number := regex.find_n(`[0-9]+`, version, 1)[0]
	addon_versions[number]
} else := "17"

# addons/postgresql/values.yaml of August 2026, by major.
addon_versions := {
	"12": ["14.0", "14.1", "15.0", "22.0"],
	"13": ["23.0"],
	"14": ["7.2", "8.0", "18.0", "23.0"],
	"15": ["7.0", "13.0", "18.0"],
	"16": ["4.0", "9.0", "14.0"],
	"17": ["5.0", "10.0"],
	"18": ["1.0", "4.0"],
}
