package walguard.operators.kubeblocks

import data.walguard.lib.cluster as shared
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

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
