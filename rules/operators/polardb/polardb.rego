# METADATA
# title: PolarDB Stack
# description: |
#   MPDCluster of PolarDB for PostgreSQL on shared storage. Size, instances and resources are read, and the parameters that somebody changes: ConfigMap
#   NAME-user-params, {"name", "value", "updateTime"} as JSON by name, which is judged as a change of its cluster. The template of the operator is not read,
#   and PolarFS repairs torn pages, by its vendor's word.
# related_resources:
#   - https://github.com/ApsaraDB/PolarDB-Stack-Operator
#   - https://github.com/ApsaraDB/PolarDB-Stack-Operator/blob/master/docs/user_manual.md
# custom:
#   kinds:
#     - {group: mpd.polardb.aliyun.com, versions: [v1], kind: MPDCluster, plural: mpdclusters, namespaced: true, role: cluster}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [-user-params], watched: false, named: {made: ["{metadata.name}-user-params"]}}
#   facts:
#     version: {unread: "names of images of its own"}
#     edition: {default: "polardb"}
#     parameters: {read: "ConfigMap NAME-user-params"}
#     instances: {read: "followerNum and the leader"}
#     resources: {read: "classInfo"}
#     volume: {unread: "one volume on PolarFS for all instances"}
package walguard.operators.polardb

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

recognised if reviewed_cluster

recognised if home

reviewed_cluster if {
	k8s.group == "mpd.polardb.aliyun.com"
	k8s.kind == "MPDCluster"
}

# The cluster whose parameters a ConfigMap holds.
home := inventory.namespaced_object(k8s.namespace, "mpd.polardb.aliyun.com/v1", "MPDCluster", trim_suffix(k8s.name, "-user-params")) if {
	k8s.kind == "ConfigMap"
	k8s.api_version == "v1"
	endswith(k8s.name, "-user-params")
}

# The operator writes them to the servers when somebody asks for it (annotation flushParams).
parameters := settings(k8s.object, {}) if not reviewed_cluster

parameters := [setting |
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", sprintf("%s-user-params", [k8s.name]))
	some setting in settings(found, {"resource": k8s.reference(found)})
] if {
	reviewed_cluster
}

# encoding/json takes the names of fields in any case.
settings(o, place) := [object.union({"name": name, "value": value, "path": ["data", name]}, place) |
	some name, text in get.map(o, "data")
	is_string(text)
	json.is_valid(text)
	entry := json.unmarshal(text)
	is_object(entry)
	some field, _ in entry
	get.lower_case(field) == "value"
	value := get.text_at(entry, field)
]

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([
	{"change": true | not reviewed_cluster},
	{
		"operator": "PolarDB Stack",
		"edition": "polardb",
		"name": trim_suffix(k8s.name, "-user-params"),
		"namespace": k8s.namespace,
		"partial": true,
		"torn_page_repair": true,
		"parameters": parameters,
		"parameters_path": parameters_path,
		"parameter_values": "any",
		"defaults": {},
		"managed": {},
		"instance_sets": [instance_set | reviewed_cluster],
	},
	{"instances": found | found := instances},
]) if {
	recognised
}

parameters_path := [] if reviewed_cluster

parameters_path := ["data"] if not reviewed_cluster

followers_path := ["spec", "followerNum"]

# The leader comes on top.
instances := fact.written(followers + 1, followers_path) if followers := shared.whole(object.get(k8s.object, followers_path, null))

instance_set := object.union_n([
	{
		"name": k8s.name,
		"path": ["spec"],
		"resources": {"requests": {}, "limits": limits},
		"resources_path": ["spec", "classInfo"],
		"resources_filled": true,
	},
	{"replicas": found | found := instances},
])

limits := {name: text |
	some name in ["cpu", "memory"]
	text := get.text_at(k8s.object, ["spec", "classInfo", name])
}
