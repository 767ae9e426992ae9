# METADATA
# description: |
#   The ways in which parameters reach a PostgreSQL of KubeBlocks, read into one form: {"component" ("" where the object does
#   not say), "hint" (name of the configuration template, ""), "name", "value", "path", "rendered"? (true for what KubeBlocks'
#   template writes)}. Values lose the quotes of postgresql.conf.
package walguard.operators.kubeblocks.changes

import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.patroni
import data.walguard.lib.script
import data.walguard.lib.sql

file := "postgresql.conf"

# METADATA
# description: The changes in the object under review; [] for a Cluster and for everything that changes nothing.
reviewed := of(k8s.object)

reviewed := [] if not of(k8s.object)

# METADATA
# description: Name of the Cluster that the object under review changes.
cluster_name := cluster_of(k8s.object)

cluster_of(o) := get.string(o, ["spec", "clusterName"])

cluster_of(o) := get.string(o, ["spec", "clusterRef"]) if not get.string(o, ["spec", "clusterName"])

cluster_of(o) := get.string(o, ["metadata", "labels", "app.kubernetes.io/instance"]) if {
	o.kind == "ConfigMap"
	of_kubeblocks(o)
}

# METADATA
# description: The changes in an object. A ConfigMap without a label of KubeBlocks is one that a Cluster names.
of(o) := array.concat(
	array.concat(parameters_of_request(o), files_of_request(o)),
	array.concat(requested_texts(o), patroni_in_files(o)),
) if {
	o.kind == "OpsRequest"
	split(o.apiVersion, "/")[0] in {"apps.kubeblocks.io", "operations.kubeblocks.io"}
	get.string(o, ["spec", "type"]) == "Reconfiguring"
}

# SQL as a superuser, in releases up to 0.9.
of(o) := [object.union(change, {"component": text_of(get.map(o, ["spec", "scriptSpec"]), "componentName"), "hint": "postgresql"}) |
	some i, text_ in get.list(o, ["spec", "scriptSpec", "script"])
	is_string(text_)
	some change in sql.settings(text_, {"path": ["spec", "scriptSpec", "script", i]})
] if {
	o.kind == "OpsRequest"
	split(o.apiVersion, "/")[0] in {"apps.kubeblocks.io", "operations.kubeblocks.io"}
	get.string(o, ["spec", "type"]) == "DataScript"
}

# Operations of somebody's own, whose arguments may be SQL.
of(o) := [object.union(change, {"component": text_of(one, "componentName"), "hint": "postgresql"}) |
	some i, one in get.list(o, ["spec", "custom", "components"])
	some j, argument in get.list(one, "parameters")
	text_ := get.string(argument, "value")
	some change in sql.settings(text_, {"path": ["spec", "custom", "components", i, "parameters", j, "value"]})
] if {
	o.kind == "OpsRequest"
	split(o.apiVersion, "/")[0] in {"apps.kubeblocks.io", "operations.kubeblocks.io"}
	get.string(o, ["spec", "type"]) == "Custom"
}

# What came before ComponentParameter, up to release 0.9.
of(o) := array.concat(items(o), patroni_in_files(o)) if {
	o.kind == "Configuration"
	split(o.apiVersion, "/")[0] == "apps.kubeblocks.io"
}

of(o) := initial(o) if is_parameters(o, "Parameter")

of(o) := array.concat(array.concat(wanted(o, "initial"), array.concat(items(o), patroni_in_files(o))), wanted(o, "desired")) if is_parameters(o, "ComponentParameter")

of(o) := array.concat(rendered(o), of_patroni(o)) if {
	o.kind == "ConfigMap"
	o.apiVersion == "v1"
}

is_parameters(o, kind) if {
	o.kind == kind
	split(o.apiVersion, "/")[0] == "parameters.kubeblocks.io"
}

# --------------------------------------------------------------------------------------------------- OpsRequest

# METADATA
# description: |
#   What the OpsRequest under review changes besides parameters, [{"component", "field", "value", "path"}]. field: "data" (value: size of
#   the claim of that name), "resources" ({"requests", "limits"}), "replicas" (their number) or "added" (by how many it changes).
scaled := array.concat(array.concat(expanded, resourced), array.concat(counted, added)) if {
	k8s.kind == "OpsRequest"
	k8s.group in {"apps.kubeblocks.io", "operations.kubeblocks.io"}
}

scaled := [] if k8s.kind != "OpsRequest"

request_type := get.string(k8s.object, ["spec", "type"])

