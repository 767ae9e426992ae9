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
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [postgresql.conf], named: {at: ["spec.componentSpecs[].configs[].configMap.name", "spec.shardings[].template.configs[].configMap.name", "spec.configs[].configMap.name", "spec.componentSpecs[].volumes[].configMap.name", "spec.volumes[].configMap.name", "spec.componentSpecs[].env[].valueFrom.configMapKeyRef.name", "spec.env[].valueFrom.configMapKeyRef.name"], made: ["{metadata.name}-{spec.componentSpecs[].name}-config"]}}
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
import data.walguard.lib.dcs
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.owner
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.schema
import data.walguard.lib.script
import data.walguard.lib.text
import data.walguard.operators.kubeblocks.changes
import data.walguard.operators.kubeblocks.template

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

changing if {
	k8s.kind == "OpsRequest"
	get.string(k8s.object, ["spec", "type"]) in {"DataScript", "Custom"}
}

# The Clusters that take the ConfigMap under review for their configuration.
referring := [o |
	k8s.kind == "ConfigMap"
	count(changes.reviewed) > 0
	some version in versions
	some kind in ["Cluster", "Component"]
	some o in inventory.list(k8s.namespace, version, kind)
	not by_cluster(o)
	some part in parts(o)
	takes(part.spec, k8s.name)
]

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

# METADATA
# description: The PostgreSQL component, {"path"?, "name"?, "spec"?, "addon"}; undefined when the Cluster has none. No path – the Cluster has no list of components.
component := candidates[chosen_component]

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

# -------------------------------------------------------------------------------------------------------- facts

facts contains {
	"operator": "KubeBlocks",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"defaults": defaults,
	"managed": managed,
	"instance_sets": instance_sets,
} if {
	recognised
}

facts contains {"change": true} if {
	recognised
	not reviewed_cluster
}

facts contains {"pods": [{"environment": array.concat(
	[array.concat(component_path, ["env"])],
	[array.concat(component_path, ["instances", i, "env"]) | some i, _ in get.list(component_spec, "instances")],
)}]} if {
	reviewed_cluster
	component.path
}

facts contains {"ignored": ignored} if count(ignored) > 0

facts contains {"partial": true} if {
	recognised
	partial
}

facts contains {"unread": unread} if count(unread) > 0

facts contains {"claims_kept": true} if get.string(home, ["spec", "terminationPolicy"]) in {"DoNotTerminate", "Halt"}

facts contains {"deletions": [{"what": "volumes and backups", "setting": "terminationPolicy: WipeOut", "path": ["spec", "terminationPolicy"]}]} if {
	reviewed_cluster
	get.string(home, ["spec", "terminationPolicy"]) == "WipeOut"
}

# ConfigMaps that the component names and that are not in sight, and templates of one's own; what changes the pods' configuration by itself.
unread := array.concat(array.concat(unread_environment, unread_requests), array.concat(array.concat(unread_files, unread_overrides), array.concat(unread_additions, unread_of_patroni)))

# A volume of the component takes the place of the one of this name that its definition has, be it that of the configuration or of the scripts
# (pkg/controller/component/synthesize_component.go, mergeUserDefinedVolumes); and an action of one's own runs whenever a configuration changes.
unread_overrides := array.concat(
	[{"source": sprintf("what volume %s of the component holds", [get.string(volume, "name")]), "path": array.concat(component_path, ["volumes", i]), "severity": overlay.severity(volume)} |
		reviewed_cluster
		some i, volume in get.list(component_spec, "volumes")
		get.string(volume, "name")
		some field in ["configMap", "secret", "projected", "downwardAPI", "csi", "image", "persistentVolumeClaim", "hostPath"]
		get.present(volume, field)
	],
	[{"source": "what the component runs when its configuration changes", "path": array.concat(component_path, ["configs", i, field]), "severity": severity_of(text_)} |
		reviewed_cluster
		some i, config in get.list(component_spec, "configs")
		some field in ["reconfigure", "reconfigureAction"]
		text_ := script.of(get.map(config, [field, "exec"]))
		script.sets(text_)
	],
)

