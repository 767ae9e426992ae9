package walguard.operators.workload

import data.walguard.lib.affinity
import data.walguard.lib.entries
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.scheduling

facts contains {"affinities": affinity.sections(k8s.object, array.concat(pod_path, ["affinity"]))} if {
	server
	get.present(k8s.object, array.concat(pod_path, ["affinity"]))
}

facts contains {"pod_lists": lists} if {
	server
	lists := [path |
		some name in entries.names
		path := array.concat(pod_path, [name])
		get.present(k8s.object, path)
	]
	count(lists) > 0
}

facts contains {"one_node": found} if {
	server
	found := scheduling.pinned_node(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]))
}

facts contains {"one_node": fact.written(sprintf("every instance must run on node %s", [node]), array.concat(pod_path, ["nodeName"]))} if {
	server
	node := get.string(k8s.object, array.concat(pod_path, ["nodeName"]))
}

facts contains {"one_zone": found} if {
	server
	found := scheduling.pinned_zone(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]))
}

# Nothing creates a Pod again that goes with its node. Without a volume that stays there is nothing to come back for.
facts contains {"alone": fact.written("Pod", ["kind"])} if {
	server
	k8s.kind == "Pod"
	count(get.list(k8s.object, ["metadata", "ownerReferences"])) == 0
	lasts(mount_of(directory).name)
}