expanded := [{"component": text_of(one, "componentName"), "field": "data", "value": size, "path": ["spec", "volumeExpansion", i, "volumeClaimTemplates", j, "storage"]} |
	request_type == "VolumeExpansion"
	some i, one in get.list(k8s.object, ["spec", "volumeExpansion"])
	some j, claim in get.list(one, "volumeClaimTemplates")
	get.string(claim, "name") == "data"
	size := get.text_at(claim, ["storage"])
]

resourced := [{"component": text_of(one, "componentName"), "field": "resources", "value": value, "path": ["spec", "verticalScaling", i]} |
	request_type == "VerticalScaling"
	some i, one in get.list(k8s.object, ["spec", "verticalScaling"])
	value := {"requests": get.map(one, "requests"), "limits": get.map(one, "limits")}
	value != {"requests": {}, "limits": {}}
]

# Releases up to 0.9: the number itself.
counted := [{"component": text_of(one, "componentName"), "field": "replicas", "value": number, "path": ["spec", "horizontalScaling", i, "replicas"]} |
	request_type == "HorizontalScaling"
	some i, one in get.list(k8s.object, ["spec", "horizontalScaling"])
	number := get.number(one, "replicas")
	number >= 0
]

added := [{"component": text_of(one, "componentName"), "field": "added", "value": out - in_, "path": ["spec", "horizontalScaling", i]} |
	request_type == "HorizontalScaling"
	some i, one in get.list(k8s.object, ["spec", "horizontalScaling"])
	not get.number(one, "replicas")
	out := replica_changes(one, "scaleOut")
	in_ := replica_changes(one, "scaleIn")
	out != in_
]

replica_changes(one, field) := number if {
	number := get.number(one, [field, "replicaChanges"])
	number == floor(number)
} else := 0

# A list since 0.9, one alone before.
requests(o) := array.concat(
	[{"request": r, "path": ["spec", "reconfigures", i]} |
		some i, r in get.list(o, ["spec", "reconfigures"])
		is_object(r)
	],
	[{"request": r, "path": ["spec", "reconfigure"]} |
		r := object.get(o, ["spec", "reconfigure"], null)
		is_object(r)
	],
)

parameters_of_request(o) := [change |
	some r in requests(o)
	some change in pairs(r.request, r.path, text_of(r.request, "componentName"), "")
]

# Releases up to 0.9: by configuration template and file.
request_files(o) := [{
	"file": f,
	"path": array.concat(r.path, ["configurations", i, "keys", j]),
	"component": text_of(r.request, "componentName"),
	"hint": concat(" ", [text_of(configuration, "name"), text_of(f, "key")]),
} |
	some r in requests(o)
	some i, configuration in get.list(r.request, "configurations")
	is_object(configuration)
	some j, f in get.list(configuration, "keys")
	is_object(f)
	text_of(f, "key") in {"", file}
]

files_of_request(o) := [change |
	some f in request_files(o)
	some change in pairs(f.file, f.path, f.component, f.hint)
]

requested_texts(o) := [change |
	some f in request_files(o)
	some change in settings(get.string(f.file, "fileContent"), array.concat(f.path, ["fileContent"]), f.component, f.hint)
]

# {"parameters": [{"key", "value"}]}
pairs(parent, path, component, hint) := [
{"component": component, "hint": hint, "name": name, "value": unquoted(value), "path": array.concat(path, ["parameters", i, "value"])} |
	some i, pair in get.list(parent, "parameters")
	is_object(pair)
	name := get.string(pair, "key")
	value := object.get(pair, "value", null)
	value != null
]

# ---------------------------------------------------------------------------- Parameter and ComponentParameter

initial(o) := [change |
	some i, part in get.list(o, ["spec", "componentParameters"])
	is_object(part)
	some change in assignments(part, "parameters", ["spec", "componentParameters", i, "parameters"], text_of(part, "componentName"), "")
]

items(o) := [change |
	some i, item in get.list(o, ["spec", "configItemDetails"])
	is_object(item)
	content := get.map(item, ["configFileParams", file])
	path := ["spec", "configItemDetails", i, "configFileParams", file]
	component := text_of(get.map(o, "spec"), "componentName")
	some change in array.concat(
		texts(content, array.concat(path, ["content"]), component, file),
		array.concat(
			assignments(content, "parameters", array.concat(path, ["parameters"]), component, file),
			sections(get.list(content, "unmanagedUpdates"), array.concat(path, ["unmanagedUpdates"]), component, file),
		),
	)
]

