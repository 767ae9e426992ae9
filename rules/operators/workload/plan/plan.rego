# METADATA
# description: The schedules of a plain workload – the CronJobs with which the chart timescaledb-single asks pgBackRest for backups (see walguard.model.schedules).
package walguard.operators.workload.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

schedules := [object.union_n([
	{"method": method, "path": ["spec", "schedule"], "resource": k8s.reference(job), "text": text, "needs_wal": true},
	{"suspended": true | get.boolean(job, ["spec", "suspend"])},
]) |
	cluster := k8s.labels["cluster-name"]
	some job in inventory.list(k8s.namespace, "batch/v1", "CronJob")
	get.string(job, ["metadata", "labels", "cluster-name"]) == cluster
	method := methods[get.string(job, ["metadata", "labels", "backup-type"])]
	text := get.string(job, ["spec", "schedule"])
]

methods := {"full": "full", "incr": "incremental", "diff": "incremental"}
