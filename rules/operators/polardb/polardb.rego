# METADATA
# title: PolarDB Stack
# description: |
#   MPDCluster of PolarDB for PostgreSQL on shared storage. Only size, instances and resources are read: parameters stand in
#   ConfigMaps of their own format, and PolarFS repairs torn pages, by its vendor's word.
# related_resources:
#   - https://github.com/ApsaraDB/PolarDB-Stack-Operator
# custom:
#   kinds:
#     - {group: mpd.polardb.aliyun.com, versions: [v1], kind: MPDCluster, plural: mpdclusters, namespaced: true, role: cluster}
#   facts:
#     version: {unread: "names of images of its own"}
#     edition: {default: "polardb"}
#     parameters: {unread: "ConfigMaps of its own format"}
#     instances: {read: "followerNum and the leader"}
#     resources: {read: "classInfo"}
#     volume: {unread: "one volume on PolarFS for all instances"}
package walguard.operators.polardb

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s

recognised if {
	k8s.group == "mpd.polardb.aliyun.com"
	k8s.kind == "MPDCluster"
}

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([
	{
		"operator": "PolarDB Stack",
		"edition": "polardb",
		"name": k8s.name,
		"namespace": k8s.namespace,
		"partial": true,
		"torn_page_repair": true,
		"parameters": [],
		"parameters_path": [],
		"parameter_values": "any",
		"defaults": {},
		"managed": {},
		"instance_sets": [instance_set],
	},
	{"instances": found | found := instances},
]) if {
	recognised
}

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