# What no definition of parameters knows is written by section, of which postgresql.conf has none (pkg/parameters/patch_merger.go, mergeUnmanagedUpdates).
sections(listed, path, component, hint) := [{"component": component, "hint": hint, "name": change.name, "value": change.value, "path": change.path} |
	some i, section in listed
	is_object(section)
	some change in updates(section, array.concat(path, [i, "updates"]), component)
]

# By template and file, with sections below.
unmanaged(inputs, path, component) := [change |
	some i, one in get.list(inputs, "unmanagedUpdates")
	is_object(one)
	text_of(one, "file") in {"", file}
	some change in sections(get.list(one, "updates"), array.concat(path, ["unmanagedUpdates", i, "updates"]), component, concat(" ", [text_of(one, "template"), file]))
]

texts(content, path, component, hint) := settings(get.string(content, "content"), path, component, hint)

texts(content, _, _, _) := [] if not get.string(content, "content")

wanted(o, field) := array.concat(
	assignments(section, "assignments", ["spec", field, "assignments"], component, ""),
	array.concat(updates(section, ["spec", field, "updates"], component), unmanaged(section, ["spec", field], component)),
) if {
	section := get.map(o, ["spec", field])
	component := text_of(get.map(o, "spec"), "componentName")
}

# {name: value}; null takes a parameter away.
assignments(parent, field, path, component, hint) := [
{"component": component, "hint": hint, "name": name, "value": unquoted(value), "path": array.concat(path, [name])} |
	some name, value in get.map(parent, field)
	value != null
]

# [{"key", "value", "type"}]
updates(parent, path, component) := [
{"component": component, "hint": "", "name": name, "value": unquoted(value), "path": array.concat(path, [i, "value"])} |
	some i, update in get.list(parent, "updates")
	is_object(update)
	name := get.string(update, "key")
	value := object.get(update, "value", null)
	value != null
]

# --------------------------------------------------------------------------------------------------- annotation

annotation := "config.kubeblocks.io/init-parameters"

# METADATA
# description: |
#   What a new Cluster begins with – JSON in an annotation: {component: {"assignments", "updates", "unmanagedUpdates"}}.
of_annotation(o) := [object.union(change, {"path": ["metadata", "annotations", annotation]}) |
	text := get.string(o, ["metadata", "annotations", annotation])
	json.is_valid(text)
	parts := json.unmarshal(text)
	is_object(parts)
	some component, written in parts
	is_object(written)
	part := small(written)
	some change in array.concat(
		assignments(part, "assignments", [], component, ""),
		array.concat(
			updates({"updates": [small(update) | some update in get.list(part, "updates"); is_object(update)]}, [], component),
			unmanaged({"unmanagedUpdates": get.list(part, "unmanagedupdates")}, [], component),
		),
	)
]

# encoding/json takes the names of fields in any case.
small(parent) := object.union_n([{get.lower_case(key): value} | some key, value in parent])

# ---------------------------------------------------------------------------------------------------- ConfigMap

# METADATA
# description: True for a ConfigMap that KubeBlocks made.
of_kubeblocks(o) if {
	some label, _ in get.map(o, ["metadata", "labels"])
	contains(label, ".kubeblocks.io/")
}

rendered(o) := [object.union(change, mark) |
	some change in settings(get.string(o, ["data", file]), ["data", file], component_label(o), file)
	mark := mark_of(o, change.name)
]

# The addon's script puts the file beside it into what Patroni keeps of the cluster, over which postgresql.conf does not come (generate_patroni_yaml.py).
of_patroni(o) := [{"component": component_label(o), "hint": file, "name": one.name, "value": one.value, "path": one.path, "line": one.line} |
	text := get.string(o, ["data", "patroni.yaml"])
	contains(text, "parameters")
	some one in patroni.parameters(text, {"path": ["data", "patroni.yaml"]})
]

# METADATA
# description: What another file of the configuration runs or says that is not read, {"source", "path", "severity"}.
unread_files_of(o) := [{"source": sprintf("%s of the configuration", [one.key]), "path": one.path, "severity": inventory.unread} |
	some one in files_of(o)
	one.key in {"patroni.yaml", "kb_pitr.conf", "replica_restore.conf"}
	unread_text(one.key, one.text)
]

unread_text("patroni.yaml", text) if patroni.unread(text)

unread_text(_, text) if script.sets(text)

# METADATA
# description: The lines of pg_hba.conf that it brings; a ConfigMap that a Cluster names, or a change of the file.
hba_of(o) := [line |
	some one in files_of(o)
	one.key == "pg_hba.conf"
	some line in hba.of_text(one.text, {"path": one.path})
]

