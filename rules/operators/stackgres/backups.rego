package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# ------------------------------------------------------------------------------------------------------- backups

backups_path := ["spec", "configurations", "backups"]

archiving := at_home(fact.written("on", backups_path)) if {
	count(get.list(home, backups_path)) > 0
	not stopped_by_sql
}

archiving := stopped_by_sql if count(get.list(home, backups_path)) > 0

# ALTER SYSTEM comes after what the operator gives Patroni.
stopped_by_sql := found if {
	found := shared.archiving(set_by_sql)
	found.value != "on"
}

# archive_command is /bin/true then, with archive_mode on.
archiving := at_home(fact.operator("discards", backups_path)) if count(get.list(home, backups_path)) == 0

# Of the primary, always.
standby_backup := at_home(fact.operator(false, backups_path)) if count(get.list(home, backups_path)) > 0

# METADATA
# description: SGBackups, or SGShardedBackups, that completed. What was finished before this cluster was made belongs to a former one of the same name.
backups := [{"finished": finished, "from": "primary", "name": name} |
	some backup in own_backups
	get.string(backup, ["status", "process", "status"]) == "Completed"
	finished := get.string(backup, ["status", "process", "timing", "stored"])
	time.parse_rfc3339_ns(finished) >= k8s.creation(home)
	name := get.string(backup, ["metadata", "name"])
] if {
	recognised
}

own_backups := inventory.of_cluster(k8s.namespace, api_version, "SGBackup", cluster_name) if not sharded

own_backups := inventory.of_cluster(k8s.namespace, api_version, "SGShardedBackup", cluster_name) if sharded

# METADATA
# description: |
#   Clusters made from a backup of this one that have a primary; of a sharded one there is no such sign. Nothing tells when one became ready; it was not before it was created.
restores := [{"ready": ready, "cluster": name} |
	names := {n | some backup in own_backups; n := get.string(backup, ["metadata", "name"])}
	some other in inventory.list(k8s.namespace, api_version, "SGCluster")
	get.string(other, ["spec", "initialData", "restore", "fromBackup", "name"]) in names
	some pod in get.list(other, ["status", "podStatuses"])
	is_object(pod)
	get.boolean(pod, "primary")
	ready := get.string(other, ["metadata", "creationTimestamp"])
	name := get.string(other, ["metadata", "name"])
] if {
	recognised
	not sharded
}