unread_environment := [{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": severity_of(get.text_at(variable, "value"))} |
	reviewed_cluster
	some path in array.concat(
		[array.concat(component_path, ["env"])],
		[array.concat(component_path, ["instances", k, "env"]) | some k, _ in get.list(component_spec, "instances")],
	)
	some i, variable in get.list(k8s.object, path)
	name := get.string(variable, "name")
	regex.match(commands, name)
]

# The addon's scripts look for the configuration where the last ones say (generate_patroni_yaml.py), and run what lies there of a restore.
commands := `^(SPILO_CONFIGURATION|CRONTAB|CALLBACK_SCRIPT|PATRONI_CONFIGURATION|PATRONI_POSTGRESQL_.*|POSTGRES_CONF_DIR|POSTGRES_PGDATA_DIR|KB_PG_CONFIG_PATH|RESTORE_DATA_DIR|PGCONF|POSTGRESQL_MOUNTED_CONF_DIR)$`

# Releases up to 0.9 give the pods the variables of an annotation, and mount what the component names (pkg/constant/annotations.go, userResourceRefs).
unread_additions := array.concat(
	[{"source": sprintf("the variable %s of annotation %s", [name, annotation]), "path": ["metadata", "annotations", annotation], "severity": severity_of(sprintf("%s=%s", [name, get.shown(value)]))} |
		reviewed_cluster
		some annotation in ["kubeblocks.io/extra-env"]
		text_ := get.string(k8s.object, ["metadata", "annotations", annotation])
		json.is_valid(text_)
		given := json.unmarshal(text_)
		is_object(given)
		some name, value in given
		regex.match(concat("", [commands, `|^(LD_PRELOAD|LD_AUDIT|BASH_ENV|PGDATA|PGROOT)$`]), name)
	],
	overlay.unread(
		[{"directory": directory, "volume": one, "path": array.concat(component_path, ["userResourceRefs", field, i])} |
			reviewed_cluster
			some field in ["configMapRefs", "secretRefs"]
			some i, one in get.list(component_spec, ["userResourceRefs", field])
			directory := get.string(one, "mountPoint")
		],
		["/home/postgres", "/kb-scripts", "/scripts", "/etc", "/tools"],
	),
)

# The operator makes an emptyDir of a volume that nobody claims (pkg/controller/component/synthesize_component.go, buildVolumeMounts), and puts the variables of the component
# behind those of its definition.
facts contains {"lost": lost} if count(lost) > 0

lost := array.concat(
	[{"what": "The data directory", "on": "an emptyDir, as volumeClaimTemplates has no data", "path": array.concat(component_path, ["volumeClaimTemplates"])} |
		reviewed_cluster
		templated
		component.path
		not get.unknown(component_spec, "volumeClaimTemplates")
		count([1 | some claim in get.list(component_spec, "volumeClaimTemplates"); object.get(claim, "name", "data") == "data"]) == 0
	],
	mount.unkept(
		[{"name": name, "value": value, "path": array.concat(path, [i, "value"])} |
			reviewed_cluster
			templated
			some path in array.concat(
				[array.concat(component_path, ["env"])],
				[array.concat(component_path, ["instances", k, "env"]) | some k, _ in get.list(component_spec, "instances")],
			)
			some i, variable in get.list(k8s.object, path)
			name := get.string(variable, "name")
			name in {"PGDATA", "PGROOT", "PATRONI_POSTGRESQL_DATA_DIR", "POSTGRES_INITDB_WALDIR"}
			value := get.string(variable, "value")
		],
		["/home/postgres/pgdata", "/postgresql/volume_data"],
	),
)

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

unread_requests := [{"source": source, "path": path, "severity": inventory.unread} |
	k8s.kind == "OpsRequest"
	some [source, path, text_] in array.concat(
		[["the script of an OpsRequest", ["spec", "scriptSpec"], concat("\n", [text_ | some text_ in get.list(k8s.object, ["spec", "scriptSpec", "script"]); is_string(text_)])]],
		[["the script that an OpsRequest names", ["spec", "scriptSpec", "scriptFrom"], "alter system"] | get.present(k8s.object, ["spec", "scriptSpec", "scriptFrom"])],
	)
	script.sets(text_)
]

unread_files := array.concat(
	[{"source": sprintf("ConfigMap %s/%s", [k8s.namespace, name]), "path": array.concat(component_path, ["configs", i, "configMap", "name"]), "missing": true} |
		reviewed_cluster
		some i, config in get.list(component_spec, "configs")
		name := get.string(config, ["configMap", "name"])
		not inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", name)
	],
	[{"source": sprintf("the template in ConfigMap %s/%s", [object.get(template_of, "namespace", k8s.namespace), name]), "path": ["spec", "configItemDetails", i, field]} |
		k8s.kind == "ComponentParameter"
		some i, item in get.list(k8s.object, ["spec", "configItemDetails"])
		some field in ["userConfigTemplates", "importTemplateRef"]
		template_of := get.map(item, field)
		some name in [n | some key in ["templateRef", "name"]; n := get.string(template_of, key)]
	],
)

facts contains {"rewind": rewind} if component.addon == "postgresql"

facts contains {"data_claims": sprintf(`^%s-(.*-)?[0-9]+$`, [usual_claims])} if {
	component_name
	count(prefixes) == 0
}

facts contains {"data_claims": sprintf(`^(%s)-(.*-)?[0-9]+$`, [concat("|", array.concat([usual_claims], prefixes))])} if {
	component_name
	count(prefixes) > 0
}

usual_claims := sprintf("data-%s-%s", [text.literal(cluster_name), text.literal(component_name)])

# Names of one's own for the claims.
prefixes := [text.literal(name) |
	some claim in get.list(component_spec, "volumeClaimTemplates")
	get.string(claim, "name") == "data"
	name := get.string(claim, "persistentVolumeClaimName")
]

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

scheduling_path := array.concat(component_path, ["schedulingPolicy"]) if is_object(object.get(component_spec, "schedulingPolicy", null))

scheduling_path := ["spec", "schedulingPolicy"] if not is_object(object.get(component_spec, "schedulingPolicy", null))

# Of these the template is not known: what nobody writes is neither the operator's nor PostgreSQL's default.
partial if not component

partial if component.addon in {"orioledb", "supabase", "apecloud-postgresql"}

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

# Of two templates of the name the first counts.
claim_of(path) := resized(volumes[0]) if {
	volumes := [volume |
		some i, claim in get.list(home, array.concat(path, ["volumeClaimTemplates"]))
		is_object(claim)
		get.string(claim, "name") == "data"
		volume := at_home(shared.claim(home, array.concat(path, ["volumeClaimTemplates", i, "spec"])))
	]
	count(volumes) > 0
}

resized(volume) := volume if not scaled.data

resized(volume) := object.union(volume, {"size": scaled.data.value, "size_path": scaled.data.path, "own": ["size_path"]}) if scaled.data

data_volume := claim_of(base_path)

data_volume := at_home(shared.volume(["spec", "storage"], ["spec", "storage", "size"], ["spec", "storage"], [
	shared.located(home, ["spec", "storage"], {"size": ["size"]}),
])) if {
	component
	not component.path
	is_object(object.get(home, ["spec", "storage"], null))
}

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

# ------------------------------------------------------------------------------------------------------- backups

schedules := [{"method": method, "fact": found} |
	some o in inventory.list(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "BackupSchedule")
	belongs(o)
	some i, schedule in get.list(o, ["spec", "schedules"])
	is_object(schedule)
	get.boolean(schedule, "enabled")
	method := get.string(schedule, "backupMethod")
	found := {"value": true, "origin": "written", "path": ["spec", "schedules", i, "backupMethod"], "resource": k8s.reference(o)}
]

belongs(o) if get.string(o, ["metadata", "labels", "app.kubernetes.io/instance"]) == cluster_name

own_schedule := [{"method": method, "fact": at_home(fact.written(true, ["spec", "backup", "method"]))} |
	get.boolean(home, ["spec", "backup", "enabled"])
	method := get.string(home, ["spec", "backup", "method"])
]

continuous := {"archive-wal", "wal-g-archive"}

# The parameters first: KubeBlocks itself writes archive_command when a continuous method is enabled.
archiving := shared.archiving(parameters)

archiving := archived[0] if {
	not shared.archiving(parameters)
	count(archived) > 0
}

# /bin/true, the command of the template, with archive_mode on. Schedules may exist out of sight.
archiving := at_home(fact.operator("discards", ["spec", "backup", "pitrEnabled"])) if {
	templated
	inventory.complete
	not shared.archiving(parameters)
	count(archived) == 0
}

archived := array.concat(
	[object.union(s.fact, {"value": "on"}) | some s in schedules; s.method in continuous],
	[at_home(fact.written("on", ["spec", "backup", "pitrEnabled"])) |
		get.boolean(home, ["spec", "backup", "enabled"])
		get.boolean(home, ["spec", "backup", "pitrEnabled"])
	],
)

# The addon's policy sends pg-basebackup to a secondary where there is one.
standby_backup := object.union(based[0].fact, {"value": instances.value > 1}) if {
	component.addon == "postgresql"
	count(based) > 0
}

based := [s | some s in array.concat(own_schedule, schedules); s.method == "pg-basebackup"]

# Dumps are no base, and what is continuous never completes.
backups := [object.union({"finished": finished, "from": source(method), "name": name}, {"proven": true | proven(o)}) |
	component
	some o in inventory.list(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "Backup")
	belongs(o)
	of_this_life(o)
	get.string(o, ["status", "phase"]) == "Completed"
	method := method_of(o)
	not method in ({"pgdump", "pgdumpall"} | continuous)
	finished := get.string(o, ["status", "completionTimestamp"])
	name := get.string(o, ["metadata", "name"])
]

# Labels are anybody's. The status names the path, in which name and uid of the Cluster stand (buildBackupPathPrefix), and the pods.
proven(o) if {
	status := evidence.status(o)
	status.phase == "Completed"
	contains(get.string(status, "path"), sprintf("/%s-%s/", [cluster_name, home.metadata.uid]))
	pods := pods_of(status)
	count(pods) > 0
	every pod in pods {
		startswith(pod, sprintf("%s-%s-", [cluster_name, component_name]))
	}
}

pods_of(status) := {pod |
	some target in array.concat([get.map(status, "target")], get.list(status, "targets"))
	some pod in get.list(target, "selectedTargetPods")
	is_string(pod)
} | {pod |
	some action in get.list(status, "actions")
	pod := get.string(action, "targetPodName")
}

method_of(o) := get.string(o, ["status", "backupMethod", "name"])

method_of(o) := get.string(o, ["spec", "backupMethod"]) if not get.string(o, ["status", "backupMethod", "name"])

# A Backup outlives its Cluster; another one may have taken the name.
of_this_life(o) if not foreign(o)

foreign(o) if {
	get.string(o, ["metadata", "labels", "dataprotection.kubeblocks.io/cluster-uid"]) != get.string(home, ["metadata", "uid"])
}

source("pg-basebackup") := "standby" if instances.value > 1

source("pg-basebackup") := "primary" if instances.value <= 1

source("pg-basebackup") := "unknown" if not instances

source(method) := "unknown" if method != "pg-basebackup"

# METADATA
# description: |
#   Completed restores of this Cluster's backups (the annotation that asks for one is removed afterwards) whose new Cluster runs.
restores := [object.union({"ready": ready, "cluster": name}, {"proven": true | proven_restore(o, other, ready)}) |
	component
	some o in inventory.everywhere("dataprotection.kubeblocks.io/v1alpha1", "Restore")
	get.string(o, ["status", "phase"]) == "Completed"
	restored_here(o)
	ready := get.string(o, ["status", "completionTimestamp"])
	name := get.string(o, ["metadata", "labels", "app.kubernetes.io/instance"])
	some version in versions
	other := inventory.namespaced_object(get.string(o, ["metadata", "namespace"]), version, "Cluster", name)
	get.string(other, ["status", "phase"]) == "Running"
]

# The Restore names the Backup and the claims it filled, which nobody can change; the label is anybody's.
proven_restore(o, other, ready) if {
	evidence.recorded(o).phase == "Completed"
	evidence.status(other).phase == "Running"
	from := inventory.namespaced_object(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "Backup", o.spec.backup.name)
	proven(from)
	evidence.in_order(from.status.completionTimestamp, ready)
	some claim in o.spec.prepareDataConfig.volumeClaimsTemplate.templates
	contains(claim.metadata.name, sprintf("-%s-", [other.metadata.name]))
}

restored_here(o) if {
	backup := get.map(o, ["spec", "backup"])
	get.string(backup, "namespace") == k8s.namespace
	belongs(inventory.namespaced_object(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "Backup", get.string(backup, "name")))
}

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(versions_that_are_none, [fault |
	reviewed_cluster
	not reviewed_component
	k8s.api_version == "apps.kubeblocks.io/v1"
	some fault in schema.faults("kubeblocks", k8s.object)
])

# CompareServiceVersion takes semantic versions only, and one that no ComponentVersion of the addon has finds "no matched component definition" (release 1, and 0.9).
versions_that_are_none := [{"path": array.concat(component_path, ["serviceVersion"]), "reason": sprintf("serviceVersion %s is %s, and nothing is created", [service_version, fault]), "cure": cure} |
	reviewed_cluster
	not placeholder.unknown(service_version)
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