# METADATA
# description: |
#   ConfigMaps that an object puts in the place of a template of the configuration, or merges into it: {"name", "namespace"?, "path"}.
templates_of(o) := [object.union({"name": name, "path": place}, object.filter(one, ["namespace"])) |
	some [place, one] in array.concat(
		[[["spec", "configItemDetails", i, field], get.map(item, field)] |
			some i, item in get.list(o, ["spec", "configItemDetails"])
			some field in ["userConfigTemplates", "importTemplateRef"]
		],
		array.concat(
			[[["spec", field, "userConfigTemplates", of_template], one] |
				some field in ["initial", "desired"]
				some of_template, one in get.map(o, ["spec", field, "userConfigTemplates"])
			],
			[[["spec", "componentParameters", i, "userConfigTemplates", of_template], one] |
				some i, part in get.list(o, ["spec", "componentParameters"])
				some of_template, one in get.map(part, "userConfigTemplates")
			],
		),
	)
	some name in [n | some key in ["templateRef", "name"]; n := get.string(one, key)]
] if {
	split(o.apiVersion, "/")[0] in {"apps.kubeblocks.io", "parameters.kubeblocks.io"}
	o.kind in {"ComponentParameter", "Configuration", "Parameter"}
} else := [object.union({"name": name, "path": ["metadata", "annotations", annotation]}, object.filter(small(extension), ["namespace"])) |
	text := get.string(o, ["metadata", "annotations", annotation])
	json.is_valid(text)
	parts := json.unmarshal(text)
	is_object(parts)
	some _, written in parts
	is_object(written)
	some _, extension in get.map(small(written), "userconfigtemplates")
	name := get.string(small(extension), "templateref")
]

mark_of(o, name) := {"rendered": true} if repeats_template(o, name)

mark_of(o, name) := {} if not repeats_template(o, name)

# What a template never writes somebody asked for.
repeats_template(o, name) if {
	of_kubeblocks(o)
	not named_by_cluster(o)
	not name in {
		"data_checksums",
		"data_sync_retry",
		"fsync",
		"full_page_writes",
		"ignore_checksum_failure",
		"ignore_invalid_pages",
		"wal_recycle",
		"wal_segment_size",
		"zero_damaged_pages",
	}
}

# Labels are anybody's: what a Cluster names is its author's.
named_by_cluster(o) if {
	some version in ["apps.kubeblocks.io/v1", "apps.kubeblocks.io/v1alpha1"]
	some kind in ["Cluster", "Component"]
	some cluster in inventory.list(k8s.namespace, version, kind)
	some config in array.concat(
		get.list(cluster, ["spec", "configs"]),
		array.concat(
			[config | some part in get.list(cluster, ["spec", "componentSpecs"]); some config in get.list(part, "configs")],
			[config | some part in get.list(cluster, ["spec", "shardings"]); some config in get.list(part, ["template", "configs"])],
		),
	)
	get.string(config, ["configMap", "name"]) == o.metadata.name
}

component_label(o) := text_of(get.map(o, ["metadata", "labels"]), "apps.kubeblocks.io/component-name")

# ----------------------------------------------------------------------------------------------- shared reading

# METADATA
# description: |
#   True when a change can only be for PostgreSQL, whatever the Cluster: by the name of the component, the file or the template, or
#   because no other database that KubeBlocks runs has such a parameter.
for_postgresql(change) if contains(get.lower_case(change.component), "postgres")

for_postgresql(change) if contains(get.lower_case(change.hint), "postgres")

for_postgresql(change) if get.lower_case(change.name) in {
	"archive_command",
	"autovacuum",
	"checkpoint_completion_target",
	"checkpoint_timeout",
	"effective_cache_size",
	"fsync",
	"full_page_writes",
	"maintenance_work_mem",
	"max_slot_wal_keep_size",
	"max_wal_senders",
	"max_wal_size",
	"min_wal_size",
	"shared_buffers",
	"synchronous_commit",
	"wal_compression",
	"wal_init_zero",
	"wal_keep_size",
	"wal_level",
	"wal_log_hints",
	"wal_recycle",
	"wal_segment_size",
	"wal_sync_method",
}

settings(text, path, component, hint) := conf.settings(text, {"component": component, "hint": hint, "path": path})

text_of(parent, key) := get.string(parent, key)

text_of(parent, key) := "" if not get.string(parent, key)

# A value goes into the file as it is, so that some carry the quotes of the file.
unquoted(value) := value if not quoted(value)

unquoted(value) := replace(substring(value, 1, count(value) - 2), "''", "'") if quoted(value)

quoted(value) if {
	is_string(value)
	count(value) > 1
	startswith(value, "'")
	endswith(value, "'")
}
