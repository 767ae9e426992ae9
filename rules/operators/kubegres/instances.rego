package walguard.operators.kubegres

import data.walguard.lib.cluster as shared
import data.walguard.lib.k8s
import data.walguard.lib.probe

instances := at_home(found) if found := shared.number_at(home, ["spec", "replicas"])

instance_set := at_home(object.union_n([
	{
		"name": cluster_name,
		"path": ["spec"],
		"resources": shared.resources(home, ["spec", "resources"]),
		"resources_path": ["spec", "resources"],
	},
	{"replicas": found | found := instances},
	{"data": volume | volume := data_volume},
	{"wal": volume | volume := wal_volume},
]))

# The operator's own probe waits four minutes.
patience := probe.patience(k8s.object, ["spec", "probe"]) if reviewed_cluster
