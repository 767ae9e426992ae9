# METADATA
# description: The schedule of a Kubegres (see walguard.model.schedules), which is one of dumps, and where its image archives to.
package walguard.operators.kubegres.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.operators.kubegres

schedules := [kubegres.at_home({"method": "logical", "path": schedule_path, "text": text, "needs_wal": false}) |
	text := get.string(kubegres.home, schedule_path)
]

schedule_path := ["spec", "backup", "schedule"]

# METADATA
# description: Where others archive to the same place, by the variables of WAL-G and WAL-E; see walguard.model.collisions.
collisions := [{"place": own.place, "other": neighbour.title, "source": false, "path": own.path} |
	some neighbour in inventory.neighbours([own.place | some own in prefixes])
	some theirs in prefixes_of(neighbour.object)
	some own in prefixes
	own.place == theirs.place
]

prefixes := prefixes_of(k8s.object) if kubegres.reviewed_cluster

prefixes := [] if not kubegres.reviewed_cluster

prefixes_of(cluster) := [{"place": trim_right(text, "/"), "path": ["spec", "env", i, "value"]} |
	some i, variable in get.list(cluster, ["spec", "env"])
	is_object(variable)
	get.string(variable, "name") in variables
	text := get.string(variable, "value")
]

variables := {"WALE_GS_PREFIX", "WALE_S3_PREFIX", "WALG_AZ_PREFIX", "WALG_GS_PREFIX", "WALG_S3_PREFIX"}
