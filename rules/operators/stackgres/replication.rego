package walguard.operators.stackgres

import data.walguard.lib.affinity
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.k8s
import data.walguard.lib.scheduling

# Patroni's strict mode (PatroniConfigEndpoints.java); that of all standbys only where there are some.
facts contains {"commit_wait": object.union(at_home(fact.written(1, mode_path)), {"relax": "mode: sync"})} if {
	home
	get.string(home, mode_path) == "strict-sync"
}

facts contains {"commit_wait": object.union(at_home(fact.written(1, mode_path)), {"relax": "mode: sync"})} if {
	home
	get.string(home, mode_path) == "strict-sync-all"
	instances.value > 1
}

facts contains {"pod_lists": lists} if {
	reviewed_cluster
	lists := [path |
		some name in ["tolerations", "topologySpreadConstraints"]
		path := array.concat(scheduling_path, [name])
		get.present(k8s.object, path)
	]
	count(lists) > 0
}

facts contains {"affinities": affinity.sections(k8s.object, scheduling_path)} if {
	reviewed_cluster
	get.present(k8s.object, scheduling_path)
}

scheduling_path := array.concat(part, ["pods", "scheduling"])

facts contains {"one_node": found} if {
	reviewed_cluster
	found := scheduling.pinned_node(k8s.object, array.concat(scheduling_path, ["nodeSelector"]), array.concat(scheduling_path, ["nodeAffinity"]))
}

facts contains {"one_node": fact.written("disableClusterPodAntiAffinity: true, and nothing else spreads the instances", anti_affinity_path)} if {
	reviewed_cluster
	not scheduling.pinned_node(k8s.object, array.concat(scheduling_path, ["nodeSelector"]), array.concat(scheduling_path, ["nodeAffinity"]))
	get.boolean(k8s.object, anti_affinity_path)
	not get.present(k8s.object, array.concat(scheduling_path, ["podAntiAffinity"]))
	count(get.list(k8s.object, array.concat(scheduling_path, ["topologySpreadConstraints"]))) == 0
}

anti_affinity_path := ["spec", "nonProductionOptions", "disableClusterPodAntiAffinity"]

facts contains {"one_zone": found} if {
	reviewed_cluster
	found := scheduling.pinned_zone(k8s.object, array.concat(scheduling_path, ["nodeSelector"]), array.concat(scheduling_path, ["nodeAffinity"]))
}

# The one thing of Patroni's section on PostgreSQL that the operator keeps.
facts contains {"hba": lines} if {
	reviewed_cluster
	some section in ["initialConfig", "dynamicConfig"]
	lines := hba.listed(k8s.object, array.concat(part, ["configurations", "patroni", section, "postgresql", "pg_hba"]))
	count(lines) > 0
}
